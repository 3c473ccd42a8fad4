// One tile loop with its staging done in seven ways: C = A^T B in fp32, A is K x M, B is K x N, ordinary FMAs.
// Both operands arrive in rows of a tile, so every form of copy moves 16 bytes a thread and the multiply is the same.
#include "common.cuh"

enum Staging {
  SINGLE,     // load, store, barrier, multiply, barrier: one tile
  REGISTERS,  // the next tile is loaded into registers before the multiply and stored after it: one tile
  TWO_TILES,  // the next tile is loaded and stored before the multiply: two tiles, one barrier
  TWO_TILES_TWO_BARRIERS,  // the same with a barrier that it does not need: what the second barrier costs
  ASYNC_1,    // cp.async into one tile, waited for at once
  ASYNC_2,    // cp.async into two tiles, the next in flight during the multiply
  ASYNC_3,    // the same with three tiles, two in flight
};

template <Staging S>
constexpr int TILES = S == TWO_TILES || S == TWO_TILES_TWO_BARRIERS || S == ASYNC_2 ? 2 : S == ASYNC_3 ? 3 : 1;

__device__ inline void copy_async(float* to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from)
               : "memory");
}
__device__ inline void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int PENDING>
__device__ inline void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

template <int BM, int BN, int BK, int TM, int TN, Staging STAGING>
__global__ void __launch_bounds__(BM / TM * (BN / TN)) tile_loop(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int THREADS = BM / TM * (BN / TN), TILE = BK * (BM + BN);
  constexpr int A_COPIES = BK * BM / 4 / THREADS, B_COPIES = BK * BN / 4 / THREADS;
  static_assert(A_COPIES * THREADS * 4 == BK * BM && B_COPIES * THREADS * 4 == BK * BN, "whole copies only");
  extern __shared__ __align__(16) float shared[];
  const int t = threadIdx.x, tx = t % (BN / TN), ty = t / (BN / TN);
  const float *a = A + blockIdx.y * BM, *b = B + blockIdx.x * BN;

  float4 held[A_COPIES + B_COPIES];
  auto place = [&](int c, const float*& from, int& to, int k0) {  // copy c of this thread: where from, and where in the tile
    bool is_a = c < A_COPIES;
    int width = is_a ? BM : BN, i = ((is_a ? c : c - A_COPIES) * THREADS + t) * 4, row = i / width, column = i % width;
    from = is_a ? a + size_t(k0 + row) * M + column : b + size_t(k0 + row) * N + column;
    to = (is_a ? 0 : BK * BM) + i;
  };
  auto load = [&](int k0) {
#pragma unroll
    for (int c = 0; c < A_COPIES + B_COPIES; c++) {
      const float* from;
      int to;
      place(c, from, to, k0);
      held[c] = *reinterpret_cast<const float4*>(from);
    }
  };
  auto store = [&](float* tile) {
#pragma unroll
    for (int c = 0; c < A_COPIES + B_COPIES; c++) {
      const float* from;
      int to;
      place(c, from, to, 0);
      *reinterpret_cast<float4*>(tile + to) = held[c];
    }
  };
  auto begin_copy = [&](float* tile, int k0) {
#pragma unroll
    for (int c = 0; c < A_COPIES + B_COPIES; c++) {
      const float* from;
      int to;
      place(c, from, to, k0);
      copy_async(tile + to, from);
    }
  };

  float acc[TM][TN] = {};
  auto multiply = [&](const float* tile) {
#pragma unroll
    for (int k = 0; k < BK; k++) {
      float av[TM], bv[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4) *reinterpret_cast<float4*>(av + i) = *reinterpret_cast<const float4*>(tile + k * BM + i / 4 * (BM / (TM / 4)) + ty * 4);
#pragma unroll
      for (int j = 0; j < TN; j += 4) *reinterpret_cast<float4*>(bv + j) = *reinterpret_cast<const float4*>(tile + BK * BM + k * BN + j / 4 * (BN / (TN / 4)) + tx * 4);
#pragma unroll
      for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) acc[i][j] = fmaf(av[i], bv[j], acc[i][j]);
    }
  };

  const int steps = K / BK;
  if constexpr (STAGING == SINGLE) {
    for (int s = 0; s < steps; s++) {
      load(s * BK);
      store(shared);
      __syncthreads();
      multiply(shared);
      __syncthreads();
    }
  } else if constexpr (STAGING == REGISTERS) {
    load(0);
    for (int s = 0; s < steps; s++) {
      __syncthreads();
      store(shared);
      __syncthreads();
      if (s + 1 < steps) load((s + 1) * BK);
      multiply(shared);
    }
  } else if constexpr (STAGING == TWO_TILES || STAGING == TWO_TILES_TWO_BARRIERS) {
    load(0);
    store(shared);
    for (int s = 0; s < steps; s++) {
      __syncthreads();
      if (s + 1 < steps) {
        load((s + 1) * BK);
        store(shared + (s + 1) % 2 * TILE);
      }
      multiply(shared + s % 2 * TILE);
      if (STAGING == TWO_TILES_TWO_BARRIERS) __syncthreads();
    }
  } else if constexpr (STAGING == ASYNC_1) {
    for (int s = 0; s < steps; s++) {
      begin_copy(shared, s * BK);
      commit();
      wait<0>();
      __syncthreads();
      multiply(shared);
      __syncthreads();
    }
  } else {
    constexpr int STAGES = TILES<STAGING>;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
      begin_copy(shared + s * TILE, s * BK);
      commit();
    }
    for (int s = 0; s < steps; s++) {
      wait<STAGES - 2>();
      __syncthreads();
      int next = s + STAGES - 1;
      if (next < steps) begin_copy(shared + next % STAGES * TILE, next * BK);
      commit();
      multiply(shared + s % STAGES * TILE);
    }
  }

#pragma unroll
  for (int i = 0; i < TM; i++)
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      size_t row = blockIdx.y * BM + i / 4 * (BM / (TM / 4)) + ty * 4 + i % 4;
      size_t column = blockIdx.x * BN + j / 4 * (BN / (TN / 4)) + tx * 4;
      *reinterpret_cast<float4*>(C + row * N + column) = make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
    }
}

__global__ void fill(float* p, size_t n, uint32_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    p[i] = spread(i, seed);
}

constexpr int SIZE = 4096;

struct Operands {
  Buffer<float> a{size_t(SIZE) * SIZE}, b{size_t(SIZE) * SIZE}, c{size_t(SIZE) * SIZE};
  std::vector<int> rows, columns;
  std::vector<double> wanted, scale;
  Operands() {
    fill<<<512, 256>>>(a.data, a.size, 1u);
    fill<<<512, 256>>>(b.data, b.size, 2u);
    CUDA(cudaGetLastError());
    for (int s = 0; s < 256; s++) {
      rows.push_back(int(s * 1103515245u % SIZE)), columns.push_back(int(s * 22695477u / 7 % SIZE));
      double sum = 0, absolute = 0;
      for (int k = 0; k < SIZE; k++) {
        double p = double(spread(size_t(k) * SIZE + rows[s], 1u)) * spread(size_t(k) * SIZE + columns[s], 2u);
        sum += p, absolute += std::fabs(p);
      }
      wanted.push_back(sum), scale.push_back(absolute);
    }
  }
};

template <int BM, int BN, int BK, int TM, int TN, Staging STAGING>
void measure(Operands& o, const char* name, int resident) {  // blocks on an SM; 0 = as many as fit
  auto kernel = tile_loop<BM, BN, BK, TM, TN, STAGING>;
  constexpr int THREADS = BM / TM * (BN / TN), TILE_BYTES = BK * (BM + BN) * 4;
  // Shared memory that nobody uses keeps others out: 228 KiB an SM, 1 KiB of it taken by each block.
  const int pad[] = {0, 120, 100, 72, 54};
  int used = TILES<STAGING> * TILE_BYTES, shared = std::max(used, pad[resident] * 1024), per_sm = 0;
  CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 * 1024));
  CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, THREADS, shared));
  require(!resident || per_sm == resident, "%s: %d blocks fit, not %d", name, per_sm, resident);
  o.c.poison();
  auto work = [&] { kernel<<<dim3(SIZE / BN, SIZE / BM), THREADS, shared>>>(o.a.data, o.b.data, o.c.data, SIZE, SIZE, SIZE); };
  auto times = device_ms(work, 9, 60);
  std::vector<float> c = o.c.get();
  for (float v : c) require(std::isfinite(v), "%s left an element unwritten", name);
  for (size_t s = 0; s < o.wanted.size(); s++) {
    double got = c[size_t(o.rows[s]) * SIZE + o.columns[s]];
    require(std::fabs(got - o.wanted[s]) < 1e-6 * o.scale[s], "%s (%d, %d): %g, not %g", name, o.rows[s], o.columns[s], got,
            o.wanted[s]);
  }
  auto where = resident ? text("%d", resident) : std::string("full");
  report(text("tile%d_%s_%s", BM, where.c_str(), name),
         mapped(times, [](double ms) { return 2.0 * SIZE * SIZE * SIZE / ms / 1e9; }), "TFLOPS",
         text("%d^3 in fp32, tile %dx%dx%d, %d accumulators a thread, %d KiB of tiles a block, %d %s of %d threads on an SM", SIZE,
              BM, BN, BK, TM * TN, used / 1024, per_sm, per_sm == 1 ? "block" : "blocks", THREADS),
         (const void*)kernel);
}

template <int BM, int BN, int BK, int TM, int TN>
void all(Operands& o) {
  for (int resident : {0, 1}) {
    measure<BM, BN, BK, TM, TN, SINGLE>(o, "single", resident);
    measure<BM, BN, BK, TM, TN, REGISTERS>(o, "registers", resident);
    measure<BM, BN, BK, TM, TN, TWO_TILES>(o, "two_tiles", resident);
    measure<BM, BN, BK, TM, TN, TWO_TILES_TWO_BARRIERS>(o, "two_tiles_two_barriers", resident);
    measure<BM, BN, BK, TM, TN, ASYNC_1>(o, "cp_async_1", resident);
    measure<BM, BN, BK, TM, TN, ASYNC_2>(o, "cp_async_2", resident);
    measure<BM, BN, BK, TM, TN, ASYNC_3>(o, "cp_async_3", resident);
  }
}

int main() {
  Operands operands;
  all<64, 64, 16, 8, 4>(operands);
  for (int resident : {2, 3, 4}) {
    measure<64, 64, 16, 8, 4, SINGLE>(operands, "single", resident);
    measure<64, 64, 16, 8, 4, REGISTERS>(operands, "registers", resident);
    measure<64, 64, 16, 8, 4, TWO_TILES>(operands, "two_tiles", resident);
    measure<64, 64, 16, 8, 4, ASYNC_2>(operands, "cp_async_2", resident);
  }
  all<128, 128, 16, 8, 8>(operands);
}

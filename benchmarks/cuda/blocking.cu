// Register blocking: an outer product from two tiles in shared memory, by the size of the thread's grid of accumulators.
// 256 threads in a 16 x 16 layout; a step reads TM + TN floats and does TM * TN FMAs. One barrier a slab of 16 steps.
#include "common.cuh"

constexpr int SIDE = 16, K = 16;

// Value j of a thread's strip lies so that 16-byte reads of neighboring threads are neighbors: no bank conflict.
template <int T>
__host__ __device__ constexpr int place(int who, int j) {
  return T % 4 ? j * SIDE + who : (j / 4) * 4 * SIDE + who * 4 + j % 4;
}

template <int T>
__device__ inline void strip(float (&v)[T], const float* row, int who) {
  if constexpr (T % 4 == 0) {
#pragma unroll
    for (int j = 0; j < T; j += 4) {
      float4 q = *reinterpret_cast<const float4*>(row + place<T>(who, j));
      v[j] = q.x, v[j + 1] = q.y, v[j + 2] = q.z, v[j + 3] = q.w;
    }
  } else {
#pragma unroll
    for (int j = 0; j < T; j++) v[j] = row[place<T>(who, j)];
  }
}

template <int TM, int TN>
__global__ void __launch_bounds__(256, 1) outer(const float* a, const float* b, float* out, int slabs) {
  extern __shared__ __align__(16) float tile[];
  float *at = tile, *bt = tile + K * SIDE * TM;
  for (int i = threadIdx.x; i < K * SIDE * TM; i += 256) at[i] = a[i];
  for (int i = threadIdx.x; i < K * SIDE * TN; i += 256) bt[i] = b[i];
  int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
  float acc[TM][TN] = {};
#pragma unroll 1
  for (int s = 0; s < slabs; s++) {
    __syncthreads();
#pragma unroll(TM * TN > 128 ? 1 : 4)
    for (int k = 0; k < K; k++) {
      float av[TM], bv[TN];
      strip<TM>(av, at + k * SIDE * TM, ty);
      strip<TN>(bv, bt + k * SIDE * TN, tx);
#pragma unroll
      for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) acc[i][j] = fmaf(av[i], bv[j], acc[i][j]);
    }
  }
  size_t base = (blockIdx.x * size_t(256) + threadIdx.x) * (TM * TN);
#pragma unroll
  for (int i = 0; i < TM; i++)
#pragma unroll
    for (int j = 0; j < TN; j++) out[base + i * TN + j] = acc[i][j];
}

template <int TM, int TN>
void grid() {
  auto kernel = outer<TM, TN>;
  int sms = sm_count(), per_sm = 0, shared = K * SIDE * (TM + TN) * 4;
  CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, 256, shared));
  int blocks = sms * per_sm, slabs = std::max(64, 65536 / (TM * TN) / per_sm);
  slabs = std::min(slabs, 2048);
  std::vector<float> a(K * SIDE * TM), b(K * SIDE * TN);
  for (size_t i = 0; i < a.size(); i++) a[i] = float(uint32_t(i) * 2654435761u >> 30);  // 0 to 3: every sum is exact
  for (size_t i = 0; i < b.size(); i++) b[i] = float(uint32_t(i + 9) * 2246822519u >> 30);
  Buffer<float> da(a), db(b), out(size_t(blocks) * 256 * TM * TN);
  out.poison();
  auto times = device_ms([&] { kernel<<<blocks, 256, shared>>>(da.data, db.data, out.data, slabs); }, 11, 40);
  auto got = out.get();
  for (int block : {0, blocks - 1})
    for (int t = 0; t < 256; t++)
      for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) {
          double sum = 0;
          for (int k = 0; k < K; k++)
            sum += double(a[k * SIDE * TM + place<TM>(t / SIDE, i)]) * b[k * SIDE * TN + place<TN>(t % SIDE, j)];
          float g = got[(block * size_t(256) + t) * (TM * TN) + i * TN + j];
          require(g == sum * slabs, "%dx%d block %d thread %d (%d, %d): %g, not %g", TM, TN, block, t, i, j, g,
                  sum * slabs);
        }
  double fmas = double(blocks) * 256 * TM * TN * K * slabs;
  report(text("grid_%02dx%02d", TM, TN), mapped(times, [&](double ms) { return 2 * fmas / ms / 1e9; }), "TFLOPS",
         text("%d accumulators a thread, operands from shared memory, %d warps an SM", TM * TN, per_sm * 8),
         (const void*)kernel);
}

int main() {
  grid<1, 1>();
  grid<2, 2>();
  grid<4, 4>();
  grid<8, 4>();
  grid<8, 8>();
  grid<8, 12>();
  grid<8, 16>();
  grid<12, 16>();
  grid<16, 16>();
}

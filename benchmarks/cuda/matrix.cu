// Matrix rates: cuBLAS in bf16, fp16, tf32 and fp32, and a loop of mma.sync on registers alone.
// cuBLAS is opened at run time (CUBLAS names the file), so that nothing here needs its headers. Without it only the loop runs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>
#include <thread>

#include "common.cuh"
#include "libraries.cuh"

constexpr int SIZE = 8192;

template <class T>
__global__ void fill(T* p, size_t n, uint32_t seed, float scale) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    p[i] = T(spread(i, seed) * scale);
}

// Column-major C = A B, checked in fp64 on elements from all over the result.
template <class T>
void product(const Cublas& blas, const Board& board, const char* name, cudaDataType type, int compute, double tolerance, bool zeros) {
  size_t n = size_t(SIZE) * SIZE;
  Buffer<T> a(n), b(n), c(n);
  fill<<<1024, 256>>>(a.data, n, 1u, zeros ? 0.0f : 1.0f);
  fill<<<1024, 256>>>(b.data, n, 2u, zeros ? 0.0f : 1.0f);
  CUDA(cudaGetLastError());
  c.poison();
  float one = 1, zero = 0;
  auto work = [&] {
    int status = blas.gemm(blas.handle, 0, 0, SIZE, SIZE, SIZE, &one, a.data, type, SIZE, b.data, type, SIZE, &zero, c.data,
                           type, SIZE, compute, -1);
    require(status == 0, "cublasGemmEx: status %d", status);
  };
  auto tflops = [](double ms) { return 2.0 * SIZE * SIZE * SIZE / ms / 1e9; };
  auto set = text("cuBLAS %d, %d^3, %s, accumulation in fp32", blas.version, SIZE, zeros ? "all zeros" : "random data");
  if (board.device) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // let the board cool down to its idle power
    std::vector<double> burst = device_ms(work, 10, 1);
    report(text("%s_burst", name), mapped(burst, tflops), "TFLOPS", set + "; ten products after 1.5 s of rest");
    std::vector<double> mhz, watts;
    std::thread reader([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1100));
      for (int i = 0; i < 5; i++) {
        mhz.push_back(board.mhz()), watts.push_back(board.watts());
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
      }
    });
    warm([&] { for (int i = 0; i < 20; i++) work(); }, 1500);
    reader.join();
    report(text("%s_clock", name), mhz, "MHz", set + "; SM clock after a second of products, NVML");
    report(text("%s_power", name), watts, "W", set + "; board power after a second of products, NVML");
  }
  auto times = device_ms(work, 21, board.device ? 200 : 500);
  std::vector<T> got = c.get();
  double difference = 0, norm = 0;
  for (int s = 0; s < 192; s++) {
    size_t row = s * 1103515245u % SIZE, column = s * 22695477u / 7 % SIZE;
    double sum = 0;
    for (size_t k = 0; k < SIZE; k++)
      sum += zeros ? 0 : double(float(T(spread(k * SIZE + row, 1u)))) * double(float(T(spread(column * SIZE + k, 2u))));
    double error = double(float(got[column * SIZE + row])) - sum;
    difference += error * error, norm += sum * sum;
  }
  require(std::sqrt(difference) <= tolerance * std::sqrt(norm), "%s: relative error %g", name, std::sqrt(difference / norm));
  report(name, mapped(times, tflops), "TFLOPS", set + "; sustained");
}

// 16x8x16 products on registers: eight accumulators a warp, operands that never change.
__global__ void mma_loop(const uint32_t* a, const uint32_t* b, float* out, int n) {
  int lane = threadIdx.x % 32;
  uint32_t av[4], bv[8][2];
  float c[8][4] = {};
  for (int i = 0; i < 4; i++) av[i] = a[i * 32 + lane];
  for (int t = 0; t < 8; t++)
    for (int i = 0; i < 2; i++) bv[t][i] = b[(t * 2 + i) * 32 + lane];
#pragma unroll 1
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int t = 0; t < 8; t++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[t][0]), "+f"(c[t][1]), "+f"(c[t][2]), "+f"(c[t][3])
                   : "r"(av[0]), "r"(av[1]), "r"(av[2]), "r"(av[3]), "r"(bv[t][0]), "r"(bv[t][1]));
  size_t thread = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  for (int t = 0; t < 8; t++)
    for (int i = 0; i < 4; i++) out[thread * 32 + t * 4 + i] = c[t][i];
}

static void mma() {
  // Integers from -3 to 3, so that n products of 16 terms sum exactly.
  auto small = [](int i) { return float(int(uint32_t(i) * 2654435761u >> 16) % 7 - 3); };
  std::vector<float> A(16 * 16), B(8 * 16 * 8);  // A[row][k], B[tile][k][column]
  for (size_t i = 0; i < A.size(); i++) A[i] = small(int(i) + 1);
  for (size_t i = 0; i < B.size(); i++) B[i] = small(int(i) + 5001);
  auto pack = [](float low, float high) {
    __nv_bfloat16 l = __float2bfloat16(low), h = __float2bfloat16(high);
    uint16_t lb, hb;
    std::memcpy(&lb, &l, 2), std::memcpy(&hb, &h, 2);
    return uint32_t(lb) | uint32_t(hb) << 16;
  };
  std::vector<uint32_t> a(4 * 32), b(16 * 32);
  for (int lane = 0; lane < 32; lane++) {
    int g = lane / 4, k = lane % 4 * 2;
    for (int i = 0; i < 4; i++) {
      int row = g + i % 2 * 8, column = k + i / 2 * 8;
      a[i * 32 + lane] = pack(A[row * 16 + column], A[row * 16 + column + 1]);
    }
    for (int t = 0; t < 8; t++)
      for (int i = 0; i < 2; i++) b[(t * 2 + i) * 32 + lane] = pack(B[(t * 16 + k + i * 8) * 8 + g], B[(t * 16 + k + 1 + i * 8) * 8 + g]);
  }
  int sms = sm_count(), threads = 256, blocks = 2 * sms, n = 16384;
  Buffer<uint32_t> da(a), db(b);
  Buffer<float> out(size_t(blocks) * threads * 32);
  out.poison();
  auto times = device_ms([&] { mma_loop<<<blocks, threads>>>(da.data, db.data, out.data, n); }, 15, 300);
  auto got = out.get();
  for (size_t thread : {size_t(0), size_t(37), got.size() / 32 - 1})
    for (int t = 0; t < 8; t++)
      for (int i = 0; i < 4; i++) {
        int lane = int(thread % 32), row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        double sum = 0;
        for (int k = 0; k < 16; k++) sum += double(A[row * 16 + k]) * B[(t * 16 + k) * 8 + column];
        require(got[thread * 32 + t * 4 + i] == sum * n, "mma tile %d (%d, %d): %g, not %g", t, row, column,
                got[thread * 32 + t * 4 + i], sum * n);
      }
  double flop = double(blocks) * threads / 32 * n * 8 * 2 * 16 * 8 * 16;
  report("mma_sync_bf16", mapped(times, [&](double ms) { return flop / ms / 1e9; }), "TFLOPS",
         "mma.sync m16n8k16 on registers, 16 warps an SM, eight accumulator tiles a warp, small integers",
         (const void*)mma_loop);
}

int main() {
  mma();
  Cublas blas;
  if (!blas.handle) return 0;
  Board board;
  product<__nv_bfloat16>(blas, board, "cublas_bf16", CUDA_R_16BF, COMPUTE_32F, 5e-3, false);
  product<__half>(blas, board, "cublas_fp16", CUDA_R_16F, COMPUTE_32F, 1e-3, false);
  product<float>(blas, board, "cublas_tf32", CUDA_R_32F, COMPUTE_32F_FAST_TF32, 1e-3, false);
  product<float>(blas, board, "cublas_fp32", CUDA_R_32F, COMPUTE_32F_PEDANTIC, 1e-5, false);
  product<__nv_bfloat16>(blas, board, "cublas_bf16_zeros", CUDA_R_16BF, COMPUTE_32F, 0, true);
}

// Runs every rung, its product compared with cuBLAS in fp32, and prints its rate, its clock and its power.
#include <cstring>
#include <thread>

#include "../../benchmarks/cuda/common.cuh"
#include "../../benchmarks/cuda/libraries.cuh"

#include "0-naive.cu"
#include "1-coalesced.cu"
#include "2-tile.cu"
#include "3-register-grid.cu"
#include "4-vectorized.cu"
#include "5-prefetch.cu"
#include "6-fragments.cu"
#include "6-fragments-tf32.cu"
#include "8-epilogue.cu"

struct Product {
  int M, N, K;
  Buffer<float> A, B, C, bias;
  std::vector<float> expected;  // cuBLAS, pedantic fp32
  explicit Product(int m, int n, int k)
      : M(m), N(n), K(k), A(size_t(m) * k), B(size_t(k) * n), C(size_t(m) * n), bias(n) {}
};

__global__ void fill(float* p, size_t n, uint32_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    p[i] = spread(i, seed);
}

static int over(int n, int by) { return (n + by - 1) / by; }

// Row by row C = A B is column by column C' = B' A'.
static void by_cublas(const Cublas& blas, const Product& p) {
  float one = 1, zero = 0;
  int status = blas.gemm(blas.handle, 0, 0, p.N, p.M, p.K, &one, p.B.data, CUDA_R_32F, p.N, p.A.data, CUDA_R_32F, p.K, &zero,
                         p.C.data, CUDA_R_32F, p.N, COMPUTE_32F_PEDANTIC, -1);
  require(status == 0, "cublasGemmEx: status %d", status);
}

static void prepare(const Cublas& blas, Product& p) {
  fill<<<1024, 256>>>(p.A.data, p.A.size, 1u);
  fill<<<1024, 256>>>(p.B.data, p.B.size, 2u);
  fill<<<1024, 256>>>(p.bias.data, p.bias.size, 3u);
  CUDA(cudaGetLastError());
  p.C.poison();
  by_cublas(blas, p);
  p.expected = p.C.get();
}

struct Rung {
  const char* name;
  const char* what;
  void (*launch)(const Product&);
  const void* kernel;
  int threads;
  double tolerance;
  bool epilogue, ragged;
};

static void compare(const Product& p, const Rung& rung) {
  CUDA(cudaMemset(p.C.data, 0xff, p.C.size * sizeof(float)));  // NaN: an unwritten element shows
  rung.launch(p);
  CUDA(cudaGetLastError());
  std::vector<float> got = p.C.get(), bias = p.bias.get();
  double difference = 0, norm = 0;
  for (size_t i = 0; i < got.size(); i++) {
    double want = p.expected[i];
    if (rung.epilogue) want = std::max(want + bias[i % p.N], 0.0);
    difference += (got[i] - want) * (got[i] - want), norm += want * want;
  }
  require(std::sqrt(difference) <= rung.tolerance * std::sqrt(norm), "%s at %d x %d x %d: relative error %g", rung.name,
          p.M, p.N, p.K, std::sqrt(difference / norm));
}

static void measure(const Board& board, const Product& p, const Rung& rung, const std::string& conditions) {
  std::vector<double> mhz, watts;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // NVML's power is an average of the last second
    for (int i = 0; board.device && i < 5; i++) {
      mhz.push_back(board.mhz()), watts.push_back(board.watts());
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
    }
  });
  warm([&] { rung.launch(p); }, 1500);
  reader.join();
  auto times = device_ms([&] { rung.launch(p); }, 11, 1);
  auto tflops = [&](double ms) { return 2.0 * p.M * p.N * p.K / ms / 1e9; };
  report(rung.name, mapped(times, tflops), "TFLOPS", conditions, rung.kernel);
  if (!mhz.empty()) report(text("%s_clock", rung.name), mhz, "MHz", "SM clock after a second of the same, NVML");
  if (!watts.empty()) report(text("%s_power", rung.name), watts, "W", "board power after a second of the same, NVML");
}

#define AT(block, grid, kernel, ...) [](const Product& p) { kernel<<<grid, block>>>(p.A.data, p.B.data, p.C.data, ##__VA_ARGS__, p.M, p.N, p.K); }, (const void*)kernel

int main() {
  const double exact = 1e-5, tf32 = 1e-3;
  const Rung rungs[] = {
      {"rung_0", "naive", AT(dim3(32, 8), dim3(over(p.M, 32), over(p.N, 8)), naive), 256, exact, false, true},
      {"rung_1", "coalesced", AT(dim3(32, 8), dim3(over(p.N, 32), over(p.M, 8)), coalesced), 256, exact, false, true},
      {"rung_2", "tile", AT(dim3(16, 16), dim3(over(p.N, 16), over(p.M, 16)), tile), 256, exact, false, true},
      {"rung_3", "register grid", AT(256, dim3(over(p.N, 64), over(p.M, 64)), register_grid), 256, exact, false, true},
      {"rung_4", "padded and vectorized", AT(256, dim3(over(p.N, 64), over(p.M, 64)), vectorized), 256, exact, false, true},
      {"rung_5", "register prefetch", AT(256, dim3(over(p.N, 64), over(p.M, 64)), prefetch), 256, exact, false, true},
      {"rung_6", "32 x 32 a warp, on FMAs", AT(128, dim3(over(p.N, 64), over(p.M, 64)), fragments), 128, exact, false, true},
      {"rung_6_tf32", "32 x 32 a warp, WMMA in TF32", AT(128, dim3(p.N / 64, p.M / 64), fragments_tf32), 128, tf32, false, false},
      {"rung_7", "32 x 32 a warp, unstaged", AT(32, dim3(over(p.N, 32), over(p.M, 32)), direct), 32, exact, false, true},
      {"rung_8", "rung 7 with bias and ReLU", AT(32, dim3(over(p.N, 32), over(p.M, 32)), epilogue, p.bias.data), 32, exact, true, true},
      {"rung_8_two_kernels", "rung 7, then bias and ReLU", [](const Product& p) {
         direct<<<dim3(over(p.N, 32), over(p.M, 32)), 32>>>(p.A.data, p.B.data, p.C.data, p.M, p.N, p.K);
         bias_relu<<<over(p.M * p.N, 256), 256>>>(p.C.data, p.bias.data, p.M, p.N);
       }, (const void*)direct, 32, exact, true, true},
  };
  Cublas blas;
  require(blas.handle, "the rungs are compared with cuBLAS; name it in CUBLAS");
  Board board;
  Product odd(515, 387, 259), even(4096, 4096, 4096);
  prepare(blas, odd), prepare(blas, even);
  for (const Rung& rung : rungs) {
    if (rung.ragged) compare(odd, rung);
    compare(even, rung);
    int blocks = 0;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rung.kernel, rung.threads, 0));
    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, rung.kernel));
    measure(board, even, rung, text("%s; 4096^3, %d threads a block, %d blocks an SM, %zu bytes of shared memory", rung.what,
                                    rung.threads, blocks, attributes.sharedSizeBytes));
  }
  static const Cublas* library = &blas;
  const Rung reference = {"cublas", "", [](const Product& p) { by_cublas(*library, p); }, nullptr, 0, 0, false, false};
  measure(board, even, reference, text("cuBLAS %d, pedantic fp32; 4096^3", blas.version));
}

// The NAX GEMM of docs/kernels/nax-gemm.md: D = A B', operands straight from global memory.
#include "steel_attention.cuh"
#include "twin.cuh"

// --8<-- [start:twin]
// D = A * B', A of M x K, B of N x K. A block of (32, 4, 4): 128 x 128, a warp 32 x 32.
template <int BK>
__global__ void __launch_bounds__(512)
nax(const __half* A, const __half* B, float* D, int N, int K) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  const int r0 = blockIdx.y * 128 + threadIdx.z * 32, c0 = blockIdx.x * 128 + threadIdx.y * 32;
  A += size_t(r0 + g) * K + 2 * t;
  B += size_t(c0 + g) * K + 2 * t;
  auto two = [](const __half* p) { return *(const unsigned*)p; };   // 4 bytes, from global memory
  float acc[2][4][4] = {};                                          // 32 registers
  for (int k0 = 0; k0 < K; k0 += BK, A += BK, B += BK) {
    __syncthreads();                                                // publishes nothing: it paces
#pragma unroll 1
    for (int k = 0; k < BK; k += 32) {
      unsigned a[2][2][4], b[4][2][2];                              // 16 + 16 registers
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        for (int i = 0; i < 2; ++i) {
          const __half* p = A + size_t(i * 16) * K + k + h * 16;
          a[i][h][0] = two(p);     a[i][h][1] = two(p + size_t(8) * K);
          a[i][h][2] = two(p + 8); a[i][h][3] = two(p + size_t(8) * K + 8);
        }
        for (int j = 0; j < 4; ++j) {
          const __half* p = B + size_t(j * 8) * K + k + h * 16;
          b[j][h][0] = two(p);     b[j][h][1] = two(p + 8);
        }
      }
#pragma unroll
      for (int h = 0; h < 2; ++h)
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 4; ++j) mma(acc[i][j], a[i][h], b[j][h][0], b[j][h][1]);
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float* d = D + size_t(r0 + i * 16 + g) * N + c0 + j * 8 + 2 * t;
      *(float2*)d = {acc[i][j][0], acc[i][j][1]};
      *(float2*)(d + size_t(8) * N) = {acc[i][j][2], acc[i][j][3]};
    }
}
// --8<-- [end:twin]

int main() {
  constexpr int M = 256, N = 384, K = 1024;
  Matrix a(M, K, 1), b(K, N, 2);
  std::vector<float> columns(size_t(N) * K);  // B with K contiguous
  for (int k = 0; k < K; k++)
    for (int n = 0; n < N; n++) columns[size_t(n) * K + k] = b.values[size_t(k) * N + n];
  Buffer<__half> da(halves(a.values)), db(halves(columns));
  Buffer<float> d(size_t(M) * N);
  d.poison();
  nax<512><<<dim3(N / 128, M / 128), dim3(32, 4, 4)>>>(da.data, db.data, d.data, N, K);
  agree("nax_gemm", d.get(), product(a.rounded(half_of), b.rounded(half_of)), 2e-6, "256 x 1024 times 1024 x 384, half in, fp32 out, BK 512",
        (const void*)nax<512>);
}

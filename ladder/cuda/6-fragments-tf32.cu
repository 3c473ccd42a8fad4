// The same tile through WMMA: the call looks like simdgroup_matrix and rounds both operands to TF32.
// M and N are multiples of 64 and K is one of 16.
#include <mma.h>

#include "load4.cuh"

__global__ void __launch_bounds__(128)
fragments_tf32(const float* A, const float* B, float* C, int M, int N, int K) {
  using namespace nvcuda::wmma;
  constexpr int BM = 64, BN = 64, BK = 16, LDA = BK + 4, LDB = BN + 4, THREADS = 128;
  __shared__ float4 a[BM * LDA / 4], b[BK * LDB / 4];
  const int t = threadIdx.x, warp = t / 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int r = warp / 2 * 32, c = warp % 2 * 32;
  fragment<accumulator, 16, 16, 8, float> acc[2][2];
  for (auto& row : acc) for (auto& f : row) fill_fragment(f, 0.0f);
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = t; i < 256; i += THREADS) {
      a[i / 4 * LDA / 4 + i % 4] = load4(A, row0 + i / 4, k0 + i % 4 * 4, M, K);
      b[i / 16 * LDB / 4 + i % 16] = load4(B, k0 + i / 16, col0 + i % 16 * 4, K, N);
    }
    __syncthreads();
    for (int k = 0; k < BK; k += 8) {
      fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> u[2];
      fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> v[2];
      for (int i = 0; i < 2; i++) {
        load_matrix_sync(u[i], (float*)a + (r + 16 * i) * LDA + k, LDA);
        load_matrix_sync(v[i], (float*)b + k * LDB + c + 16 * i, LDB);
        for (auto& x : u[i].x) x = __float_to_tf32(x);
        for (auto& x : v[i].x) x = __float_to_tf32(x);
      }
      for (int i = 0; i < 4; i++) mma_sync(acc[i / 2][i % 2], u[i / 2], v[i % 2], acc[i / 2][i % 2]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    store_matrix_sync(C + size_t(row0 + r + i / 2 * 16) * N + col0 + c + i % 2 * 16, acc[i / 2][i % 2], N, mem_row_major);
}

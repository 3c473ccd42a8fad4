// Four warps, each with 32 x 32 of the tile: the 32 accumulators that a lane has under simdgroup_matrix, as 8 x 4
// ordinary ones. The tensor cores have no fp32 operands, so this is the twin that computes the same numbers.
#include "load4.cuh"

__global__ void __launch_bounds__(128)
fragments(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 16, THREADS = 128;
  __shared__ float4 a[BM][BK / 4 + 1], b[BK][BN / 4 + 1];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int r = warp / 2 * 32 + lane / 8, c = warp % 2 * 8 + lane % 8;  // rows r, r + 4, ..., columns 4c to 4c + 3
  float acc[8][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = t; i < 256; i += THREADS) {
      a[i / 4][i % 4] = load4(A, row0 + i / 4, k0 + i % 4 * 4, M, K);
      b[i / 16][i % 16] = load4(B, k0 + i / 16, col0 + i % 16 * 4, K, N);
    }
    __syncthreads();
    for (int k = 0; k < BK; k += 4) {
      float4 u[8];
      for (int i = 0; i < 8; i++) u[i] = a[r + 4 * i][k / 4];
      for (int s = 0; s < 4; s++) {
        const float4 v = b[k + s][c];
        for (int i = 0; i < 8; i++) fma4(acc[i], at(u[i], s), v);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 4; j++)
      if (row0 + r + 4 * i < M && col0 + c * 4 + j < N)
        C[size_t(row0 + r + 4 * i) * N + col0 + c * 4 + j] = acc[i][j];
}

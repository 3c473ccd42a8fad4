// Four floats in every load and store, and 16 bytes of padding behind every row of a tile.
#include "load4.cuh"

__global__ void __launch_bounds__(256)
vectorized(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 16, TM = 4;
  __shared__ float4 a[BM][BK / 4 + 1], b[BK][BN / 4 + 1];
  const int t = threadIdx.x, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int r = t / 16 * TM, c = t % 16;  // rows r to r + 3, columns 4c to 4c + 3
  float acc[TM][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    a[t / 4][t % 4] = load4(A, row0 + t / 4, k0 + t % 4 * 4, M, K);
    b[t / 16][t % 16] = load4(B, k0 + t / 16, col0 + t % 16 * 4, K, N);
    __syncthreads();
    for (int k = 0; k < BK; k += 4) {
      float4 u[TM];
      for (int i = 0; i < TM; i++) u[i] = a[r + i][k / 4];
      for (int s = 0; s < 4; s++) {
        const float4 v = b[k + s][c];
        for (int i = 0; i < TM; i++) fma4(acc[i], at(u[i], s), v);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++)
    for (int j = 0; j < 4; j++)
      if (row0 + r + i < M && col0 + c * 4 + j < N) C[size_t(row0 + r + i) * N + col0 + c * 4 + j] = acc[i][j];
}

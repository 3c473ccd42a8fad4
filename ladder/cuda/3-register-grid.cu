// Each of 256 threads keeps 4 x 4 of a 64 x 64 tile in registers.
__global__ void __launch_bounds__(256)
register_grid(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 16, TM = 4, TN = 4, THREADS = 256;
  __shared__ float a[BM][BK], b[BK][BN];
  const int t = threadIdx.x, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int r = t / 16 * TM, c = t % 16 * TN;  // this thread's corner of the tile
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = t; i < BM * BK; i += THREADS) {
      const int y = row0 + i / BK, x = k0 + i % BK;
      a[i / BK][i % BK] = y < M && x < K ? A[size_t(y) * K + x] : 0;
    }
    for (int i = t; i < BK * BN; i += THREADS) {
      const int y = k0 + i / BN, x = col0 + i % BN;
      b[i / BN][i % BN] = y < K && x < N ? B[size_t(y) * N + x] : 0;
    }
    __syncthreads();
    for (int k = 0; k < BK; k++) {
      float u[TM], v[TN];
      for (int i = 0; i < TM; i++) u[i] = a[r + i][k];
      for (int j = 0; j < TN; j++) v[j] = b[k][c + j];
      for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) acc[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++)
    for (int j = 0; j < TN; j++)
      if (row0 + r + i < M && col0 + c + j < N) C[size_t(row0 + r + i) * N + col0 + c + j] = acc[i][j];
}

// One thread for each element of C. Neighboring lanes take neighboring rows. Blocks of (32, 8).
__global__ void naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[size_t(row) * K + k] * B[size_t(k) * N + col];
  C[size_t(row) * N + col] = sum;
}

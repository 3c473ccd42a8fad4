// A block of (16, 16) stages 16 x 16 of each operand, then every thread reads the tiles 16 times.
__global__ void tile(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int T = 16;
  __shared__ float a[T][T], b[T][T];
  const int y = threadIdx.y, x = threadIdx.x, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += T) {
    a[y][x] = row < M && k0 + x < K ? A[size_t(row) * K + k0 + x] : 0;
    b[y][x] = k0 + y < K && col < N ? B[size_t(k0 + y) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < T; k++) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  if (row < M && col < N) C[size_t(row) * N + col] = sum;
}

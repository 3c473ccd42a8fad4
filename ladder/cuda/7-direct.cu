#pragma once
// One warp on its own with 32 x 32 of C, operands straight from device memory. No tile, no barrier.
#include "load4.cuh"

template <bool EPILOGUE>
__device__ void direct_tile(const float* A, const float* B, float* C, const float* bias, int M, int N, int K) {
  const int lane = threadIdx.x, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  const int r = row0 + lane / 8, c = col0 + lane % 8 * 4;  // rows r, r + 4, ..., columns c to c + 3
  float acc[8][4] = {};
  for (int k = 0; k < K; k += 4) {
    float4 u[8];
    for (int i = 0; i < 8; i++) u[i] = load4(A, r + 4 * i, k, M, K);
    for (int s = 0; s < 4; s++) {
      const float4 v = load4(B, k + s, c, K, N);
      for (int i = 0; i < 8; i++) fma4(acc[i], at(u[i], s), v);
    }
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 4; j++) {
      if (r + 4 * i >= M || c + j >= N) continue;
      if (EPILOGUE) acc[i][j] = fmaxf(acc[i][j] + bias[c + j], 0);
      C[size_t(r + 4 * i) * N + c + j] = acc[i][j];
    }
}

__global__ void __launch_bounds__(32) direct(const float* A, const float* B, float* C, int M, int N, int K) {
  direct_tile<false>(A, B, C, nullptr, M, N, K);
}

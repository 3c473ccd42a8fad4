// The double-buffered GEMM of docs/kernels/gemm-double-buffered.md: two pairs of tiles, filled by cp.async.
#include "twin.cuh"

// --8<-- [start:twin]
#include <cuda_pipeline.h>

__global__ void __launch_bounds__(128)
two_stage(const float* A, const float* B, float* C, int k, int m) {
  __shared__ alignas(16) float As[2][64 * 16], Bs[2][16 * 64];      // 16 KiB
  const int tid = threadIdx.x, ty = tid / 16, tx = tid % 16;
  const int r0 = blockIdx.y * 64, c0 = blockIdx.x * 64, tiles = k / 16;
  float acc[8][4] = {};                                            // 32 registers

  auto fetch = [&](int s, int l) {
    for (int i = tid; i < 256; i += 128) {
      __pipeline_memcpy_async(&As[s][i * 4], &A[size_t(r0 + i / 4) * k + l * 16 + i % 4 * 4], 16);
      __pipeline_memcpy_async(&Bs[s][i * 4], &B[size_t(l * 16 + i / 16) * m + c0 + i % 16 * 4], 16);
    }
    __pipeline_commit();
  };

  fetch(0, 0);                                        // prologue
  for (int l = 0; l < tiles; ++l) {
    __pipeline_wait_prior(0);                         // my part of tile l has landed
    __syncthreads();                                  // everyone's part has, and the other pair is free
    if (l + 1 < tiles) fetch((l + 1) & 1, l + 1);     // returns at once
    const float *a = As[l & 1], *b = Bs[l & 1];
    for (int kk = 0; kk < 16; ++kk)
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 4; ++c)
          acc[r][c] += a[(ty * 8 + r) * 16 + kk] * b[kk * 64 + tx * 4 + c];
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 4; ++c)
      C[size_t(r0 + ty * 8 + r) * m + c0 + tx * 4 + c] = acc[r][c];
}
// --8<-- [end:twin]

int main() {
  constexpr int n = 256, k = 304, m = 320;
  Matrix a(n, k, 1), b(k, m, 2);
  Buffer<float> da(a.values), db(b.values), c(size_t(n) * m);
  c.poison();
  two_stage<<<dim3(m / 64, n / 64), 128>>>(da.data, db.data, c.data, k, m);
  agree("gemm_double_buffered", c.get(), product(a, b), 2e-6, "256 x 304 times 304 x 320", (const void*)two_stage);
}

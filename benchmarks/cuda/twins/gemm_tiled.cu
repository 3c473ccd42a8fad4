// The tiled GEMM of docs/kernels/gemm-tiled.md: C = A B in tf32, a tile of 64 x 64 x 16 and four warps.
#include "twin.cuh"

// --8<-- [start:twin]
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128)
tiled(const float* A, const float* B, float* C, int k, int m) {
  __shared__ alignas(16) float As[64 * 16], Bs[16 * 64];      // 8 KiB
  const int col = threadIdx.y, row = threadIdx.z;             // warp coordinates
  const int tid = (row * blockDim.y + col) * 32 + threadIdx.x;
  const int r0 = blockIdx.z * 64, c0 = blockIdx.y * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc[2][2];   // 32 registers
  for (auto& r : acc) for (auto& f : r) wmma::fill_fragment(f, 0.f);

  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = tid; i < 256; i += 128) {                    // two float4 a tile
      ((float4*)As)[i] = *(const float4*)&A[size_t(r0 + i / 4) * k + k0 + i % 4 * 4];
      ((float4*)Bs)[i] = *(const float4*)&B[size_t(k0 + i / 16) * m + c0 + i % 16 * 4];
    }
    __syncthreads();
    for (int kk = 0; kk < 16; kk += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b[2];
      for (int i = 0; i < 2; ++i) {                           // hoisted, unlike the original
        wmma::load_matrix_sync(a[i], As + (row * 32 + i * 16) * 16 + kk, 16);
        wmma::load_matrix_sync(b[i], Bs + kk * 64 + col * 32 + i * 16, 64);
        for (auto& x : a[i].x) x = wmma::__float_to_tf32(x);  // 10 bits of fraction are left
        for (auto& x : b[i].x) x = wmma::__float_to_tf32(x);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(C + size_t(r0 + row * 32 + i * 16) * m + c0 + col * 32 + j * 16,
                              acc[i][j], m, wmma::mem_row_major);
}
// --8<-- [end:twin]

int main() {
  constexpr int n = 256, k = 304, m = 320;
  Matrix a(n, k, 1), b(k, m, 2);
  Buffer<float> da(a.values), db(b.values), c(size_t(n) * m);
  c.poison();
  tiled<<<dim3(1, m / 64, n / 64), dim3(32, 2, 2)>>>(da.data, db.data, c.data, k, m);
  agree("gemm_tiled", c.get(), product(a.rounded(tf32_of), b.rounded(tf32_of)), 2e-6, "256 x 304 times 304 x 320, inputs rounded to tf32",
        (const void*)tiled);
}

// The async-copy GEMM of docs/kernels/gemm-async-ghost.md, its tiles brought by the tensor memory accelerator.
#include <cuda.h>  // types only: the encoder is asked for at run time

#include <cuda/barrier>
#include <utility>

#include "twin.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init  // a barrier in shared memory is made by init()
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

// --8<-- [start:twin]
__global__ void ghost(const __grid_constant__ CUtensorMap mapA,   // box 16 x 64
                      const __grid_constant__ CUtensorMap mapB,   // box 64 x 16
                      float* C, int k, int m) {
  __shared__ alignas(128) float A_s[64 * 16];
  __shared__ alignas(128) float B_s[16 * 64];
  __shared__ barrier full;                  // cuda::barrier, block scope
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float acc[8][4] = {};                     // 32 registers, as in the original
  for (int k0 = 0; k0 < k; k0 += 16) {
    barrier::arrival_token token;
    if (threadIdx.x == 0) {                 // one thread, where Metal has 32
      cde::cp_async_bulk_tensor_2d_global_to_shared(A_s, &mapA, k0, blockIdx.y * 64, full);
      cde::cp_async_bulk_tensor_2d_global_to_shared(B_s, &mapB, blockIdx.x * 64, k0, full);
      token = cuda::device::barrier_arrive_tx(full, 1, sizeof(A_s) + sizeof(B_s));
    } else {
      token = full.arrive();
    }
    full.wait(std::move(token));            // all 128 threads wait on the copy itself
    for (int kk = 0; kk < 16; ++kk)
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 4; ++c)
          acc[r][c] += A_s[(ty * 8 + r) * 16 + kk] * B_s[kk * 64 + tx * 4 + c];
    __syncthreads();                        // tiles may be overwritten
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 4; ++c)
      C[(blockIdx.y * 64 + ty * 8 + r) * m + blockIdx.x * 64 + tx * 4 + c] = acc[r][c];
}
// --8<-- [end:twin]

// A row-major matrix of floats, read in boxes of rows x columns.
static CUtensorMap map_of(float* data, int rows, int columns, unsigned box_rows, unsigned box_columns) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
  require(found == cudaDriverEntryPointSuccess, "no cuTensorMapEncodeTiled");
  auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
  CUtensorMap map;
  cuuint64_t size[2] = {cuuint64_t(columns), cuuint64_t(rows)}, pitch[1] = {cuuint64_t(columns) * 4};
  cuuint32_t box[2] = {box_columns, box_rows}, step[2] = {1, 1};
  CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                           CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  require(result == CUDA_SUCCESS, "cuTensorMapEncodeTiled: %d", int(result));
  return map;
}

int main() {
  constexpr int n = 256, k = 304, m = 320;
  Matrix a(n, k, 1), b(k, m, 2);
  Buffer<float> da(a.values), db(b.values), c(size_t(n) * m);
  c.poison();
  ghost<<<dim3(m / 64, n / 64), 128>>>(map_of(da.data, n, k, 64, 16), map_of(db.data, k, m, 16, 64), c.data, k, m);
  agree("gemm_async_ghost", c.get(), product(a, b), 2e-6, "256 x 304 times 304 x 320", (const void*)ghost);
}

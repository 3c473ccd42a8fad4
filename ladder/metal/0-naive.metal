// One thread for each element of C. Neighboring lanes take neighboring rows.
#include <metal_stdlib>
using namespace metal;

kernel void gemm(device const float *A [[buffer(0)]],   // M x K, row by row
                 device const float *B [[buffer(1)]],   // K x N
                 device float *C [[buffer(2)]],         // M x N
                 constant uint3 &size [[buffer(3)]],    // M, N, K
                 uint2 at [[thread_position_in_grid]]) {
  const uint M = size.x, N = size.y, K = size.z;
  const uint row = at.x, col = at.y;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (uint k = 0; k < K; k++)
    sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

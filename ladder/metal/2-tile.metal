// A threadgroup stages 16 x 16 of each operand, then every thread reads the tiles 16 times.
#include <metal_stdlib>
using namespace metal;

constant constexpr ushort T = 16;  // edge of the tile, and depth of a K step

kernel void gemm(device const float *A [[buffer(0)]],   // M x K, row by row
                 device const float *B [[buffer(1)]],   // K x N
                 device float *C [[buffer(2)]],         // M x N
                 constant uint3 &size [[buffer(3)]],    // M, N, K
                 uint2 at [[thread_position_in_grid]],
                 ushort2 t [[thread_position_in_threadgroup]]) {
  threadgroup float a[T][T], b[T][T];
  const uint M = size.x, N = size.y, K = size.z;
  const uint row = at.y, col = at.x;
  float sum = 0;
  for (uint k0 = 0; k0 < K; k0 += T) {
    a[t.y][t.x] = row < M && k0 + t.x < K ? A[row * K + k0 + t.x] : 0;
    b[t.y][t.x] = k0 + t.y < K && col < N ? B[(k0 + t.y) * N + col] : 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (ushort k = 0; k < T; k++)
      sum += a[t.y][k] * b[k][t.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

// Four floats in every load and store, and 16 bytes of padding behind every row of a tile.
#include <metal_stdlib>
using namespace metal;

constant constexpr ushort BM = 64, BN = 64, BK = 16, TM = 4;

inline float4 load4(device const float *p, uint y, uint x, uint rows, uint cols) {
  if (y < rows && x + 4 <= cols && cols % 4 == 0) return *(device const float4 *)(p + y * cols + x);
  float4 v = float4(0);
  for (ushort i = 0; i < 4; i++)
    if (y < rows && x + i < cols) v[i] = p[y * cols + x + i];
  return v;
}

kernel void gemm(device const float *A [[buffer(0)]],   // M x K, row by row
                 device const float *B [[buffer(1)]],   // K x N
                 device float *C [[buffer(2)]],         // M x N
                 constant uint3 &size [[buffer(3)]],    // M, N, K
                 uint2 group [[threadgroup_position_in_grid]],
                 ushort t [[thread_index_in_threadgroup]]) {
  threadgroup float4 a[BM][BK / 4 + 1], b[BK][BN / 4 + 1];
  const uint M = size.x, N = size.y, K = size.z;
  const uint row0 = group.y * BM, col0 = group.x * BN;
  const ushort r = t / 16 * TM, c = t % 16;  // rows r to r + 3, columns 4c to 4c + 3
  float4 acc[TM] = {};
  for (uint k0 = 0; k0 < K; k0 += BK) {
    a[t / 4][t % 4] = load4(A, row0 + t / 4, k0 + t % 4 * 4, M, K);
    b[t / 16][t % 16] = load4(B, k0 + t / 16, col0 + t % 16 * 4, K, N);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (ushort k = 0; k < BK; k += 4) {
      float4 u[TM];
      for (ushort i = 0; i < TM; i++) u[i] = a[r + i][k / 4];
      for (ushort s = 0; s < 4; s++) {
        const float4 v = b[k + s][c];
        for (ushort i = 0; i < TM; i++) acc[i] += u[i][s] * v;
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (ushort i = 0; i < TM; i++)
    for (ushort j = 0; j < 4; j++)
      if (row0 + r + i < M && col0 + c * 4 + j < N) C[(row0 + r + i) * N + col0 + c * 4 + j] = acc[i][j];
}

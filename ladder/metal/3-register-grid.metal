// Each of 256 threads keeps 4 x 4 of a 64 x 64 tile in registers.
#include <metal_stdlib>
using namespace metal;

constant constexpr ushort BM = 64, BN = 64, BK = 16, TM = 4, TN = 4, THREADS = 256;

kernel void gemm(device const float *A [[buffer(0)]],   // M x K, row by row
                 device const float *B [[buffer(1)]],   // K x N
                 device float *C [[buffer(2)]],         // M x N
                 constant uint3 &size [[buffer(3)]],    // M, N, K
                 uint2 group [[threadgroup_position_in_grid]],
                 ushort t [[thread_index_in_threadgroup]]) {
  threadgroup float a[BM][BK], b[BK][BN];
  const uint M = size.x, N = size.y, K = size.z;
  const uint row0 = group.y * BM, col0 = group.x * BN;
  const ushort r = t / 16 * TM, c = t % 16 * TN;  // this thread's corner of the tile
  float acc[TM][TN] = {};
  for (uint k0 = 0; k0 < K; k0 += BK) {
    for (ushort i = t; i < BM * BK; i += THREADS) {
      const uint y = row0 + i / BK, x = k0 + i % BK;
      a[i / BK][i % BK] = y < M && x < K ? A[y * K + x] : 0;
    }
    for (ushort i = t; i < BK * BN; i += THREADS) {
      const uint y = k0 + i / BN, x = col0 + i % BN;
      b[i / BN][i % BN] = y < K && x < N ? B[y * N + x] : 0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (ushort k = 0; k < BK; k++) {
      float u[TM], v[TN];
      for (ushort i = 0; i < TM; i++) u[i] = a[r + i][k];
      for (ushort j = 0; j < TN; j++) v[j] = b[k][c + j];
      for (ushort i = 0; i < TM; i++)
        for (ushort j = 0; j < TN; j++) acc[i][j] += u[i] * v[j];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (ushort i = 0; i < TM; i++)
    for (ushort j = 0; j < TN; j++)
      if (row0 + r + i < M && col0 + c + j < N) C[(row0 + r + i) * N + col0 + c + j] = acc[i][j];
}

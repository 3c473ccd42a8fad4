// Four simdgroups, each with 4 x 4 fragments of 8 x 8. The prefetch of rung 5 is gone.
#include <metal_stdlib>
using namespace metal;

constant constexpr ushort BM = 64, BN = 64, BK = 16, LDA = BK + 4, LDB = BN + 4, THREADS = 128;

inline float4 load4(device const float *p, uint y, uint x, uint rows, uint cols) {
  if (y < rows && x + 4 <= cols && cols % 4 == 0) return *(device const float4 *)(p + y * cols + x);
  float4 v = float4(0);
  for (ushort i = 0; i < 4; i++)
    if (y < rows && x + i < cols) v[i] = p[y * cols + x + i];
  return v;
}

// A lane holds two neighbors of a fragment's row; the map is MLX's get_coord.
inline void store(simdgroup_float8x8 f, device float *C, uint y, uint x, uint M, uint N, ushort lane) {
  if (y + 8 <= M && x + 8 <= N) return simdgroup_store(f, C + y * N + x, N);
  y += (lane / 4 & 4) + lane / 2 % 4, x += (lane / 4 & 2) * 2 + lane % 2 * 2;
  for (ushort e = 0; e < 2; e++)
    if (y < M && x + e < N) C[y * N + x + e] = f.thread_elements()[e];
}

kernel void gemm(device const float *A [[buffer(0)]],   // M x K, row by row
                 device const float *B [[buffer(1)]],   // K x N
                 device float *C [[buffer(2)]],         // M x N
                 constant uint3 &size [[buffer(3)]],    // M, N, K
                 uint2 group [[threadgroup_position_in_grid]],
                 ushort t [[thread_index_in_threadgroup]],
                 ushort sg [[simdgroup_index_in_threadgroup]],
                 ushort lane [[thread_index_in_simdgroup]]) {
  threadgroup float4 a[BM * LDA / 4], b[BK * LDB / 4];
  threadgroup float *af = (threadgroup float *)a, *bf = (threadgroup float *)b;
  const uint M = size.x, N = size.y, K = size.z;
  const uint row0 = group.y * BM, col0 = group.x * BN;
  const ushort r = sg / 2 * 32, c = sg % 2 * 32;  // this simdgroup's corner of the tile
  simdgroup_float8x8 acc[4][4], u[4], v[4];
  #pragma clang loop unroll(full)
  for (ushort i = 0; i < 16; i++) acc[i / 4][i % 4] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (uint k0 = 0; k0 < K; k0 += BK) {
    for (ushort i = t; i < 256; i += THREADS) {
      a[i / 4 * LDA / 4 + i % 4] = load4(A, row0 + i / 4, k0 + i % 4 * 4, M, K);
      b[i / 16 * LDB / 4 + i % 16] = load4(B, k0 + i / 16, col0 + i % 16 * 4, K, N);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (ushort k = 0; k < BK; k += 8) {
      for (ushort i = 0; i < 4; i++) simdgroup_load(u[i], af + (r + 8 * i) * LDA + k, LDA);
      for (ushort j = 0; j < 4; j++) simdgroup_load(v[j], bf + k * LDB + c + 8 * j, LDB);
      #pragma clang loop unroll(full)
      for (ushort i = 0; i < 16; i++)
        simdgroup_multiply_accumulate(acc[i / 4][i % 4], u[i / 4], v[i % 4], acc[i / 4][i % 4]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  #pragma clang loop unroll(full)
  for (ushort i = 0; i < 16; i++)
    store(acc[i / 4][i % 4], C, row0 + r + i / 4 * 8, col0 + c + i % 4 * 8, M, N, lane);
}

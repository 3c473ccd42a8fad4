// One simdgroup on its own reads its fragments from device memory. No tile, no barrier.
#include <metal_stdlib>
using namespace metal;

// Row and column of a lane's first element in a fragment; the map is MLX's get_coord.
inline ushort2 place(ushort lane) {
  return ushort2((lane / 4 & 4) + lane / 2 % 4, (lane / 4 & 2) * 2 + lane % 2 * 2);
}

inline void load(thread simdgroup_float8x8 &f, device const float *p, uint y, uint x, uint rows, uint cols, ushort lane) {
  if (y + 8 <= rows && x + 8 <= cols) return simdgroup_load(f, p + y * cols + x, cols);
  y += place(lane).x, x += place(lane).y;
  for (ushort e = 0; e < 2; e++)
    f.thread_elements()[e] = y < rows && x + e < cols ? p[y * cols + x + e] : 0;
}

inline void store(simdgroup_float8x8 f, device float *C, uint y, uint x, uint M, uint N, ushort lane) {
  if (y + 8 <= M && x + 8 <= N) return simdgroup_store(f, C + y * N + x, N);
  y += place(lane).x, x += place(lane).y;
  for (ushort e = 0; e < 2; e++)
    if (y < M && x + e < N) C[y * N + x + e] = f.thread_elements()[e];
}

kernel void gemm(device const float *A [[buffer(0)]],   // M x K, row by row
                 device const float *B [[buffer(1)]],   // K x N
                 device float *C [[buffer(2)]],         // M x N
                 constant uint3 &size [[buffer(3)]],    // M, N, K
                 uint2 group [[threadgroup_position_in_grid]],
                 ushort lane [[thread_index_in_simdgroup]]) {
  const uint M = size.x, N = size.y, K = size.z;
  const uint row0 = group.y * 32, col0 = group.x * 32;
  simdgroup_float8x8 acc[4][4], u[4], v[4];
  #pragma clang loop unroll(full)
  for (ushort i = 0; i < 16; i++) acc[i / 4][i % 4] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  for (uint k = 0; k < K; k += 8) {
    for (ushort i = 0; i < 4; i++) load(u[i], A, row0 + 8 * i, k, M, K, lane);
    for (ushort j = 0; j < 4; j++) load(v[j], B, k, col0 + 8 * j, K, N, lane);
    #pragma clang loop unroll(full)
    for (ushort i = 0; i < 16; i++)
      simdgroup_multiply_accumulate(acc[i / 4][i % 4], u[i / 4], v[i % 4], acc[i / 4][i % 4]);
  }
  #pragma clang loop unroll(full)
  for (ushort i = 0; i < 16; i++)
    store(acc[i / 4][i % 4], C, row0 + i / 4 * 8, col0 + i % 4 * 8, M, N, lane);
}

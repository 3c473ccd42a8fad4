#pragma once
// Four neighbors of a row, in one instruction where they are aligned and inside; zeros outside the matrix.

__device__ inline float4 load4(const float* p, int y, int x, int rows, int cols) {
  p += size_t(y) * cols + x;
  if (y < rows && x + 4 <= cols && cols % 4 == 0) return *(const float4*)p;
  const bool in = y < rows;
  return {in && x < cols ? p[0] : 0, in && x + 1 < cols ? p[1] : 0, in && x + 2 < cols ? p[2] : 0,
          in && x + 3 < cols ? p[3] : 0};
}

__device__ inline void fma4(float (&acc)[4], float u, float4 v) {
  acc[0] += u * v.x, acc[1] += u * v.y, acc[2] += u * v.z, acc[3] += u * v.w;
}

__device__ inline float at(const float4& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; }

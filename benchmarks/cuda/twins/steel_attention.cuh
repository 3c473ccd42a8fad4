// One key block of docs/kernels/steel-attention.md, and the two small functions that other twins take from it.
#pragma once

#include <cuda_fp16.h>

// --8<-- [start:twin]
__device__ inline void mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline unsigned pack(__half lo, __half hi) {
  __half2 h = __halves2half2(lo, hi);
  return *(unsigned*)&h;
}

// One warp: 16 query rows against 16 keys. Ks and Vs are 16 x D in shared memory.
template <int D>
__device__ void key_block(float (&o)[D / 8][4], float (&m)[2], float (&l)[2],
                          const unsigned (&q)[D / 16][4],
                          const __half* Ks, const __half* Vs, float scale2, int lane) {
  const int g = lane / 4, t = lane % 4;
  float s[2][4] = {};
#pragma unroll
  for (int kk = 0; kk < D; kk += 16)
    for (int n = 0; n < 2; ++n) {                         // K is read transposed
      const __half* k = Ks + (n * 8 + g) * D + kk + 2 * t;
      mma(s[n], q[kk / 16], *(const unsigned*)k, *(const unsigned*)(k + 8));
    }
#pragma unroll
  for (int r = 0; r < 2; ++r) {                           // rows g and g + 8
    float top = fmaxf(fmaxf(s[0][2 * r], s[0][2 * r + 1]), fmaxf(s[1][2 * r], s[1][2 * r + 1]));
    top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
    top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
    top = fmaxf(m[r], top * scale2);
    const float c = exp2f(m[r] - top);
    float sum = 0;
    for (int n = 0; n < 2; ++n)
      for (int j = 2 * r; j < 2 * r + 2; ++j) sum += s[n][j] = exp2f(s[n][j] * scale2 - top);
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    l[r] = l[r] * c + sum;
    m[r] = top;
    for (auto& f : o) { f[2 * r] *= c; f[2 * r + 1] *= c; }
  }
  const unsigned p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]),   // C becomes A
                         pack(s[1][0], s[1][1]), pack(s[1][2], s[1][3])};
#pragma unroll
  for (int d = 0; d < D / 8; ++d) {
    const __half* v = Vs + 2 * t * D + d * 8 + g;
    mma(o[d], p, pack(v[0], v[D]), pack(v[8 * D], v[9 * D]));
  }
}
// --8<-- [end:twin]


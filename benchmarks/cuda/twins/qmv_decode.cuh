// The kernel of docs/kernels/qmv-decode.md: a row-major 4-bit matrix times one vector, R rows a warp.
#pragma once

#include <cuda_fp16.h>

struct alignas(16) Eight {  // 8 values of x, one load
  half h[8];
};

// --8<-- [start:twin]
// y = W x. 8 weights a word, a scale and an offset for every 64; K is a multiple of 512.
// A block of (32, 2); a warp owns R rows, a lane 16 columns of each step of 512.
template <int R>
__global__ void qmv(const uint2* w, const half* scales, const half* offsets, const half* x, float* y, int K) {
  const int lane = threadIdx.x, row = (blockIdx.x * blockDim.y + threadIdx.y) * R;
  float acc[R] = {};
  for (int k = lane * 16; k < K; k += 512) {
    const Eight in[2] = {*(const Eight*)&x[k], *(const Eight*)&x[k + 8]};
    float v[16], sum = 0, unit = 1;
#pragma unroll
    for (int i = 0; i < 16; ++i) {                        // once for R rows
      const float xi = __half2float(in[i / 8].h[i % 8]);
      sum += xi;
      v[i] = xi * unit;                                   // 1, 1/16, ... 1/16^7, and again
      unit = i % 8 == 7 ? 1 : unit / 16;
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const size_t at = size_t(row + r) * K + k;
      const uint2 q = w[at / 16];
      float dot = 0;
#pragma unroll
      for (int i = 0; i < 16; ++i)                        // the nibble stays where it is
        dot += v[i] * float((i < 8 ? q.x : q.y) & 15u << i % 8 * 4);
      acc[r] += __half2float(scales[at / 64]) * dot + __half2float(offsets[at / 64]) * sum;
    }
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    for (int d = 16; d; d /= 2) acc[r] += __shfl_xor_sync(~0u, acc[r], d);
    if (lane == 0) y[row + r] = acc[r];
  }
}
// --8<-- [end:twin]

// The two kernels of docs/kernels/sdpa-vector.md: decode attention over a part of the keys, and the merge.
#pragma once

#include <cfloat>

#include <cuda_fp16.h>

template <int N>
struct alignas(2 * N) Lane {  // the channels of a lane, one load
  half h[N];
};

// --8<-- [start:twin]
// Pass 1. A grid of (KV heads, parts); a block of (32, query heads per KV head); every part-th key.
template <int D>
__global__ void attend(const half* q, const half* K, const half* V, float scale, int keys,
                       float* O, float2* state) {
  constexpr int N = D / 32;
  const int lane = threadIdx.x, head = blockIdx.x * blockDim.y + threadIdx.y;
  float qs[N], o[N] = {}, m = -FLT_MAX, l = 0;
  for (int n = 0; n < N; ++n) qs[n] = scale * __half2float(q[head * D + lane * N + n]);
  for (int key = blockIdx.y; key < keys; key += gridDim.y) {
    const size_t at = (size_t(blockIdx.x) * keys + key) * D + lane * N;
    const Lane<N> k = *(const Lane<N>*)&K[at], v = *(const Lane<N>*)&V[at];
    float s = 0;
    for (int n = 0; n < N; ++n) s += qs[n] * __half2float(k.h[n]);
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);          // simd_sum
    const float top = fmaxf(m, s), c = __expf(m - top), p = __expf(s - top);
    m = top;
    l = l * c + p;
    for (int n = 0; n < N; ++n) o[n] = o[n] * c + p * __half2float(v.h[n]);
  }
  const size_t part = size_t(head) * gridDim.y + blockIdx.y;
  for (int n = 0; n < N; ++n) O[part * D + lane * N + n] = o[n];
  if (lane == 0) state[part] = make_float2(m, l);
}

// Pass 2. A block per head, a thread per channel.
template <int D>
__global__ void merge(const float* O, const float2* state, float* out, int parts) {
  float m = -FLT_MAX, l = 0, o = 0;
  for (int i = 0; i < parts; ++i) m = fmaxf(m, state[blockIdx.x * parts + i].x);
  for (int i = 0; i < parts; ++i) {
    const float2 s = state[blockIdx.x * parts + i];
    const float c = __expf(s.x - m);
    l += c * s.y;
    o += c * O[(size_t(blockIdx.x) * parts + i) * D + threadIdx.x];
  }
  out[blockIdx.x * D + threadIdx.x] = l == 0 ? o : o / l;
}
// --8<-- [end:twin]

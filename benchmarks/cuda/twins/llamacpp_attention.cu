// One step of docs/kernels/llamacpp-attention.md, in a loop over the keys: 16 rows a block, four warps that change hands.
#include <mma.h>

#include "twin.cuh"

using namespace nvcuda;

// --8<-- [start:twin]
// A block of (32, 4). Q is 16 x D in shared memory; K and V, of row length ld, are not.
template <int D>
__device__ void step(const half* Q, const half* K, const half* V, int ld, float scale,
                     float* S, half* P, float* O, float (&m)[4], float (&l)[4]) {
  using Acc = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
  const int lane = threadIdx.x, w = threadIdx.y;
  {                                                       // a warp owns 16 keys
    Acc s;
    wmma::fill_fragment(s, 0.f);
    for (int d = 0; d < D; d += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> q;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> k;  // the transpose
      wmma::load_matrix_sync(q, Q + d, D);
      wmma::load_matrix_sync(k, K + size_t(w) * 16 * ld + d, ld);           // from device memory
      wmma::mma_sync(s, q, k, s);
    }
    wmma::store_matrix_sync(S + w * 16, s, 64, wmma::mem_row_major);
  }
  __syncthreads();
  for (int i = 0; i < 4; ++i) {                           // a warp owns 4 rows
    const int r = i * 4 + w;
    float a = S[r * 64 + lane] * scale, b = S[r * 64 + 32 + lane] * scale;
    float top = fmaxf(m[i], fmaxf(a, b));
    for (int x = 16; x; x /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, x));
    const float c = __expf(m[i] - top);
    float sum = (a = __expf(a - top)) + (b = __expf(b - top));
    for (int x = 16; x; x /= 2) sum += __shfl_xor_sync(~0u, sum, x);
    l[i] = l[i] * c + sum;
    m[i] = top;
    P[r * 64 + lane] = __float2half(a);                   // WMMA has no fp32 operand
    P[r * 64 + 32 + lane] = __float2half(b);
    for (int d = lane; d < D; d += 32) O[r * D + d] *= c;
  }
  __syncthreads();
  for (int d = w * 16; d < D; d += 64) {                  // a warp owns D / 4 channels
    Acc o;
    wmma::load_matrix_sync(o, O + d, D, wmma::mem_row_major);
    for (int k0 = 0; k0 < 64; k0 += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> p;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> v;
      wmma::load_matrix_sync(p, P + k0, 64);
      wmma::load_matrix_sync(v, V + size_t(k0) * ld + d, ld);
      wmma::mma_sync(o, p, v, o);
    }
    wmma::store_matrix_sync(O + d, o, D, wmma::mem_row_major);
  }
  __syncthreads();
}
// --8<-- [end:twin]

// A block of (32, 4) takes 16 rows of Q and all keys, 64 a step.
template <int D>
__global__ void __launch_bounds__(128) attention(const half* Q, const half* K, const half* V, float* out, int keys, float scale) {
  extern __shared__ __align__(128) char memory[];
  float *O = (float*)memory, *S = O + 16 * D;
  half *Qs = (half*)(S + 16 * 64), *P = Qs + 16 * D;
  const int tid = threadIdx.y * 32 + threadIdx.x;
  Q += size_t(blockIdx.x) * 16 * D;
  out += size_t(blockIdx.x) * 16 * D;
  for (int i = tid; i < 16 * D; i += 128) Qs[i] = Q[i], O[i] = 0;
  float m[4], l[4] = {};
  for (float& x : m) x = -INFINITY;
  __syncthreads();
  for (int k0 = 0; k0 < keys; k0 += 64) step<D>(Qs, K + size_t(k0) * D, V + size_t(k0) * D, D, scale, S, P, O, m, l);
  for (int i = 0; i < 4; ++i)
    for (int d = threadIdx.x; d < D; d += 32) out[(i * 4 + threadIdx.y) * D + d] = O[(i * 4 + threadIdx.y) * D + d] / l[i];
}

template <int D>
void measure() {
  constexpr int queries = 32, keys = 320;
  Matrix q(queries, D, 1), k(keys, D, 2), v(keys, D, 3);
  Buffer<half> dq(halves(q.values)), dk(halves(k.values)), dv(halves(v.values));
  Buffer<float> out(queries * D);
  out.poison();
  const int bytes = 16 * D * 4 + 16 * 64 * 4 + 16 * D * 2 + 16 * 64 * 2;
  CUDA(cudaFuncSetAttribute(attention<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const float scale = 3 / std::sqrt(float(D));
  attention<D><<<queries / 16, dim3(32, 4), bytes>>>(dq.data, dk.data, dv.data, out.data, keys, scale);
  agree(text("llamacpp_attention_%d", D), out.get(), softmax_product(q.rounded(half_of), k.rounded(half_of), v.rounded(half_of), scale),
        2e-3, text("%d rows, %d keys, D %d, probabilities rounded to half", queries, keys, D), (const void*)attention<D>);
}

int main() {
  measure<64>();
  measure<128>();
  measure<512>();
}

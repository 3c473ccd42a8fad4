// The caller of steel_attention.cuh: one warp and 16 query rows, its keys staged in shared memory 16 at a time.
#include "steel_attention.cuh"
#include "twin.cuh"

template <int D>
__global__ void __launch_bounds__(32) attention(const __half* Q, const __half* K, const __half* V, float* out, int keys, float scale2) {
  __shared__ alignas(16) __half Ks[16 * D], Vs[16 * D];
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  Q += size_t(blockIdx.x) * 16 * D;
  out += size_t(blockIdx.x) * 16 * D;
  unsigned q[D / 16][4];
#pragma unroll
  for (int k = 0; k < D / 16; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i) q[k][i] = *(const unsigned*)&Q[(g + i % 2 * 8) * D + k * 16 + i / 2 * 8 + 2 * t];
  float o[D / 8][4] = {}, m[2] = {-INFINITY, -INFINITY}, l[2] = {};
  for (int k0 = 0; k0 < keys; k0 += 16) {
    for (int i = lane; i < 16 * D / 8; i += 32) {
      ((uint4*)Ks)[i] = ((const uint4*)(K + size_t(k0) * D))[i];
      ((uint4*)Vs)[i] = ((const uint4*)(V + size_t(k0) * D))[i];
    }
    __syncwarp();
    key_block<D>(o, m, l, q, Ks, Vs, scale2, lane);
    __syncwarp();
  }
#pragma unroll
  for (int d = 0; d < D / 8; ++d)
#pragma unroll
    for (int j = 0; j < 4; ++j) out[(g + j / 2 * 8) * D + d * 8 + 2 * t + j % 2] = o[d][j] / l[j / 2];
}

template <int D>
void measure() {
  constexpr int queries = 32, keys = 320;
  Matrix q(queries, D, 1), k(keys, D, 2), v(keys, D, 3);
  Buffer<__half> dq(halves(q.values)), dk(halves(k.values)), dv(halves(v.values));
  Buffer<float> out(queries * D);
  out.poison();
  const float scale = 3 / std::sqrt(float(D));
  attention<D><<<queries / 16, 32>>>(dq.data, dk.data, dv.data, out.data, keys, scale * 1.44269504f);
  agree(text("steel_attention_%d", D), out.get(), softmax_product(q.rounded(half_of), k.rounded(half_of), v.rounded(half_of), scale), 2e-3,
        text("%d rows, %d keys, D %d, probabilities rounded to half", queries, keys, D), (const void*)attention<D>);
}

int main() {
  measure<64>();
  measure<128>();
}

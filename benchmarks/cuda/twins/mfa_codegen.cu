// The paged output of docs/kernels/mfa-codegen.md: O = c O + P V, kept in registers or sent through memory in blocks of H.
#include "steel_attention.cuh"
#include "twin.cuh"

// --8<-- [start:twin]
// One warp: 16 rows of O += P V over T keys. H is the block along D.
template <int D, int H, int T, bool Cached>
struct Output {
  float acc[(Cached ? D : H) / 8][4];

  __device__ void step(float* O, const __half* V, const unsigned (&p)[T / 16][4],
                       float c0, float c1, bool first, int lane) {
    const int g = lane / 4, t = lane % 4;
#pragma unroll
    for (int d0 = 0; d0 < D; d0 += H) {
#pragma unroll
      for (int j = 0; j < H / 8; ++j) {
        float (&a)[4] = acc[(Cached ? d0 / 8 : 0) + j];
        float2* top = (float2*)&O[g * D + d0 + j * 8 + 2 * t];
        float2* low = top + 4 * D;                        // 8 rows down
        if constexpr (!Cached)                            // the guard
          if (!first) { a[0] = top->x; a[1] = top->y; a[2] = low->x; a[3] = low->y; }
        if (first) a[0] = a[1] = a[2] = a[3] = 0;
        else { a[0] *= c0; a[1] *= c0; a[2] *= c1; a[3] *= c1; }
#pragma unroll
        for (int k = 0; k < T / 16; ++k) {
          const __half* v = V + (k * 16 + 2 * t) * D + d0 + j * 8 + g;
          mma(a, p[k], pack(v[0], v[D]), pack(v[8 * D], v[9 * D]));
        }
        if constexpr (!Cached) { *top = {a[0], a[1]}; *low = {a[2], a[3]}; }
      }
    }
  }
};
// --8<-- [end:twin]

// One warp and 16 rows: `blocks` steps of T keys. P is half, 16 x T a step; c has a factor for each row and step.
template <int D, int H, int T, bool Cached>
__global__ void __launch_bounds__(32) rows(float* O, const __half* V, const __half* P, const float* c, int blocks) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  Output<D, H, T, Cached> output;
  for (int b = 0; b < blocks; ++b, V += T * D, P += 16 * T, c += 16) {
    unsigned p[T / 16][4];
#pragma unroll
    for (int k = 0; k < T / 16; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i) p[k][i] = *(const unsigned*)&P[(g + i % 2 * 8) * T + k * 16 + i / 2 * 8 + 2 * t];
    output.step(O, V, p, c[g], c[g + 8], b == 0, lane);
  }
  if constexpr (Cached)
#pragma unroll
    for (int j = 0; j < D / 8; ++j) {
      float2* top = (float2*)&O[g * D + j * 8 + 2 * t];
      *top = {output.acc[j][0], output.acc[j][1]};
      top[4 * D] = {output.acc[j][2], output.acc[j][3]};
    }
}

template <int D, bool Cached>
void measure() {
  constexpr int T = 64, H = 32, blocks = 3;
  Matrix v(blocks * T, D, 1), p(blocks * 16, T, 2), c(blocks, 16, 3);
  Buffer<__half> dv(halves(v.values)), dp(halves(p.values));
  Buffer<float> dc(c.values), out(16 * D);
  out.poison();
  rows<D, H, T, Cached><<<1, 32>>>(out.data, dv.data, dp.data, dc.data, blocks);
  std::vector<double> want(16 * D);
  for (int b = 0; b < blocks; b++)
    for (int r = 0; r < 16; r++)
      for (int d = 0; d < D; d++) {
        double sum = b ? want[r * D + d] * c.values[b * 16 + r] : 0;
        for (int k = 0; k < T; k++)
          sum += half_of(p.values[(b * 16 + r) * T + k]) * half_of(v.values[size_t(b * T + k) * D + d]);
        want[r * D + d] = sum;
      }
  agree(text("mfa_codegen_%d_%s", D, Cached ? "kept" : "paged"), out.get(), want, 2e-6, text("16 rows, %d keys, D %d, T 64, H 32", blocks * T, D),
        (const void*)rows<D, H, T, Cached>);
}

int main() {
  measure<256, true>();
  measure<256, false>();
  measure<512, true>();
  measure<512, false>();
}

// The fused GEMM of docs/kernels/steel-gemm-fused.md: twelve instances, chosen by the shape and the epilogue.
#include "twin.cuh"

// --8<-- [start:twin]
struct Params { const float *A, *B, *C; float* D; int M, N, K; float alpha, beta; };

template <bool Checked>
__device__ void stage(const Params& p, float* As, float* Bs, int r0, int c0, int k0) {
  for (int i = threadIdx.x; i < 1024; i += 128) {
    int r = r0 + i / 16, ka = k0 + i % 16, kb = k0 + i / 64, c = c0 + i % 64;
    As[i / 16 * 20 + i % 16] = !Checked || (r < p.M && ka < p.K) ? p.A[size_t(r) * p.K + ka] : 0.f;
    Bs[i / 64 * 68 + i % 64] = !Checked || (kb < p.K && c < p.N) ? p.B[size_t(kb) * p.N + c] : 0.f;
  }
}

template <bool AlignMN, bool AlignK, bool Source, bool Axpby>
__global__ void __launch_bounds__(128) gemm(Params p) {
  __shared__ float As[64 * 20], Bs[16 * 68];              // 16 bytes of padding a row
  const int r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  const int ty = threadIdx.x / 16, tx = threadIdx.x % 16, full = p.K / 16;
  float acc[8][4] = {};
  auto mma = [&] {
    for (int kk = 0; kk < 16; ++kk)
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 4; ++c)
          acc[r][c] += As[(ty * 8 + r) * 20 + kk] * Bs[kk * 68 + tx * 4 + c];
  };
  if constexpr (!AlignK) {                                // the tail, first
    stage<true>(p, As, Bs, r0, c0, full * 16);
    __syncthreads();
    mma();
  }
  const bool inner = AlignMN || (r0 + 64 <= p.M && c0 + 64 <= p.N);   // uniform in the block
  for (int k = 0; k < full; ++k) {
    __syncthreads();
    if (inner) stage<false>(p, As, Bs, r0, c0, k * 16);
    else       stage<true>(p, As, Bs, r0, c0, k * 16);
    __syncthreads();
    mma();
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 4; ++c) {
      const int row = r0 + ty * 8 + r, col = c0 + tx * 4 + c;
      if (!inner && (row >= p.M || col >= p.N)) continue;
      float v = acc[r][c];
      if constexpr (Source) v = (Axpby ? p.alpha * v : v)
                              + (Axpby ? p.beta : 1.f) * p.C[size_t(row) * p.N + col];
      p.D[size_t(row) * p.N + col] = v;
    }
}

using Kernel = void (*)(Params);                          // every entry is compiled up front
constexpr Kernel table[2][2][3] = {
  {{gemm<0,0,0,0>, gemm<0,0,1,0>, gemm<0,0,1,1>}, {gemm<0,1,0,0>, gemm<0,1,1,0>, gemm<0,1,1,1>}},
  {{gemm<1,0,0,0>, gemm<1,0,1,0>, gemm<1,0,1,1>}, {gemm<1,1,0,0>, gemm<1,1,1,0>, gemm<1,1,1,1>}}};
void launch(const Params& p, bool source, bool axpby) {
  const int out = source ? axpby ? 2 : 1 : 0;
  const Kernel f = table[p.M % 64 == 0 && p.N % 64 == 0][p.K % 16 == 0][out];
  f<<<dim3((p.N + 63) / 64, (p.M + 63) / 64), 128>>>(p);
}
// --8<-- [end:twin]

int main() {
  for (int shape = 0; shape < 4; shape++)
    for (int out = 0; out < 3; out++) {
      const bool even_mn = shape / 2, even_k = shape % 2;
      const int M = even_mn ? 128 : 130, N = even_mn ? 192 : 189, K = even_k ? 304 : 301;
      Matrix a(M, K, 1), b(K, N, 2), c(M, N, 3);
      Buffer<float> da(a.values), db(b.values), dc(c.values), d(size_t(M) * N);
      d.poison();
      const Params p = {da.data, db.data, dc.data, d.data, M, N, K, 0.75f, -1.5f};
      launch(p, out > 0, out > 1);
      std::vector<double> want = product(a, b);
      for (size_t i = 0; i < want.size(); i++)
        if (out) want[i] = out > 1 ? 0.75 * want[i] - 1.5 * double(c.values[i]) : want[i] + double(c.values[i]);
      agree(text("steel_gemm_fused_%d%d%d", even_mn, even_k, out), d.get(), want, 2e-6,
            text("%d x %d times %d x %d, %s", M, K, K, N, out ? out > 1 ? "alpha and beta" : "plus C" : "plain"),
            (const void*)table[even_mn][even_k][out]);
    }
}

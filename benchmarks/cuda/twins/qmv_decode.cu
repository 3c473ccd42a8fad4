// Calls the kernel of docs/kernels/qmv-decode.md with 1 to 8 rows a warp.
#include "qmv_decode.cuh"

#include "twin.cuh"

template <int R>
void measure() {
  constexpr int N = 320, K = 2048;
  Matrix scale(N, K / 64, 1), offset(N, K / 64, 2), x(1, K, 3);
  scale = scale.rounded(half_of), offset = offset.rounded(half_of), x = x.rounded(half_of);
  std::vector<uint32_t> w(size_t(N) * K / 8);
  for (size_t i = 0; i < w.size(); i++) w[i] = uint32_t(i * 2654435761u) ^ uint32_t(i * i + 12345);
  std::vector<double> want(N);
  for (int n = 0; n < N; n++)
    for (int k = 0; k < K; k++) {
      const size_t at = size_t(n) * K + k;
      want[n] += (scale[n][k / 64] * double(w[at / 8] >> at % 8 * 4 & 15) + offset[n][k / 64]) * double(x[0][k]);
    }
  Buffer<uint32_t> dw(w);
  Buffer<half> ds(halves(scale.values)), db(halves(offset.values)), dx(halves(x.values));
  Buffer<float> y(N);
  y.poison();
  qmv<R><<<N / (2 * R), dim3(32, 2)>>>((const uint2*)dw.data, ds.data, db.data, dx.data, y.data, K);
  agree(text("qmv_decode_%d", R), y.get(), want, 2e-6, text("%d x %d, %d rows a warp", N, K, R), (const void*)qmv<R>);
}

int main() {
  measure<1>();
  measure<2>();
  measure<4>();
  measure<8>();
}

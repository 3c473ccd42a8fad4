// Calls the kernels of docs/kernels/sdpa-vector.md: eight query heads over two KV heads, more parts than divide the keys.
#include "sdpa_vector.cuh"

#include "twin.cuh"

template <int D>
void measure() {
  constexpr int kv = 2, group = 4, heads = kv * group, keys = 301, parts = 32;
  Matrix q(heads, D, 1), k(kv * keys, D, 2), v(kv * keys, D, 3);
  q = q.rounded(half_of), k = k.rounded(half_of), v = v.rounded(half_of);
  const float scale = 3 / std::sqrt(float(D));
  std::vector<double> want;
  for (int h = 0; h < heads; h++) {
    Matrix one(1, D, 0), part_k(keys, D, 0), part_v(keys, D, 0);
    one.values.assign(q[h], q[h] + D);
    part_k.values.assign(k[h / group * keys], k[h / group * keys] + keys * D);
    part_v.values.assign(v[h / group * keys], v[h / group * keys] + keys * D);
    for (double x : softmax_product(one, part_k, part_v, scale)) want.push_back(x);
  }
  Buffer<half> dq(halves(q.values)), dk(halves(k.values)), dv(halves(v.values));
  Buffer<float> partial(heads * parts * D), out(heads * D);
  Buffer<float2> state(heads * parts);
  partial.poison(), out.poison(), state.poison();
  attend<D><<<dim3(kv, parts), dim3(32, group)>>>(dq.data, dk.data, dv.data, scale, keys, partial.data, state.data);
  merge<D><<<heads, D>>>(partial.data, state.data, out.data, parts);
  const std::string what = text("%d query heads, %d KV heads, %d keys, D %d, %d parts", heads, kv, keys, D, parts);
  agree(text("sdpa_vector_%d", D), out.get(), want, 2e-6, what, (const void*)attend<D>);
  agree(text("sdpa_vector_merge_%d", D), out.get(), want, 2e-6, what, (const void*)merge<D>);
}

int main() {
  measure<64>();
  measure<128>();
  measure<256>();
}

// What runs for every token: a 4-bit matrix times one vector, and one query row against a cache of keys and values.
#include <memory>

#include "common.cuh"
#include "twins/qmv_decode.cuh"
#include "twins/sdpa_vector.cuh"

// --- Quantized matrix-vector: the twin, the same with shifts, and integer products on activations of 8 bits.

template <int R>
__global__ void qmv_shift(const uint2* w, const half* scales, const half* offsets, const half* x, float* y, int K) {
  const int lane = threadIdx.x, row = (blockIdx.x * blockDim.y + threadIdx.y) * R;
  float acc[R] = {};
  for (int k = lane * 16; k < K; k += 512) {
    const Eight in[2] = {*(const Eight*)&x[k], *(const Eight*)&x[k + 8]};
    float v[16], sum = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += v[i] = __half2float(in[i / 8].h[i % 8]);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const size_t at = size_t(row + r) * K + k;
      const uint2 q = w[at / 16];
      float dot = 0;
#pragma unroll
      for (int i = 0; i < 16; ++i) dot += v[i] * float((i < 8 ? q.x : q.y) >> i % 8 * 4 & 15u);
      acc[r] += __half2float(scales[at / 64]) * dot + __half2float(offsets[at / 64]) * sum;
    }
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    for (int d = 16; d; d /= 2) acc[r] += __shfl_xor_sync(~0u, acc[r], d);
    if (lane == 0) y[row + r] = acc[r];
  }
}

// x8: of every 8 columns first the even, then the odd ones. `units` scales 32 of them, `sums` adds up 16 columns of x.
template <int R>
__global__ void qmv_dp4a(const uint2* w, const half* scales, const half* offsets, const int4* x8, const float* units,
                         const float* sums, float* y, int K) {
  const int lane = threadIdx.x, row = (blockIdx.x * blockDim.y + threadIdx.y) * R;
  float acc[R] = {};
  for (int k = lane * 16; k < K; k += 512) {
    const int4 u = x8[k / 16];
    const float unit = units[k / 32], sum = sums[k / 16];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const size_t at = size_t(row + r) * K + k;
      const uint2 q = w[at / 16];
      int dot = __dp4a(int(q.x & 0x0f0f0f0fu), u.x, 0);
      dot = __dp4a(int(q.x >> 4 & 0x0f0f0f0fu), u.y, dot);
      dot = __dp4a(int(q.y & 0x0f0f0f0fu), u.z, dot);
      dot = __dp4a(int(q.y >> 4 & 0x0f0f0f0fu), u.w, dot);
      acc[r] += __half2float(scales[at / 64]) * unit * dot + __half2float(offsets[at / 64]) * sum;
    }
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    for (int d = 16; d; d /= 2) acc[r] += __shfl_xor_sync(~0u, acc[r], d);
    if (lane == 0) y[row + r] = acc[r];
  }
}

constexpr int N = 32768, K = 8192;  // 151 MB of weights, scales and offsets: more than the L2

struct Product {
  std::vector<uint32_t> w = std::vector<uint32_t>(size_t(N) * K / 8);
  std::vector<float> x = std::vector<float>(K), scale = std::vector<float>(size_t(N) * K / 64), offset = scale;
  std::vector<int> rows;  // checked on the host
  Product() {
    for (size_t i = 0; i < w.size(); i++) w[i] = uint32_t(i * 2654435761u) ^ uint32_t(i >> 7);
    for (size_t i = 0; i < scale.size(); i++) scale[i] = float(1 + i % 7) / 64, offset[i] = float(i % 5) / 8 - 0.25f;
    for (int k = 0; k < K; k++) x[k] = float(int(uint32_t(k) * 2654435761u >> 24) - 128) / 128;  // exact in half and in 8 bits
    for (int i = 0; i < 64; i++) rows.push_back(int(uint32_t(i) * 2246822519u % N));
  }
  double row(int n) const {
    double sum = 0;
    for (int k = 0; k < K; k++) {
      const size_t at = size_t(n) * K + k;
      sum += (scale[at / 64] * double(w[at / 8] >> at % 8 * 4 & 15) + offset[at / 64]) * x[k];
    }
    return sum;
  }
};

std::vector<half> halved(const std::vector<float>& v) {
  std::vector<half> h;
  for (float f : v) h.push_back(__float2half(f));
  return h;
}

template <class Work>
void product(const Product& p, const std::string& name, Buffer<float>& y, Work&& work, const std::string& what,
             const void* kernel) {
  y.poison();
  auto times = device_ms(work, 11, 40);
  auto got = y.get();
  for (int n : p.rows) {
    double want = p.row(n);
    require(std::fabs(got[n] - want) < 1e-4 * (1 + std::fabs(want)), "%s row %d: %g, not %g", name.c_str(), n, got[n], want);
  }
  const double bytes = double(N) * K * (0.5 + 4.0 / 64);
  report(name, mapped(times, [&](double ms) { return bytes / ms / 1e6; }), "GB/s",
         text("%d x %d, 4 bits, groups of 64: weights, scales and offsets once; %s", N, K, what.c_str()), kernel);
}

template <int R>
void products(const Product& p, Buffer<uint32_t>& w, Buffer<half>& s, Buffer<half>& b, Buffer<half>& x, Buffer<int4>& x8,
              Buffer<float>& units, Buffer<float>& sums, Buffer<float>& y) {
  const dim3 block(32, 2);
  const int grid = N / (2 * R);
  const uint2* q = (const uint2*)w.data;
  const std::string rows = text("%d row%s a warp", R, R > 1 ? "s" : "");
  product(p, text("qmv_mask_%d", R), y, [&] { qmv<R><<<grid, block>>>(q, s.data, b.data, x.data, y.data, K); }, rows,
          (const void*)qmv<R>);
  product(p, text("qmv_shift_%d", R), y, [&] { qmv_shift<R><<<grid, block>>>(q, s.data, b.data, x.data, y.data, K); },
          rows + ", nibbles shifted down", (const void*)qmv_shift<R>);
  product(p, text("qmv_dp4a_%d", R), y,
          [&] { qmv_dp4a<R><<<grid, block>>>(q, s.data, b.data, x8.data, units.data, sums.data, y.data, K); },
          rows + ", dp4a on activations of 8 bits made beforehand", (const void*)qmv_dp4a<R>);
}

void matrix_vector() {
  Product p;
  std::vector<int8_t> order(K);
  std::vector<float> unit(K / 32, 1.0f / 128), sum(K / 16);
  for (int k = 0; k < K; k++) {
    order[k / 8 * 8 + k % 2 * 4 + k % 8 / 2] = int8_t(p.x[k] * 128);
    sum[k / 16] += p.x[k];
  }
  Buffer<uint32_t> w(p.w);
  Buffer<half> s(halved(p.scale)), b(halved(p.offset)), x(halved(p.x));
  Buffer<int4> x8(K / 16);
  CUDA(cudaMemcpy(x8.data, order.data(), K, cudaMemcpyHostToDevice));
  Buffer<float> units(unit), sums(sum), y(N);
  products<1>(p, w, s, b, x, x8, units, sums, y);
  products<2>(p, w, s, b, x, x8, units, sums, y);
  products<4>(p, w, s, b, x, x8, units, sums, y);
  products<8>(p, w, s, b, x, x8, units, sums, y);
}

// --- Decode attention: the twin, several heads from one read, and a softmax for 32 keys at once.

template <int D, int H>  // H query heads of one KV head in each warp
__global__ void attend_heads(const half* q, const half* K, const half* V, float scale, int keys, float* O, float2* state) {
  constexpr int C = D / 32;
  const int lane = threadIdx.x, head = (blockIdx.x * blockDim.y + threadIdx.y) * H;
  float qs[H][C], o[H][C] = {}, m[H], l[H] = {};
#pragma unroll
  for (int h = 0; h < H; ++h) {
    m[h] = -FLT_MAX;
    for (int n = 0; n < C; ++n) qs[h][n] = scale * __half2float(q[(head + h) * D + lane * C + n]);
  }
  for (int key = blockIdx.y; key < keys; key += gridDim.y) {
    const size_t at = (size_t(blockIdx.x) * keys + key) * D + lane * C;
    const Lane<C> k = *(const Lane<C>*)&K[at], v = *(const Lane<C>*)&V[at];
#pragma unroll
    for (int h = 0; h < H; ++h) {
      float s = 0;
      for (int n = 0; n < C; ++n) s += qs[h][n] * __half2float(k.h[n]);
      for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
      const float top = fmaxf(m[h], s), c = __expf(m[h] - top), p = __expf(s - top);
      m[h] = top;
      l[h] = l[h] * c + p;
      for (int n = 0; n < C; ++n) o[h][n] = o[h][n] * c + p * __half2float(v.h[n]);
    }
  }
#pragma unroll
  for (int h = 0; h < H; ++h) {
    const size_t part = size_t(head + h) * gridDim.y + blockIdx.y;
    for (int n = 0; n < C; ++n) O[part * D + lane * C + n] = o[h][n];
    if (lane == 0) state[part] = make_float2(m[h], l[h]);
  }
}

template <int D>  // 32 scores, one update, 32 keys of values; keys is a multiple of 32
__global__ void attend_32(const half* q, const half* K, const half* V, float scale, int keys, float* O, float2* state) {
  constexpr int C = D / 32;
  const int lane = threadIdx.x, head = blockIdx.x * blockDim.y + threadIdx.y;
  float qs[C], o[C] = {}, m = -FLT_MAX, l = 0;
  for (int n = 0; n < C; ++n) qs[n] = scale * __half2float(q[head * D + lane * C + n]);
  for (int key = blockIdx.y * 32; key < keys; key += gridDim.y * 32) {
    const size_t at = (size_t(blockIdx.x) * keys + key) * D + lane * C;
    float mine = 0;
#pragma unroll 8
    for (int j = 0; j < 32; ++j) {
      const Lane<C> k = *(const Lane<C>*)&K[at + j * D];
      float s = 0;
      for (int n = 0; n < C; ++n) s += qs[n] * __half2float(k.h[n]);
      for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
      if (lane == j) mine = s;
    }
    float top = fmaxf(m, mine);
    for (int d = 16; d; d /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    const float c = __expf(m - top), p = __expf(mine - top);
    float sum = p;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    m = top;
    l = l * c + sum;
    for (int n = 0; n < C; ++n) o[n] *= c;
#pragma unroll 8
    for (int j = 0; j < 32; ++j) {
      const Lane<C> v = *(const Lane<C>*)&V[at + j * D];
      const float pj = __shfl_sync(~0u, p, j);
      for (int n = 0; n < C; ++n) o[n] += pj * __half2float(v.h[n]);
    }
  }
  const size_t part = size_t(head) * gridDim.y + blockIdx.y;
  for (int n = 0; n < C; ++n) O[part * D + lane * C + n] = o[n];
  if (lane == 0) state[part] = make_float2(m, l);
}

using Attend = void(const half*, const half*, const half*, float, int, float*, float2*);

template <int D>
class Cache {  // enough copies of keys and values that no pass finds the last one's in the L2
 public:
  static constexpr int KEYS = 32768, HEADS = 32;
  explicit Cache(int group) : kv(HEADS / group), copies(group > 2 ? group / 2 : 1) {
    std::vector<half> host(size_t(kv) * KEYS * D);
    for (size_t i = 0; i < host.size(); i++) host[i] = __float2half(spread(i, 7));
    for (int i = 0; i < copies; i++) k.emplace_back(new Buffer<half>(host)), v.emplace_back(new Buffer<half>(host));
    std::vector<half> rows(HEADS * D);
    for (size_t i = 0; i < rows.size(); i++) rows[i] = __float2half(spread(i, 9));
    q.reset(new Buffer<half>(rows));
    want.assign(D, 0);  // head 0, K and V alike
    double sum = 0;
    for (int j = 0; j < KEYS; j++) {
      double s = 0;
      for (int d = 0; d < D; d++) s += double(__half2float(rows[d])) * __half2float(host[size_t(j) * D + d]);
      const double p = std::exp(s * SCALE);
      sum += p;
      for (int d = 0; d < D; d++) want[d] += p * __half2float(host[size_t(j) * D + d]);
    }
    for (double& x : want) x /= sum;
  }

  void run(const std::string& name, int parts, int warps, const std::string& what, Attend* kernel) {
    Buffer<float> partial(size_t(HEADS) * parts * D), out(HEADS * D);
    Buffer<float2> state(size_t(HEADS) * parts);
    partial.poison(), out.poison(), state.poison();
    int turn = 0;
    auto work = [&] {
      const int i = turn++ % copies;
      kernel<<<dim3(kv, parts), dim3(32, warps)>>>(q->data, k[i]->data, v[i]->data, SCALE, KEYS, partial.data, state.data);
    };
    auto times = device_ms(work, 11, 30);
    merge<D><<<HEADS, D>>>(partial.data, state.data, out.data, parts);
    auto got = out.get();
    for (int d = 0; d < D; d++)
      require(std::fabs(got[d] - want[d]) < 2e-5, "%s channel %d: %g, not %g", name.c_str(), d, got[d], want[d]);
    report(name, mapped(times, [&](double ms) { return ms * 1e3; }), "us",
           text("the first pass, 32 query heads over %d KV heads, %d keys, D %d, half, %d parts, %.1f MB of keys and values; "
                "%s", kv, KEYS, D, parts, 4e-6 * kv * KEYS * D, what.c_str()), (const void*)kernel);
  }

 private:
  static constexpr float SCALE = 3 / (D == 64 ? 8.0f : 11.3137085f);
  int kv, copies;
  std::vector<std::unique_ptr<Buffer<half>>> k, v;
  std::unique_ptr<Buffer<half>> q;
  std::vector<double> want;
};

template <int D>
void attention(int group, int parts) {
  Cache<D> cache(group);
  const std::string head = text("sdpa_%d_group_%d", D, group);
  cache.run(head + "_key", parts, group, "one key at a time", attend<D>);
  cache.run(head + "_32_keys", parts, group, "32 keys at a time", attend_32<D>);
  if (group == 8)
    cache.run(head + "_4_heads", parts * 4, group / 4, "one key at a time, four heads from one read", attend_heads<D, 4>);
}

int main() {
  matrix_vector();
  attention<128>(1, 256);
  attention<128>(4, 256);
  attention<128>(8, 256);
  attention<64>(1, 256);
  attention<64>(8, 256);
}

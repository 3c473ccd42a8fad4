// What lanes pay to talk: latency in a dependent chain of one warp, and scheduler cycles an operation with 32 warps an SM.
#include <cstring>
#include <numeric>

#include "common.cuh"

constexpr unsigned ALL = 0xffffffffu;

struct Rotate {  // a shuffle by a fixed distance
  static __device__ float step(float v, int lane) { return __shfl_sync(ALL, v, lane + 1); }
};
struct Xor {
  static __device__ float step(float v, int) { return __shfl_xor_sync(ALL, v, 1); }
};
struct RotateAdd {  // the next lane, named by a sum, and an integer addition
  static constexpr int K = 77;
  static __device__ float step(float v, int lane) {
    return __int_as_float(__shfl_sync(ALL, __float_as_int(v), (lane + 1) & 31) + K);
  }
};
struct ByData {  // the source lane is the value itself: nothing is known before the last step has ended
  static __device__ float step(float v, int) { return __int_as_float(__shfl_sync(ALL, __float_as_int(v), __float_as_int(v))); }
};
struct Butterfly {  // five shuffles, five additions, and a multiply that keeps the sum in range
  static __device__ float step(float v, int) {
#pragma unroll
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(ALL, v, d);
    return v * 0.03125f;
  }
};
struct Quad {  // two shuffles and two additions among four lanes, and a multiply
  static __device__ float step(float v, int) {
    v += __shfl_xor_sync(ALL, v, 1);
    v += __shfl_xor_sync(ALL, v, 2);
    return v * 0.25f;
  }
};
struct Redux {  // the integer reduction instruction
  static __device__ float step(float v, int lane) {
    return __int_as_float(int(__reduce_add_sync(ALL, unsigned(__float_as_int(v)))) >> 5);
  }
};
struct Ballot {
  static __device__ float step(float v, int lane) {
    return __int_as_float(int(__ballot_sync(ALL, (__float_as_int(v) >> (lane & 1)) & 1)));
  }
};

template <class Op, int CHAINS>
__global__ void lanes(float* out, const float* in, int n, Span* spans) {
  int lane = threadIdx.x % 32;
  float v[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++) v[c] = in[lane];
  timed<8>(n, spans, [&] {
#pragma unroll
    for (int c = 0; c < CHAINS; c++) v[c] = Op::step(v[c], lane);
  });
#pragma unroll
  for (int c = 0; c < CHAINS; c++) out[(blockIdx.x * size_t(blockDim.x) + threadIdx.x) * CHAINS + c] = v[c];
}

// `want` is the vector of 32 lanes after n steps, worked out on the host.
template <class Op>
void measure(const char* name, const std::vector<float>& in, const std::vector<float>& want, int n, const char* what) {
  int sms = sm_count();
  constexpr int CHAINS = 4;
  Buffer<float> from(in), out(size_t(sms) * 1024 * CHAINS);
  auto check = [&](size_t used, int chains) {
    std::vector<float> got = out.get();
    for (size_t i = 0; i < used; i++) {
      float g = got[i], w = want[i / chains % 32];
      require(memcmp(&g, &w, 4) == 0, "%s: lane %zu has %g, not %g", name, i / chains % 32, g, w);
    }
  };
  out.poison();
  auto one = sm_cycles([&](Span* s) { lanes<Op, 1><<<1, 32>>>(out.data, from.data, n, s); }, 15, 20);
  check(32, 1);
  report(text("%s_latency", name), mapped(one, [&](double c) { return c / n; }), "cycles",
         text("one warp, dependent chain; %s", what));
  out.poison();
  auto full = sm_cycles([&](Span* s) { lanes<Op, CHAINS><<<sms, 1024>>>(out.data, from.data, n, s); }, 11, 20);
  check(out.size, CHAINS);
  report(text("%s_throughput", name), mapped(full, [&](double c) { return 4 * c / (double(n) * CHAINS * 32); }),
         "scheduler cycles", text("32 warps an SM, %d chains a thread; %s", CHAINS, what));
}


int main() {
  constexpr int N = 2048;
  std::vector<float> in(32), want(32);
  for (int i = 0; i < 32; i++) in[i] = float((i * 37) % 64) + 0.5f;

  for (int i = 0; i < 32; i++) want[i] = in[(i + N) % 32];
  measure<Rotate>("shuffle_rotate", in, want, N, "every lane reads the next");
  measure<Xor>("shuffle_xor", in, in, N, "an even number of steps");

  std::vector<float> counts(32), moved(32);
  for (int i = 0; i < 32; i++) {
    int start = i * 3, end = (i + N) % 32 * 3 + N * RotateAdd::K;
    memcpy(&counts[i], &start, 4);
    memcpy(&moved[i], &end, 4);
  }
  measure<RotateAdd>("shuffle_rotate_add", counts, moved, N, "every lane reads the next, integers, and an addition of a constant");

  // A permutation held in the values: lane i reads lane p(i), so the values after one step are p(p(i)), and so on.
  std::vector<float> ids(32), ended(32);
  std::vector<int> p(32);
  for (int i = 0; i < 32; i++) p[i] = (i * 5 + 7) % 32;
  for (int i = 0; i < 32; i++) memcpy(&ids[i], &p[i], 4);
  std::vector<int> v = p, next(32);
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < 32; i++) next[i] = v[v[i] & 31];
    v = next;
  }
  for (int i = 0; i < 32; i++) memcpy(&ended[i], &v[i], 4);
  measure<ByData>("shuffle_by_data", ids, ended, N, "the source lane is the value read last");

  float mean = std::accumulate(in.begin(), in.end(), 0.0f) / 32;  // exact: halves below 2^11
  measure<Butterfly>("warp_sum", in, std::vector<float>(32, mean), N, "five xor shuffles, five adds, one multiply");

  std::vector<float> quads(32);
  for (int i = 0; i < 32; i++) quads[i] = (in[i / 4 * 4] + in[i / 4 * 4 + 1] + in[i / 4 * 4 + 2] + in[i / 4 * 4 + 3]) / 4;
  measure<Quad>("quad_sum", in, quads, N, "two xor shuffles, two adds, one multiply");

  int total = 0;
  std::vector<float> whole(32), sums(32);
  for (int i = 0; i < 32; i++) {
    int w = 32 * (i + 1);
    memcpy(&whole[i], &w, 4);
    total += w;
  }
  total >>= 5;
  for (float& s : sums) memcpy(&s, &total, 4);
  measure<Redux>("reduce_add", whole, sums, N, "__reduce_add_sync on integers and a shift");

  std::vector<float> bits(32), masks(32);
  unsigned mask = 0;
  std::vector<int> word(32);
  for (int i = 0; i < 32; i++) {
    word[i] = i % 3;
    memcpy(&bits[i], &word[i], 4);
  }
  for (int k = 0; k < N; k++) {
    mask = 0;
    for (int i = 0; i < 32; i++) mask |= unsigned((word[i] >> (i & 1)) & 1) << i;
    for (int& w : word) w = int(mask);
  }
  for (float& m : masks) memcpy(&m, &mask, 4);
  measure<Ballot>("ballot", bits, masks, N, "__ballot_sync, a shift and a mask");
}

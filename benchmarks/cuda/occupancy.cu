// FMA rate against warps an SM and independent chains a thread: how many warps are enough, and how much ILP replaces them.
#include "common.cuh"

constexpr int STEPS = 6144;  // divisible by every chain count's unroll below

template <int CHAINS>
__global__ void chains(float* out, float a, float b, int n, Span* spans) {
  constexpr int UNROLL = 48 / CHAINS;
  float v[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++) v[c] = 0.25f * (c + 1 + threadIdx.x % 4);
  __syncthreads();
  unsigned long long start = clock64();
#pragma unroll 1
  for (int k = 0; k < n; k += UNROLL)
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
#pragma unroll
      for (int c = 0; c < CHAINS; c++) v[c] = fmaf(v[c], a, b);
  unsigned long long stop = clock64();
  note_span(spans, start, stop);
#pragma unroll
  for (int c = 0; c < CHAINS; c++) out[(blockIdx.x * size_t(blockDim.x) + threadIdx.x) * CHAINS + c] = v[c];
}

template <int CHAINS>
void sweep() {
  int sms = sm_count();
  const float a = -0.99993896484375f, b = 0.40625f;
  int enough = 0;
  for (int warps : {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 64}) {
    int blocks = warps > 32 ? 2 : 1, threads = 32 * warps / blocks, used = 0;
    Buffer<float> out(size_t(sms) * blocks * threads * CHAINS);
    out.poison();
    auto cycles = sm_cycles(
        [&](Span* s) { chains<CHAINS><<<sms * blocks, threads>>>(out.data, a, b, STEPS, s); }, 7, 5, &used);
    require(used == sms, "%d of %d SMs took part", used, sms);
    std::vector<float> got = out.get();
    std::vector<float> want(4 * CHAINS);
    for (int t = 0; t < 4; t++)
      for (int c = 0; c < CHAINS; c++) {
        float v = 0.25f * (c + 1 + t);
        for (int k = 0; k < STEPS; k++) v = std::fmaf(v, a, b);
        want[t * CHAINS + c] = v;
      }
    for (size_t i = 0; i < got.size(); i++)
      require(got[i] == want[i % (4 * CHAINS)], "%d chains, value %zu: %g", CHAINS, i, got[i]);
    auto rate = mapped(cycles, [&](double c) { return double(warps) * 32 * CHAINS * STEPS / c; });
    if (!enough && median(rate) >= 0.95 * 128) enough = warps;
    report(text("fma_%dchains_%02dwarps", CHAINS, warps), rate, "FMA/SM/cycle",
           text("%d warps an SM, %d independent FMA chains a thread, of 128", warps, CHAINS));
  }
  report(text("warps_for_95_%dchains", CHAINS), {double(enough)}, "warps",
         text("fewest of the warps tried that reach 121.6 FMA/SM/cycle with %d chains a thread; 0 = none", CHAINS));
}

int main() {
  sweep<1>();
  sweep<2>();
  sweep<3>();
  sweep<4>();
  sweep<6>();
  sweep<8>();
}

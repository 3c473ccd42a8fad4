// FMA rate against warps an SM and independent chains a thread: how many warps are enough, and how much ILP replaces them.
// Two forms. `x * x + c` reads one register, so only latency limits it. `x * a + b` reads three, and operand fetch may.
#include "common.cuh"

constexpr int STEPS = 7200;
constexpr float A = -0.99993896484375f, B = 0.40625f, C = -1.5f;  // x * x - 1.5 wanders over [-1.5, 0.75] for ever

template <bool SQUARE>
__host__ __device__ inline float step(float v, float a, float b) {
  return SQUARE ? fmaf(v, v, C) : fmaf(v, a, b);
}

template <int CHAINS, bool SQUARE>
__global__ void chains(float* out, float a, float b, int n, Span* spans) {
  constexpr int UNROLL = 240 / CHAINS;  // three instructions of loop for 240 FMAs
  float v[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++) v[c] = 0.0625f * (c + 1 + threadIdx.x % 4);
  timed<UNROLL>(n, spans, [&] {
#pragma unroll
    for (int c = 0; c < CHAINS; c++) v[c] = step<SQUARE>(v[c], a, b);
  });
#pragma unroll
  for (int c = 0; c < CHAINS; c++) out[(blockIdx.x * size_t(blockDim.x) + threadIdx.x) * CHAINS + c] = v[c];
}

template <int CHAINS, bool SQUARE>
void sweep() {
  static_assert(STEPS % (240 / CHAINS) == 0, "whole trips only");
  int sms = sm_count(), enough = 0;
  const char* form = SQUARE ? "one" : "three";
  std::vector<float> want(4 * CHAINS);
  for (int t = 0; t < 4; t++)
    for (int c = 0; c < CHAINS; c++) {
      float v = 0.0625f * (c + 1 + t);
      for (int k = 0; k < STEPS; k++) v = step<SQUARE>(v, A, B);
      want[t * CHAINS + c] = v;
    }
  for (int warps : {1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64}) {
    int blocks = warps > 32 ? 2 : 1, threads = 32 * warps / blocks, used = 0;
    Buffer<float> out(size_t(sms) * blocks * threads * CHAINS);
    out.poison();
    auto cycles = sm_cycles(
        [&](Span* s) { chains<CHAINS, SQUARE><<<sms * blocks, threads>>>(out.data, A, B, STEPS, s); }, 7, 5, &used);
    require(used == sms, "%d of %d SMs took part", used, sms);
    std::vector<float> got = out.get();
    for (size_t i = 0; i < got.size(); i++)
      require(got[i] == want[i % (4 * CHAINS)], "%d chains, value %zu: %g", CHAINS, i, got[i]);
    auto rate = mapped(cycles, [&](double c) { return double(warps) * 32 * CHAINS * STEPS / c; });
    if (!enough && median(rate) >= 0.95 * 128) enough = warps;
    report(text("%s_%dchains_%02dwarps", form, CHAINS, warps), rate, "FMA/SM/cycle",
           text("%d warps an SM, %d independent FMA chains a thread, %s register operand%s", warps, CHAINS, form,
                SQUARE ? "" : "s"));
  }
  report(text("%s_%dchains_enough", form, CHAINS), {double(enough)}, "warps",
         text("fewest warps an SM of those tried that reach 95%% of 128 FMA a cycle, %d chains, %s register operand%s; 0 = none",
              CHAINS, form, SQUARE ? "" : "s"));
}

int main() {
  sweep<1, true>();
  sweep<2, true>();
  sweep<3, true>();
  sweep<4, true>();
  sweep<8, true>();
  sweep<1, false>();
  sweep<2, false>();
  sweep<3, false>();
  sweep<4, false>();
  sweep<8, false>();
}

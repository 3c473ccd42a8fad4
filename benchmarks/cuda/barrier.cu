// Cycles of a barrier by the number of warps that meet at it, alone and inside an exchange through shared memory.
#include "common.cuh"

constexpr int BARRIERS = 4096;

__global__ void only_barriers(Span* spans, int n) {
  timed<16>(n, spans, [] { __syncthreads(); });
}

__global__ void only_warp_barriers(Span* spans, int n) {
  timed<16>(n, spans, [] { __syncwarp(); });
}

// Each step hands every value to the thread after the next warp's: two barriers a step, as in a single-buffered tile loop.
__global__ void exchange(int* out, Span* spans, int n) {
  extern __shared__ int slot[];
  int v = threadIdx.x, source = (threadIdx.x + 33) % blockDim.x;
  timed<1>(n, spans, [&] {
    slot[threadIdx.x] = v;
    __syncthreads();
    v = slot[source];
    __syncthreads();
  });
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

int main() {
  int sms = sm_count();
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    int threads = 32 * warps;
    auto set = text("%d %s in the block, one block on every SM", warps, warps == 1 ? "warp" : "warps");
    auto alone = sm_cycles([&](Span* s) { only_barriers<<<sms, threads>>>(s, BARRIERS); });
    report(text("syncthreads_%02d_warps", warps), mapped(alone, [](double c) { return c / BARRIERS; }), "cycles", set);

    Buffer<int> out(size_t(sms) * threads);
    out.poison();
    int steps = BARRIERS / 2;
    auto cycles = sm_cycles([&](Span* s) { exchange<<<sms, threads, threads * 4>>>(out.data, s, steps); });
    std::vector<int> got = out.get();
    for (size_t i = 0; i < got.size(); i++) {
      int want = int((i % threads + 33ll * steps) % threads);
      require(got[i] == want, "exchange among %d warps, thread %zu: %d, not %d", warps, i, got[i], want);
    }
    report(text("exchange_%02d_warps", warps), mapped(cycles, [&](double c) { return c / steps; }), "cycles",
           set + "; a step is a store, a barrier, a load and a second barrier");
  }
  auto warp = sm_cycles([&](Span* s) { only_warp_barriers<<<sms, 128>>>(s, BARRIERS); });
  report("syncwarp", mapped(warp, [](double c) { return c / BARRIERS; }), "cycles",
         "4 warps in the block, no lane diverged");
}

// What the device says of itself, and the clock that it holds under two loads.
#include "common.cuh"

__device__ unsigned long long ns() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

// Eight FMA chains a thread; one thread reads both clocks around them.
__global__ void spin(float* out, float a, float b, int n, unsigned long long* clocks) {
  float v[8];
  for (int c = 0; c < 8; c++) v[c] = float(threadIdx.x + c);
  unsigned long long c0 = clock64(), t0 = ns();
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int c = 0; c < 8; c++) v[c] = fmaf(v[c], a, b);
  unsigned long long c1 = clock64(), t1 = ns();
  float s = 0;
  for (int c = 0; c < 8; c++) s += v[c];
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
  if (blockIdx.x == 0 && threadIdx.x == 0) clocks[0] = c1 - c0, clocks[1] = t1 - t0;
}

static double attribute(cudaDeviceAttr which) {
  int value = 0;
  CUDA(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

static void clock_under(const char* row, int blocks, int threads, const char* load) {
  Buffer<float> out(size_t(blocks) * threads);
  Buffer<unsigned long long> clocks(2);
  auto work = [&] { spin<<<blocks, threads>>>(out.data, 0.999f, 0.001f, 200000, clocks.data); };
  warm(work, 300);
  std::vector<double> mhz;
  for (int i = 0; i < 15; i++) {
    work();
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    auto c = clocks.get();
    mhz.push_back(double(c[0]) / double(c[1]) * 1e3);
  }
  for (float v : out.get()) require(v > 7.99f && v < 8.01f, "spin ended at %g", v);
  report(row, mhz, "MHz", text("clock64 over globaltimer, %s", load));
}

int main() {
  cudaDeviceProp p;
  CUDA(cudaGetDeviceProperties(&p, 0));
  auto row = [](const char* name, double value, const char* unit, const char* conditions) {
    report(name, {value}, unit, conditions);
  };
  const char* query = "device query";
  row("sms", p.multiProcessorCount, "SMs", query);
  row("warps_per_sm", p.maxThreadsPerMultiProcessor / 32, "warps", query);
  row("blocks_per_sm", attribute(cudaDevAttrMaxBlocksPerMultiprocessor), "blocks", query);
  row("registers_per_sm", p.regsPerMultiprocessor, "registers", query);
  row("registers_per_block", p.regsPerBlock, "registers", query);
  row("shared_per_sm", double(p.sharedMemPerMultiprocessor) / 1024, "KiB", query);
  row("shared_per_block", double(p.sharedMemPerBlock) / 1024, "KiB", "device query, without opt-in");
  row("shared_per_block_optin", double(p.sharedMemPerBlockOptin) / 1024, "KiB", "device query, with opt-in");
  row("l2", double(p.l2CacheSize) / (1 << 20), "MiB", query);
  row("memory", double(p.totalGlobalMem) / (1 << 30), "GiB", query);
  row("clock_limit", attribute(cudaDevAttrClockRate) / 1e3, "MHz", query);
  row("memory_clock", attribute(cudaDevAttrMemoryClockRate) / 1e3, "MHz", query);
  row("memory_bus", attribute(cudaDevAttrGlobalMemoryBusWidth), "bits", query);
  clock_under("clock_one_warp", 1, 32, "one warp of FMAs on the chip");
  clock_under("clock_fma", 2 * p.multiProcessorCount, 1024, "FMAs on every SM, 64 warps each");
}

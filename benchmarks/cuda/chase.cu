// Latency of one dependent load by the size of the memory it walks, in random order over lines of 128 bytes.
#include <numeric>
#include <random>

#include "common.cuh"

constexpr size_t LINE = 128 / 4;

__global__ void place(uint32_t* memory, const uint32_t* next, size_t lines) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < lines; i += size_t(gridDim.x) * blockDim.x)
    memory[i * LINE] = next[i];
}

// `warm` steps first, in the same launch, since a launch drops the L1.
__global__ void walk(const uint32_t* memory, uint32_t at, int warm, int steps, uint32_t* end, unsigned long long* clocks) {
  auto go = [&](int n) {
#pragma unroll 1
    for (int k = 0; k < n; k += 8)
#pragma unroll
      for (int u = 0; u < 8; u++)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(memory + at * LINE) : "memory");
  };
  unsigned long long t0, t1;
  go(warm);
  unsigned long long c0 = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  go(steps);
  *end = at;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  clocks[0] = clock64() - c0;
  clocks[1] = t1 - t0;
}

int main() {
  Buffer<uint32_t> memory((1ull << 30) / 4), end(1);
  Buffer<unsigned long long> clocks(2);
  std::mt19937_64 random(20261129);
  for (size_t kib : {16, 64, 128, 192, 224, 512, 2048, 8192, 16384, 24576, 32768, 49152, 65536, 131072, 1048576}) {
    size_t lines = kib * 1024 / 128;
    std::vector<uint32_t> order(lines), next(lines);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    for (size_t i = 0; i < lines; i++) next[order[i]] = order[(i + 1) % lines];
    {
      Buffer<uint32_t> table(next);
      place<<<256, 256>>>(memory.data, table.data, lines);
      CUDA(cudaGetLastError());
      CUDA(cudaDeviceSynchronize());
    }
    uint32_t at = order[0];
    auto go = [&](int warm, int n) {
      walk<<<1, 1>>>(memory.data, at, warm, n, end.data, clocks.data);
      CUDA(cudaGetLastError());
      uint32_t want = at;
      for (int k = 0; k < warm + n; k++) want = next[want];
      at = end.get()[0];
      require(at == want, "%zu KiB: ended at line %u, not %u", kib, at, want);
      return clocks.get();
    };
    // Up to twice the L2 a whole lap goes before; the largest walk never meets a line twice.
    int lap = kib <= 131072 ? int(lines) : 8, steps = 1 << 16;
    go(lap, steps);
    std::vector<double> cycles, ns;
    for (int i = 0; i < 5; i++) {
      auto c = go(kib <= 512 ? lap : 0, steps);
      cycles.push_back(double(c[0]) / steps);
      ns.push_back(double(c[1]) / steps);
    }
    auto set = text("one thread, random lines of %zu KiB, address translation included", kib);
    report(text("chase_%zuKiB_cycles", kib), cycles, "cycles", set);
    report(text("chase_%zuKiB_ns", kib), ns, "ns", set);
  }
}

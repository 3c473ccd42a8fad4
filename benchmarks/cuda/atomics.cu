// Atomic additions that return nothing, in shared and global memory: every thread on its own word, and all on one.
#include "common.cuh"

template <class T>
__global__ void on_global(T* words, T inc, int n, unsigned mask) {
  T* mine = words + ((blockIdx.x * blockDim.x + threadIdx.x) & mask);
#pragma unroll 1
  for (int k = 0; k < n; k += 8)
#pragma unroll
    for (int u = 0; u < 8; u++) atomicAdd(mine, inc);
}

template <class T>
__global__ void on_shared(T* out, T inc, int n, unsigned mask, Span* spans) {
  __shared__ T words[1024];
  words[threadIdx.x] = T(0);
  T* mine = words + (threadIdx.x & mask);
  timed<8>(n, spans, [&] { atomicAdd(mine, inc); });
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x];
}

// All sums stay below 2^24, so that a float counts exactly. A warp's lanes share a word when the mask is smaller than 31.
template <class T>
void global(const char* type, const char* how, unsigned mask, int n, const char* what) {
  int blocks = 2 * sm_count(), threads = 1024;
  size_t all = size_t(blocks) * threads, used = std::min<size_t>(all, size_t(mask) + 1);
  Buffer<T> words(all);
  std::vector<T> zero(all, T(0));
  auto work = [&] { on_global<T><<<blocks, threads>>>(words.data, T(1), n, mask); };
  words.put(zero);
  work();
  CUDA(cudaGetLastError());
  std::vector<T> got = words.get(), want(zero);
  for (size_t i = 0; i < all; i++) want[i & mask] += T(n);
  for (size_t i = 0; i < all; i++) require(got[i] == want[i], "%s %s, word %zu: %g", type, how, i, double(got[i]));
  std::vector<double> times;
  for (int i = 0; i < 9; i++) {
    words.put(zero);  // a float that has reached 2^24 would stop counting
    times.push_back(device_ms(work, 1, 0)[0]);
  }
  report(text("global_%s_%s", type, how), mapped(times, [&](double ms) { return double(all) * n / ms / 1e6; }), "Gadd/s",
         text("64 warps on every SM, %zu words; %s", used, what), (const void*)on_global<T>);
}

template <class T>
void shared(const char* type, const char* how, unsigned mask, int n, const char* what) {
  int blocks = 2 * sm_count();
  Buffer<T> out(size_t(blocks) * 1024);
  out.poison();
  auto cycles = sm_cycles([&](Span* s) { on_shared<T><<<blocks, 1024>>>(out.data, T(1), n, mask, s); }, 9, 15);
  std::vector<T> got = out.get(), want(1024, T(0));
  for (size_t i = 0; i < 1024; i++) want[i & mask] += T(n);
  for (size_t i = 0; i < got.size(); i++) require(got[i] == want[i % 1024], "%s %s, word %zu", type, how, i);
  report(text("shared_%s_%s", type, how), mapped(cycles, [&](double c) { return 2048.0 * n / c; }), "adds/SM/cycle",
         text("64 warps an SM in two blocks; %s", what), (const void*)on_shared<T>);
}

int main() {
  const unsigned own = ~0u;
  global<float>("float", "own", own, 256, "every thread its own word, neighbors in neighboring words");
  global<float>("float", "32words", 31, 32, "every lane its own word, the same 32 for all warps");
  global<float>("float", "one", 0, 16, "every thread the same word");
  global<int>("int", "own", own, 256, "every thread its own word, neighbors in neighboring words");
  global<int>("int", "32words", 31, 32, "every lane its own word, the same 32 for all warps");
  global<int>("int", "one", 0, 32, "every thread the same word");
  shared<float>("float", "own", own, 512, "every thread its own word");
  shared<float>("float", "32words", 31, 128, "every lane its own word, the same 32 for all warps of the block");
  shared<float>("float", "one", 0, 64, "every thread of the block the same word");
  shared<int>("int", "own", own, 512, "every thread its own word");
  shared<int>("int", "32words", 31, 512, "every lane its own word, the same 32 for all warps of the block");
  shared<int>("int", "one", 0, 512, "every thread of the block the same word");
}

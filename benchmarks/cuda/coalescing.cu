// What a warp's pattern of 4-byte reads costs in device memory: strides, misalignment, and no pattern at all.
#include "common.cuh"

constexpr int PERIOD = 4096, LOADS = 8;

static uint32_t word(size_t i) { return uint32_t(i % PERIOD) * 2654435761u; }

__global__ void fill(uint32_t* p, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    p[i] = uint32_t(i % PERIOD) * 2654435761u;
}

__device__ inline void add_up(uint32_t s, unsigned long long* sum) {
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, (unsigned long long)s);
}

// Thread t reads the words (t + k * T) * stride + offset: lanes of a warp are `stride` words apart.
__global__ void strided(const uint32_t* p, size_t loads, size_t stride, size_t offset, unsigned long long* sum) {
  size_t T = size_t(gridDim.x) * blockDim.x;
  uint32_t s = 0;
  p += offset;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < loads; i += LOADS * T) {
    uint32_t v[LOADS] = {};
#pragma unroll
    for (int u = 0; u < LOADS; u++)
      if (i + u * T < loads) v[u] = p[(i + u * T) * stride];
#pragma unroll
    for (int u = 0; u < LOADS; u++) s += v[u];
  }
  add_up(s, sum);
}

__host__ __device__ inline size_t scatter(size_t i, size_t n) {  // n is a power of two
  i = (i ^ (i >> 17)) * 0x9e3779b97f4a7c15ull;
  i = (i ^ (i >> 29)) * 0xbf58476d1ce4e5b9ull;
  return (i ^ (i >> 32)) & (n - 1);
}

__global__ void gather(const uint32_t* p, size_t loads, size_t n, unsigned long long* sum) {
  size_t T = size_t(gridDim.x) * blockDim.x;
  uint32_t s = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < loads; i += LOADS * T) {
    uint32_t v[LOADS] = {};
#pragma unroll
    for (int u = 0; u < LOADS; u++)
      if (i + u * T < loads) v[u] = p[scatter(i + u * T, n)];
#pragma unroll
    for (int u = 0; u < LOADS; u++) s += v[u];
  }
  add_up(s, sum);
}

int main() {
  size_t bytes = 4ull << 30, n = bytes / 4;
  int blocks = 4 * sm_count();
  Buffer<uint32_t> data(n + 64);
  Buffer<unsigned long long> sum(1);
  fill<<<2 * sm_count(), 1024>>>(data.data, data.size);
  CUDA(cudaGetLastError());
  auto measure = [&](const std::string& row, size_t stride, size_t offset, const std::string& what) {
    size_t loads = n / stride;
    auto work = [&] { strided<<<blocks, 512>>>(data.data, loads, stride, offset, sum.data); };
    sum.put({0});
    work();
    CUDA(cudaGetLastError());
    uint64_t want = 0;
    for (size_t i = 0; i < PERIOD; i++) want += word(i * stride + offset);
    want *= loads / PERIOD;
    require(uint32_t(sum.get()[0]) == uint32_t(want), "%s", row.c_str());
    report(row, mapped(device_ms(work, 9, 30), [&](double ms) { return double(loads) * 4 / ms / 1e6; }), "GB/s",
           text("useful bytes of 4-byte reads over 4 GiB, %s", what.c_str()));
  };
  for (size_t stride : {1, 2, 4, 8, 16, 32, 64})
    measure(text("stride_%02zu", stride), stride, 0, text("lanes %zu words apart", stride));
  for (size_t offset : {1, 8, 16})
    measure(text("offset_%02zu", offset), 1, offset, text("neighboring words, first lane %zu words past a 128-byte line", offset));

  // How much the L2 fetches at a time is a hint that a program may give; the rows above have the default.
  size_t granularity = 0;
  CUDA(cudaDeviceGetLimit(&granularity, cudaLimitMaxL2FetchGranularity));
  report("l2_fetch_granularity", {double(granularity)}, "bytes", "cudaLimitMaxL2FetchGranularity, as found");
  for (size_t hint : {32, 128}) {
    CUDA(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, hint));
    for (size_t stride : {8, 16, 32})
      measure(text("stride_%02zu_fetch_%zu", stride, hint), stride, 0, text("lanes %zu words apart, L2 fetch hint of %zu bytes", stride, hint));
  }
  CUDA(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, granularity));

  size_t loads = 1ull << 26;
  auto work = [&] { gather<<<blocks, 512>>>(data.data, loads, n, sum.data); };
  sum.put({0});
  work();
  CUDA(cudaGetLastError());
  uint64_t want = 0;
  for (size_t i = 0; i < loads; i++) want += word(scatter(i, n));
  require(uint32_t(sum.get()[0]) == uint32_t(want), "gather");
  auto times = device_ms(work, 9, 30);
  report("gather_4GiB", mapped(times, [&](double ms) { return double(loads) / ms / 1e6; }), "Gread/s",
         "4-byte reads at random places of 4 GiB, 8 in flight a thread");
  size_t small = (32ull << 20) / 4;
  auto cached = [&] { gather<<<blocks, 512>>>(data.data, loads, small, sum.data); };
  sum.put({0});
  cached();
  CUDA(cudaGetLastError());
  want = 0;
  for (size_t i = 0; i < loads; i++) want += word(scatter(i, small));
  require(uint32_t(sum.get()[0]) == uint32_t(want), "gather in the L2");
  report("gather_32MiB", mapped(device_ms(cached, 9, 30), [&](double ms) { return double(loads) / ms / 1e6; }), "Gread/s",
         "4-byte reads at random places of 32 MiB, 8 in flight a thread");
}

// Read, write and copy bandwidth by size: the steps of the caches. Loads and stores skip the L1 unless a row says so.
#include "common.cuh"

constexpr int PERIOD = 4096;  // the data repeat after this many words, so that any sum can be checked

static uint32_t word(size_t i) { return uint32_t(i % PERIOD) * 2654435761u; }

__global__ void fill(uint32_t* p, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    p[i] = uint32_t(i % PERIOD) * 2654435761u;
}

__device__ inline uint32_t fold(uint4 v) { return v.x + v.y + v.z + v.w; }

// Four independent 16-byte loads in flight a thread, going round the buffer `passes` times. n must not be below T.
struct Places {
  size_t at[4];
  __device__ void next(size_t& place, size_t n, size_t T) {
#pragma unroll
    for (int u = 0; u < 4; u++) {
      at[u] = place;
      place += T;
      if (place >= n) place -= n;
    }
  }
};

__global__ void read(const uint4* p, size_t n, int passes, unsigned long long* sum) {
  size_t T = size_t(gridDim.x) * blockDim.x, first = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  size_t place = first, total = n * passes;
  uint32_t s = 0;
  Places go;
  for (size_t i = first; i < total; i += 4 * T) {
    uint4 v[4] = {};
    go.next(place, n, T);
#pragma unroll
    for (int u = 0; u < 4; u++)
      if (i + u * T < total) v[u] = __ldcg(p + go.at[u]);
#pragma unroll
    for (int u = 0; u < 4; u++) s += fold(v[u]);
  }
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, (unsigned long long)s);
}

__global__ void copy(uint4* to, const uint4* from, size_t n, int passes) {
  size_t T = size_t(gridDim.x) * blockDim.x, first = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  size_t place = first, total = n * passes;
  Places go;
  for (size_t i = first; i < total; i += 4 * T) {
    uint4 v[4];
    go.next(place, n, T);
#pragma unroll
    for (int u = 0; u < 4; u++)
      if (i + u * T < total) v[u] = __ldcg(from + go.at[u]);
#pragma unroll
    for (int u = 0; u < 4; u++)
      if (i + u * T < total) __stcg(to + go.at[u], v[u]);
  }
}

__global__ void write(uint4* to, size_t n, int passes, uint32_t seed) {
  size_t T = size_t(gridDim.x) * blockDim.x, first = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  for (int pass = 0; pass < passes; pass++)
    for (size_t i = first; i < n; i += T) {
      uint32_t v = uint32_t(i) * 2654435761u + seed + pass;
      __stcg(to + i, make_uint4(v, v ^ 1, v ^ 2, v ^ 3));
    }
}

// One block on an SM, U independent 16-byte loads in flight a thread: how much has to be in flight?
template <int U>
__global__ void in_flight(const uint4* p, size_t n, unsigned long long* sum) {
  size_t T = size_t(gridDim.x) * blockDim.x;
  uint32_t s = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += U * T) {
    uint4 v[U] = {};
#pragma unroll
    for (int u = 0; u < U; u++)
      if (i + u * T < n) v[u] = __ldcg(p + i + u * T);
#pragma unroll
    for (int u = 0; u < U; u++) s += fold(v[u]);
  }
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, (unsigned long long)s);
}

// Each SM reads its own piece again and again, from its L1 after the first pass.
__global__ void read_own(const uint4* p, int n, int passes, unsigned long long* sum) {
  p += size_t(blockIdx.x) * n;
  uint32_t s = 0;
  for (int pass = 0; pass < passes; pass++)
#pragma unroll 4
    for (int i = threadIdx.x; i < n; i += 1024) {
      uint4 v;
      asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p + i));
      s += fold(v);
    }
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, (unsigned long long)s);
}

// A warp's sum is taken mod 2^32, so only the low half of the total can be compared.
static bool same_sum(uint64_t got, uint64_t want) { return uint32_t(got) == uint32_t(want); }

static uint64_t sum_of(size_t words) {
  uint64_t period = 0, rest = 0;
  for (int i = 0; i < PERIOD; i++) period += word(i);
  for (size_t i = 0; i < words % PERIOD; i++) rest += word(i);
  return period * (words / PERIOD) + rest;
}

static std::string size_name(size_t bytes) { return text("%zuMiB", bytes >> 20); }

template <int U>
static void sweep_in_flight(const uint4* from, const Buffer<unsigned long long>& sum) {
  size_t bytes = 1ull << 30, n = bytes / 16;
  int sms = sm_count();
  for (int warps : {1, 2, 4, 8, 12, 16, 24, 32, 48, 64}) {
    int blocks = warps > 32 ? 2 * sms : sms, threads = 32 * warps * sms / blocks;
    auto work = [&] { in_flight<U><<<blocks, threads>>>(from, n, sum.data); };
    CUDA(cudaMemset(sum.data, 0, 8));
    work();
    CUDA(cudaGetLastError());
    require(same_sum(sum.get()[0], sum_of(bytes / 4)), "%d loads in flight", U);
    report(text("inflight_%dloads_%02dwarps", U, warps), mapped(device_ms(work, 5, 5), [&](double ms) { return double(bytes) / ms / 1e6; }),
           "GB/s", text("1 GiB read, L1 skipped, %d warps an SM, %d 16-byte load%s in flight a thread", warps, U, U == 1 ? "" : "s"));
  }
}

int main() {
  int sms = sm_count(), blocks = 2 * sms, threads = 1024;
  size_t most = 4ull << 30;
  Buffer<uint32_t> a(most / 4), b(most / 4);
  Buffer<unsigned long long> sum(1);
  fill<<<blocks, threads>>>(a.data, a.size);
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
  uint4 *from = reinterpret_cast<uint4*>(a.data), *to = reinterpret_cast<uint4*>(b.data);
  for (size_t mib : {8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 128, 256, 512, 1024, 2048, 4096}) {
    size_t bytes = mib << 20, n = bytes / 16;
    int passes = int(std::max<size_t>(1, (2ull << 30) / bytes));
    auto set = text("%zu MiB, 16 bytes a lane, L1 skipped, %d %s a launch", mib, passes, passes == 1 ? "pass" : "passes");
    auto rate = [&](double count) {
      return [=](double ms) { return count * double(bytes) * passes / ms / 1e6; };
    };
    auto once = [&] { read<<<blocks, threads>>>(from, n, passes, sum.data); };
    sum.put({0});
    once();
    CUDA(cudaGetLastError());
    require(same_sum(sum.get()[0], sum_of(bytes / 4) * passes), "read of %zu MiB", mib);
    report("read_" + size_name(bytes), mapped(device_ms(once, 9, 20), rate(1)), "GB/s", set);

    CUDA(cudaMemset(to, 0xff, bytes));
    auto both = [&] { copy<<<blocks, threads>>>(to, from, n, passes); };
    auto times = device_ms(both, 9, 20);
    sum.put({0});
    read<<<blocks, threads>>>(to, n, 1, sum.data);
    CUDA(cudaGetLastError());
    require(same_sum(sum.get()[0], sum_of(bytes / 4)), "copy of %zu MiB", mib);
    report("copy_" + size_name(bytes), mapped(times, rate(2)), "GB/s", set + "; read and written bytes both count, each buffer has this size");
  }
  size_t bytes = most, n = bytes / 16;
  auto rate = [&](double count) { return [=](double ms) { return count * double(bytes) / ms / 1e6; }; };
  auto times = device_ms([&] { write<<<blocks, threads>>>(to, n, 1, 5u); }, 9, 20);
  std::vector<uint4> tail(1024);
  CUDA(cudaMemcpy(tail.data(), to + n - tail.size(), tail.size() * 16, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < tail.size(); i++) {
    uint32_t v = uint32_t(n - tail.size() + i) * 2654435761u + 5u;
    require(tail[i].x == v && tail[i].w == (v ^ 3), "write, 16 bytes %zu from the end", tail.size() - i);
  }
  report("write_4096MiB", mapped(times, rate(1)), "GB/s", "4096 MiB, 16 bytes a lane");
  times = device_ms([&] { CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice)); }, 9, 20);
  sum.put({0});
  read<<<blocks, threads>>>(to, n, 1, sum.data);
  CUDA(cudaGetLastError());
  require(same_sum(sum.get()[0], sum_of(bytes / 4)), "cudaMemcpy");
  report("memcpy_4096MiB", mapped(times, rate(2)), "GB/s", "cudaMemcpyAsync on the device, 4096 MiB; read and written bytes both count");

  sweep_in_flight<1>(from, sum);
  sweep_in_flight<4>(from, sum);

  int own = 128 * 1024 / 16, passes = 400;
  auto l1 = [&] { read_own<<<sms, 1024>>>(from, own, passes, sum.data); };
  sum.put({0});
  l1();
  CUDA(cudaGetLastError());
  require(same_sum(sum.get()[0], sum_of(size_t(own) * 4 * sms) * passes), "read from L1");
  times = device_ms(l1, 9, 20);
  report("read_l1_128KiB_an_SM", mapped(times, [&](double ms) { return double(own) * 16 * sms * passes / ms / 1e6; }),
         "GB/s", "128 KiB an SM, 16 bytes a lane, from the L1 of each SM");
}

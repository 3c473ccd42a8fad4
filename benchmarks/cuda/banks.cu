// Shared-memory reads by stride and by width: warp reads a cycle when the SM is full, and the latency of one.
#include "common.cuh"

constexpr int WORDS = 11 * 1024;  // strides to 33, 32 lanes, 16 words of offset, and room
constexpr int READS = 16;

// Lane l of every warp reads word l * stride + r in its r-th read: an offset moves all lanes to the next bank.
__global__ void strided(unsigned* out, int stride, int n, Span* spans) {
  extern __shared__ unsigned words[];
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = i * 2654435761u;
  const volatile unsigned* mine = words + threadIdx.x % 32 * stride;
  unsigned sum = 0;
  timed<1>(n, spans, [&] {
#pragma unroll
    for (int r = 0; r < READS; r++) sum += mine[r];
  });
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A chain: the address of each read is the value of the one before. Every word holds its own place.
__global__ void chase(unsigned* out, int stride, int n, Span* spans) {
  extern __shared__ unsigned words[];
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = i;
  unsigned at = threadIdx.x * stride;
  timed<16>(n, spans, [&] { at = *(const volatile unsigned*)(words + at); });
  out[threadIdx.x] = at;
}

template <class V>
__device__ unsigned fold(V v);
template <> __device__ inline unsigned fold(unsigned v) { return v; }
template <> __device__ inline unsigned fold(uint2 v) { return v.x ^ v.y; }
template <> __device__ inline unsigned fold(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

template <class V>
__device__ inline V load(const V* p);
template <> __device__ inline unsigned load(const unsigned* p) {
  unsigned v;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(unsigned(__cvta_generic_to_shared(p))));
  return v;
}
template <> __device__ inline uint2 load(const uint2* p) {
  uint2 v;
  asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(unsigned(__cvta_generic_to_shared(p))));
  return v;
}
template <> __device__ inline uint4 load(const uint4* p) {
  uint4 v;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(unsigned(__cvta_generic_to_shared(p))));
  return v;
}

// Neighboring lanes read neighboring values of 4, 8 or 16 bytes.
template <class V>
__global__ void wide(unsigned* out, int n, Span* spans) {
  extern __shared__ __align__(16) unsigned words[];
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = i * 2654435761u;
  const V* mine = reinterpret_cast<const V*>(words) + threadIdx.x % 32;
  unsigned sum = 0;
  timed<1>(n, spans, [&] {
#pragma unroll
    for (int r = 0; r < READS; r++) sum += fold(load(mine + 32 * r));
  });
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class V>
void widths(const char* name) {
  int sms = sm_count(), n = 256;
  Buffer<unsigned> out(size_t(sms) * 2048);
  out.poison();
  CUDA(cudaFuncSetAttribute(wide<V>, cudaFuncAttributeMaxDynamicSharedMemorySize, WORDS * 4));
  auto cycles = sm_cycles([&](Span* s) { wide<V><<<2 * sms, 1024, WORDS * 4>>>(out.data, n, s); }, 9, 15);
  std::vector<unsigned> got = out.get();
  constexpr unsigned W = sizeof(V) / 4;
  for (size_t i = 0; i < got.size(); i++) {
    unsigned sum = 0;
    for (unsigned r = 0; r < READS; r++) {
      unsigned v = 0;
      for (unsigned w = 0; w < W; w++) v ^= ((i % 32 + 32 * r) * W + w) * 2654435761u;
      sum += v;
    }
    require(got[i] == sum * n, "%s: thread %zu", name, i);
  }
  report(name, mapped(cycles, [&](double c) { return 2048.0 * READS * n * sizeof(V) / c; }), "bytes/SM/cycle",
         text("64 warps an SM, conflict-free reads of %zu bytes a lane", sizeof(V)));
}

int main() {
  int sms = sm_count(), n = 256;
  CUDA(cudaFuncSetAttribute(strided, cudaFuncAttributeMaxDynamicSharedMemorySize, WORDS * 4));
  CUDA(cudaFuncSetAttribute(chase, cudaFuncAttributeMaxDynamicSharedMemorySize, WORDS * 4));
  for (int stride : {0, 1, 2, 3, 4, 5, 8, 16, 17, 32, 33}) {
    Buffer<unsigned> out(size_t(sms) * 2048), one(32);
    out.poison();
    auto cycles = sm_cycles([&](Span* s) { strided<<<2 * sms, 1024, WORDS * 4>>>(out.data, stride, n, s); }, 9, 15);
    std::vector<unsigned> got = out.get();
    for (size_t i = 0; i < got.size(); i++) {
      unsigned sum = 0;
      for (unsigned r = 0; r < READS; r++) sum += (i % 32 * stride + r) * 2654435761u;
      require(got[i] == sum * n, "stride %d: thread %zu", stride, i);
    }
    report(text("stride_%02d", stride), mapped(cycles, [&](double c) { return c / (64.0 * READS * n); }), "cycles",
           text("SM cycles for one warp's read, 64 warps an SM, stride of %d 4-byte words", stride));
    one.poison();
    auto chain = sm_cycles([&](Span* s) { chase<<<1, 32, WORDS * 4>>>(one.data, stride, 2048, s); }, 11, 15);
    got = one.get();
    for (unsigned i = 0; i < 32; i++) require(got[i] == i * stride, "chase at stride %d: lane %u", stride, i);
    report(text("latency_stride_%02d", stride), mapped(chain, [](double c) { return c / 2048; }), "cycles",
           text("one warp, each address is the value read before, its shift and addition included, stride of %d words", stride));
  }
  widths<unsigned>("bytes_04");
  widths<uint2>("bytes_08");
  widths<uint4>("bytes_16");
}

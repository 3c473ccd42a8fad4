// Sums: inside a block as a tree and in two levels, of a whole array with two kernels, with atomics and with the last block.
#include "common.cuh"

__device__ inline float warp_sum(float v) {
#pragma unroll
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  return v;
}

// Halve the threads until one is left, a barrier each; all threads read the result.
struct Tree {
  static __device__ float sum(float v, float* shared) {
    shared[threadIdx.x] = v;
    __syncthreads();
    for (int n = blockDim.x / 2; n; n /= 2) {
      if (threadIdx.x < n) shared[threadIdx.x] += shared[threadIdx.x + n];
      __syncthreads();
    }
    v = shared[0];
    __syncthreads();
    return v;
  }
};
// A warp sum, one word a warp, and a second warp sum in every warp.
struct TwoLevel {
  static __device__ float sum(float v, float* shared) {
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
    __syncthreads();
    v = warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? shared[threadIdx.x % 32] : 0.0f);
    __syncthreads();
    return v;
  }
};

template <class Sum>
__global__ void in_block(float* out, int n, Span* spans) {
  __shared__ float shared[1024];
  float v = float(threadIdx.x % 4);
  const float scale = 1.0f / blockDim.x;
  timed<4>(n, spans, [&] { v = Sum::sum(v, shared) * scale; });
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

template <class Sum>
void block(const char* name, const char* what) {
  constexpr int STEPS = 512;
  for (int warps : {4, 8, 16, 32}) {
    const int sms = sm_count();
    Buffer<float> out(size_t(sms) * warps * 32);
    out.poison();
    auto cycles = sm_cycles([&](Span* s) { in_block<Sum><<<sms, warps * 32>>>(out.data, STEPS, s); }, 11, 15);
    for (float v : out.get()) require(v == 1.5f, "%s with %d warps: %g, not 1.5", name, warps, v);  // the mean of 0, 1, 2, 3
    report(text("block_%s_%02d_warps", name, warps), mapped(cycles, [&](double c) { return c / STEPS; }), "cycles",
           text("%d warps in the block, one block on every SM; %s", warps, what), (const void*)in_block<Sum>);
  }
}

// --- A whole array: 16 bytes a thread and step, so many blocks as stay resident.

__device__ inline float block_share(const float4* in, int n) {
  __shared__ float shared[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 f = in[i];
    v += (f.x + f.y) + (f.z + f.w);
  }
  return TwoLevel::sum(v, shared);
}

__global__ void partials(const float4* in, int n, float* out) {
  const float v = block_share(in, n);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
__global__ void finish(const float* in, int n, float* out) {
  __shared__ float shared[32];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  v = TwoLevel::sum(v, shared);
  if (threadIdx.x == 0) *out = v;
}
__global__ void with_atomics(const float4* in, int n, float* out) {
  const float v = block_share(in, n);
  if (threadIdx.x == 0) atomicAdd(out, v);
}
__global__ void with_warp_atomics(const float4* in, int n, float* out) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 f = in[i];
    v += (f.x + f.y) + (f.z + f.w);
  }
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
// Whoever takes the last ticket adds up, in a fixed order. Nobody waits.
__global__ void last_block(const float4* in, int n, float* partial, unsigned* ticket, float* out) {
  __shared__ float shared[32];
  __shared__ bool last;
  float v = block_share(in, n);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  v = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) v += __ldcg(&partial[i]);
  v = TwoLevel::sum(v, shared);
  if (threadIdx.x == 0) *out = v, *ticket = 0;
}

void array(const char* name, int count) {
  const int sms = sm_count(), n = count / 4, blocks = std::min(sms * 8, (n + 255) / 256);
  std::vector<float> host(count);
  double want = 0;
  for (int i = 0; i < count; i++) want += host[i] = i % 512 == 0 ? float(i / 512 % 3) : 0.0f;  // every sum is exact
  Buffer<float> in(host), partial(blocks), out(1);
  Buffer<unsigned> ticket(1);
  ticket.put({0});
  const float4* data = (const float4*)in.data;
  auto measure = [&](const char* how, const char* what, auto&& work) {
    out.poison();
    auto times = graph_ms(work);
    require(out.get()[0] == want, "%s %s: %g, not %g", name, how, out.get()[0], want);
    report(text("sum_%s_%s", name, how), mapped(times, [](double ms) { return ms * 1e3; }), "us",
           text("%d floats, %d blocks of 256, one of 20 runs in a graph; %s", count, blocks, what));
  };
  measure("two_kernels", "a partial sum from each block, then one block", [&](cudaStream_t s) {
    partials<<<blocks, 256, 0, s>>>(data, n, partial.data);
    finish<<<1, 1024, 0, s>>>(partial.data, blocks, out.data);
  });
  measure("atomics", "the result cleared, then an atomic addition from each block", [&](cudaStream_t s) {
    CUDA(cudaMemsetAsync(out.data, 0, 4, s));
    with_atomics<<<blocks, 256, 0, s>>>(data, n, out.data);
  });
  measure("warp_atomics", "the result cleared, then an atomic addition from each warp", [&](cudaStream_t s) {
    CUDA(cudaMemsetAsync(out.data, 0, 4, s));
    with_warp_atomics<<<blocks, 256, 0, s>>>(data, n, out.data);
  });
  measure("last_block", "one kernel, the last block adds the partial sums", [&](cudaStream_t s) {
    last_block<<<blocks, 256, 0, s>>>(data, n, partial.data, ticket.data, out.data);
  });
}

int main() {
  block<Tree>("tree", "a step is a sum over the block as a tree in shared memory, read by all");
  block<TwoLevel>("two_level", "a step is a sum over the block by warps, then over their sums in every warp");
  array("1M", 1 << 20);
  array("64M", 1 << 26);
}

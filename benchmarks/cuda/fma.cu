// FMA rate of the ordinary lanes by type, and the latency of one dependent FMA.
// fp32 counts one FMA an instruction; the packed types (half2, bfloat162) count two.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common.cuh"

template <class T> struct Kind;  // name, FMAs an instruction, constants, and the same FMA on the host, rounded once

template <> struct Kind<float> {
  static constexpr const char* name = "fp32";
  static constexpr int width = 1;
  static __host__ __device__ float make(double v) { return float(v); }
  static float host(float v, float a, float b) { return std::fmaf(v, a, b); }
  static double low(float v) { return v; }
};
template <> struct Kind<__half> {
  static constexpr const char* name = "fp16";
  static constexpr int width = 1;
  static __host__ __device__ __half make(double v) { return __float2half(float(v)); }
  static __half host(__half v, __half a, __half b) {
    return __double2half(double(__half2float(v)) * __half2float(a) + __half2float(b));
  }
  static double low(__half v) { return __half2float(v); }
};
template <> struct Kind<__half2> {
  static constexpr const char* name = "fp16x2";
  static constexpr int width = 2;
  static __host__ __device__ __half2 make(double v) { return __float2half2_rn(float(v)); }
  static __half2 host(__half2 v, __half2 a, __half2 b) {
    return __half2half2(Kind<__half>::host(__low2half(v), __low2half(a), __low2half(b)));
  }
  static double low(__half2 v) { return __low2float(v); }
};
template <> struct Kind<__nv_bfloat16> {
  static constexpr const char* name = "bf16";
  static constexpr int width = 1;
  static __host__ __device__ __nv_bfloat16 make(double v) { return __float2bfloat16(float(v)); }
  static __nv_bfloat16 host(__nv_bfloat16 v, __nv_bfloat16 a, __nv_bfloat16 b) {
    return __double2bfloat16(double(__bfloat162float(v)) * __bfloat162float(a) + __bfloat162float(b));
  }
  static double low(__nv_bfloat16 v) { return __bfloat162float(v); }
};
template <> struct Kind<__nv_bfloat162> {
  static constexpr const char* name = "bf16x2";
  static constexpr int width = 2;
  static __host__ __device__ __nv_bfloat162 make(double v) { return __float2bfloat162_rn(float(v)); }
  static __nv_bfloat162 host(__nv_bfloat162 v, __nv_bfloat162 a, __nv_bfloat162 b) {
    return __bfloat162bfloat162(Kind<__nv_bfloat16>::host(__low2bfloat16(v), __low2bfloat16(a), __low2bfloat16(b)));
  }
  static double low(__nv_bfloat162 v) { return __low2float(v); }
};

__device__ inline float fma_(float v, float a, float b) { return fmaf(v, a, b); }
__device__ inline __half fma_(__half v, __half a, __half b) { return __hfma(v, a, b); }
__device__ inline __half2 fma_(__half2 v, __half2 a, __half2 b) { return __hfma2(v, a, b); }
__device__ inline __nv_bfloat16 fma_(__nv_bfloat16 v, __nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(v, a, b); }
__device__ inline __nv_bfloat162 fma_(__nv_bfloat162 v, __nv_bfloat162 a, __nv_bfloat162 b) {
  return __hfma2(v, a, b);
}

constexpr double START = 0.25;  // chain c of a thread starts at START * (c + 1 + thread % 4)

template <class T, int CHAINS, int UNROLL>
__global__ void chains(T* out, T a, T b, int n, Span* spans) {
  T v[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++) v[c] = Kind<T>::make(START * (c + 1 + threadIdx.x % 4));
  timed<UNROLL>(n, spans, [&] {
#pragma unroll
    for (int c = 0; c < CHAINS; c++) v[c] = fma_(v[c], a, b);
  });
  size_t thread = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
#pragma unroll
  for (int c = 0; c < CHAINS; c++) out[thread * CHAINS + c] = v[c];
}

// The device must have the same bits as the host after n steps, in threads of both ends.
template <class T, int CHAINS>
void check(const std::vector<T>& out, T a, T b, int n) {
  size_t threads = out.size() / CHAINS;
  for (size_t thread : {size_t(0), size_t(1), size_t(2), threads - 1})
    for (int c = 0; c < CHAINS; c++) {
      T v = Kind<T>::make(START * (c + 1 + thread % 4));
      for (int k = 0; k < n; k++) v = Kind<T>::host(v, a, b);
      double got = Kind<T>::low(out[thread * CHAINS + c]), want = Kind<T>::low(v);
      require(got == want, "%s chain %d of thread %zu: %.9g, not %.9g", Kind<T>::name, c, thread, got, want);
    }
}

template <class T, int CHAINS>
void rate() {
  constexpr int UNROLL = 256 / CHAINS;  // three instructions of loop for 256 FMAs
  int sms = sm_count(), blocks = 2 * sms, threads = 1024, n = 16384;
  T a = Kind<T>::make(-0.99993896484375), b = Kind<T>::make(0.40625);
  Buffer<T> out(size_t(blocks) * threads * CHAINS);
  Spans spans;
  spans.clear();
  out.poison();
  auto work = [&](Span* s) { chains<T, CHAINS, UNROLL><<<blocks, threads>>>(out.data, a, b, n, s); };
  auto times = device_ms([&] { work(spans.buffer.data); }, 15, 150);
  double fmas = double(blocks) * threads * CHAINS * n * Kind<T>::width;
  auto cycles = sm_cycles(work, 11, 0);
  check<T, CHAINS>(out.get(), a, b, n);
  std::string set = text("64 warps an SM, %d chains a thread", CHAINS);
  report(text("%s_%dchains_tflops", Kind<T>::name, CHAINS), mapped(times, [&](double ms) { return 2 * fmas / ms / 1e9; }),
         "TFLOPS", set);
  report(text("%s_%dchains_per_cycle", Kind<T>::name, CHAINS),
         mapped(cycles, [&](double c) { return fmas / sms / c; }), "FMA/SM/cycle", set);
}

template <class T>
void latency() {
  int n = 8192;
  T a = Kind<T>::make(-0.99993896484375), b = Kind<T>::make(0.40625);
  Buffer<T> out(32);
  out.poison();
  auto cycles = sm_cycles([&](Span* s) { chains<T, 1, 128><<<1, 32>>>(out.data, a, b, n, s); }, 15, 20);
  check<T, 1>(out.get(), a, b, n);
  report(text("latency_%s", Kind<T>::name), mapped(cycles, [&](double c) { return c / n; }), "cycles",
         "one warp, one dependent chain");
}

int main() {
  rate<float, 8>();
  rate<float, 4>();
  rate<__half, 8>();
  rate<__half2, 8>();
  rate<__nv_bfloat16, 8>();
  rate<__nv_bfloat162, 8>();
  latency<float>();
  latency<__half>();
  latency<__half2>();
  latency<__nv_bfloat16>();
  latency<__nv_bfloat162>();
}

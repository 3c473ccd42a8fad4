// What every probe here shares: error checks, warm-up, timing, and one line of JSON for each number.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CUDA(call)                                                                                       \
  do {                                                                                                   \
    cudaError_t error_ = (call);                                                                         \
    if (error_ != cudaSuccess) {                                                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));    \
      std::exit(1);                                                                                      \
    }                                                                                                    \
  } while (0)

// A wrong result ends the program: no number is printed for a kernel that computed something else.
inline void require(bool ok, const char* format, ...) {
  if (ok) return;
  va_list arguments;
  va_start(arguments, format);
  std::fprintf(stderr, "wrong result: ");
  std::vfprintf(stderr, format, arguments);
  std::fprintf(stderr, "\n");
  va_end(arguments);
  std::exit(2);
}

inline std::string text(const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

inline int sm_count() {
  int count = 0;
  CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

// Data spread over [-1, 1): a number and a seed give the same value on the host and on the device.
inline __host__ __device__ float spread(size_t i, uint32_t seed) {
  uint32_t x = uint32_t(i) * 2654435761u + seed;
  x = (x ^ (x >> 15)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return float(int((x ^ (x >> 16)) >> 8) - (1 << 23)) / (1 << 23);
}

template <class T>
struct Buffer {
  T* data = nullptr;
  size_t size = 0;
  explicit Buffer(size_t n) : size(n) { CUDA(cudaMalloc(&data, n * sizeof(T))); }
  explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) { put(host); }
  Buffer(const Buffer&) = delete;
  ~Buffer() { cudaFree(data); }
  void put(const std::vector<T>& host) {
    CUDA(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> host(size);
    CUDA(cudaMemcpy(host.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  void poison() { CUDA(cudaMemset(data, 0xff, size * sizeof(T))); }  // NaN or -1: an unwritten element shows
};

inline double now_ms() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// Runs the work until `ms` have passed, so that the clock has ramped and modules are loaded.
template <class Work>
void warm(Work&& work, double ms = 60) {
  double start = now_ms();
  do {
    work();
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
  } while (now_ms() - start < ms);
}

// Milliseconds on the device, once for each sample, between two events around the work.
template <class Work>
std::vector<double> device_ms(Work&& work, int samples = 15, double warm_ms = 60) {
  warm(work, warm_ms);
  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  std::vector<double> times;
  for (int i = 0; i < samples; i++) {
    CUDA(cudaEventRecord(start));
    work();
    CUDA(cudaEventRecord(stop));
    CUDA(cudaGetLastError());
    CUDA(cudaEventSynchronize(stop));
    float ms = 0;
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    times.push_back(ms);
  }
  CUDA(cudaEventDestroy(start));
  CUDA(cudaEventDestroy(stop));
  return times;
}

// Milliseconds on the device for one of `repeats` runs of `work(stream)` in a graph: no launch waits for the CPU.
template <class Work>
std::vector<double> graph_ms(Work&& work, int repeats = 20, int samples = 11) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < repeats; i++) work(stream);
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&runnable, graph, 0));
  auto times = device_ms([&] { CUDA(cudaGraphLaunch(runnable, 0)); }, samples, 30);
  CUDA(cudaGraphExecDestroy(runnable));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaStreamDestroy(stream));
  for (double& ms : times) ms /= repeats;
  return times;
}

template <class F>
std::vector<double> mapped(std::vector<double> values, F&& f) {
  for (double& v : values) v = f(v);
  return values;
}

inline double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  size_t n = v.size();
  return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

// One row: the median of the samples of this process and their range. `kernel` lets run.py add the compiler's report.
inline void report(const std::string& row, const std::vector<double>& samples, const char* unit,
                   const std::string& conditions, const void* kernel = nullptr) {
  std::printf("{\"row\": \"%s\", \"value\": %.6g, \"low\": %.6g, \"high\": %.6g, \"samples\": %zu, \"unit\": \"%s\", "
              "\"conditions\": \"%s\"",
              row.c_str(), median(samples), *std::min_element(samples.begin(), samples.end()),
              *std::max_element(samples.begin(), samples.end()), samples.size(), unit, conditions.c_str());
  if (kernel) {
    cudaFuncAttributes attributes;
    const char* name = "";
    CUDA(cudaFuncGetAttributes(&attributes, kernel));
    CUDA(cudaFuncGetName(&name, kernel));
    std::printf(", \"kernel\": \"%s\", \"registers\": %d, \"stack\": %zu, \"shared\": %zu", name, attributes.numRegs,
                attributes.localSizeBytes, attributes.sharedSizeBytes);
  }
  std::printf("}\n");
  std::fflush(stdout);
}

// Cycles of one SM, from the first warp that starts to the last that ends. clock64() is shared by the warps of an SM.
struct Span {
  unsigned long long first, last;
};

__device__ inline void note_span(Span* spans, unsigned long long start, unsigned long long stop) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  atomicMin(&spans[sm].first, start);
  atomicMax(&spans[sm].last, stop);
}

// Runs `step` n times, UNROLL of them a trip of the loop, between two readings of the clock: the loop of every cycle count
// here. All warps of a block start together; n is a multiple of UNROLL.
template <int UNROLL, class Step>
__device__ __forceinline__ void timed(int n, Span* spans, Step&& step) {
  __syncthreads();
  unsigned long long start = clock64();
#pragma unroll 1
  for (int k = 0; k < n; k += UNROLL)
#pragma unroll
    for (int u = 0; u < UNROLL; u++) step();
  unsigned long long stop = clock64();
  note_span(spans, start, stop);
}

struct Spans {
  Buffer<Span> buffer{256};
  void clear() { buffer.put(std::vector<Span>(buffer.size, Span{~0ull, 0})); }
  // The cycles of every SM that took part.
  std::vector<double> cycles() const {
    std::vector<double> found;
    for (const Span& s : buffer.get())
      if (s.last) found.push_back(double(s.last - s.first));
    return found;
  }
};

// Runs `work(spans)` once for each sample; each sample is the median over the SMs.
template <class Work>
std::vector<double> sm_cycles(Work&& work, int samples = 11, double warm_ms = 30, int* sms = nullptr) {
  Spans spans;
  spans.clear();
  warm([&] { work(spans.buffer.data); }, warm_ms);
  std::vector<double> medians;
  for (int i = 0; i < samples; i++) {
    spans.clear();
    work(spans.buffer.data);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    std::vector<double> cycles = spans.cycles();
    if (sms) *sms = int(cycles.size());
    medians.push_back(median(cycles));
  }
  return medians;
}

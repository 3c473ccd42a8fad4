// Live accumulators a thread, from 16 to past the limit: where the compiler begins to spill, and what a spill costs.
// The cap is set by the block size: 256 threads leave 255 registers (the architecture's limit), 512 leave 128.
#include "common.cuh"

// Every accumulator is read and written in every trip, with factors that change from trip to trip.
template <int N, int THREADS>
__global__ void __launch_bounds__(THREADS, 1) accumulate(float* out, float a, float b, int n) {
  float v[N];
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = float((threadIdx.x + i) % 8);
  constexpr int UNROLL = N < 256 ? 256 / N : 1;  // about as many FMAs in every trip
#pragma unroll 1
  for (int k = 0; k < n; k += UNROLL) {
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
#pragma unroll
      for (int i = 0; i < N; i++) v[i] = fmaf(v[i], a, b);
      float t = a;
      a = b;
      b = t;
    }
  }
  float s = 0;
#pragma unroll
  for (int i = 0; i < N; i++) s = fmaf(v[i], float(i % 5 + 1), s);
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// The same work with a subscript that the compiler does not know: the array cannot live in registers at all.
__global__ void __launch_bounds__(256, 1) subscript(float* out, float a, float b, int n, int count) {
  float v[32];
#pragma unroll
  for (int i = 0; i < 32; i++) v[i] = float((threadIdx.x + i) % 8);
#pragma unroll 1
  for (int k = 0; k < n; k++) {
#pragma unroll 1
    for (int i = 0; i < count; i++) v[i] = fmaf(v[i], a, b);
    float t = a;
    a = b;
    b = t;
  }
  float s = 0;
#pragma unroll
  for (int i = 0; i < 32; i++) s = fmaf(v[i], float(i % 5 + 1), s);
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

constexpr float A = -1.0f, B = 0.5f;  // v -> -v + 0.5, then v -> 0.5 v - 1, and so on

// The same steps on the host, bit for bit.
static float expected(int thread, int count, int n) {
  float s = 0;
  for (int i = 0; i < count; i++) {
    float v = float((thread + i) % 8), a = A, b = B;
    for (int k = 0; k < n; k++) v = std::fmaf(v, a, b), std::swap(a, b);
    s = std::fmaf(v, float(i % 5 + 1), s);
  }
  return s;
}

template <class Work>
void measure(const std::string& row, const void* kernel, int threads, int count, Work&& work, const char* set) {
  int sms = sm_count(), per_sm = 0;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, 0));
  int blocks = per_sm * sms, n = std::min(8192, 1048576 / count) / 240 * 240;  // a multiple of every unroll below
  Buffer<float> out(size_t(blocks) * threads);
  out.poison();
  auto times = device_ms([&] { work(blocks, out.data, n); }, 11, 40);
  std::vector<float> want(8), got = out.get();
  for (int t = 0; t < 8; t++) want[t] = expected(t, count, n);
  for (size_t i = 0; i < got.size(); i++)
    require(got[i] == want[i % threads % 8], "%s: thread %zu has %.9g, not %.9g", row.c_str(), i, got[i], want[i % 8]);
  double fmas = double(blocks) * threads * count * n;
  report(row, mapped(times, [&](double ms) { return 2 * fmas / ms / 1e9; }), "TFLOPS",
         text("%d accumulators a thread, %s, %d warps an SM", count, set, per_sm * threads / 32), kernel);
}

template <int N, int THREADS>
void accumulators() {
  auto kernel = accumulate<N, THREADS>;
  measure(text("cap%d_%03d", THREADS == 256 ? 255 : 128, N), (const void*)kernel, THREADS, N,
          [&](int blocks, float* out, int n) { kernel<<<blocks, THREADS>>>(out, A, B, n); },
          THREADS == 256 ? "blocks of 256, cap 255 registers" : "blocks of 512, cap 128 registers");
}

template <int THREADS, int... N>
void sweep() {
  (accumulators<N, THREADS>(), ...);
}

int main() {
  sweep<256, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 240, 248, 256, 272, 288, 320, 384>();
  sweep<512, 16, 32, 48, 64, 80, 96, 104, 112, 116, 120, 124, 128, 136, 144, 160, 192, 256>();
  measure("subscript_032", (const void*)subscript, 256, 32,
          [&](int blocks, float* out, int n) { subscript<<<blocks, 256>>>(out, A, B, n, 32); },
          "an array of 32 with a run-time subscript");
}

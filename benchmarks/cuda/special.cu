// Throughput of what the FMA lanes do not do in one instruction: exponentials, roots, division, integer work.
// Each operation runs in chains of its own results and is checked on a range of inputs against the host in fp64.
#include "common.cuh"


// step: one link of a chain that stays in range; apply: what is checked against `want`.
#define FLOAT_OP(Name, device_expression, host_expression, low, high, tolerance)      \
  struct Name {                                                                       \
    static constexpr const char* name = #Name;                                        \
    static constexpr double lo = low, hi = high, tol = tolerance;                     \
    static __device__ float apply(float x, float) { return device_expression; }       \
    static double want(double x) { return host_expression; }                          \
    static __device__ float step(float x, float y) { return apply(x, y); }            \
  };

__device__ inline float ex2_approx(float x) {
  float y;
  asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float ex2_approx_ftz(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float rcp_approx(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float rsqrt_approx(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float sin_approx(float x) {
  float y;
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Chains of exponentials of -x stay between 0.4 and 1.1; reciprocals alternate; roots go to 1; a sine shrinks slowly.
FLOAT_OP(expf_precise, expf(-x), std::exp(-x), -4, 4, 4e-7)
FLOAT_OP(exp2f_precise, exp2f(-x), std::exp2(-x), -4, 4, 4e-7)
FLOAT_OP(expf_fast, __expf(-x), std::exp(-x), -4, 4, 2e-6)
FLOAT_OP(ex2_approx_f32, ex2_approx(-x), std::exp2(-x), -4, 4, 4e-7)
FLOAT_OP(ex2_approx_ftz_f32, ex2_approx_ftz(-x), std::exp2(-x), -4, 4, 4e-7)
FLOAT_OP(rsqrt_approx_f32, rsqrt_approx(x), 1 / std::sqrt(x), 0.5, 4, 4e-7)
FLOAT_OP(sqrtf_precise, sqrtf(x), std::sqrt(x), 0.5, 4, 1e-7)
FLOAT_OP(sin_approx_f32, sin_approx(x), std::sin(x), 0.2, 1.5, 4e-6)
FLOAT_OP(sinf_precise, sinf(x), std::sin(x), 0.2, 1.5, 4e-7)
FLOAT_OP(powf_precise, powf(x, 0.7f), std::pow(x, double(0.7f)), 0.5, 4, 2e-6)

struct rcp_approx_f32 {  // the sum keeps the compiler from cancelling a reciprocal of a reciprocal
  static constexpr const char* name = "rcp_approx_f32";
  static constexpr double lo = 0.5, hi = 4, tol = 4e-7;
  static __device__ float apply(float x, float) { return rcp_approx(x); }
  static double want(double x) { return 1 / x; }
  static __device__ float step(float x, float y) { return rcp_approx(x + y); }
};
struct divide_precise {
  static constexpr const char* name = "divide_precise";
  static constexpr double lo = 0.5, hi = 4, tol = 1e-7;
  static __device__ float apply(float x, float y) { return y / x; }
  static double want(double x) { return 3 / x; }
  static __device__ float step(float x, float y) { return apply(x, y); }
};
struct divide_fast {
  static constexpr const char* name = "divide_fast";
  static constexpr double lo = 0.5, hi = 4, tol = 5e-7;
  static __device__ float apply(float x, float y) { return __fdividef(y, x); }
  static double want(double x) { return 3 / x; }
  static __device__ float step(float x, float y) { return apply(x, y); }
};
// One FMA and one exponential in turn: do they overlap?
struct fma_and_ex2 {
  static constexpr const char* name = "fma_and_ex2";
  static constexpr double lo = -4, hi = 4, tol = 1e-6;
  static __device__ float apply(float x, float y) { return ex2_approx_ftz(fmaf(x, -0.5f, y)); }
  static double want(double x) { return std::exp2(x * -0.5 + 3); }
  static __device__ float step(float x, float) { return ex2_approx_ftz(fmaf(x, -0.5f, 0.25f)); }
};

constexpr int CHAINS = 4, STEPS = 2048;

template <class Op>
__global__ void chain(float* out, float y, int n, Span* spans) {
  float v[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++) v[c] = 0.75f + 0.0625f * (c + threadIdx.x % 4);
  timed<4>(n, spans, [&] {
#pragma unroll
    for (int c = 0; c < CHAINS; c++) v[c] = Op::step(v[c], y);
  });
  float s = 0;
#pragma unroll
  for (int c = 0; c < CHAINS; c++) s += v[c];
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

template <class Op>
__global__ void apply(float* out, const float* in, float y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = Op::apply(in[i], y);
}

template <class Op>
void measure(const char* what) {
  std::vector<float> in(4096);
  for (size_t i = 0; i < in.size(); i++) in[i] = float(Op::lo + (Op::hi - Op::lo) * ((i * 2654435761u) % 65536) / 65536.0);
  Buffer<float> from(in), to(in.size());
  to.poison();
  apply<Op><<<16, 256>>>(to.data, from.data, 3.0f);
  CUDA(cudaGetLastError());
  std::vector<float> got = to.get();
  for (size_t i = 0; i < in.size(); i++) {
    double want = Op::want(in[i]), error = std::fabs(got[i] - want) / std::max(std::fabs(want), 0.05);
    require(error < Op::tol, "%s(%g): %.9g, not %.9g (%.2g)", Op::name, in[i], got[i], want, error);
  }
  int sms = sm_count();
  Buffer<float> out(size_t(sms) * 2 * 1024);
  auto cycles = sm_cycles([&](Span* s) { chain<Op><<<2 * sms, 1024>>>(out.data, 1.5f, STEPS, s); }, 9, 15);
  for (float v : out.get()) require(std::isfinite(v) && v > 0, "%s: a chain ended at %g", Op::name, v);
  report(Op::name, mapped(cycles, [](double c) { return 2048.0 * CHAINS * STEPS / c; }), "operations/SM/cycle",
         text("64 warps an SM, %d chains a thread; %s", CHAINS, what), (const void*)chain<Op>);
}

// Integer operations, in chains as well; the whole chain is followed on the host.
struct imad {
  static constexpr const char* name = "integer_multiply_add";
  static __host__ __device__ uint32_t step(uint32_t x, uint32_t y) { return x * y + 12345u; }
};
struct udiv {
  static constexpr const char* name = "unsigned_divide";
  static __host__ __device__ uint32_t step(uint32_t x, uint32_t y) { return (x ^ 0x5bd1e995u) / y + 0x40000000u; }
};
struct udiv7 {
  static constexpr const char* name = "unsigned_divide_by_7";
  static __host__ __device__ uint32_t step(uint32_t x, uint32_t) { return (x ^ 0x5bd1e995u) / 7u + 0x40000000u; }
};

template <class Op>
__global__ void integers(uint32_t* out, uint32_t y, int n, Span* spans) {
  uint32_t v[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++) v[c] = threadIdx.x * 77u + c;
  timed<4>(n, spans, [&] {
#pragma unroll
    for (int c = 0; c < CHAINS; c++) v[c] = Op::step(v[c], y);
  });
  uint32_t s = 0;
#pragma unroll
  for (int c = 0; c < CHAINS; c++) s = s * 31 + v[c];
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

template <class Op>
void measure_integers(const char* what) {
  int sms = sm_count();
  constexpr uint32_t y = 1000003u;
  Buffer<uint32_t> out(size_t(sms) * 2 * 1024);
  out.poison();
  auto cycles = sm_cycles([&](Span* s) { integers<Op><<<2 * sms, 1024>>>(out.data, y, STEPS, s); }, 9, 15);
  std::vector<uint32_t> got = out.get(), want(1024);
  for (uint32_t t = 0; t < 1024; t++) {
    uint32_t s = 0;
    for (int c = 0; c < CHAINS; c++) {
      uint32_t v = t * 77u + c;
      for (int k = 0; k < STEPS; k++) v = Op::step(v, y);
      s = s * 31 + v;
    }
    want[t] = s;
  }
  for (size_t i = 0; i < got.size(); i++) require(got[i] == want[i % 1024], "%s: thread %zu", Op::name, i);
  report(Op::name, mapped(cycles, [](double c) { return 2048.0 * CHAINS * STEPS / c; }), "operations/SM/cycle",
         text("64 warps an SM, %d chains a thread; %s", CHAINS, what), (const void*)integers<Op>);
}

int main() {
  measure<expf_precise>("expf as compiled without fast math");
  measure<expf_fast>("__expf");
  measure<exp2f_precise>("exp2f as compiled without fast math");
  measure<ex2_approx_f32>("PTX ex2.approx, denormals kept");
  measure<ex2_approx_ftz_f32>("PTX ex2.approx.ftz, the bare instruction");
  measure<fma_and_ex2>("pairs of one FMA and one ex2.approx.ftz, each pair counted once");
  measure<rcp_approx_f32>("PTX rcp.approx.ftz and one addition");
  measure<rsqrt_approx_f32>("PTX rsqrt.approx.ftz");
  measure<sqrtf_precise>("sqrtf, correctly rounded");
  measure<sin_approx_f32>("PTX sin.approx.ftz");
  measure<sinf_precise>("sinf, arguments below 1.5");
  measure<powf_precise>("powf with a constant exponent of 0.7");
  measure<divide_precise>("x / y, correctly rounded");
  measure<divide_fast>("__fdividef");
  measure_integers<imad>("32-bit multiply-add");
  measure_integers<udiv>("32-bit unsigned division by a run-time value, with a xor and an add");
  measure_integers<udiv7>("32-bit unsigned division by the constant 7, with a xor and an add");
}

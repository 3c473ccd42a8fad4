// C = A B with few tiles and a long K: the parts of K on blocks of their own, added by a second kernel or by atomics.
#include "common.cuh"

constexpr int TILE = 64, SLAB = 16;  // 256 threads, 4 x 4 accumulators each

// A block of 256 takes a tile and one part of K. Its sums go to a plane of their own, or onto C.
template <bool ATOMIC>
__global__ void __launch_bounds__(256) part(const float* a, const float* b, float* c, int m, int n, int k, int length) {
  __shared__ float as[SLAB][TILE + 4], bs[SLAB][TILE];
  const int row = blockIdx.y * TILE, column = blockIdx.x * TILE, t = threadIdx.x, tx = t % 16 * 4, ty = t / 16 * 4;
  float acc[4][4] = {};
  const int from = blockIdx.z * length, to = min(k, from + length);
  for (int k0 = from; k0 < to; k0 += SLAB) {
    const float4 av = *(const float4*)&a[size_t(row + t / 4) * k + k0 + t % 4 * 4];
    const float4 bv = *(const float4*)&b[size_t(k0 + t / 16) * n + column + tx];
    __syncthreads();
    const int q = t % 4 * 4, r = t / 4;
    as[q][r] = av.x, as[q + 1][r] = av.y, as[q + 2][r] = av.z, as[q + 3][r] = av.w;
    *(float4*)&bs[t / 16][tx] = bv;
    __syncthreads();
#pragma unroll
    for (int s = 0; s < SLAB; s++) {
      const float4 x = *(const float4*)&as[s][ty], y = *(const float4*)&bs[s][tx];
      const float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] = fmaf(xs[i], ys[j], acc[i][j]);
    }
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      const size_t at = size_t(row + ty + i) * n + column + tx + j;
      if (ATOMIC) atomicAdd(&c[at], acc[i][j]);
      else c[size_t(blockIdx.z) * m * n + at] = acc[i][j];
    }
}

__global__ void add_parts(const float* in, float* c, int size, int parts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int p = 0; p < parts; p++) sum += in[size_t(p) * size + i];
  c[i] = sum;
}

void shape(int m, int n, int k) {
  std::vector<float> a(size_t(m) * k), b(size_t(k) * n);
  for (size_t i = 0; i < a.size(); i++) a[i] = spread(i, 1);
  for (size_t i = 0; i < b.size(); i++) b[i] = spread(i, 2);
  Buffer<float> da(a), db(b), c(size_t(m) * n), planes(size_t(m) * n * 128);
  auto check = [&](const std::string& name) {
    auto got = c.get();
    for (int s = 0; s < 64; s++) {
      const int i = s * 37 % m, j = s * 101 % n;
      double want = 0;
      for (int x = 0; x < k; x++) want += double(a[size_t(i) * k + x]) * b[size_t(x) * n + j];
      const float g = got[size_t(i) * n + j];
      require(std::fabs(g - want) < 2e-3, "%s (%d, %d): %g, not %g", name.c_str(), i, j, g, want);
    }
  };
  auto micro = [](std::vector<double> ms) { return mapped(ms, [](double t) { return t * 1e3; }); };
  for (int parts = 1; parts <= 128 && k / parts >= SLAB; parts *= 2) {
    const int length = k / parts;
    const dim3 grid(n / TILE, m / TILE, parts);
    const std::string name = text("%dx%dx%d_%03d", m, n, k, parts);
    const std::string what = text("%d x %d x %d in fp32, tiles of 64 x 64, %d part%s, %d blocks, one of 20 runs in a graph", m,
                                  n, k, parts, parts > 1 ? "s" : "", grid.x * grid.y * parts);
    c.poison();
    auto two = graph_ms([&](cudaStream_t s) {
      part<false><<<grid, 256, 0, s>>>(da.data, db.data, parts > 1 ? planes.data : c.data, m, n, k, length);
      if (parts > 1) add_parts<<<m * n / 256, 256, 0, s>>>(planes.data, c.data, m * n, parts);
    });
    check(name);
    report(parts > 1 ? name + "_two_kernels" : name, micro(two), "us", what + (parts > 1 ? ", a second kernel adds" : ""),
           (const void*)part<false>);
    if (parts == 1) continue;
    auto onto = [&](cudaStream_t s) {
      CUDA(cudaMemsetAsync(c.data, 0, size_t(m) * n * 4, s));
      part<true><<<grid, 256, 0, s>>>(da.data, db.data, c.data, m, n, k, length);
    };
    c.poison();
    auto atomic = graph_ms(onto);
    check(name);
    report(name + "_atomics", micro(atomic), "us", what + ", atomic additions onto C, cleared first", (const void*)part<true>);
    if (parts != 32) continue;
    std::vector<float> first = c.get();
    double differ = 0;
    for (int again = 0; again < 10; again++) {
      onto(0);
      CUDA(cudaDeviceSynchronize());
      std::vector<float> next = c.get();
      double d = 0;
      for (size_t i = 0; i < next.size(); i++) d += next[i] != first[i];
      differ = std::max(differ, d / double(next.size()) * 100);
    }
    report(name + "_atomics_differ", {differ}, "% of C",
           what + ", elements that differ from an earlier run, the most in ten runs");
  }
}

int main() {
  shape(128, 128, 16384);
  shape(512, 512, 4096);
  shape(1024, 1024, 1024);
}

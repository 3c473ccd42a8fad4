// What the callers of the twins share: matrices of known values, a reference in fp64 on the host, and the comparison.
#pragma once

#include <cuda_fp16.h>

#include <cstring>

#include "../common.cuh"

inline float half_of(float x) { return __half2float(__float2half(x)); }

// Round to nearest, ties away from zero, as cvt.rna.tf32.f32 does: 10 bits of fraction stay.
inline float tf32_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits = (bits + 0x1000u) & ~0x1fffu;
  std::memcpy(&x, &bits, 4);
  return x;
}

inline std::vector<__half> halves(const std::vector<float>& values) {
  std::vector<__half> h;
  for (float v : values) h.push_back(__float2half(v));
  return h;
}

struct Matrix {  // row-major, values spread over [-1, 1)
  int rows, columns;
  std::vector<float> values;
  Matrix(int r, int c, uint32_t seed) : rows(r), columns(c), values(size_t(r) * c) {
    for (size_t i = 0; i < values.size(); i++) values[i] = spread(i, seed);
  }
  Matrix rounded(float (*round)(float)) const {
    Matrix m = *this;
    for (float& v : m.values) v = round(v);
    return m;
  }
  const float* operator[](int row) const { return values.data() + size_t(row) * columns; }
};

inline std::vector<double> product(const Matrix& a, const Matrix& b) {
  std::vector<double> c(size_t(a.rows) * b.columns);
  for (int i = 0; i < a.rows; i++)
    for (int k = 0; k < a.columns; k++)
      for (int j = 0; j < b.columns; j++) c[size_t(i) * b.columns + j] += double(a[i][k]) * double(b[k][j]);
  return c;
}

// softmax(scale * Q K') V
inline std::vector<double> softmax_product(const Matrix& q, const Matrix& k, const Matrix& v, double scale) {
  std::vector<double> out(size_t(q.rows) * v.columns);
  for (int i = 0; i < q.rows; i++) {
    std::vector<double> s(k.rows);
    double top = -INFINITY, sum = 0;
    for (int j = 0; j < k.rows; j++) {
      for (int d = 0; d < q.columns; d++) s[j] += double(q[i][d]) * double(k[j][d]);
      top = std::max(top, s[j] *= scale);
    }
    for (double& x : s) sum += x = std::exp(x - top);
    for (int j = 0; j < k.rows; j++)
      for (int d = 0; d < v.columns; d++) out[size_t(i) * v.columns + d] += s[j] / sum * double(v[j][d]);
  }
  return out;
}

// One row: the largest difference over the largest value of the reference, with the registers of the kernel that ran.
inline void agree(const std::string& row, const std::vector<float>& got, const std::vector<double>& want, double tolerance,
                  const std::string& conditions, const void* kernel) {
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
  require(got.size() == want.size(), "%s: %zu values, not %zu", row.c_str(), got.size(), want.size());
  double difference = 0, largest = 0;
  for (size_t i = 0; i < got.size(); i++) {
    require(std::isfinite(got[i]), "%s: value %zu is %g", row.c_str(), i, got[i]);
    difference = std::max(difference, std::fabs(got[i] - want[i])), largest = std::max(largest, std::fabs(want[i]));
  }
  require(difference <= tolerance * largest, "%s: off by %g of %g", row.c_str(), difference, largest);
  report(row, {difference / largest}, "of the largest value", conditions, kernel);
}

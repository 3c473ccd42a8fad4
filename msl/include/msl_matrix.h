// simdgroup_matrix<T, 8, 8>: 64 values over 32 lanes, two neighbors of a row in each. The map is the one that MLX
// writes down (get_coord in mlx/backend/metal/kernels/steel/gemm/mma.h); Apple's specification gives none.
#pragma once

namespace metal {

template <class T, int ROWS, int COLUMNS>
struct simdgroup_matrix {
  static_assert(ROWS == 8 && COLUMNS == 8);
  vec<T, 2> elements;

  static int row() { return (msl_lane() / 4 & 4) + msl_lane() / 2 % 4; }
  static int column() { return (msl_lane() / 4 & 2) * 2 + msl_lane() % 2 * 2; }

  simdgroup_matrix() = default;
  explicit simdgroup_matrix(T diagonal) : elements(row() == column() ? diagonal : T(0), row() == column() + 1 ? diagonal : T(0)) {}
  vec<T, 2> &thread_elements() { return elements; }
  const vec<T, 2> &thread_elements() const { return elements; }
};

using simdgroup_float8x8 = simdgroup_matrix<float, 8, 8>;
using simdgroup_half8x8 = simdgroup_matrix<half, 8, 8>;
using simdgroup_bfloat8x8 = simdgroup_matrix<bfloat, 8, 8>;

template <class T, int R, int C>
simdgroup_matrix<T, R, C> make_filled_simdgroup_matrix(T value) {
  simdgroup_matrix<T, R, C> filled;
  filled.elements = vec<T, 2>(value, value);
  return filled;
}

// Instrumented on purpose: the two elements that a lane reads or writes are counted where the kernel calls.
template <class T>
void simdgroup_load(simdgroup_matrix<T, 8, 8> &to, const T *from, ulong stride = 8, ulong2 origin = ulong2(0, 0),
                    bool transpose = false) {
  uint32_t present;
  msl::meet(&present, 0, true, MSL_SITE, &present);
  msl::count(msl::Fragment::load);
  const ulong y = to.row(), x = to.column(), down = transpose ? 1 : stride, right = transpose ? stride : 1;
  from += origin.y * stride + origin.x + y * down + x * right;
  to.elements.x = from[0];
  to.elements.y = from[right];
}

template <class T>
void simdgroup_store(simdgroup_matrix<T, 8, 8> value, T *to, ulong stride = 8, ulong2 origin = ulong2(0, 0),
                     bool transpose = false) {
  uint32_t present;
  msl::meet(&present, 0, true, MSL_SITE, &present);
  msl::count(msl::Fragment::store);
  const ulong y = value.row(), x = value.column(), down = transpose ? 1 : stride, right = transpose ? stride : 1;
  to += origin.y * stride + origin.x + y * down + x * right;
  to[0] = value.elements.x;
  to[right] = value.elements.y;
}

// Sums in fp32, k ascending, and rounds once to the type of the result: the order inside the hardware is not published.
template <class D, class A, class B, class C>
__attribute__((no_sanitize_thread, noinline)) void simdgroup_multiply_accumulate(
    simdgroup_matrix<D, 8, 8> &d, const simdgroup_matrix<A, 8, 8> &a, const simdgroup_matrix<B, 8, 8> &b,
    const simdgroup_matrix<C, 8, 8> &c) {
  const float mine[4] = {float(a.elements.x), float(a.elements.y), float(b.elements.x), float(b.elements.y)};
  uint32_t present;
  const char *all = msl::meet(mine, sizeof mine, true, MSL_SITE, &present);
  msl::count(msl::Fragment::multiply);
  // The lane that holds row y and column x, and which of its two elements.
  const auto at = [all](int matrix, int y, int x) {
    const int lane = (y & 4) << 2 | (x & 4) << 1 | (y & 3) << 1 | (x >> 1 & 1);
    float value;
    std::memcpy(&value, all + lane * msl::STRIDE + (matrix * 2 + (x & 1)) * 4, 4);
    return value;
  };
  float left = float(c.elements.x), right = float(c.elements.y);
  for (int k = 0; k < 8; k++) {
    const float u = at(0, a.row(), k);
    left = __builtin_fmaf(u, at(1, k, a.column()), left);
    right = __builtin_fmaf(u, at(1, k, a.column() + 1), right);
  }
  d.elements = vec<D, 2>(D(left), D(right));
}

template <class D, class A, class B>
void simdgroup_multiply(
    simdgroup_matrix<D, 8, 8> &d, const simdgroup_matrix<A, 8, 8> &a, const simdgroup_matrix<B, 8, 8> &b) {
  simdgroup_multiply_accumulate(d, a, b, make_filled_simdgroup_matrix<D, 8, 8>(D(0)));
}

}  // namespace metal

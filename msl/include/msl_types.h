// Scalars and vectors of the Metal Shading Language: what a kernel can name, no more than the kernels here use.
#pragma once

// No <cmath>: it takes longer to read than any kernel here.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace metal {

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;

// A 16-bit float: stored narrow, computed in fp32 and rounded after every operation. fp32 has more than twice the
// bits of either fraction, so +, -, * and / round as the narrow type would.
template <int EXPONENT, int FRACTION>
class narrow {
  uint16_t bits_;

  static constexpr int BIAS = (1 << (EXPONENT - 1)) - 1, DROP = 23 - FRACTION;

  static uint16_t round(float value) {
    uint32_t x;
    std::memcpy(&x, &value, 4);
    const uint16_t sign = uint16_t(x >> 16 & 0x8000);
    const uint32_t top = uint32_t((1 << EXPONENT) - 1) << FRACTION;
    if (value != value) return uint16_t(sign | top | 1 << (FRACTION - 1));
    const double scaled = __builtin_fabs(double(value));
    const double least = __builtin_ldexp(1.0, 1 - BIAS);
    // Below the smallest normal number the step is constant; above it there are 2^FRACTION steps an octave.
    int octave = 1 - BIAS;
    if (scaled >= least) __builtin_frexp(scaled, &octave), octave -= 1;
    const double steps = __builtin_nearbyint(__builtin_ldexp(scaled, FRACTION - octave));
    const double rounded = __builtin_ldexp(steps, octave - FRACTION);
    if (rounded >= __builtin_ldexp(1.0, BIAS + 1)) return uint16_t(sign | top);
    if (rounded < least) return uint16_t(sign | uint32_t(__builtin_ldexp(rounded, FRACTION + BIAS - 1)));
    __builtin_frexp(rounded, &octave), octave -= 1;
    const uint32_t fraction = uint32_t(__builtin_ldexp(rounded, FRACTION - octave)) - (1u << FRACTION);
    return uint16_t(sign | uint32_t(octave + BIAS) << FRACTION | fraction);
  }

 public:
  narrow() = default;
  template <class S, class = std::enable_if_t<std::is_arithmetic_v<S>>>
  narrow(S value) : bits_(round(float(value))) {}

  narrow(const narrow &) = default;
  narrow &operator=(const narrow &other) { bits_ = other.bits_; return *this; }  // as in vec

  operator float() const {
    const int exponent = bits_ >> FRACTION & ((1 << EXPONENT) - 1), fraction = bits_ & ((1 << FRACTION) - 1);
    const float sign = bits_ & 0x8000 ? -1.0f : 1.0f;
    if (exponent == (1 << EXPONENT) - 1) return fraction ? __builtin_nanf("") : sign * __builtin_inff();
    if (exponent == 0) return sign * __builtin_ldexpf(float(fraction), 1 - BIAS - FRACTION);
    return sign * __builtin_ldexpf(float(fraction + (1 << FRACTION)), exponent - BIAS - FRACTION);
  }
  narrow operator-() const { return -float(*this); }
};

using half = narrow<5, 10>;
using bfloat = narrow<8, 7>;

#define MSL_NARROW(op)                                                                        \
  template <int E, int F>                                                                     \
  narrow<E, F> operator op(narrow<E, F> a, narrow<E, F> b) { return float(a) op float(b); }   \
  template <int E, int F, class T>                                                            \
  narrow<E, F> &operator op##=(narrow<E, F> &a, T b) { return a = narrow<E, F>(float(a) op float(b)); }
MSL_NARROW(+) MSL_NARROW(-) MSL_NARROW(*) MSL_NARROW(/)
#undef MSL_NARROW

template <class T, int N>
struct components;
template <class T> struct components<T, 2> { T x, y; };
template <class T> struct components<T, 3> { T x, y, z, unused; };  // a vector of three takes the room of four
template <class T> struct components<T, 4> { T x, y, z, w; };

template <class T, int N>
struct alignas(sizeof(T) * (N == 3 ? 4 : N)) vec : components<T, N> {
  vec() = default;
  template <class S, class = std::enable_if_t<std::is_arithmetic_v<S> || std::is_same_v<S, T>>>
  vec(S all) { for (int i = 0; i < N; i++) (*this)[i] = T(all); }
  template <class S>
  explicit vec(vec<S, N> other) { for (int i = 0; i < N; i++) (*this)[i] = T(other[i]); }
  template <class A, class B, class... More, class = std::enable_if_t<sizeof...(More) + 2 == N>>
  vec(A a, B b, More... more) {
    const T all[] = {T(a), T(b), T(more)...};
    for (int i = 0; i < N; i++) (*this)[i] = all[i];
  }
  vec(const vec &) = default;
  // Written out, since the compiler does not report `tile[i] = f()` when the result is built in place.
  vec &operator=(const vec &other) {
    struct whole { T all[N == 3 ? 4 : N]; } __attribute__((may_alias));
    *(whole *)this = *(const whole *)&other;
    return *this;
  }
  T &operator[](int i) { return (&this->x)[i]; }
  const T &operator[](int i) const { return (&this->x)[i]; }
};

#define MSL_VECTOR(op)                                                                                        \
  template <class T, int N>                                                                                   \
  vec<T, N> operator op(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a[i] = T(a[i] op b[i]); return a; } \
  template <class T, int N, class S, class = std::enable_if_t<std::is_convertible_v<S, T>>>                   \
  vec<T, N> operator op(vec<T, N> a, S b) { return a op vec<T, N>(T(b)); }                                    \
  template <class T, int N, class S, class = std::enable_if_t<std::is_convertible_v<S, T>>>                   \
  vec<T, N> operator op(S a, vec<T, N> b) { return vec<T, N>(T(a)) op b; }                                    \
  template <class T, int N, class S>                                                                          \
  vec<T, N> &operator op##=(vec<T, N> &a, S b) { return a = a op b; }
MSL_VECTOR(+) MSL_VECTOR(-) MSL_VECTOR(*) MSL_VECTOR(/)
#undef MSL_VECTOR

#define MSL_NAMES(T) using T##2 = vec<T, 2>; using T##3 = vec<T, 3>; using T##4 = vec<T, 4>;
MSL_NAMES(char) MSL_NAMES(uchar) MSL_NAMES(short) MSL_NAMES(ushort) MSL_NAMES(int) MSL_NAMES(uint) MSL_NAMES(long)
MSL_NAMES(ulong) MSL_NAMES(float) MSL_NAMES(half) MSL_NAMES(bfloat)
#undef MSL_NAMES

template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
template <class T> T clamp(T x, T low, T high) { return min(max(x, low), high); }
template <class T, int N>
T dot(vec<T, N> a, vec<T, N> b) { T sum = 0; for (int i = 0; i < N; i++) sum = sum + a[i] * b[i]; return sum; }
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float exp(float x) { return __builtin_expf(x); }
inline float exp2(float x) { return __builtin_exp2f(x); }
inline float sqrt(float x) { return __builtin_sqrtf(x); }
inline float rsqrt(float x) { return 1 / __builtin_sqrtf(x); }
inline float abs(float x) { return __builtin_fabsf(x); }

}  // namespace metal

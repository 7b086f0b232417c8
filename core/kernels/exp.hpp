#pragma once
// Exponentials of a register, for the kernels that spend most of their time on them.
#include "simd.hpp"

namespace tapehead {

/// e^x, to 2 units in the last place, and 2^x of a finite x.
template <class T>
Vec<T> exp_of(const Vec<T>& x) {
  return xsimd::exp(x);
}
template <class T>
Vec<T> exp2_of(const Vec<T>& x) {
  return xsimd::exp2(x);
}

#if XSIMD_WITH_AVX512F
// AVX-512 multiplies by a power of two, with overflow handled, in one instruction; elsewhere that
// takes integer arithmetic and comparisons, a third of the whole time.

/// 2^k 2^part, |part| <= 1/2: the minimax polynomial of Cephes (Moshier), exp2f.
inline __m512 exp2_of_parts(__m512 k, __m512 part) {
  __m512 y = _mm512_set1_ps(1.535336188319500e-4f);
  for (const float next : {1.339887440266574e-3f, 9.618437357674640e-3f, 5.550332471162809e-2f,
                           2.402264791363012e-1f, 6.931472028550421e-1f, 1.f})
    y = _mm512_fmadd_ps(y, part, _mm512_set1_ps(next));
  return _mm512_scalef_ps(y, k);
}
inline Vec<float> exp2_of(const Vec<float>& x) {
  const Vec<float> k = xsimd::nearbyint(x);
  return exp2_of_parts(k, x - k);
}
inline Vec<float> exp_of(const Vec<float>& x) {
  // Beyond these bounds the result is 0 or infinite. max and min return their second operand if
  // either is a NaN.
  const Vec<float> held = xsimd::min(Vec<float>(89.f), xsimd::max(Vec<float>(-104.f), x));
  // log2(e) in two parts, whose products with x are not rounded before k is subtracted.
  const __m512 high = _mm512_set1_ps(1.44269502f), low = _mm512_set1_ps(1.92596299e-8f);
  const Vec<float> k = xsimd::nearbyint(Vec<float>(_mm512_mul_ps(held, high)));
  return exp2_of_parts(k, _mm512_fmadd_ps(held, low, _mm512_fmsub_ps(held, high, k)));
}
#endif

}  // namespace tapehead

#pragma once
// Loops over rows of elements in vector registers. Pass f as a generic lambda over registers:
// `[](auto x, auto y) { return x * y; }`. Capture registers by reference: copying a closure with
// several registers goes through memory. In the backward function of layer_norm, that took two
// thirds of the time.
#include "../numerics.hpp"
#include "tuning.hpp"

#include <algorithm>
#include <array>
#include <xsimd/xsimd.hpp>

// The instruction set for which this file is compiled. Kernels are compiled once for each
// instruction set, in separate namespaces.
#ifndef TAPEHEAD_ISA
#define TAPEHEAD_ISA baseline
#endif

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

template <class T>
using Vec = xsimd::batch<T>;
template <class T>
constexpr Index lanes = static_cast<Index>(Vec<T>::size);

/// Reinterprets the bits of x as elements T. The template argument of xsimd::bitwise_cast is a
/// register type before xsimd 11, and an element type since.
template <class T, class V>
[[gnu::always_inline]] inline Vec<T> bits_as(const V& x) {
#if XSIMD_VERSION_MAJOR < 11
  return xsimd::bitwise_cast<Vec<T>>(x);
#else
  return xsimd::bitwise_cast<T>(x);
#endif
}

template <class F, Index... i>
[[gnu::always_inline]] inline void unrolled(const F& f, std::integer_sequence<Index, i...>) {
  (f(std::integral_constant<Index, i>{}), ...);
}
/// Calls f(0), ..., f(n - 1) with compile-time constants. The compiler keeps an array in registers
/// only if no variable indexes the array, not even in a loop that the compiler unrolls.
template <Index n, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  unrolled(f, std::make_integer_sequence<Index, n>{});
}

/// The number of elements of a logical register. A logical register has 64 bytes on every
/// processor: one, two or four physical registers. Sums across lanes use logical registers, so the
/// order of their terms is the same everywhere.
template <class T>
constexpr Index logical_lanes = pinned::register_bytes / sizeof(T);
template <class T>
constexpr Index registers_per_logical = logical_lanes<T> / lanes<T>;
template <class T>
using LogicalRegister = Vec<T>[registers_per_logical<T>];

template <class V, int... lane>
[[gnu::always_inline]] inline auto add_halves(V v, std::integer_sequence<int, lane...>) {
  constexpr int half = sizeof...(lane);
  if constexpr (half == 1)
    return v[0] + v[1];
  else
    return add_halves(
        __builtin_shufflevector(v, v, lane...) + __builtin_shufflevector(v, v, (lane + half)...),
        std::make_integer_sequence<int, half / 2>());
}
/// Returns the sum of all lanes. Adds the second half of the lanes to the first half, then halves
/// the result in the same way, until one lane is left.
template <class T>
[[gnu::always_inline]] inline T add_lanes(const LogicalRegister<T>& x) {
  Vec<T> sum = x[0];
  if constexpr (registers_per_logical<T> == 2) sum = x[0] + x[1];
  if constexpr (registers_per_logical<T> == 4) sum = (x[0] + x[2]) + (x[1] + x[3]);
  return add_halves(sum.data, std::make_integer_sequence<int, lanes<T> / 2>());
}

/// Returns a register of the lane numbers 0, 1, 2, ...
template <class T>
Vec<T> lane_numbers() {
  alignas(64) static constexpr auto numbers = [] {
    std::array<T, Vec<T>::size> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<T>(i);
    return all;
  }();
  return Vec<T>::load_aligned(numbers.data());
}

// Loads and stores for the last, incomplete register of a row. The kernels compute it as a whole
// register, so an element's result doesn't depend on its position in the row. Masked instructions
// avoid a copy through memory, which would take longer than the rest of a short row.
#if XSIMD_WITH_AVX512F
inline Vec<float> load_partial(const float* x, Index n, float fill = 0) {
  return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), static_cast<__mmask16>((1 << n) - 1), x);
}
inline Vec<double> load_partial(const double* x, Index n, double fill = 0) {
  return _mm512_mask_loadu_pd(_mm512_set1_pd(fill), static_cast<__mmask8>((1 << n) - 1), x);
}
inline void store_partial(float* y, Index n, const Vec<float>& value) {
  _mm512_mask_storeu_ps(y, static_cast<__mmask16>((1 << n) - 1), value);
}
inline void store_partial(double* y, Index n, const Vec<double>& value) {
  _mm512_mask_storeu_pd(y, static_cast<__mmask8>((1 << n) - 1), value);
}
#else
template <class T>
Vec<T> load_partial(const T* x, Index n, T fill = T{}) {
  if (n == lanes<T>) return Vec<T>::load_unaligned(x);
  alignas(64) T part[Vec<T>::size];
  std::fill_n(std::copy_n(x, n, part), lanes<T> - n, fill);
  return Vec<T>::load_aligned(part);
}
template <class T>
void store_partial(T* y, Index n, const Vec<T>& value) {
  if (n == lanes<T>) return value.store_unaligned(y);
  alignas(64) T part[Vec<T>::size];
  value.store_aligned(part);
  std::copy_n(part, n, y);
}
#endif

/// Sets y[i] = f(x[i]...) for i < n. y may be one of the x.
template <class T, class F, class... Row>
[[gnu::always_inline]] inline void map_row(T* y, Index n, F f, const Row*... x) {
  Index i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>)
    f(Vec<T>::load_unaligned(x + i)...).store_unaligned(y + i);
  if (i < n) store_partial(y + i, n - i, f(load_partial(x + i, n - i, T{1})...));
}

/// Prefetches 2 KB ahead in a loop over long rows, because hardware prefetchers often stop at the
/// end of a page. Inlined, because the compiler would remove the call of a function that only
/// prefetches.
template <class T>
[[gnu::always_inline]] inline void prefetch_ahead(const T* x) {
  __builtin_prefetch(x + tuning::prefetch_bytes / sizeof(T));
}

template <class T, class F, class... Row>
T sum_halves(Index n, const F& f, const T* x, const Row*... more);

/// Returns the sum of f(x[i]...) for i < n. The order of the terms depends only on n: element i is
/// added to lane i % logical_lanes, then the lanes are added as in add_lanes. Long rows are split
/// into halves, so that rounding errors grow with log n.
template <class T, class F, class... Row>
[[gnu::always_inline]] inline T sum_row(Index n, const F& f, const T* x, const Row*... more) {
  constexpr Index wide = logical_lanes<T>;
  if (n > pinned::sequential_registers * wide) return sum_halves(n, f, x, more...);
  LogicalRegister<T> total;
  unrolled<registers_per_logical<T>>([&](auto p) { total[p] = Vec<T>(T{0}); });
  Index i = 0;
  for (; i + wide <= n; i += wide)
    unrolled<registers_per_logical<T>>([&](auto p) {
      const Index at = i + p * lanes<T>;
      total[p] += f(Vec<T>::load_unaligned(x + at), Vec<T>::load_unaligned(more + at)...);
    });
  unrolled<registers_per_logical<T>>([&](auto p) {
    const Index at = i + p * lanes<T>, part = std::min(n - at, lanes<T>);
    if (part <= 0) return;
    alignas(64) T rest[Vec<T>::size];
    f(load_partial(x + at, part), load_partial(more + at, part)...).store_aligned(rest);
    total[p] += load_partial(rest, part);
  });
  return add_lanes<T>(total);
}
/// Computes sum_row for a long row. It is a separate function, because a recursive function isn't
/// inlined, and a call would take longer than the sum of a short row.
template <class T, class F, class... Row>
[[gnu::noinline]] T sum_halves(Index n, const F& f, const T* x, const Row*... more) {
  constexpr Index block = pinned::sequential_registers * logical_lanes<T>;
  const Index half = (n / block + 1) / 2 * block;
  if (n <= 2 * block)  // last level: prefetch the next elements
    for (Index i = 0; i < n; i += lanes<T>) prefetch_ahead(x + i);
  return sum_row(half, f, x, more...) + sum_row(n - half, f, x + half, (more + half)...);
}
template <class T>
[[gnu::always_inline]] inline T sum_row(const T* x, Index n) {
  return sum_row(
      n, [](auto v) { return v; }, x);
}

/// Returns interleaved lanes of a and b: a[first], b[first], a[first + 1], ...
template <std::size_t first, class T, std::size_t... lane>
Vec<T> interleave(const Vec<T>& a, const Vec<T>& b, std::index_sequence<lane...>) {
  // xsimd's zip differs between versions, so this uses the compiler's shuffle. Converts a and b
  // to vectors of T first, because the compiler's type of an integer register may have shorter
  // lanes.
  using Lanes [[gnu::vector_size(sizeof(Vec<T>))]] = T;
  const auto shuffled = __builtin_shufflevector(Lanes(a.data), Lanes(b.data),
                                                (first + lane / 2 + lane % 2 * sizeof...(lane))...);
  return Vec<T>(typename Vec<T>::register_type(shuffled));
}

/// Adds each of the rows x to y, in order. Reads and writes y only once.
template <class T, class... Row>
[[gnu::always_inline]] inline void add_row(T* y, Index n, const Row*... x) {
  map_row(
      y, n, [](auto sum, auto... more) { return (sum + ... + more); }, static_cast<const T*>(y),
      x...);
}

/// Returns scale * x in the lanes whose bits are set, and 0 in the others, even if x isn't finite.
/// The lowest bit belongs to the first lane.
template <class T>
Vec<T> keep(std::uint32_t bits, const Vec<T>& scale, const Vec<T>& x) {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  alignas(64) static constexpr auto own = [] {
    std::array<Word, Vec<T>::size> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = Word{1} << i;
    return all;
  }();
  const auto stays = (Vec<Word>(bits) & Vec<Word>::load_aligned(own.data())) != Vec<Word>(Word{0});
  const auto scaled = bits_as<Word>(scale * x);
  return bits_as<T>(xsimd::select(stays, scaled, Vec<Word>(Word{0})));
}

/// A square matrix in registers: as many registers as a register has lanes.
template <class T>
using Square = std::array<Vec<T>, Vec<T>::size>;

/// Transposes a square. Interleaves the first half of its rows with the second half, log2(size)
/// times.
template <class T, Index round = 1>
[[gnu::always_inline]] inline void transpose(Square<T>& rows) {
  constexpr Index size = lanes<T>, half = size / 2;
  constexpr std::make_index_sequence<Vec<T>::size> all;
  Square<T> shuffled;
  unrolled<half>([&](auto i) {
    shuffled[2 * i] = interleave<0>(rows[i], rows[i + half], all);
    shuffled[2 * i + 1] = interleave<half>(rows[i], rows[i + half], all);
  });
  rows = shuffled;
  if constexpr (2 * round < size) transpose<T, 2 * round>(rows);
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel

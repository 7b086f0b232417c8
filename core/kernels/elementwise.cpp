// Kernels of the element-wise ops.
#include "functions/angles.hpp"
#include "functions/gates.hpp"
#include "functions/logarithms.hpp"
#include "table.hpp"

#include <cmath>
#include <cstring>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

// MAP(f) and ZIP(f) make kernels of one and two inputs from f, a function of registers.
#define MAP(...) [](T* y, Index n, const T* x) { map_row(y, n, __VA_ARGS__, x); }
#define ZIP(...)                                                          \
  [](T* y, Index n, const T* a, Index a_step, const T* b, Index b_step) { \
    zip_row(y, n, __VA_ARGS__, a, a_step, b, b_step);                     \
  }

template <class T, class F>
[[gnu::always_inline]] inline void zip_row(T* y, Index n, F f, const T* a, Index a_step, const T* b,
                                           Index b_step) {
  if (a_step == 0) {
    const Vec<T> x(*a);
    map_row(
        y, n, [&](auto v) { return f(x, v); }, b);
  } else if (b_step == 0) {
    const Vec<T> x(*b);
    map_row(
        y, n, [&](auto v) { return f(v, x); }, a);
  } else {
    map_row(y, n, f, a, b);
  }
}

/// Computes x^y, with a fast path for squares and their gradients.
template <class V>
V power(const V& x, const V& y) {
  const auto one = y == constant<V>(1), two = y == constant<V>(2);
  const V simple = select(one, x, x * x);
  return xsimd::all(one || two) ? simple : select(one || two, simple, kernel::pow(x, y));
}

/// Calls work(i, count) for each cache line of x, where `count` elements begin at element i, and
/// prefetches later lines.
template <class X, class Work>
[[gnu::always_inline]] inline void each_line(const X* x, Index n, const Work& work) {
  constexpr Index line = tuning::cache_line / sizeof(X);
  Index i = 0;
  for (; i + line <= n; i += line) {
    prefetch_ahead(x + i);
    work(i, std::integral_constant<Index, line>{});
  }
  work(i, n - i);
}

float widened(Bf16 x) {
  const std::uint32_t bits = std::uint32_t{x.bits} << 16;
  float y;
  std::memcpy(&y, &bits, sizeof y);
  return y;
}
Bf16 narrowed(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const std::uint32_t nearest = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;
  return {static_cast<std::uint16_t>((std::isnan(x) ? quiet : nearest) >> 16)};
}

}  // namespace

template <class T>
void add_elementwise(Kernels<T>& table) {
  table.neg = MAP([](auto v) { return kernel::neg(v); });
  table.abs = MAP([](auto v) { return kernel::abs(v); });
  table.sqrt = MAP([](auto v) { return kernel::sqrt(v); });
  table.exp = MAP([](auto v) { return kernel::exp(v); });
  table.log = MAP([](auto v) { return kernel::log(v); });
  table.log1p = MAP([](auto v) { return kernel::log1p(v); });
  table.sin = MAP([](auto v) { return kernel::sin(v); });
  table.cos = MAP([](auto v) { return kernel::cos(v); });
  table.tanh = MAP([](auto v) { return kernel::tanh(v); });
  table.erf = MAP([](auto v) { return kernel::erf(v); });
  table.sigmoid = MAP([](auto v) { return kernel::logistic(v); });
  table.relu = MAP([](auto v) { return bounded(v, 0, std::numeric_limits<double>::infinity()); });
  table.silu = MAP([](auto v) { return gated<Logistic>(v); });
  table.softplus = MAP([](auto v) { return kernel::softplus(v); });
  table.gelu_tanh = MAP([](auto v) { return gated<PhiByTanh>(v); });
  table.gelu_erf = MAP([](auto v) { return gated<PhiByErf>(v); });

  table.add = ZIP([](auto a, auto b) { return a + b; });
  table.sub = ZIP([](auto a, auto b) { return a - b; });
  table.mul = ZIP([](auto a, auto b) { return a * b; });
  table.div = ZIP([](auto a, auto b) { return kernel::quotient(a, b); });
  table.pow = ZIP([](auto a, auto b) { return power(a, b); });
  // !(a == a) detects NaN; a != a in xsimd doesn't.
  table.maximum = ZIP([](auto a, auto b) { return xsimd::select(a > b || !(a == a), a, b); });
  table.minimum = ZIP([](auto a, auto b) { return xsimd::select(a < b || !(a == a), a, b); });
  table.silu_backward = ZIP([](auto dy, auto x) { return gate_backward<Logistic>(dy, x); });
  table.gelu_tanh_backward = ZIP([](auto dy, auto x) { return gate_backward<PhiByTanh>(dy, x); });
  table.gelu_erf_backward = ZIP([](auto dy, auto x) { return gate_backward<PhiByErf>(dy, x); });

  table.clamp = [](T* y, Index n, const T* x, double low, double high) {
    map_row(
        y, n, [=](auto v) { return bounded(v, low, high); }, x);
  };
  table.mix = [](T* y, Index n, double a, const T* x, double b) {
    const Vec<T> of_x(static_cast<T>(a)), of_y(static_cast<T>(b));
    map_row(
        y, n, [&](auto u, auto v) { return fma(of_x, u, of_y * v); }, x, static_cast<const T*>(y));
  };
  table.widen = [](T* y, Index n, const Bf16* x) {
    each_line(x, n, [&](Index first, auto count) {
      for (Index i = 0; i < count; ++i) y[first + i] = widened(x[first + i]);
    });
  };
  table.narrow = [](Bf16* y, Index n, const T* x) {
    each_line(x, n, [&](Index first, auto count) {
      for (Index i = 0; i < count; ++i) y[first + i] = narrowed(static_cast<float>(x[first + i]));
    });
  };
  // Reads and writes y once for each three rows of x. With four shards, y and the rows of x are the
  // four gradients of a parameter.
  table.accumulate = [](T* y, Index n, const T* const* x, Index count) {
    for (; count >= 3; count -= 3, x += 3) add_row(y, n, x[0], x[1], x[2]);
    for (; count > 0; --count, ++x) add_row(y, n, x[0]);
  };
  /// Has enough independent chains of operations to hide the latency of each operation.
  table.peak = [](Index steps, T* result) {
    constexpr Index chains = sizeof(Vec<T>) == 64 ? 16 : 12;  // of 32 or 16 registers
    const Vec<T> factor(T(0.999)), term(T(0.001));
    Vec<T> x[chains];
    unrolled<chains>([&](auto i) { x[i] = Vec<T>(static_cast<T>(i)); });
    for (Index step = 0; step < steps; ++step)
      unrolled<chains>([&](auto i) { x[i] = fma(x[i], factor, term); });
    *result = 0;
    unrolled<chains>([&](auto i) { *result += x[i].get(0); });
    return 2.0 * static_cast<double>(steps * chains * lanes<T>);
  };
}
template void add_elementwise(Kernels<float>&);
template void add_elementwise(Kernels<double>&);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel

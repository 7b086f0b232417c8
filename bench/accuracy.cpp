// Prints a table of the accuracy and speed of the functions in core/kernels/functions. Compares
// their values for all 2^32 floats, or every STEP-th, with the C library in double. Compares their
// values for random doubles, of all magnitudes and in some ranges, with the C library in long
// double.
//
//   bench_accuracy [STEP] [FUNCTION...]
#include "../core/kernels/functions/angles.hpp"
#include "../core/kernels/functions/error_functions.hpp"
#include "../core/kernels/functions/logarithms.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

using namespace tapehead;

namespace {

/// The largest error so far, in units in the last place, and the number of correctly rounded
/// results.
struct Errors {
  double worst = 0, count = 0, rounded = 0;
  std::string at;

  template <class T, class Wide>
  void add(T y, Wide exact, T x, T x2) {
    const T nearest = static_cast<T>(exact);
    ++count;
    if (y == nearest || (std::isnan(y) && std::isnan(nearest))) {
      ++rounded;
      if (std::isinf(y) || std::isnan(y)) return;
    }
    int exponent = 0;
    std::frexp(exact, &exponent);
    constexpr int digits = std::numeric_limits<T>::digits;
    exponent = std::max(exponent, std::numeric_limits<T>::min_exponent) - digits;
    const double error =
        static_cast<double>(std::abs(std::ldexp(static_cast<Wide>(y) - exact, -exponent)));
    if (error <= worst) return;
    worst = error;
    char text[80];
    std::snprintf(text, sizeof text, x2 == 0 ? "%a" : "%a, %a", static_cast<double>(x),
                  static_cast<double>(x2));
    at = text;
  }
};

/// Returns the time per element in nanoseconds, for inputs that fit in the cache, as the fastest of
/// several runs.
template <class T, class F>
double time_of(const F& f) {
  std::vector<T> x(4096), y(x.size());
  std::mt19937 random(1);
  for (T& v : x) v = std::uniform_real_distribution<T>(0.01f, 8)(random);
  double best = 1e9;
  for (int run = 0; run < 40; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) {
      kernel::map_row(y.data(), static_cast<Index>(x.size()), f, static_cast<const T*>(x.data()));
      asm volatile("" : : "r"(y.data()) : "memory");
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / (10 * static_cast<double>(x.size())));
  }
  return best;
}

void print(const char* name, const char* type, const Errors& errors, double time) {
  std::printf("%-10s %s %8.4f %9.5f%% %7.3f  %s\n", name, type, errors.worst,
              100 * errors.rounded / errors.count, time, errors.at.c_str());
  std::fflush(stdout);
}

template <class F, class Exact>
void measure_floats(const char* name, const F& f, const Exact& exact, std::uint64_t step) {
  Errors errors;
  constexpr std::uint64_t size = kernel::Vec<float>::size;
  for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += size * step) {
    float x[size], y[size];
    for (std::uint64_t i = 0; i < size; ++i)
      x[i] = kernel::from_bits<float>(static_cast<std::uint32_t>(first + i * step));
    f(kernel::Vec<float>::load_unaligned(x)).store_unaligned(y);
    for (std::uint64_t i = 0; i < size; ++i)
      errors.add(y[i], exact(static_cast<double>(x[i])), x[i], 0.f);
  }
  print(name, "f32", errors, time_of<float>(f));
}

template <class F, class Exact>
void measure_doubles(const char* name, const F& f, const Exact& exact) {
  Errors errors;
  std::mt19937_64 random(2);
  constexpr std::size_t size = kernel::Vec<double>::size;
  const double ranges[] = {0.6, 1.5, 8, 40, 800};
  for (int round = 0; round < 6000000 / static_cast<int>(size); ++round) {
    double x[size], y[size];
    for (double& v : x)
      v = round % 6 == 5 ? kernel::from_bits<double>(random())
                         : std::uniform_real_distribution<>(-1, 1)(random) * ranges[round % 6];
    f(kernel::Vec<double>::load_unaligned(x)).store_unaligned(y);
    for (std::size_t i = 0; i < size; ++i)
      errors.add(y[i], exact(static_cast<long double>(x[i])), x[i], 0.);
  }
  print(name, "f64", errors, time_of<double>(f));
}

/// Measures the accuracy of pow for results of all magnitudes, with bases of all magnitudes and
/// bases near 1.
template <class T, class Wide>
void measure_powers(const char* type) {
  Errors errors;
  std::mt19937_64 random(3);
  constexpr std::size_t size = kernel::Vec<T>::size;
  std::uniform_real_distribution<double> range(-1, 1);
  for (int round = 0; round < 6000000 / static_cast<int>(size); ++round) {
    T x[size], y[size], z[size];
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = static_cast<T>(std::exp2(range(random) * (round % 2 ? 1 : 120)));
      y[i] = static_cast<T>(range(random) * std::numeric_limits<T>::max_exponent * 1.05 /
                            std::log2(static_cast<double>(x[i])));
    }
    kernel::pow(kernel::Vec<T>::load_unaligned(x), kernel::Vec<T>::load_unaligned(y))
        .store_unaligned(z);
    for (std::size_t i = 0; i < size; ++i)
      errors.add(z[i], std::pow(static_cast<Wide>(x[i]), static_cast<Wide>(y[i])), x[i], y[i]);
  }
  print("pow", type, errors, time_of<T>([](const auto& v) { return kernel::pow(v, v); }));
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> wanted(arguments + std::min(count, 2), arguments + count);
  const std::uint64_t step = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
  const auto chosen = [&](const char* name) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  std::printf("%-10s %-3s %8s %10s %7s  %s\n", "function", "", "ulp", "rounded", "ns", "worst at");
  const auto measure = [&](const char* name, const auto& f, const auto& exact) {
    if (!chosen(name)) return;
    measure_floats(name, f, exact, std::max<std::uint64_t>(step, 1));
    measure_doubles(name, f, exact);
  };
  // Corrects the rounding error of the argument of erfc with the derivative of erfc.
  const auto cdf = [](auto x) {
    using Wide = decltype(x);
    const Wide factor = std::sqrt(static_cast<Wide>(0.5)), a = -x * factor;
    const Wide short_of_root = std::fma(-factor, factor, static_cast<Wide>(0.5)) / (2 * factor);
    const Wide rest = std::fma(-x, factor, -a) - x * short_of_root;
    const Wide slope = static_cast<Wide>(1.12837916709551257390L) * std::exp(-a * a);
    return (std::erfc(a) - (std::isfinite(x) ? rest * slope : 0)) / 2;
  };
  const auto one = [](auto x) { return static_cast<decltype(x)>(1); };
#define TAPEHEAD_MEASURE(name, exact) \
  measure(                            \
      #name, [](const auto& v) { return kernel::name(v); }, [=](auto x) { return exact; })
  TAPEHEAD_MEASURE(exp, std::exp(x));
  TAPEHEAD_MEASURE(exp2, std::exp2(x));
  TAPEHEAD_MEASURE(logistic,
                   x < 0 ? std::exp(x) / (one(x) + std::exp(x)) : one(x) / (one(x) + std::exp(-x)));
  TAPEHEAD_MEASURE(tanh, std::tanh(x));
  TAPEHEAD_MEASURE(log, std::log(x));
  TAPEHEAD_MEASURE(log1p, std::log1p(x));
  TAPEHEAD_MEASURE(softplus, (x > 0 ? x : 0) + std::log1p(std::exp(-std::abs(x))));
  TAPEHEAD_MEASURE(erf, std::erf(x));
  TAPEHEAD_MEASURE(erfc, std::erfc(x));
  TAPEHEAD_MEASURE(normal_cdf, cdf(x));
  TAPEHEAD_MEASURE(sin, std::sin(x));
  TAPEHEAD_MEASURE(cos, std::cos(x));
#undef TAPEHEAD_MEASURE
  if (chosen("pow")) measure_powers<float, double>("f32");
  if (chosen("pow")) measure_powers<double, long double>("f64");
}

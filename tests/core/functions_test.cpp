// The functions of core/kernels/functions against the C library in the next wider type, with the
// largest errors of docs/reference/numerics.md. bench/accuracy.cpp compares all 2^32 floats.
#include "../../core/kernels/functions/angles.hpp"
#include "../../core/kernels/functions/gates.hpp"
#include "../../core/kernels/functions/logarithms.hpp"
#include "../shared/build.hpp"
#include "../shared/fma_triples.hpp"
#include "../shared/folders.hpp"
#include "../shared/suite.hpp"

#include <cfloat>
#include <cmath>
#include <string>
#include <vector>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(functions)

namespace {

/// Whether the C library's long double functions are accurate enough to check doubles. musl's
/// functions for 113 bits are only double-accurate.
#if LDBL_MANT_DIG == 53 || (LDBL_MANT_DIG == 113 && !defined(__GLIBC__))
constexpr bool knows_doubles = false;
#else
constexpr bool knows_doubles = true;
#endif

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Calls use(name, function, the function of the C library).
template <class Use>
void each_function(const Use& use) {
  const auto one = [](auto x) { return static_cast<decltype(x)>(1); };
  use(
      "exp", [](const auto& x) { return kernel::exp(x); }, [](auto x) { return std::exp(x); });
  use(
      "exp2", [](const auto& x) { return kernel::exp2(x); }, [](auto x) { return std::exp2(x); });
  use(
      "logistic", [](const auto& x) { return kernel::logistic(x); },
      [=](auto x) {
        return x < 0 ? std::exp(x) / (one(x) + std::exp(x)) : one(x) / (one(x) + std::exp(-x));
      });
  use(
      "tanh", [](const auto& x) { return kernel::tanh(x); }, [](auto x) { return std::tanh(x); });
  use(
      "log", [](const auto& x) { return kernel::log(x); }, [](auto x) { return std::log(x); });
  use(
      "log1p", [](const auto& x) { return kernel::log1p(x); },
      [](auto x) { return std::log1p(x); });
  use(
      "erf", [](const auto& x) { return kernel::erf(x); }, [](auto x) { return std::erf(x); });
  use(
      "erfc", [](const auto& x) { return kernel::erfc(x); }, [](auto x) { return std::erfc(x); });
  use(
      "sin", [](const auto& x) { return kernel::sin(x); }, [](auto x) { return std::sin(x); });
  use(
      "cos", [](const auto& x) { return kernel::cos(x); }, [](auto x) { return std::cos(x); });
}

/// Returns the error of y in units in the last place of T.
template <class T, class Wide>
double units(T y, Wide exact) {
  const T nearest = static_cast<T>(exact);
  if (y == nearest || (std::isnan(y) && std::isnan(nearest))) return 0;
  int exponent = 0;
  std::frexp(exact, &exponent);
  exponent =
      std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits;
  return static_cast<double>(std::abs(std::ldexp(static_cast<Wide>(y) - exact, -exponent)));
}

/// Calls use(name, function, its definition, the smallest argument that docs/reference/numerics.md
/// has a bound for).
template <class Use>
void each_activation(const Use& use) {
  const auto wide = [](long double c, auto x) { return static_cast<decltype(x)>(c); };
  use(
      "softplus", [](const auto& x) { return kernel::softplus(x); },
      [=](auto x) { return std::max(x, wide(0, x)) + std::log1p(std::exp(-std::abs(x))); },
      -infinity);
  use(
      "silu", [](const auto& x) { return kernel::gated<kernel::Logistic>(x); },
      [](auto x) { return x / (1 + std::exp(-x)); }, -12);
  use(
      "gelu, erf", [](const auto& x) { return kernel::gated<kernel::PhiByErf>(x); },
      [=](auto x) { return x * std::erfc(-x * wide(0.707106781186547524400844362105L, x)) / 2; },
      -12);
  use(
      "gelu, tanh", [](const auto& x) { return kernel::gated<kernel::PhiByTanh>(x); },
      [=](auto x) {
        const auto a = wide(2 * 0.797884560802865355879892119869L, x);
        return x / (1 + std::exp(-a * (x + wide(0.044715L, x) * x * x * x)));
      },
      -1);
}

/// The largest errors of a function in f32 and f64, as documented, in units in the last place.
struct Bounds {
  double f32, f64;

  template <class T>
  double of() const {
    return sizeof(T) == sizeof(float) ? f32 : f64;
  }
};
Bounds documented_bounds(const std::string& name) {
  const std::regex row("\\| `" + name + "`.* \\| (\\d\\.\\d) \\| (\\d\\.\\d) \\|.*");
  const std::string path = std::string(source_dir) + "/docs/reference/numerics.md";
  std::smatch found;
  for (const std::string& line : lines_of(contents(path)))
    if (std::regex_match(line, found, row)) return {std::stod(found[1]), std::stod(found[2])};
  BOOST_TEST_REQUIRE(false, path << " has no bounds for " << name);
  return {};
}

/// Returns numbers of both signs and all sizes, most of them between 2^-8 and 2^10, a factor of
/// `step` apart.
template <class T>
std::vector<T> sample(double step = 1.0021) {
  std::vector<T> all;
  for (double x = 0x1p-8; x < 1100; x *= step) all.push_back(static_cast<T>(x));
  const double most = std::numeric_limits<T>::max_exponent;
  for (double e = -most - 20; e < most; e += most / 700)
    all.push_back(static_cast<T>(std::exp2(e)));
  const std::size_t positive = all.size();
  for (std::size_t i = 0; i < positive; ++i) all.push_back(-all[i]);
  while (all.size() % kernel::Vec<T>::size) all.push_back(1);
  return all;
}

template <class T, class F>
std::vector<T> in_registers(const F& f, const std::vector<T>& x) {
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); i += kernel::Vec<T>::size)
    f(kernel::Vec<T>::load_unaligned(&x[i])).store_unaligned(&y[i]);
  return y;
}

template <class T>
bool same_bits(T a, T b) {
  return kernel::bits(a) == kernel::bits(b) || (std::isnan(a) && std::isnan(b));
}

template <class T, class Wide>
void check_accuracy() {
  const auto check = [](const char* name, const auto& f, const auto& exact, double least) {
    const std::vector<T> x = sample<T>(1.0005), y = in_registers(f, x);
    double worst = 0;
    int different = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      bool is_known = static_cast<double>(x[i]) >= least;
#ifdef _WIN32  // its library reduces angles with a pi of 66 bits
      const bool is_angle = std::string(name) == "sin" || std::string(name) == "cos";
      is_known = is_known && (!is_angle || std::abs(x[i]) < 4);
#endif
      if (is_known) worst = std::max(worst, units(y[i], exact(static_cast<Wide>(x[i]))));
      different += !same_bits(f(x[i]), y[i]);
    }
    BOOST_TEST(different == 0, name << " of scalars differs from registers");
    const double bound = documented_bounds(name).template of<T>();
    if (sizeof(T) == sizeof(float) || knows_doubles)
      BOOST_TEST(worst <= bound, name << " is " << worst << " units off, documented are " << bound);
  };
  each_function([&](const char* name, const auto& f, const auto& exact) {
    check(name, f, exact, -infinity);
  });
  each_activation(check);
}

}  // namespace

BOOST_AUTO_TEST_CASE(floats_have_the_documented_accuracy) { check_accuracy<float, double>(); }
BOOST_AUTO_TEST_CASE(doubles_have_the_documented_accuracy) {
  check_accuracy<double, long double>();
}

namespace {

/// Hashes all functions of numbers from 2^-8 to 2^10, of both signs.
template <class T>
std::uint64_t hash_of_functions() {
  std::vector<T> x;
  for (double at = 0x1p-8; at < 0x1p10; at *= 1.0021)
    for (const double sign : {1., -1.}) x.push_back(static_cast<T>(sign * at));
  ResultHash hash;
  each_function([&](const char*, const auto& f, const auto&) {
    for (const T each : x) hash.add(f(each));
  });
  return hash.value();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_same_bits_on_every_system) {
  BOOST_TEST(hash_of_functions<float>() == 0xd2ef30e353ac571du);
  BOOST_TEST(hash_of_functions<double>() == 0xabf1e4e718c2665bu);
}

BOOST_AUTO_TEST_CASE(the_normal_distribution) {
  const double bound = documented_bounds("normal_cdf").f32;
  for (float x = -14.4f; x < 9; x += 0.003f) {
    const double exact = std::erfc(-static_cast<double>(x) * std::sqrt(0.5)) / 2;
    BOOST_TEST(units(kernel::normal_cdf(x), exact) <= bound, "Phi of " << x);
  }
  BOOST_TEST(kernel::normal_cdf(0.) == 0.5);
  BOOST_TEST(kernel::normal_cdf(-38.) == 2.8854294e-316, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(softplus_of_infinity) {
  BOOST_TEST(kernel::softplus(infinity) == infinity);
  BOOST_TEST(kernel::softplus(-infinity) == 0);
  BOOST_TEST(std::isnan(kernel::softplus(not_a_number)));
}

BOOST_AUTO_TEST_CASE(powers) {
  const Bounds bounds = documented_bounds("pow");
  const std::vector<double> bases{0x1p-1074, 1e-300, 0.1, 0.99999999, 1.00000001,
                                  1.5,       7,      1e9, 1e308};
  for (double x : bases)
    for (double y = -40.25; y < 41; y += 0.25) {
      const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
      BOOST_TEST(units(kernel::pow(x, y), exact) <= bounds.f64, x << "^" << y);
      const auto narrow = static_cast<float>(x), exponent = static_cast<float>(y);
      BOOST_TEST(units(kernel::pow(narrow, exponent), std::pow(double{narrow}, double{exponent})) <=
                     bounds.f32,
                 x << "^" << y << " in float");
    }
}

namespace {

template <class T>
void check_special_values() {
  const std::vector<T> values{0,
                              -T{0},
                              1,
                              -1,
                              2,
                              -2,
                              3,
                              -3,
                              -5,
                              T(.5),
                              -T(.5),
                              T(1.5),
                              T(infinity),
                              -T(infinity),
                              T(not_a_number),
                              std::numeric_limits<T>::max(),
                              std::numeric_limits<T>::denorm_min(),
                              -std::numeric_limits<T>::max(),
                              T(0x1p52),
                              T(0x1p53 + 2)};
  each_function([&](const char* name, const auto& f, const auto& exact) {
    for (T x : {T{0}, -T{0}, T(infinity), -T(infinity), T(not_a_number), -T{1}}) {
      const T y = f(x), expected = exact(x);
      BOOST_TEST((same_bits(y, expected) || units(y, static_cast<long double>(expected)) <= 1),
                 name << " of " << x << " is " << y);
      BOOST_TEST(std::signbit(y == y ? y : 0) == std::signbit(y == y ? expected : 0),
                 name << " of " << x);
    }
  });
  for (T x : values)
    for (T y : values) {
      const T expected = std::pow(x, y), z = kernel::pow(x, y);
      BOOST_TEST((same_bits(z, expected) || units(z, static_cast<long double>(expected)) <= 1),
                 x << "^" << y << " is " << z);
      BOOST_TEST(same_bits(kernel::pow(kernel::Vec<T>(x), kernel::Vec<T>(y)).get(0), z),
                 x << "^" << y << " in a register");
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(zeros_infinities_and_nan) {
  check_special_values<float>();
  check_special_values<double>();
}

BOOST_AUTO_TEST_CASE(operations_that_instruction_sets_define_differently) {
  const auto in_both = [](const auto& f, double a, double b) {
    const float y = f(static_cast<float>(a), static_cast<float>(b));
    const auto wide =
        f(kernel::Vec<float>(static_cast<float>(a)), kernel::Vec<float>(static_cast<float>(b)));
    BOOST_TEST(same_bits(y, wide.get(0)));
    BOOST_TEST(same_bits(static_cast<double>(y), f(a, b)));
    BOOST_TEST(same_bits(f(a, b), f(kernel::Vec<double>(a), kernel::Vec<double>(b)).get(0)));
    return y;
  };
  const auto min = [](const auto& a, const auto& b) { return kernel::min(a, b); };
  const auto max = [](const auto& a, const auto& b) { return kernel::max(a, b); };
  BOOST_TEST(in_both(min, not_a_number, 2) == 2);
  BOOST_TEST(std::isnan(in_both(min, 2, not_a_number)));
  BOOST_TEST(in_both(max, not_a_number, 2) == 2);
  BOOST_TEST(std::isnan(in_both(max, 2, not_a_number)));
  BOOST_TEST(std::signbit(in_both(min, 0., -0.)));
  BOOST_TEST(!std::signbit(in_both(max, -0., 0.)));
  const auto bounded = [](const auto& a, const auto&) { return kernel::bounded(a, 0, 1); };
  BOOST_TEST(std::signbit(in_both(bounded, -0., 0)));
  BOOST_TEST(std::isnan(in_both(bounded, not_a_number, 0)));
  const auto nearest = [](const auto& a, const auto&) { return kernel::nearest(a); };
  BOOST_TEST(in_both(nearest, 2.5, 0) == 2);
  BOOST_TEST(in_both(nearest, -3.5, 0) == -4);
  BOOST_TEST(std::signbit(in_both(nearest, -0.25, 0)));
  const auto scaled = [](const auto& a, const auto& k) { return kernel::scaled(a, k); };
  BOOST_TEST(in_both(scaled, 1.5, -20) == 0x1.8p-20);
  // Rounded once: in two steps, to 2^-148 and then to even, it would be 2^-149 times 2.
  BOOST_TEST(kernel::scaled(0x1.7ffffep0f, -149.f) == 0x1p-149f);
  BOOST_TEST(kernel::fma(1 + 0x1p-30, 1 - 0x1p-30, -1.) == -0x1p-60);
  const kernel::Split<float> tiny(0x1.8p-140f);
  BOOST_TEST(tiny.mantissa == 0.75f);
  BOOST_TEST(tiny.exponent == -139);
}

// The emulation rounds like hardware. Compares it with the C library where that is right, and with
// the recorded hash elsewhere.
BOOST_AUTO_TEST_CASE(multiply_adds_are_rounded_once) {
  const auto check = [](auto zero, std::uint64_t expected) {
    using T = decltype(zero);
    using V = kernel::Vec<T>;
    const auto library = [](T* r, const T* a, const T* b, const T* c) {
      *r = std::fma(*a, *b, *c);
    };
    const auto scalar = [](T* r, const T* a, const T* b, const T* c) {
      *r = kernel::fma(*a, *b, *c);
    };
    const auto lanes = [](T* r, const T* a, const T* b, const T* c) {
      kernel::fma(V::load_aligned(a), V::load_aligned(b), V::load_aligned(c)).store_aligned(r);
    };
#ifndef _WIN32  // mingw's fma rounds twice
    BOOST_TEST((hash_of_fma<T, 1>(library)) == expected);
#endif
    BOOST_TEST((hash_of_fma<T, 1>(scalar)) == expected);
    BOOST_TEST((hash_of_fma<T, kernel::lanes<T>>(lanes)) == expected);
  };
  check(0.f, fma_hash_f32);
  check(0.0, fma_hash_f64);
}

BOOST_AUTO_TEST_CASE(gates_are_near_their_definitions) {
  const auto check = [](auto gate, const auto& definition) {
    for (double x = -12; x <= 12; x += 0.01) {
      const double p = definition(x), step = 1e-5;
      BOOST_TEST(std::abs(gate(x) - p) <= 1e-15 + 1e-13 * p, x);
      BOOST_TEST(std::abs(double{gate(static_cast<float>(x))} -
                          definition(double{static_cast<float>(x)})) < 2.5e-7,
                 x);
      const double slope = (definition(x + step) - definition(x - step)) / (2 * step);
      BOOST_TEST(std::abs(gate.slope(x, gate(x)) - slope) < 1e-9, x);
    }
  };
  check(kernel::PhiByErf(), [](double x) { return std::erfc(-x * std::sqrt(0.5)) / 2; });
  check(kernel::PhiByTanh(), [](double x) {
    return 1 / (1 + std::exp(-kernel::PhiByTanh::a * x - kernel::PhiByTanh::b * x * x * x));
  });
  check(kernel::Logistic(), [](double x) { return 1 / (1 + std::exp(-x)); });
  BOOST_TEST(kernel::PhiByTanh()(static_cast<float>(-kernel::PhiByTanh::far<float>)) == 0);
  BOOST_TEST(kernel::PhiByTanh()(-kernel::PhiByTanh::far<double>) == 0);
  BOOST_TEST(kernel::PhiByTanh()(kernel::PhiByTanh::far<double>) == 1);
}

namespace {

const double golden_arguments[] = {1e-40, 3e-9, 0.0137, 0.26, 0.4999, 0.61, 0.97,  1.83,
                                   2.75,  5.2,  8.6,    13.1, 26.3,   87.4, 1.2e7, 3.7e35};
struct Golden {
  const char* function;
  std::vector<std::uint64_t> floats, doubles;
};
const Golden golden[] = {
    {"exp",
     {0x3f800000, 0x3f800000, 0x3f81c403, 0x3f4563a3, 0x3fd303e6, 0x3f0b190b, 0x4028d415,
      0x3e244374, 0x417a4838, 0x3bb4c44e, 0x45a9bd4b, 0x360940c8, 0x52760fe4, 0x00782140,
      0x7f800000, 0x00000000},
     {0x3ff0000000000000, 0x3feffffffe63aee2, 0x3ff0388058820f89, 0x3fe8ac746011c4a6,
      0x3ffa607caece33e1, 0x3fe163215c9db371, 0x40051a829fecb951, 0x3fc4886e89b6eaff,
      0x402f49070bdbe8fd, 0x3f7698897c60078c, 0x40b537a8dafac4b8, 0x3ec128196d33ecfc,
      0x424ec1fe037376f3, 0x380e0852f3ea8bbd, 0x7ff0000000000000, 0x0000000000000000}},
    {"exp2",
     {0x3f800000, 0x3f800000, 0x3f8138a7, 0x3f55c853, 0x3fb501bd, 0x3f27baf8, 0x3ffabb4a,
      0x3e9001ea, 0x40d744fd, 0x3cdedc69, 0x43c20303, 0x38eedb3c, 0x4c9d961e, 0x13c202f3,
      0x7f800000, 0x00000000},
     {0x3ff0000000000000, 0x3feffffffee23428, 0x3ff02714d3fac741, 0x3feab90a4ce7584e,
      0x3ff6a0379dce057c, 0x3fe4f75f12e773e1, 0x3fff57693c659500, 0x3fd2003d535d3649,
      0x401ae89f995ad3ad, 0x3f9bdb8cdadbe11f, 0x4078406003b2ae5b, 0x3f1ddb680117ab14,
      0x4193b2c47bff832c, 0x3a78406003b2ae41, 0x7ff0000000000000, 0x0000000000000000}},
    {"logistic",
     {0x3f000000, 0x3f000000, 0x3f00e075, 0x3edee7fe, 0x3f1f57f4, 0x3eb4411a, 0x3f39a16f,
      0x3e0d8e55, 0x3f709e29, 0x3bb3c66b, 0x3f7ff3f0, 0x360940b6, 0x3f800000, 0x00782140,
      0x3f800000, 0x00000000},
     {0x3fe0000000000000, 0x3fdfffffff31d771, 0x3fe01c0ea21d31f2, 0x3fdbdcffbe248fcd,
      0x3fe3eafe8c014965, 0x3fd688234d54744d, 0x3fe7342dce166021, 0x3fc1b1caaf2a6a88,
      0x3fee13c52952723c, 0x3f7678cd25966801, 0x3feffe7df92604ab, 0x3ec128172080eaf9,
      0x3fefffffffff7ad5, 0x380e0852f3ea8bbd, 0x3ff0000000000000, 0x0000000000000000}},
    {"tanh",
     {0x000116c2, 0xb14e288f, 0x3c60725f, 0xbe823306, 0x3eec9050, 0xbf0b4bea, 0x3f3fab16,
      0xbf7327cd, 0x3f7dea85, 0xbf7ffc03, 0x3f7fffff, 0xbf800000, 0x3f800000, 0xbf800000,
      0x3f800000, 0xbf800000},
     {0x37a16c262777579c, 0xbe29c511dc3a41df, 0x3f8c0e4bd7837fc6, 0xbfd04660c5098d54,
      0x3fdd9209f740e6bd, 0xbfe1697d3bce3097, 0x3fe7f562b15d0fcf, 0xbfee64f9a77fab0a,
      0x3fefbd509ae7ae3e, 0xbfefff805c5d5589, 0x3fefffffdb9b077d, 0xbfeffffffffed9a6,
      0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0xbff0000000000000}},
    {"log",
     {0xc2b834f2, 0xc19cff4a, 0xc0894aa0, 0xbfac6ce9, 0xbf317f33, 0xbefd1468, 0xbcf98587,
      0x3f1ab474, 0x3f817c24, 0x3fd3073f, 0x4009b679, 0x4024a5ae, 0x4051409e, 0x408f0e4c,
      0x41826741, 0x42a3cc31},
     {0xc057069e2aa2aa5b, 0xc0339fe94b812f88, 0xc0112953fc95298e, 0xbff58d9d18f51ebc,
      0xbfe62fe677e610fb, 0xbfdfa28d0a2e908a, 0xbf9f30b2d0091d8a, 0x3fe3568e7042bdd0,
      0x3ff02f84700434a8, 0x3ffa60e7ddf2a866, 0x400136cf1a1e2577, 0x400494b5b8903baf,
      0x400a2813c28e7dec, 0x4011e1c983efd041, 0x40304ce8246273a0, 0x405479861ee280a5}},
    {"log1p",
     {0x000116c2, 0x314e288f, 0x3c5eefe9, 0x3e6ca88c, 0x3ecf9063, 0x3ef3d4f8, 0x3f2d939b,
      0x3f8527ca, 0x3fa92f4c, 0x3fe98ad5, 0x4010c0ba, 0x40295aee, 0x4053a408, 0x408f6b7f,
      0x41826741, 0x42a3cc31},
     {0x37a16c262777579c, 0x3e29c511db943c93, 0x3f8bddfd150295c1, 0x3fcd9511a1a14871,
      0x3fd9f20c4b92ee84, 0x3fde7a9eec01b785, 0x3fe5b2736676755c, 0x3ff0a4f9317596a2,
      0x3ff525e973a0564f, 0x3ffd315a9934c981, 0x400218174059f4db, 0x40052b5db1321d26,
      0x400a748103ebe5ed, 0x4011ed6fd879e9d7, 0x40304ce825c85d97, 0x405479861ee280a5}},
    {"erf",
     {0x00013a8b, 0xb1689ff8, 0x3c7d42d4, 0xbe92e485, 0x3f0539b9, 0xbf1c9724, 0x3f547261,
      0xbf7d875e, 0x3f7ff968, 0xbf800000, 0x3f800000, 0xbf800000, 0x3f800000, 0xbf800000,
      0x3f800000, 0xbf800000},
     {0x37a3a8bd400c4bfc, 0xbe2d13feffa9194b, 0x3f8fa85a7c4acc66, 0xbfd25c90a81c5ba9,
      0x3fe0a7370e7541aa, 0xbfe392e47dd4c742, 0x3fea8e4c251052f5, 0xbfefb0ebc877d28c,
      0x3fefff2cfb0453d9, 0xbfeffffffffff93a, 0x3ff0000000000000, 0xbff0000000000000,
      0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0xbff0000000000000}},
    {"erfc",
     {0x3f800000, 0x3f800000, 0x3f7c0af5, 0x3fa4b921, 0x3ef58c8f, 0x3fce4b92, 0x3e2e367b,
      0x3ffec3af, 0x38d304fc, 0x40000000, 0x08241e21, 0x40000000, 0x00000000, 0x40000000,
      0x00000000, 0x40000000},
     {0x3ff0000000000000, 0x3ff0000000e89ff8, 0x3fef815e960ed4ce, 0x3ff497242a0716ea,
      0x3fdeb191e3157cac, 0x3ff9c9723eea63a1, 0x3fc5c6cf6bbeb42c, 0x3fffd875e43be946,
      0x3f1a609f7584d32b, 0x3ffffffffffffc9d, 0x390483ccf599ac75, 0x4000000000000000,
      0x013790472d0cb528, 0x4000000000000000, 0x0000000000000000, 0x4000000000000000}},
    {"sin",
     {0x000116c2, 0xb14e288f, 0x3c60742b, 0xbe83a010, 0x3ef56bc3, 0xbf12a771, 0x3f532bb6,
      0xbf7772bb, 0x3ec36912, 0x3f622a17, 0x3f3c016e, 0xbf0237a9, 0x3f6b6ff9, 0x3f08fa78,
      0x3f6994db, 0xbed5f54e},
     {0x37a16c262777579c, 0xbe29c511dc3a41df, 0x3f8c0e855a9c431e, 0xbfd07401fcb41fbd,
      0x3fdead785c025e1f, 0xbfe254ee23c25f74, 0x3fea6576b9373da3, 0xbfeeee575cad7904,
      0x3fd86d2239c183fb, 0x3fec4542b2ba24d7, 0x3fe7802e57b4b12d, 0xbfe046f46846dfc2,
      0x3fed6dffcfd5f120, 0x3fe11f51ab6c39e6, 0x3fed329b584a11f0, 0x3feeebb5b760bd73}},
    {"cos",
     {0x3f800000, 0x3f800000, 0x3f7ff9da, 0x3f776555, 0x3f60ac64, 0x3f51d474, 0x3f10b778,
      0xbe833b30, 0xbf6c9f15, 0x3eefe165, 0xbf2dc09e, 0x3f5c684c, 0x3ec90caf, 0x3f58453e,
      0xbed187ab, 0xbf689363},
     {0x3ff0000000000000, 0x3ff0000000000000, 0x3fefff3b3223251d, 0x3feeecaaace8a2ef,
      0x3fec158c8ef6d675, 0x3fea3a8e7adc14f6, 0x3fe216ef0ad8e430, 0xbfd06765de1c7f43,
      0xbfed93e294faed14, 0x3fddfc2d59376aee, 0xbfe5b8131acc20fb, 0x3feb8d09dc94e881,
      0x3fd92192fb4013b6, 0x3feb08a610d6a586, 0xbfda30f55cd80035, 0x3fd07b31f460c1e0}},
};

}  // namespace

/// The results are the same for every machine, compiler and instruction set. Every other argument
/// is negated.
BOOST_AUTO_TEST_CASE(bits_are_pinned) {
  std::size_t row = 0;
  each_function([&](const char* name, const auto& f, const auto&) {
    const Golden& expected = golden[row++];
    BOOST_TEST(expected.function == std::string(name));
    for (std::size_t i = 0; i < std::size(golden_arguments); ++i) {
      const bool of_positive = name == std::string("log") || name == std::string("log1p");
      const double x = golden_arguments[i] * (i % 2 && !of_positive ? -1 : 1);
      BOOST_TEST(kernel::bits(f(static_cast<float>(x))) == expected.floats[i],
                 name << " of float " << x);
      BOOST_TEST(kernel::bits(f(x)) == expected.doubles[i], name << " of double " << x);
    }
  });
  BOOST_TEST(kernel::bits(kernel::pow(1.37, 41.9)) == 0x412055fa7e031d2d);
  BOOST_TEST(kernel::bits(kernel::normal_cdf(-3.3f)) == 0x39fd741a);
  BOOST_TEST(kernel::bits(kernel::softplus(-3.3f)) == 0x3d145aa5);
  BOOST_TEST(kernel::bits(kernel::softplus(0.7)) == 0x3ff1a6a66a15dd2e);
}

BOOST_AUTO_TEST_SUITE_END()

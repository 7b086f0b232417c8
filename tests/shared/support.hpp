#pragma once
// What the tests share.
#include "../../core/gradcheck.hpp"

#include <boost/test/unit_test.hpp>

namespace tapehead {

/// f must throw an E, itself and none derived from it, with this text.
template <class E, class F>
void expect_error(F f, const std::string& text) {
  try {
    f();
    BOOST_ERROR("nothing was thrown, and expected was: " << text);
  } catch (const Error& error) {
    BOOST_TEST(error.what() == text);
    BOOST_TEST(typeid(error).name() == typeid(E).name());
  }
}

/// Same shape, same type, and elements within `tolerance`, relative or absolute below 1. NaN equals
/// NaN. Reports the first element that is off.
inline void expect_equal(const Tensor& x, const Tensor& expected, double tolerance = 0,
                         const std::string& what = "") {
  BOOST_TEST_CONTEXT(what) {
    BOOST_TEST_REQUIRE(to_string(x.shape()) == to_string(expected.shape()));
    BOOST_TEST_REQUIRE(to_string(x.dtype()) == to_string(expected.dtype()));
    for (Index i = 0; i < x.size(); ++i) {
      const double error = relative_error(x(i), expected(i), 1);
      if (error <= tolerance) continue;
      BOOST_ERROR(fmt::format("element {} is {:.17g}, and expected is {:.17g}: {:.1e} off", i, x(i),
                              expected(i), error));
      return;
    }
  }
}
inline void expect_equal(const Tensor& x, const std::vector<double>& expected,
                         double tolerance = 0) {
  expect_equal(x, tensor(expected, x.shape(), x.dtype()), tolerance);
}

}  // namespace tapehead

#include "support.hpp"

#include <cmath>

namespace tapehead {

std::string error_text(const std::type_info& type, const std::function<void()>& f) {
  try {
    f();
    return "(nothing was thrown)";
  } catch (const Error& error) {
    if (typeid(error) == type) return error.what();
    return fmt::format("({} was thrown: {})", typeid(error).name(), error.what());
  }
}

void expect_equal(const Tensor& x, const Tensor& expected, double tolerance,
                  const std::string& what) {
  BOOST_TEST_CONTEXT(what) {
    BOOST_TEST_REQUIRE(to_string(x.shape()) == to_string(expected.shape()));
    BOOST_TEST_REQUIRE(to_string(x.dtype()) == to_string(expected.dtype()));
    for (Index i = 0; i < x.size(); ++i) {
      // NaN may be the expected value here, unlike in a gradient check.
      const bool expects_nan = std::isnan(expected(i));
      const double error =
          expects_nan && std::isnan(x(i)) ? 0 : relative_error(x(i), expected(i), 1);
      if (error <= tolerance) continue;
      BOOST_ERROR(fmt::format("element {} is {:.17g}, and expected is {:.17g}: {:.1e} off", i, x(i),
                              expected(i), error));
      return;
    }
  }
}
void expect_equal(const Tensor& x, const std::vector<double>& expected, double tolerance) {
  expect_equal(x, tensor(expected, x.shape(), x.dtype()), tolerance);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tapehead

#pragma once
// Helpers shared by all tests.
#include "../../core/checks/gradcheck.hpp"
#include "suite.hpp"

#include <functional>
#include <typeinfo>

namespace tapehead {

using boost::test_tools::per_element;

/// Returns the text of the error that `f` throws, if it has exactly this type. Otherwise describes
/// what happened, in brackets.
std::string error_text(const std::type_info& type, const std::function<void()>& f);

/// Expects an error of exactly this type with this text.
#define EXPECT_ERROR(type, expression, text) \
  BOOST_TEST(::tapehead::error_text(typeid(type), [&] { (void)(expression); }) == (text))

/// Expects an error of exactly this type from several statements, or for a row of a table.
template <class E>
void expect_error(const std::function<void()>& f, const std::string& text) {
  BOOST_TEST(error_text(typeid(E), f) == text);
}

/// Expects the same shape and type, and elements within `tolerance`, relative or, below 1,
/// absolute. NaN equals NaN. Reports the first element that differs.
void expect_equal(const Tensor& x, const Tensor& expected, double tolerance = 0,
                  const std::string& what = "");
void expect_equal(const Tensor& x, const std::vector<double>& expected, double tolerance = 0);

bool has(const std::string& text, const std::string& part);

}  // namespace tapehead

#pragma once
// What the tests share.
#include "../../core/checks/gradcheck.hpp"
#include "suite.hpp"

#include <functional>
#include <typeinfo>

namespace tapehead {

using boost::test_tools::per_element;

/// What `f` throws, if it is an error of this type, itself and none derived from it; else in
/// brackets what happened instead.
std::string error_text(const std::type_info& type, const std::function<void()>& f);

/// The expression must throw an error of this type, itself and none derived from it, with this
/// text.
#define EXPECT_ERROR(type, expression, text) \
  BOOST_TEST(::tapehead::error_text(typeid(type), [&] { (void)(expression); }) == (text))

/// As EXPECT_ERROR, of several statements, or for a row of a table.
template <class E>
void expect_error(const std::function<void()>& f, const std::string& text) {
  BOOST_TEST(error_text(typeid(E), f) == text);
}

/// Same shape, same type, and elements within `tolerance`, relative or absolute below 1. NaN equals
/// NaN. Reports the first element that is off.
void expect_equal(const Tensor& x, const Tensor& expected, double tolerance = 0,
                  const std::string& what = "");
void expect_equal(const Tensor& x, const std::vector<double>& expected, double tolerance = 0);

bool has(const std::string& text, const std::string& part);

}  // namespace tapehead

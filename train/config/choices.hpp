#pragma once
// Conversions between values and their names.
#include "../../core/containers.hpp"
#include "../../core/fields.hpp"
#include "../../core/tensor.hpp"

#include <fmt/ranges.h>

namespace tapehead {

/// bf16 only rounds the matmul inputs in training; all stored numbers are f32.
inline constexpr Choice<DType> dtype_names[] = {
    {"f32", DType::f32}, {"f64", DType::f64}, {"bf16", DType::f32}};

/// Returns the name of a value. Throws ValueError if `choices` lacks it.
template <class T, std::size_t n>
std::string name_of(const Choice<T> (&choices)[n], const T& value) {
  for (const Choice<T>& choice : choices)
    if (choice.value == value) return choice.name;
  throw ValueError("the value isn't one of {}", fmt::join(names_of(choices), ", "));
}

/// Returns the value of a name. Throws ValueError if `choices` lacks it.
template <class T, std::size_t n>
T named(const Choice<T> (&choices)[n], const std::string& name) {
  for (const Choice<T>& choice : choices)
    if (choice.name == name) return choice.value;
  throw ValueError("'{}' is not one of {}", name, fmt::join(names_of(choices), ", "));
}

}  // namespace tapehead

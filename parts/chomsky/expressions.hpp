#pragma once
#include "../../core/random.hpp"

#include <optional>
#include <string>

namespace tapehead::chomsky {

/// All arithmetic is modulo this number, as in the paper.
constexpr int modulus = 5;
constexpr const char* digits = "01234";

/// Returns the value modulo 5 of an expression of digits, `x`, + - * and brackets. Returns nothing
/// if it isn't well-formed, or contains an x without a value.
std::optional<int> value_of(const std::string& expression, std::optional<int> x = {});

/// Draws an expression of this length with the operators `operators`: a digit d, -d, (d), (-d), or
/// two shorter expressions in brackets with an operator between them. All ways to divide the length
/// between these two are equally likely.
std::string random_expression(Random& random, Index length, const std::string& operators);

}  // namespace tapehead::chomsky

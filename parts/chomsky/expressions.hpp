#pragma once
#include "../../core/random.hpp"

#include <optional>
#include <string>

namespace tapehead::chomsky {

/// All arithmetic is modulo this number, as in the paper.
constexpr int modulus = 5;
constexpr const char* digits = "01234";

/// Returns the value of an expression of digits, `x`, + - * and brackets, modulo 5; nothing if it
/// isn't well-formed, or has an x but no value for it.
std::optional<int> value_of(const std::string& expression, std::optional<int> x = {});

/// Draws an expression of this length with the operators `operators`: a digit d, -d, (d), (-d), or
/// two shorter expressions in brackets with an operator between them. All divisions of the length
/// are equally likely.
std::string random_expression(Random& random, Index length, const std::string& operators);

}  // namespace tapehead::chomsky

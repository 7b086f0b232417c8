#include "value.hpp"
#include "../../../core/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>

namespace tapehead::rasp {

Value::Value(std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t divisor = std::gcd(numerator, denominator) * (denominator < 0 ? -1 : 1);
  numerator_ = numerator / divisor;
  denominator_ = denominator / divisor;
  constexpr std::int64_t end = std::int64_t{1} << 31;  // the sum of two products fits 64 bits
  if (std::abs(numerator_) >= end || denominator_ >= end)
    throw ValueError("{} is too large, expected fractions of numbers below 2^31", text());
}

Value Value::of_token(const std::string& text) {
  const std::size_t first = text.size() > 1 && text[0] == '-' ? 1 : 0;
  const bool is_integer = text.size() - first <= 9 && !text.empty() &&
                          std::all_of(text.begin() + static_cast<std::ptrdiff_t>(first), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
  return is_integer ? Value(std::stoll(text)) : Value(text);
}

double Value::number() const {
  return static_cast<double>(numerator_) / static_cast<double>(denominator_);
}

std::string Value::text() const {
  if (!is_number()) return word_;
  return is_integer() ? fmt::format("{}", numerator_)
                      : fmt::format("{}/{}", numerator_, denominator_);
}

bool Value::operator==(const Value& other) const {
  return word_ == other.word_ && numerator_ == other.numerator_ &&
         denominator_ == other.denominator_;
}

bool Value::operator<(const Value& other) const {
  if (word_ != other.word_) return word_ < other.word_;
  return numerator_ * other.denominator_ < other.numerator_ * denominator_;
}

Value add(const Value& a, const Value& b) {
  return {a.numerator() * b.denominator() + b.numerator() * a.denominator(),
          a.denominator() * b.denominator()};
}
Value multiply(const Value& a, const Value& b) {
  return {a.numerator() * b.numerator(), a.denominator() * b.denominator()};
}
Value negative(const Value& a) { return {-a.numerator(), a.denominator()}; }
Value inverse(const Value& a) { return {a.denominator(), a.numerator()}; }
Value remainder(const Value& a, const Value& b) {
  const std::int64_t rest = a.numerator() % b.numerator();
  return rest != 0 && (rest < 0) != (b.numerator() < 0) ? rest + b.numerator() : rest;
}

std::string joined(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : " ") + value.text();
  return text;
}

}  // namespace tapehead::rasp

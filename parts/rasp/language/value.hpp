#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tapehead::rasp {

/// A value of a program: a word, or an exact rational number. Numbers order before words.
class Value {
 public:
  Value(std::int64_t numerator = 0, std::int64_t denominator = 1);  ///< reduces the fraction
  explicit Value(std::string word) : word_(std::move(word)) {}
  /// Reads a token of an alphabet: an integer, or else a word.
  static Value of_token(const std::string& text);

  bool is_number() const { return word_.empty(); }
  bool is_integer() const { return is_number() && denominator_ == 1; }
  bool is_true() const { return numerator_ != 0; }  ///< of a number
  std::int64_t numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }
  double number() const;
  std::string text() const;  ///< 3, -1/2, or the word

  bool operator==(const Value& other) const;
  bool operator!=(const Value& other) const { return !(*this == other); }
  bool operator<(const Value& other) const;

 private:
  std::string word_;
  std::int64_t numerator_ = 0, denominator_ = 1;
};

// Arithmetic of numbers. Throws ValueError if a numerator or denominator reaches 2^31.
Value add(const Value& a, const Value& b);
Value multiply(const Value& a, const Value& b);
Value negative(const Value& a);
Value inverse(const Value& a);                    ///< of a number that isn't 0
Value remainder(const Value& a, const Value& b);  ///< of integers; has the sign of b, as in Python

/// Returns the values as texts with spaces in between.
std::string joined(const std::vector<Value>& values);

}  // namespace tapehead::rasp

// Arithmetic with binary numbers of any length. The operands and results of + and * are written
// from the last bit to the first.
#include "strings.hpp"

#include <algorithm>

namespace tapehead::chomsky {
namespace {

/// Draws a number above 0 of n bits.
std::string random_number(Random& random, Index n) {
  for (;;)
    if (std::string bits = draw_bits(random, n); bits.find('1') != std::string::npos) return bits;
}

/// Draws two numbers with `sign` between them. Shorter inputs are one number.
std::string draw_pair(Random& random, Index length, char sign) {
  if (length <= 2) return draw_bits(random, length);
  const Index first = 1 + random.below(length - 2);
  const std::string a = random_number(random, first);
  return a + sign + random_number(random, length - 1 - first);
}
std::string draw_sum(Random& random, Index length) { return draw_pair(random, length, '+'); }
std::string draw_product(Random& random, Index length) { return draw_pair(random, length, '*'); }

/// Removes the zeros at the end, the leading zeros of the number, and adds the end of the output.
std::string ended(std::string bits) {
  const std::size_t last = bits.find_last_of('1');
  bits.resize(last == std::string::npos ? 1 : last + 1, '0');
  return bits + '.';
}

/// Adds `b`, shifted by `shift` places, to `a`, which must have space for the sum.
void add_shifted(std::string& a, const std::string& b, std::size_t shift) {
  bool carry = false;
  for (std::size_t i = 0; shift + i < a.size() && (i < b.size() || carry); ++i) {
    const int bits = (a[shift + i] == '1' ? 1 : 0) + (i < b.size() && b[i] == '1' ? 1 : 0) + carry;
    a[shift + i] = bits % 2 == 1 ? '1' : '0';
    carry = bits >= 2;
  }
}

/// Two operands; nothing for an invalid input.
struct Operands {
  Operands(const std::string& input, char sign) {
    const std::size_t place = input.find(sign);
    if (place == std::string::npos) return;
    a = input.substr(0, place);
    b = input.substr(place + 1);
    valid = are_bits(a) && are_bits(b);
  }
  std::string a, b;
  bool valid = false;
};

bool is_one_number(const std::string& input) { return input.size() <= 2 && are_bits(input); }

std::optional<std::string> add(const std::string& input) {
  if (is_one_number(input)) return ended(input);
  const Operands x(input, '+');
  if (!x.valid) return {};
  std::string sum(std::max(x.a.size(), x.b.size()) + 1, '0');
  add_shifted(sum, x.a, 0);
  add_shifted(sum, x.b, 0);
  return ended(sum);
}

std::optional<std::string> multiply(const std::string& input) {
  if (is_one_number(input)) return input.size() == 1 ? "." : "0.";  // there is no other factor
  const Operands x(input, '*');
  if (!x.valid) return {};
  std::string product(x.a.size() + x.b.size(), '0');
  for (std::size_t i = 0; i < x.a.size(); ++i)
    if (x.a[i] == '1') add_shifted(product, x.b, i);
  return ended(product);
}

Index half_as_many_outputs(Index length) { return (length + 1) / 2; }

/// Returns a - b for numbers of equal length from the first bit to the last, with a >= b.
std::string difference(std::string a, const std::string& b) {
  int borrow = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int bits = (a[i] - '0') - (b[i] - '0') - borrow;
    borrow = bits < 0 ? 1 : 0;
    a[i] = bits % 2 == 0 ? '0' : '1';
  }
  return a;
}

/// Returns the integer part of the square root, from the first bit to the last. Each two bits of
/// the input give one of the root: it is 1 if the square of the longer root still fits.
std::optional<std::string> square_root(const std::string& input) {
  if (!are_bits(input)) return {};
  const std::string bits = (input.size() % 2 == 1 ? "0" : "") + input;
  std::string rest, root;  // rest: the bits so far, minus the square of root
  for (std::size_t i = 0; i < bits.size(); i += 2) {
    rest += bits.substr(i, 2);
    const std::string more = std::string(i / 2, '0') + root + "01";  // 4 * root + 1
    const bool fits = rest >= more;
    if (fits) rest = difference(rest, more);
    root += fits ? '1' : '0';
  }
  return root;
}

}  // namespace

std::vector<StringTask> binary_tasks() {
  return {{"binary-addition", "add two binary numbers, written from the last bit",
           Level::context_sensitive, "01+.", "bits + bits, both from the last bit", one_more_output,
           draw_sum, add},
          {"binary-multiplication", "multiply two binary numbers, written from the last bit",
           Level::context_sensitive, "01*.", "bits * bits, both from the last bit", as_many_outputs,
           draw_product, multiply},
          {"compute-sqrt", "compute the integer part of a square root, in binary",
           Level::context_sensitive, "01", "zeros and ones", half_as_many_outputs, random_number,
           square_root}};
}

}  // namespace tapehead::chomsky

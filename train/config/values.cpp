#include "values.hpp"
#include "../files/number.hpp"
#include "names.hpp"

#include <fmt/ranges.h>

#include <limits>

namespace tapehead {
namespace {

[[noreturn]] void refuse_text(const std::string& option, const std::string& text,
                              const char* kind) {
  throw UsageError("{}: expected {}, got '{}'", option, kind, text);
}

template <class Integer>
Integer parsed(const std::string& option, const std::string& text, const char* kind) {
  const std::optional<Integer> number = read_whole<Integer>(text);
  if (!number) refuse_text(option, text, kind);
  return *number;
}

}  // namespace

void check_range(const std::string& option, Index value, Index low, Index high) {
  if (value < low) throw UsageError("{} must be at least {}, not {}", option, low, value);
  if (value > high) throw UsageError("{} must be at most {}, not {}", option, high, value);
}
void check_range(const std::string& option, double value, Range range) {
  constexpr double largest = std::numeric_limits<double>::max();
  if (range.holds(value)) return;
  const bool too_large = value > largest && range.holds(largest);
  throw UsageError("{} must be {}{}, not {}", option, too_large ? "finite and " : "", range.words,
                   value);
}

Index to_index(const std::string& option, const std::string& text) {
  return parsed<Index>(option, text, "a whole number");
}
std::uint64_t to_seed(const std::string& option, const std::string& text) {
  return parsed<std::uint64_t>(option, text, "a whole number of 0 or more");
}
double to_number(const std::string& option, const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  if (read_number(text.data(), end, number) != end) refuse_text(option, text, "a number");
  return number;
}
bool to_flag(const std::string& option, const std::string& text) {
  if (text != "true" && text != "false") refuse_text(option, text, "true or false");
  return text == "true";
}

namespace {

std::string dashed(const Field& field) { return fmt::format("--{}", field.name); }

struct Check {
  const Field& field;
  void operator()(const Index* x) const { check_range(dashed(field), *x, field.least, field.most); }
  void operator()(const double* x) const { check_range(dashed(field), *x, field.range); }
  void operator()(const std::string* x) const {
    if (!field.choices.empty())
      require_known(dashed(field), *x, {field.choices.begin(), field.choices.end()});
  }
  void operator()(const bool*) const {}
  void operator()(const std::uint64_t*) const {}
};

struct Set {
  const Field& field;
  const std::string& text;
  void operator()(Index* x) const { *x = to_index(dashed(field), text); }
  void operator()(double* x) const { *x = to_number(dashed(field), text); }
  void operator()(bool* x) const { *x = to_flag(dashed(field), text); }
  void operator()(std::uint64_t* x) const { *x = to_seed(dashed(field), text); }
  void operator()(std::string* x) const {
    *x = text;
    Check{field}(x);
  }
};

struct Kind {
  const Field& field;
  std::string operator()(const Index*) const { return "N"; }
  std::string operator()(const std::uint64_t*) const { return "N"; }
  std::string operator()(const double*) const {
    return field.range.words == Range::fraction().words ? "P" : "X";
  }
  std::string operator()(const bool*) const { return "true|false"; }
  std::string operator()(const std::string*) const {
    return field.choices.empty() ? field.text : fmt::format("{}", fmt::join(field.choices, "|"));
  }
};

}  // namespace

std::string kind_of(const Field& field) { return std::visit(Kind{field}, field.value); }

std::string text_of(const Field& field) {
  return std::visit([](const auto* value) { return fmt::format("{}", *value); }, field.value);
}

void set_field(const Field& field, const std::string& text) {
  std::visit(Set{field, text}, field.value);
}

void check_field(const Field& field) { std::visit(Check{field}, field.value); }

}  // namespace tapehead

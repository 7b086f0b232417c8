#include "option.hpp"
#include "names.hpp"
#include "number.hpp"

#include <fmt/format.h>

#include <cmath>

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

/// An option whose texts `check` accepts, or refuses by throwing.
TrainOption own(const std::string& name, const char* value, const std::string& normal,
                const std::string& help, std::function<void(const std::string& text)> check) {
  TrainOption option{name, value, help};
  option.get = [=](const TrainConfig& config) {
    const auto found = config.own.texts.find(name);
    return found == config.own.texts.end() ? normal : found->second;
  };
  option.set = [=](TrainConfig& config, const std::string& text) {
    check(text);
    config.own.texts[name] = text;
  };
  return option;
}

}  // namespace

Range Range::positive() {
  return {[](double x) { return x > 0 && std::isfinite(x); }, "above 0"};
}
Range Range::not_negative() {
  return {[](double x) { return x >= 0 && std::isfinite(x); }, "at least 0"};
}
Range Range::fraction() {
  return {[](double x) { return x >= 0 && x < 1; }, "at least 0 and below 1"};
}

void check_range(const std::string& option, Index value, Index low, Index high) {
  if (value < low) throw UsageError("{} must be at least {}, not {}", option, low, value);
  if (value > high) throw UsageError("{} must be at most {}, not {}", option, high, value);
}
void check_range(const std::string& option, double value, Range range) {
  if (!range.holds(value)) throw UsageError("{} must be {}, not {}", option, range.words, value);
}

TrainOption own_number(const std::string& name, double value, Range range,
                       const std::string& help) {
  return own(name, "X", fmt::format("{}", value), help,
             [=, dashed = "--" + name](const std::string& text) {
               check_range(dashed, to_number(dashed, text), range);
             });
}
TrainOption own_whole(const std::string& name, Index value, Index low, Index high,
                      const std::string& help) {
  return own(name, "N", std::to_string(value), help,
             [=, dashed = "--" + name](const std::string& text) {
               check_range(dashed, to_index(dashed, text), low, high);
             });
}
TrainOption own_flag(const std::string& name, bool value, const std::string& help) {
  return own(name, "true|false", value ? "true" : "false", help,
             [dashed = "--" + name](const std::string& text) { to_flag(dashed, text); });
}
TrainOption own_choice(const std::string& name, const std::vector<std::string>& choices,
                       const std::string& help) {
  TrainOption option = own(
      name, "", choices.at(0), help,
      [=, dashed = "--" + name](const std::string& text) { require_known(dashed, text, choices); });
  option.value = fmt::format("{}", fmt::join(choices, "|"));
  option.choices = choices;
  return option;
}

const std::string& OwnValues::text(const std::string& name) const {
  const auto found = texts.find(name);
  if (found == texts.end()) throw ValueError("no part that was chosen has an option '{}'", name);
  return found->second;
}
double OwnValues::number(const std::string& name) const { return to_number(name, text(name)); }
Index OwnValues::whole(const std::string& name) const { return to_index(name, text(name)); }
bool OwnValues::flag(const std::string& name) const { return to_flag(name, text(name)); }

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

}  // namespace tapehead

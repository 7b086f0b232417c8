#include "op.hpp"
#include "ops.hpp"
#include "ops/families.hpp"
#include "plural.hpp"
#include "trace.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace tapehead {
namespace {

using Kind = OpArgument::Kind;

std::deque<Op>& table() {
  static std::deque<Op> all = [] {
    constexpr std::pair<const char*, std::vector<Op> (*)()> families[] = {
        {"arithmetic", arithmetic_ops},  {"comparison", comparison_ops},
        {"activations", activation_ops}, {"reduction", reduction_ops},
        {"layout", layout_ops},          {"layout", gather_ops},
        {"constants", constant_ops},     {"matmuls", product_ops},
        {"normalisation", softmax_ops},  {"normalisation", norm_ops},
        {"normalisation", dropout_ops},  {"losses", loss_ops},
        {"attention", attention_ops},    {"recurrence", recurrence_ops}};
    std::deque<Op> listed;
    for (const auto& [family, ops_of_family] : families)
      for (Op op : ops_of_family()) {
        op.family = family;
        listed.push_back(std::move(op));
      }
    return listed;
  }();
  return all;
}

/// Converts a number to an integer. Throws ValueError for a fraction or a magnitude above 1e9.
Index to_whole(const std::string& op, const std::string& argument, double value) {
  constexpr double most = 1e9;
  if (std::abs(value) > most)
    throw ValueError("{}: {} is {}, which is too large; at most {} is supported", op, argument,
                     value, most);
  if (value != std::floor(value))
    throw ValueError("{}: {} is {}, expected a whole number", op, argument, value);
  return static_cast<Index>(value);
}

std::string text_of(const Tensor& x) { return fmt::format("{}", x.shape()); }
std::string text_of(const std::string& word) { return word; }
std::string text_of(const Attribute::List& list) { return fmt::format("{}", list); }
std::string text_of(double x) {
  std::string text = fmt::format("{:g}", x);
  if (const std::size_t zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
  return text;
}
std::string text_of(bool flag) { return flag ? "true" : "false"; }
std::string text_of(Index whole) { return fmt::format("{}", whole); }
std::string text_of(const Attribute::Value& value) {
  return std::visit([](const auto& held) { return text_of(held); }, value);
}

}  // namespace

// ---- attributes

std::string to_string(const Attribute& attribute) {
  const char between = std::holds_alternative<Tensor>(attribute.value) ? ' ' : '=';
  return fmt::format("{}{}{}", attribute.name, between, text_of(attribute.value));
}

const Attribute::Value& OpCall::find(const char* attribute) const {
  for (const Attribute& each : *this)
    if (std::string_view(each.name) == attribute) return each.value;
  throw ValueError("{}: the call has no attribute '{}'", name, attribute);
}

// ---- arguments

OpArgument::OpArgument(const char* name_, double value)
    : OpArgument(name_, Attribute::Value(value), text_of(value)) {}

OpArgument optional(const char* name) { return {name, Attribute::Value(Tensor()), ""}; }
OpArgument ids(const char* name) {
  OpArgument argument(name);
  argument.kind = Kind::ids;
  return argument;
}
OpArgument mask(const char* name) {
  OpArgument argument(name);
  argument.kind = Kind::mask;
  return argument;
}

// ---- ops

void Op::check_count(std::size_t parameters) const {
  if (arguments.size() != parameters)
    throw ValueError("op '{}': {} declared, but the function takes {}", name,
                     plural(static_cast<Index>(arguments.size()), "argument"), parameters);
}

void Op::check_options(const OpArguments& given) const {
  for (const Attribute& option : given.options) {
    const auto declares = [&](const OpArgument& argument) {
      return !argument.is_tensor() && argument.name == option.name;
    };
    if (std::none_of(arguments.begin(), arguments.end(), declares))
      throw ValueError("{}: no option '{}'; the arguments are {}", name, option.name, signature());
  }
}

std::size_t Op::tensors() const {
  return std::count_if(arguments.begin(), arguments.end(),
                       [](const OpArgument& a) { return a.is_tensor(); });
}
std::size_t Op::required_tensors() const {
  return std::count_if(arguments.begin(), arguments.end(),
                       [](const OpArgument& a) { return a.is_tensor() && a.is_required(); });
}

std::string Op::gradient() const { return fmt::format("{}", fmt::join(gradients, ", ")); }

std::string Op::signature() const {
  std::vector<std::string> words;
  for (const OpArgument& argument : arguments) {
    words.push_back(argument.name);
    if (argument.kind == Kind::tensors) words.back() += "...";
    if (argument.is_tensor() && !argument.is_required()) words.back() += '?';
    if (!argument.is_tensor()) words.back() += '=' + argument.default_text;
  }
  return fmt::format("{}({})", name, fmt::join(words, ", "));
}

Tensor Op::decomposed(const OpArguments& given) const {
  const Tape tape;  // because fused ops run their decomposition only while a tape records
  const PrimitiveOpsScope primitive;
  return (*this)(given);
}

Attribute Op::option(const OpArgument& argument, const std::vector<double>& numbers) const {
  const char* const as = argument.name.c_str();
  if (argument.kind == Kind::list) {
    Attribute::List list;
    for (const double number : numbers) list.push_back(to_whole(name, argument.name, number));
    return {as, std::move(list)};
  }
  if (argument.kind == Kind::word)
    throw ValueError("{}: {} is a number, expected {}", name, argument.name,
                     fmt::join(argument.words, " or "));
  if (numbers.size() != 1)
    throw ValueError("{}: {} is {}, expected one number", name, argument.name, numbers);
  if (argument.kind == Kind::whole) return {as, to_whole(name, argument.name, numbers[0])};
  return {as, numbers[0]};
}

Attribute Op::option(const OpArgument& argument, const std::string& word) const {
  if (argument.kind != Kind::word)
    throw ValueError("{}: {} is '{}', expected a number", name, argument.name, word);
  if (std::count(argument.words.begin(), argument.words.end(), word) == 0)
    throw ValueError("{}: {} is '{}', expected {}", name, argument.name, word,
                     fmt::join(argument.words, " or "));
  return {argument.name.c_str(), word.c_str()};
}

const Attribute::Value* Op::find(const OpArguments& given, std::size_t i) const {
  for (const Attribute& option : given.options)
    if (option.name == arguments[i].name) return &option.value;
  return nullptr;
}

const Attribute::Value& Op::value_of(const OpArguments& given, std::size_t i) const {
  if (const Attribute::Value* value = find(given, i)) return *value;
  if (arguments[i].is_required()) throw ValueError("{}: {} is missing", name, arguments[i].name);
  return *arguments[i].default_value;
}

double Op::number(const OpArguments& given, std::size_t i) const {
  const Attribute::Value& value = value_of(given, i);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const Index* whole = std::get_if<Index>(&value)) return static_cast<double>(*whole);
  if (const double* number = std::get_if<double>(&value)) return *number;
  throw ValueError("{}: {} is {}, expected a number", name, arguments[i].name, text_of(value));
}

Index Op::whole(const OpArguments& given, std::size_t i) const {
  return to_whole(name, arguments[i].name, number(given, i));
}

Attribute::List Op::list(const OpArguments& given, std::size_t i) const {
  if (const auto* list = std::get_if<Attribute::List>(&value_of(given, i))) return *list;
  return {whole(given, i)};
}

std::size_t Op::choice(const OpArguments& given, std::size_t i) const {
  const OpArgument& argument = arguments[i];
  const std::string* word = std::get_if<std::string>(&value_of(given, i));
  const auto found =
      word ? std::find(argument.words.begin(), argument.words.end(), *word) : argument.words.end();
  if (found == argument.words.end())
    throw ValueError("{}: {} is {}, expected {}", name, argument.name, text_of(value_of(given, i)),
                     fmt::join(argument.words, " or "));
  return found - argument.words.begin();
}

// ---- the table

const std::deque<Op>& ops() { return table(); }

void add_op(Op op) {
  const Op* same = find_op(op.name);
  if (!same)
    table().push_back(std::move(op));
  else if (same->formula != op.formula || same->gradients != op.gradients)
    throw ValueError("op '{}': another op already has that name", op.name);
}

const Op* find_op(const std::string& name) {
  for (const Op& op : ops())
    if (op.name == name) return &op;
  return nullptr;
}

}  // namespace tapehead

#include "expressions.hpp"
#include "../../train/starts_with.hpp"
#include "tensors.hpp"

#include <algorithm>
#include <set>

namespace tapehead {
namespace {

/// A value for each of the two.
using Given = std::vector<std::pair<std::string, std::pair<Tensor, Tensor>>>;

Given parse_given(const std::vector<std::string>& words) {
  Given given;
  std::set<std::string> twice;
  for (const std::string& word : words) {
    const auto [name, text] = name_and_value(word);
    const auto known = std::find_if(given.begin(), given.end(), [&, name = name](const auto& one) {
      return one.first == name;
    });
    const std::uint64_t seed = static_cast<std::uint64_t>(known - given.begin()) + 1;
    const Tensor value = parse_value(name, text, seed);
    if (known == given.end())
      given.push_back({name, {value, value}});
    else if (twice.insert(name).second)
      known->second.second = value;
    else
      throw UsageError("explain: {} is given three times; twice is once for each expression", name);
  }
  return given;
}

Explanation explained(const std::string& expression, const Given& given,
                      Tensor std::pair<Tensor, Tensor>::*side, std::set<std::string>& used) {
  Variables variables;
  Tensor dy;
  for (const auto& [name, values] : given) {
    if (name == "dy")
      dy = values.*side;
    else
      variables.emplace_back(name, values.*side);
  }
  variables = used_by(expression, variables);
  for (const auto& [name, value] : variables) used.insert(name);
  return explain(expression, parse_expression(expression, variables), dy, false);
}

}  // namespace

ComparedExpressions compare_expressions(const std::string& a, const std::string& b,
                                        const std::vector<std::string>& words) {
  constexpr const char* of_explain = "explain: ";
  try {
    const Given given = parse_given(words);
    std::set<std::string> used = {"dy"};
    ComparedExpressions compared{explained(a, given, &std::pair<Tensor, Tensor>::first, used),
                                 explained(b, given, &std::pair<Tensor, Tensor>::second, used)};
    for (const auto& [name, values] : given)
      if (used.count(name) == 0)
        throw UsageError("explain: {} has a value, but neither expression uses it", name);
    return compared;
  } catch (const UsageError& error) {  // what explain refuses is refused by this command's name
    const std::string text = error.what();
    if (!starts_with(text, of_explain)) throw;
    throw UsageError("compare: {}", text.substr(std::string(of_explain).size()));
  }
}

bool are_equal(const ComparedExpressions& compared) {
  const auto &a = compared.a.steps, &b = compared.b.steps;
  if (!difference_of(a.back().value, b.back().value).same()) return false;
  return std::all_of(a.begin(), a.end(), [&](const ExplainedStep& x) {
    const auto other = std::find_if(b.begin(), b.end(), [&](const ExplainedStep& y) {
      return y.op.empty() && y.name == x.name;
    });
    return !x.op.empty() || !x.gradient || other == b.end() || !other->gradient ||
           difference_of(x.gradient, other->gradient).same();
  });
}

}  // namespace tapehead

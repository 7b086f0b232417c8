#include "../../cli/terminal/terminal.hpp"
#include "tapes.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

/// Joins names as in `a, b and c`; shortens long lists.
std::string listed(std::vector<std::string> names) {
  constexpr std::size_t most = 6;
  if (names.size() > most) {
    const std::size_t more = names.size() - (most - 1);
    names.resize(most - 1);
    names.push_back(fmt::format("{} more", more));
  }
  if (names.size() < 2) return names.empty() ? "" : names[0];
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string names_of(const ComparedTapes& tapes, const std::vector<int>& rows) {
  std::vector<std::string> names;
  for (const int row : rows) names.push_back(tapes.name(row));
  return listed(names);
}

/// Explains a difference whose cause is `ops`, as in `A computes it with X from x, B with Y from y;
/// the inputs of both are equal`.
std::string ops_cause(const ComparedTapes& tapes, const Divergence& divergence, const char* does,
                      const char* by, const char* from) {
  const auto origin = [&](const std::vector<int>& rows) {
    return rows.empty() ? "" : fmt::format(" {} {}", from, names_of(tapes, rows));
  };
  if (divergence.ops_a.empty() || divergence.ops_b.empty()) {
    const bool given_to_a = divergence.ops_a.empty();
    return fmt::format("{} has it as an input, but {} computes it with {}{}",
                       given_to_a ? "A" : "B", given_to_a ? "B" : "A",
                       listed(given_to_a ? divergence.ops_b : divergence.ops_a),
                       origin(given_to_a ? divergence.from_b : divergence.from_a));
  }
  const std::string a = fmt::format("A {} {} {}", does, by, listed(divergence.ops_a));
  const std::string b = fmt::format("B {} {}", by, listed(divergence.ops_b));
  if (divergence.ops_a == divergence.ops_b && divergence.from_a == divergence.from_b)
    return fmt::format("{} has different inputs in A and B", listed(divergence.ops_a));
  if (divergence.from_a != divergence.from_b)
    return fmt::format("{}{}, {}{}; the inputs of both are equal", a, origin(divergence.from_a), b,
                       origin(divergence.from_b));
  if (divergence.from_a.empty()) return fmt::format("{}, {}", a, b);
  return fmt::format("{}, {},{}, which {} equal in both", a, b, origin(divergence.from_a),
                     divergence.from_a.size() == 1 ? "is" : "are");
}

/// Returns `weights` if all these rows are parameters, else `inputs`.
const char* kind_of(const ComparedTapes& tapes, const std::vector<int>& rows) {
  const bool weights =
      all_of(rows, [&](int row) { return tapes.a.steps[tapes.rows[row].a].parameter; });
  return weights ? "weights" : "inputs";
}

const char* word_of(Divergence::Cause cause) {
  constexpr const char* words[] = {"itself", "inputs", "ops", "order", "start"};
  return words[static_cast<int>(cause)];
}

Json to_json(const Divergence& divergence, const std::string& step, const std::string& why) {
  if (divergence.row < 0) return nullptr;
  return {{"row", divergence.row},
          {"step", step},
          {"cause", word_of(divergence.cause)},
          {"ops_a", Json(divergence.ops_a)},
          {"ops_b", Json(divergence.ops_b)},
          {"from_a", Json(divergence.from_a)},
          {"from_b", Json(divergence.from_b)},
          {"differing", Json(divergence.differing)},
          {"why", why}};
}

}  // namespace

std::string ComparedTapes::name(int row) const {
  const auto numbered = [](const Explained& tape, int step) {
    const ExplainedStep& one = tape.steps[step];
    return one.name == one.op ? fmt::format("{} {}", one.name, step) : one.name;
  };
  const ComparedStep& step = rows[row];
  if (step.a < 0) return numbered(b, step.b);
  const std::string left = numbered(a, step.a);
  if (step.b < 0) return left;
  const std::string right = numbered(b, step.b);
  return left == right ? left : left + " | " + right;
}

std::string ComparedTapes::why_value() const {
  if (value.row < 0) return "";
  switch (value.cause) {
    case Divergence::Cause::inputs:
      return fmt::format("its {} differ: {}", kind_of(*this, value.differing),
                         names_of(*this, value.differing));
    case Divergence::Cause::itself:
      return fmt::format("its inputs are equal, so the options of {} differ", listed(value.ops_a));
    default:
      return ops_cause(*this, value, "computes it", "with", "from");
  }
}

std::string ComparedTapes::why_gradient() const {
  if (gradient.row < 0) return "";
  switch (gradient.cause) {
    case Divergence::Cause::start:
      return "it is the initial gradient of the backward pass";
    case Divergence::Cause::order:
      return "the same terms are added in a different order";
    case Divergence::Cause::inputs:
      return fmt::format("the backward {} of {} {} values that differ: {}",
                         gradient.ops_a.size() == 1 ? "function" : "functions",
                         listed(gradient.ops_a), gradient.ops_a.size() == 1 ? "uses" : "use",
                         names_of(*this, gradient.differing));
    case Divergence::Cause::itself:
      return fmt::format("its backward inputs are equal, so the options of {} differ",
                         listed(gradient.ops_a));
    default:
      return ops_cause(*this, gradient, "backpropagates", "through", "from the gradient of");
  }
}

std::string divergence_text(const ComparedTapes& tapes, const char* what,
                            const Divergence& divergence, int width) {
  const ComparedStep& row = tapes.rows[divergence.row];
  const bool backward = &divergence == &tapes.gradient;
  const TensorDifference& found = backward ? *row.gradient : *row.value;
  std::string name = tapes.name(divergence.row), a, b;
  if (!found.same_shape()) {
    a = fmt::format("shape {}", found.a), b = fmt::format("shape {}", found.b);
  } else if (found.differing == 0) {
    a = fmt::format("type {}", found.type_a), b = fmt::format("type {}", found.type_b);
  } else {
    const ElementPair& first = found.first;
    const bool same_type = found.type_a == found.type_b;
    const DType type = same_type ? found.type_a : DType::f64;
    a = exact(first.a, type), b = exact(first.b, type);
    if (!same_type)
      a += fmt::format(" ({})", found.type_a), b += fmt::format(" ({})", found.type_b);
    name = element_text(name, found.a, first.element);
    if (first.ulps && *first.ulps > 0)
      name += fmt::format(", by {}", apart(first.a, first.b, first.ulps));
  }
  return fmt::format("{}: {}\n  A  {}\n  B  {}\n", what, name, a, b) +
         wrapped(backward ? tapes.why_gradient() : tapes.why_value(), width, 2);
}

void add_json(Json& document, const ComparedTapes& tapes) {
  const auto step = [](int index) { return index < 0 ? Json() : Json(index); };
  const auto found = [](const std::optional<TensorDifference>& difference) {
    return difference ? to_json(*difference) : Json();
  };
  Json rows = Json::array();
  for (const ComparedStep& row : tapes.rows)
    rows.push_back({{"a", step(row.a)},
                    {"b", step(row.b)},
                    {"value", found(row.value)},
                    {"gradient", found(row.gradient)}});
  const auto divergence = [&](const Divergence& at, const std::string& why) {
    return at.row < 0 ? Json() : to_json(at, tapes.name(at.row), why);
  };
  document["rows"] = std::move(rows);
  document["first_value"] = divergence(tapes.value, tapes.why_value());
  document["first_gradient"] = divergence(tapes.gradient, tapes.why_gradient());
}

}  // namespace tapehead

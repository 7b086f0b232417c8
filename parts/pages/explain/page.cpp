#include "page.hpp"
#include "../../../cli/terminal/terminal.hpp"
#include "../../../core/op.hpp"
#include "../../explain/pass.hpp"
#include "../../explain/slopes.hpp"
#include "../web/page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

namespace tapehead {
namespace {

constexpr std::size_t most_exact = 20'000;  // pages with more numbers store floats, not doubles

/// The lists of numbers in a page. Equal lists are stored once; JSON refers to a list by its index.
class Lists {
 public:
  explicit Lists(bool exact) : exact_(exact) {}
  Json operator()(const std::vector<double>& numbers) {
    return add(packed_numbers(numbers, exact_));
  }
  Json operator()(const Tensor& x) { return x ? (*this)(x.values()) : Json(); }
  /// Adds a list of integers, stored exactly, as differences, since these often repeat.
  Json whole(const std::vector<double>& numbers) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      differences.push_back(numbers[i] - (i == 0 ? 0 : numbers[i - 1]));
    return add(packed_numbers(differences, true));
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  int add(const std::string& text) {
    const auto [at, is_new] = known_.try_emplace(text, static_cast<int>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return at->second;
  }

  bool exact_;
  std::map<std::string, int> known_;
  std::vector<std::string> texts_;
};

Json slopes_json(const Slopes& slopes, Lists& lists) {
  if (slopes.kind == Slopes::Kind::product) return "product";
  if (slopes.kind == Slopes::Kind::unknown) return nullptr;
  return {{"results", lists.whole(slopes.results)},
          {"inputs", lists.whole(slopes.inputs)},
          {"slopes", lists(slopes.slopes)}};
}

/// Returns the data of steps that all states share: names, ops, inputs and shapes. A constant's
/// module is the module of the op that uses it.
Json steps_json(const Explained& explained) {
  const std::vector<ExplainedStep>& steps = explained.steps;
  std::vector<std::string> modules(steps.size());
  for (std::size_t i = steps.size(); i-- > 0;) {
    const bool is_constant = steps[i].op.empty() && !steps[i].parameter;
    modules[i] = is_constant && i + 1 < steps.size() ? modules[i + 1] : steps[i].module;
  }
  std::vector<std::vector<std::string>> summed(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const Contribution& each : explained.contributions(i)) {
      summed[each.step].resize(steps[each.step].inputs.size());
      summed[each.step][each.input] = each.summed;
    }
  Json result = Json::array();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ExplainedStep& step = steps[i];
    Json next = {{"name", visible(step.name)},
                 {"op", step.op},
                 {"module", modules[i]},
                 {"inputs", Json(step.inputs)},
                 {"shape", step.value.shape()}};
    if (step.parameter) next["parameter"] = true;
    if (const Op* op = find_op(step.op)) {
      next["formula"] = op->formula;
      const bool is_clear = step.backward_formula.find('\'') == std::string::npos;
      next["rule"] =
          step.backward_formula.empty() || !is_clear ? op->gradient() : step.backward_formula;
    }
    if (!step.note.empty()) next["note"] = step.note;
    if (!summed[i].empty()) next["summed"] = Json(summed[i]);
    result.push_back(std::move(next));
  }
  return result;
}

Json state_json(const PageState& state, Lists& lists) {
  const Explained& explained = *state.explained;
  std::vector<Json::Array> sent(explained.steps.size());
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i].resize(explained.steps[i].inputs.size());
  for (std::size_t i = 0; i < sent.size(); ++i)
    if (explained.steps[i].gradient)
      for (const Contribution& each : explained.contributions(i))
        sent[each.step][each.input] = lists(each.gradient);
  Json steps = Json::array();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const ExplainedStep& step = explained.steps[i];
    Json next = {{"value", lists(step.value)},
                 {"gradient", lists(step.gradient)},
                 {"summaries", Json(std::vector{summary(step.value), summary(step.gradient)})}};
    if (step.tangent) {
      next["tangent"] = lists(step.tangent);
      next["summaries"].push_back(summary(step.tangent));
    }
    if (!step.sent.empty()) {
      next["sent"] = Json::array(std::move(sent[i]));
      Json slopes = Json::array();
      for (const Slopes& each : slopes_of(explained, i)) slopes.push_back(slopes_json(each, lists));
      next["slopes"] = std::move(slopes);
    }
    if (step.difference) {
      std::vector<double> elements, differences;
      for (Index k = 0; k < step.difference.size(); ++k)
        if (const double quotient = step.difference(k); !std::isnan(quotient)) {
          elements.push_back(static_cast<double>(k));
          differences.push_back(quotient);
        }
      next["moved"] = lists.whole(elements);
      next["differences"] = lists(differences);
      Json kinks = Json::array();
      for (const auto& [element, kink] : step.kinks)
        kinks.push_back(Json(std::vector{static_cast<double>(element), kink.left, kink.right}));
      if (!step.kinks.empty()) next["kinks"] = std::move(kinks);
    }
    steps.push_back(std::move(next));
  }
  Json norms = Json::array();
  for (const std::string& module : explained.norms)
    if (const ModuleJacobian each = jacobian_of(explained, module); each.width > 0)
      norms.push_back({{"module", module},
                       {"from", each.from},
                       {"to", each.to},
                       {"row", each.row},
                       {"width", each.width},
                       {"slopes", lists(each.slopes)}});
  return {{"name", state.name},
          {"about", state.about},
          {"steps", std::move(steps)},
          {"norms", std::move(norms)}};
}

constexpr std::size_t most_bytes = 2'000'000;
constexpr double work = 1000;  // finite differences for all states, a second in all

/// Returns `count` evenly spaced checkpoints, including the first and the last; for a count of 1,
/// the last.
std::vector<SavedStep> evenly(const std::vector<SavedStep>& saved, std::size_t count) {
  std::vector<SavedStep> result;
  for (std::size_t i = 0; i + 1 < count; ++i)
    result.push_back(saved[i * (saved.size() - 1) / (count - 1)]);
  result.push_back(saved.back());
  return result;
}

}  // namespace

std::string packed_numbers(const std::vector<double>& numbers, bool exact) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto bits_of = [&](double number) {
    if (exact) {
      std::uint64_t bits;
      std::memcpy(&bits, &number, sizeof(bits));
      return (std::isfinite(number) ? bits + 0x8000 : bits) >> 16;  // rounds to 48 bits
    }
    const auto rounded = static_cast<float>(number);
    std::uint32_t bits;
    std::memcpy(&bits, &rounded, sizeof(bits));
    return std::uint64_t{(std::isfinite(rounded) ? bits + 0x80 : bits) >> 8};
  };
  std::string text;
  for (std::size_t i = 0, end = 0; i < numbers.size(); i = end) {
    const std::uint64_t bits = bits_of(numbers[i]);
    while (end < numbers.size() && bits_of(numbers[end]) == bits) ++end;
    std::string number;
    for (int shift = exact ? 42 : 18; shift >= 0; shift -= 6) number += digits[bits >> shift & 63];
    const std::size_t more = end - i - 1;
    text += number;
    if (more > 1) text += fmt::format("*{};", more);
    if (more == 1) text += number;
  }
  return text;
}

void append_explainer(std::vector<const char*>& scripts) {
  scripts.insert(scripts.end(),
                 {"trace.js", "scope.js", "timeline.js", "layout.js", "maps.js", "spin.js",
                  "node.js", "graph.js", "sentences.js", "caption.js", "predict.js",
                  "element_view.js", "jacobian.js", "panel.js", "explainer.js"});
}

void append_explainer_styles(std::vector<const char*>& styles) {
  styles.insert(styles.end(), {"explain.css", "explain_graph.css", "explain_numbers.css"});
}

Json explanation_json(const std::string& title, const std::vector<PageState>& states,
                      const std::string& note) {
  std::size_t numbers = 0;
  std::set<std::string> ops;
  for (const ExplainedStep& step : states[0].explained->steps) {
    numbers += static_cast<std::size_t>(step.value.size());
    ops.insert(step.op);
  }
  const bool exact = numbers <= most_exact && states.size() == 1;
  Lists lists(exact);
  Json seen = Json::array(), lines = Json::object();
  for (const PageState& state : states) seen.push_back(state_json(state, lists));
  for (const std::string& op : ops)
    if (const auto found = op_code().find(op); found != op_code().end()) lines[op] = found->second;
  return {{"title", visible(title)},     {"note", note},
          {"characters", exact ? 8 : 4}, {"steps", steps_json(*states[0].explained)},
          {"lines", std::move(lines)},   {"states", std::move(seen)},
          {"lists", Json(lists.texts())}};
}

std::string render_explanation(const std::string& title, const std::vector<PageState>& states,
                               const std::string& note) {
  std::vector<const char*> styles = {"base.css"}, scripts = with_words({"sections.js"});
  append_explainer_styles(styles);
  styles.push_back("explain_print.css");
  append_explainer(scripts);
  scripts.push_back("explain_page.js");
  return web_page(title, styles, explanation_json(title, states, note), scripts);
}

Json run_graph(LoadedRun& run, const Example& example) {
  const ExplainedPass pass = explain_pass(run, example);
  const std::string about =
      fmt::format("{} → {}, loss {:.4f}", pass.question, pass.answer, pass.loss);
  return explanation_json("", {{"", about, &pass}});
}

std::string expression_page(const Explanation& explanation) {
  // The page's formulas have no primes, so it needs no note on them.
  const std::string note = explanation.direction.empty() ? "" : notes_of(explanation).front();
  return render_explanation(explanation.expression, {{"", "", &explanation}}, note);
}

std::string run_page(const std::string& title, const Example& example,
                     const std::vector<SavedStep>& saved, const LoadSaved& load) {
  std::string note;
  const auto page_of = [&](const std::vector<SavedStep>& shown, double differences) {
    std::vector<ExplainedPass> passes;
    std::vector<PageState> states;
    for (const SavedStep& each : shown) {
      LoadedRun run = load(each);
      passes.push_back(explain_pass(run, example));
      if (differences > 0) measure(run, example, passes.back(), differences);
    }
    for (std::size_t i = 0; i < passes.size(); ++i)
      states.push_back({fmt::format("step {}", shown[i].step),
                        fmt::format("{} → {}, loss {:.4f}", passes[i].question, passes[i].answer,
                                    passes[i].loss),
                        &passes[i]});
    return render_explanation(title, states, note);
  };
  // Estimates the number of states that fit from the size of a page with one state.
  const std::size_t one = page_of({saved.back()}, 0).size();
  for (std::size_t count = std::min(saved.size(), most_bytes * 21 / 20 / one); count > 1; --count) {
    const std::string page = page_of(evenly(saved, count), work / static_cast<double>(count));
    if (page.size() <= most_bytes) return page;
  }
  if (saved.size() > 1)
    note = fmt::format(
        "Only the last of {} checkpoints is shown, since two would make the page larger than 2 MB. "
        "Use a shorter --prompt to show more.",
        saved.size());
  return page_of({saved.back()}, work);
}

}  // namespace tapehead

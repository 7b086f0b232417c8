#include "../data/option_limits.hpp"
#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// The opening and the closing bracket of each kind.
const std::string brackets = "()[]{}<>aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ";
constexpr Index most_kinds = 30;

bool closes(int bracket) { return bracket % 2 == 1; }
int partner(int bracket) { return bracket ^ 1; }

/// Example: ( [ ] < {, then brackets that close all open ones from the innermost, and a stop: } > )
/// .
struct Dyck {
  Index length, kinds, depth;

  int stop() const { return static_cast<int>(2 * kinds); }

  /// Draws the beginning of a well-nested string of `length` brackets, with some still open, and
  /// the brackets that close them.
  Example operator()(Random& random) const {
    for (;;) {
      Example example;
      std::vector<int> open;
      example.question = 1 + random.below(length - 1);
      for (Index left = length; left > length - example.question; --left) {
        const auto deep = static_cast<Index>(open.size());
        const bool opens = deep == 0 || (deep < std::min(depth, left) && random.below(2) == 0);
        if (opens) open.push_back(static_cast<int>(2 * random.below(kinds)));
        example.tokens.push_back(opens ? open.back() : partner(open.back()));
        if (!opens) open.pop_back();
      }
      if (open.empty()) continue;
      for (; !open.empty(); open.pop_back()) example.tokens.push_back(partner(open.back()));
      example.tokens.push_back(stop());
      return example;
    }
  }

  /// Draws a training example. All closing brackets are targets, even in the prompt; opening
  /// brackets can't be predicted.
  Example training(Random& random) const {
    Example example = (*this)(random);
    const auto& tokens = example.tokens;
    for (Index position = 1; position < static_cast<Index>(tokens.size()); ++position)
      if (tokens[position] == stop() ||
          (closes(tokens[position]) && !is_held_out(tokens.data(), position)))
        example.target_positions.push_back(position);
    return example;
  }

  /// Returns whether the tokens are a valid prompt: the beginning of a well-nested string.
  bool is_question(const std::vector<int>& tokens) const {
    std::vector<int> open;
    for (const int token : tokens) {
      if (token == stop()) return false;
      if (!closes(token)) {
        open.push_back(token);
      } else {
        if (open.empty() || open.back() != partner(token)) return false;
        open.pop_back();
      }
      if (static_cast<Index>(open.size()) > depth) return false;
    }
    return !open.empty() && static_cast<Index>(tokens.size() + open.size()) <= length;
  }
};

std::unique_ptr<Task> make_dyck(const TaskOptions& options) {
  const Index length = whole_option(options, "length", 16, 1024);
  const Dyck dyck{length, whole_option(options, "kinds", 2, most_kinds),
                  whole_option(options, "depth", 1, OptionLimit(length / 2, "--length / 2"))};
  if (length % 2 == 1)
    throw UsageError("--length must be even, since every bracket is closed, not {}", length);
  const std::string symbols = brackets.substr(0, dyck.stop()) + '.';
  SequenceRules rules{"dyck", characters(symbols), dyck};
  rules.draw_training = [dyck](Random& random) { return dyck.training(random); };
  rules.longest_question = length - 1;
  rules.longest_answer = dyck.depth + 1;
  rules.context = length;
  rules.question =
      fmt::format("nested brackets with 1 to {} still open, at most {} including the closing ones",
                  dyck.depth, length);
  rules.is_question = [dyck](const auto& tokens) { return dyck.is_question(tokens); };
  rules.end = dyck.stop();
  rules.describe_unknown = [=](const std::string&) {
    return "isn't one of the brackets " + symbols;
  };
  return std::make_unique<Sequences>(rules);
}

}  // namespace

/// Bounded Dyck languages (Yao and others, "Self-attention networks can process bounded
/// hierarchical languages").
TaskEntry dyck_task() {
  return {"dyck",
          "close the brackets that are open, the innermost first",
          "heads count the depth of a bracket and look up its partner, without a stack",
          "exact match above 99 %",
          recipe("--layers 2 --heads 2 --width 64 --lr 0.003 --steps 2000 --eval-every 500"),
          {},
          {{"length", "brackets in a string, an even number, 16 to 1024", "48"},
           {"kinds", "kinds of brackets, 2 to 30", "4"},
           {"depth", "largest number of brackets open at once", "8"}},
          "length",
          {"gpt"},
          make_dyck};
}

}  // namespace tapehead

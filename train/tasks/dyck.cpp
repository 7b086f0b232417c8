#include "tasks.hpp"

#include <algorithm>
#include <sstream>

namespace tapehead {
namespace {

/// Each kind's opening bracket, then its closing one.
const std::string brackets = "()[]{}<>aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ";
constexpr Index most_kinds = 30;

bool closes(int bracket) { return bracket % 2 == 1; }
int partner(int bracket) { return bracket ^ 1; }

/// ( [ ] < {, then what closes all that is open, from the innermost, and a stop: } > ) .
/// Training asks for every closing bracket, wherever it stands; what opens can't be known.
class Dyck : public Task {
 public:
  explicit Dyck(const TaskOptions& options)
      : length_(whole_option(options, "length", 16, 1024)),
        kinds_(whole_option(options, "kinds", 2, most_kinds)),
        depth_(whole_option(options, "depth", 1, length_ / 2)) {
    if (length_ % 2 == 1)
      throw UsageError("--length must be even, for each bracket is closed, not {}", length_);
  }

  Index vocabulary() const override { return 2 * kinds_ + 1; }
  Index context() const override { return length_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    Example example = draw({seed, Draw::batch, static_cast<std::uint32_t>(step), 0,
                            static_cast<std::uint32_t>(number)},
                           false);
    const auto& tokens = example.tokens;
    for (Index place = 1; place < static_cast<Index>(tokens.size()); ++place) {
      const int token = tokens[static_cast<std::size_t>(place)];
      if (token == end_symbol() || (closes(token) && !is_held_out(tokens.data(), place)))
        example.asked.push_back(place);
    }
    return example;
  }
  Index held_out_size() const override { return 1000; }
  Example held_out_example(Index number) const override {
    return draw({0, Draw::batch, 0, 1, static_cast<std::uint32_t>(number)}, true);
  }
  bool has_answers() const override { return true; }
  Index longest_question() const override { return length_ - 1; }
  Index longest_answer() const override { return depth_ + 1; }
  int end_symbol() const override { return static_cast<int>(2 * kinds_); }

  std::string show(const std::vector<int>& tokens) const override {
    std::string text;
    for (int token : tokens) {
      if (!text.empty()) text += ' ';
      text += symbols().at(static_cast<std::size_t>(token));
    }
    return text;
  }
  std::vector<int> parse(const std::string& text) const override {
    std::vector<int> tokens;
    std::istringstream words(text);
    for (std::string word; words >> word;)
      for (char symbol : word) {
        const std::size_t token = symbols().find(symbol);
        if (token == std::string::npos)
          throw ValueError("dyck: '{}' is not made of the brackets {}", word, symbols());
        tokens.push_back(static_cast<int>(token));
      }
    return tokens;
  }

 private:
  std::string symbols() const {
    return brackets.substr(0, static_cast<std::size_t>(2 * kinds_)) + '.';
  }

  /// Draws until the question is on the right side of the split.
  Example draw(const RandomKey& key, bool held_out) const {
    Random random(key);
    for (;;) {
      Example example = cut(random);
      if (is_held_out(example.tokens.data(), example.question) == held_out) return example;
    }
  }

  /// The beginning of a well-nested string of `length` brackets, up to a place where some are open,
  /// and what closes them.
  Example cut(Random& random) const {
    for (;;) {
      Example example;
      std::vector<int> open;
      example.question = 1 + random.below(length_ - 1);
      for (Index left = length_; left > length_ - example.question; --left) {
        const auto depth = static_cast<Index>(open.size());
        const bool opens = depth == 0 || (depth < std::min(depth_, left) && random.below(2) == 0);
        if (opens) open.push_back(static_cast<int>(2 * random.below(kinds_)));
        example.tokens.push_back(opens ? open.back() : partner(open.back()));
        if (!opens) open.pop_back();
      }
      if (open.empty()) continue;
      for (; !open.empty(); open.pop_back()) example.tokens.push_back(partner(open.back()));
      example.tokens.push_back(end_symbol());
      return example;
    }
  }

  Index length_, kinds_, depth_;
};

}  // namespace

/// The bounded Dyck languages of Yao and others ("Self-attention networks can process bounded
/// hierarchical languages").
TaskEntry dyck_task() {
  TaskEntry entry;
  entry.name = "dyck";
  entry.summary = "close the brackets that are open, the innermost first";
  entry.teaches =
      "how deep a bracket lies is counted, and its partner looked up: a stack without one";
  entry.expected = "exact match above 99 %";
  entry.recipe = recipe("--layers 2 --heads 2 --width 64 --lr 0.003 --steps 2000 --eval-every 500");
  entry.options = {{"length", "brackets in a string, an even number, 16 to 1024", "48"},
                   {"kinds", "of brackets, 2 to 30", "4"},
                   {"depth", "how many are open at once, at most", "8"}};
  entry.make = [](const TaskOptions& options) { return std::make_unique<Dyck>(options); };
  return entry;
}

}  // namespace tapehead

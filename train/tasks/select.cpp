#include "../data/option_limits.hpp"
#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Returns for example `[ . . 3 . 0 0 . . 7 ]`, then `3 0 0 7`: `chosen` tokens among blanks,
/// between two marks; then these tokens in the same order.
Example scattered(Random& random, Index length, Index chosen, Index kinds) {
  const int blank = static_cast<int>(kinds), first = blank + 1, last = blank + 2;
  Example example{{first}, length + 2};
  std::vector<int> answer;
  for (Index position = 0; position < length; ++position) {
    // Every choice of positions is equally likely.
    const Index left = chosen - static_cast<Index>(answer.size());
    const bool is_blank = random.below(length - position) >= left;
    if (!is_blank) answer.push_back(static_cast<int>(random.below(kinds)));
    example.tokens.push_back(is_blank ? blank : answer.back());
  }
  example.tokens.push_back(last);
  append(example.tokens, answer);
  return example;
}

std::unique_ptr<Task> make_select(const TaskOptions& options) {
  const Index length = whole_option(options, "length", 1, 1024);
  const Index chosen = whole_option(options, "chosen", 1, OptionLimit(length, "--length"));
  const Index kinds = whole_option(options, "symbols", 2, 36);
  SequenceRules rules{"select", characters(first_symbols(kinds) + ".[]"),
                      [=](Random& random) { return scattered(random, length, chosen, kinds); }};
  rules.few_prompts =
      few_prompts(chosen, kinds, fmt::format("--chosen {} with --symbols {}", chosen, kinds));
  rules.question = fmt::format("[, then {} tokens among {} dots, then ]", chosen, length - chosen);
  rules.is_question = [=](const std::vector<int>& tokens) {
    const int blank = static_cast<int>(kinds);
    return static_cast<Index>(tokens.size()) == length + 2 && tokens.front() == blank + 1 &&
           tokens.back() == blank + 2 &&
           count_if(tokens, [=](int token) { return is_below(token, kinds); }) == chosen &&
           std::count(tokens.begin(), tokens.end(), blank) == length - chosen;
  };
  return std::make_unique<Sequences>(rules);
}

}  // namespace

/// Selective copying (Jing and others, "Gated orthogonal recurrent units"; Gu and Dao, "Mamba").
TaskEntry select_task() {
  return {"select",
          "pick the tokens out of blanks, in order",
          "one layer counts the tokens before each position, the next finds the token to output",
          "exact match above 99 %; above 95 % with --length 256",
          muon_defaults("--layers 2 --heads 8 --width 64 --position rotary --batch 32 "
                        "--steps 1500 --eval-every 300"),
          {{"mamba",
            "16 tokens of 16 kinds among 256 positions (4,096 in the Mamba paper)",
            {{"length", "256"}, {"batch", "32"}, {"steps", "3000"}, {"eval-every", "500"}}}},
          {{"length", "positions in the prompt, 1 to 1024", "64"},
           {"chosen", "number of tokens among the blanks, at most --length", "16"},
           {"symbols", "number of different tokens, at most 36", "16"}},
          "length",
          {"gpt"},
          make_select};
}

}  // namespace tapehead

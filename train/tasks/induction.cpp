#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Returns for example `4 1 * 7 0 ... 2 *`, then `7`: random tokens with a mark among them and at
/// the end, then the token after the first mark.
Example marked(Random& random, Index length, Index kinds) {
  Example example{random_tokens(random, length - 2, kinds), length};
  const Index position = random.below(length - 2);
  const int followed = example.tokens[position];
  const int mark = static_cast<int>(kinds);
  example.tokens.insert(example.tokens.begin() + position, mark);
  example.tokens.insert(example.tokens.end(), {mark, followed});
  return example;
}

std::unique_ptr<Task> make_induction(const TaskOptions& options) {
  const Index length = whole_option(options, "length", 3, 1024);
  const Index kinds = whole_option(options, "symbols", 2, 36);
  SequenceRules rules{"induction", characters(first_symbols(kinds) + "*"),
                      [=](Random& random) { return marked(random, length, kinds); }};
  rules.few_prompts =
      few_prompts(length - 2, kinds, fmt::format("--length {} with --symbols {}", length, kinds));
  rules.question = fmt::format(
      "{} tokens with a * at the end and an earlier one, not next to each other", length);
  rules.is_question = [=](const std::vector<int>& tokens) {
    const int mark = static_cast<int>(kinds);
    const auto before_last = tokens.end() - std::min<std::ptrdiff_t>(2, tokens.size());
    return static_cast<Index>(tokens.size()) == length && tokens.back() == mark &&
           std::count(tokens.begin(), tokens.end(), mark) == 2 && *before_last != mark;
  };
  return std::make_unique<Sequences>(rules);
}

}  // namespace

/// Induction heads (Olsson and others, "In-context learning and induction heads").
TaskEntry induction_task() {
  return {"induction",
          "predict the token that followed an earlier mark",
          "induction heads: one layer copies the previous token, the next looks it up",
          "exact match 100 %; below 20 % with --layers 1",
          // With AdamW and one head, seed 1 stays at chance level.
          muon_defaults("--layers 2 --heads 1 --width 32 --position rotary --mlp none "
                        "--steps 400 --eval-every 100"),
          {},
          {{"length", "tokens in the prompt, 3 to 1024", "30"},
           {"symbols", "number of different tokens, without the mark, at most 36", "16"}},
          "length",
          {"gpt"},
          make_induction};
}

}  // namespace tapehead

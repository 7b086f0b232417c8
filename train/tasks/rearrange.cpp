// Tasks whose completion is the prompt in another order: copy, reverse, sort.
#include "../../core/plural.hpp"
#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {
namespace {

using Rearrange = void (*)(std::vector<int>& tokens);

std::vector<Option> own_options(const char* length, const char* symbols) {
  return {{"length", "tokens in a sequence", length},
          {"symbols", "number of different tokens, at most 36", symbols}};
}

std::unique_ptr<Task> make(const char* name, const TaskOptions& options, Index held_out,
                           Rearrange rearrange) {
  const Index length = whole_option(options, "length", 1, 1024);
  const Index kinds = whole_option(options, "symbols", 2, 36);
  SequenceRules rules{name, characters(first_symbols(kinds)), [=](Random& random) {
                        Example example{random_tokens(random, length, kinds), length};
                        std::vector<int> answer = example.tokens;
                        rearrange(answer);
                        append(example.tokens, answer);
                        return example;
                      }};
  rules.few_prompts =
      few_prompts(length, kinds, fmt::format("--length {} with --symbols {}", length, kinds));
  rules.held_out = held_out;
  rules.shows_prompt_end = false;
  rules.question = plural(length, "token");
  rules.is_question = [=](const auto& tokens) { return are_below(tokens, length, kinds); };
  return std::make_unique<Sequences>(rules);
}

}  // namespace

/// Returns the task of copying: s1 ... sL, then s1 ... sL again.
TaskEntry copy_task() {
  return {"copy",
          "repeat a sequence of tokens",
          "a head learns to attend a fixed distance back",
          "exact match 100 %",
          recipe("--layers 1 --heads 2 --lr 0.003 --steps 300"),
          {},
          own_options("16", "16"),
          "length",
          {"gpt"},
          [](const TaskOptions& options) {
            return make("copy", options, 1000, [](std::vector<int>&) {});
          },
          {},
          {},
          ""};
}

/// Returns the task of reversing: s1 ... sL, then sL ... s1.
TaskEntry reverse_task() {
  return {"reverse",
          "repeat a sequence of tokens in reverse",
          "without a causal mask, a head attends along the anti-diagonal",
          "exact match 100 %",
          recipe("--arch encoder --layers 1 --heads 1 --width 32 --lr 0.003 --steps 300"),
          {},
          own_options("16", "10"),
          "length",
          {"encoder", "gpt", "encoder-decoder"},
          [](const TaskOptions& options) {
            return make("reverse", options, 1000,
                        [](std::vector<int>& all) { std::reverse(all.begin(), all.end()); });
          },
          {},
          {},
          ""};
}

/// Returns the task of sorting: s1 ... sL, then the same tokens in ascending order. With the
/// options after --eval-every, the last errors in 5,000 validation examples disappear some hundred
/// steps earlier.
TaskEntry sort_task() {
  return {"sort",
          "sort a sequence of tokens",
          "a head finds the next token, wherever it is, and counts its occurrences",
          "exact match 100 %, or a few errors in 5,000",
          muon_defaults("--layers 2 --heads 2 --width 64 --batch 64 --steps 2000 --eval-every 950 "
                        "--lr 0.01 --adam-lr 0.005 --min-lr 0 --average 0.98 --qk-norm true "
                        "--attention-temperature head"),
          {},
          own_options("10", "10"),
          "length",
          {"gpt", "encoder", "encoder-decoder"},
          [](const TaskOptions& options) {
            // There are enough sequences that the 5,000 validation examples differ at the default
            // size.
            return make("sort", options, 5000,
                        [](std::vector<int>& all) { std::sort(all.begin(), all.end()); });
          },
          {},
          {},
          ""};
}

}  // namespace tapehead

// Tasks that count ones in a sequence of zeros and ones: majority, parity.
#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {
namespace {

using Answer = bool (*)(Index ones, Index all);

/// Makes a task whose prompts are zeros and ones. The completion is answer(ones, all) as 0 or 1.
/// With a scratchpad, it is this answer for each beginning of the prompt, the last one for all of
/// it.
std::unique_ptr<Task> make(const char* name, Index length, Answer answer, bool scratchpad = false) {
  SequenceRules rules{name, characters(first_symbols(2)), [=](Random& random) {
                        Example example{random_tokens(random, length, 2), length};
                        Index ones = 0;
                        for (Index i = 0; i < length; ++i) {
                          ones += example.tokens[i];
                          if (scratchpad || i + 1 == length)
                            example.tokens.push_back(answer(ones, i + 1) ? 1 : 0);
                        }
                        return example;
                      }};
  rules.few_prompts = few_prompts(length, 2, fmt::format("--length {}", length));
  rules.shows_prompt_end = !scratchpad;
  rules.question = fmt::format("{} zeros and ones", length);
  rules.is_question = [=](const auto& tokens) { return are_below(tokens, length, 2); };
  return std::make_unique<Sequences>(rules);
}

}  // namespace

/// Returns the task of finding the more frequent digit in an odd number of zeros and ones.
TaskEntry majority_task() {
  return {"majority",
          "predict which of two tokens is more frequent",
          "a head with uniform attention averages tokens, which counts them",
          "exact match 100 %",
          recipe("--layers 1 --heads 1 --width 32 --lr 0.003 --steps 500"),
          {},
          {{"length", "tokens in a sequence, an odd number", "21"}},
          "length",
          {"gpt", "encoder"},
          [](const TaskOptions& options) {
            const Index length = whole_option(options, "length", 1, 1023);
            if (length % 2 == 0)
              throw UsageError("--length must be odd, so that one token is more frequent, not {}",
                               length);
            return make("majority", length, [](Index ones, Index all) { return 2 * ones > all; });
          }};
}

/// Returns the task of predicting 1 if the number of ones in a sequence of zeros and ones is odd.
/// Every token affects the result equally, but in attention the influence of a token shrinks with
/// the length. See Hahn, "Theoretical limitations of self-attention in neural sequence models".
TaskEntry parity_task() {
  return {"parity",
          "predict whether the number of ones is odd",
          "a limit of attention: every token flips the result",
          "chance level: 50 %, 0.693 nats (1 bit), even at --length 8, the shortest",
          recipe("--layers 2 --heads 4 --width 64 --lr 0.001 --steps 1000 --eval-every 250"),
          {},
          {{"length", "tokens in a sequence", "32"},
           {"scratchpad", "completion with the parity after each token", "false"}},
          "length",
          {"gpt", "encoder"},
          [](const TaskOptions& options) {
            const Index length = whole_option(options, "length", 1, 1024);
            return make(
                "parity", length, [](Index ones, Index) { return ones % 2 == 1; },
                truth_option(options, "scratchpad"));
          },
          {},
          {},
          ""};
}

}  // namespace tapehead

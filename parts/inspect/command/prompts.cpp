#include "prompts.hpp"
#include "../../../cli/commands/example_seen.hpp"
#include "../../../cli/terminal/answer.hpp"
#include "../../../train/config/options.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Parses a prompt; the model completes it if it has no completion. If the text is empty, returns a
/// validation example with its target as the completion.
Example prompt_with_answer(const LoadedRun& run, const std::string& text, Index number,
                           const char* option, const Terminal& terminal) {
  const bool has_answers = run.task->has_answers();
  if (text.empty()) {
    Example example = held_out_example(*run.task, number);
    if (has_answers) return example;
    constexpr Index glance = 32;  // number of tokens read from a plain text
    const Index read = std::min(glance, run.model->longest_question());
    example.tokens.resize(std::min(example.tokens.size(), static_cast<std::size_t>(read + 1)));
    example.question = static_cast<Index>(example.tokens.size()) - 1;
    return example;
  }
  if (has_answers && run.model->arch == "gpt") {
    const std::vector<int> tokens = run.task->parse_prompt(text);
    const Index question = prompt_length(tokens, run);
    if (question < static_cast<Index>(tokens.size())) return {tokens, question};
  }
  Example seen = example_to_show(run, &text, number, option, terminal);
  if (static_cast<Index>(seen.tokens.size()) > seen.question) return seen;
  SampleOptions one = greedy();
  one.tokens = 1;
  seen.tokens = generate(*run.model, seen.tokens, one);
  if (static_cast<Index>(seen.tokens.size()) == seen.question)
    throw UsageError("{}: the model predicts no token after this prompt", option);
  return seen;
}

/// Returns the first position in the completions where the two differ; -1 if there is none.
Index first_difference(const Example& a, const Example& b) {
  for (Index i = a.question; i < static_cast<Index>(std::min(a.tokens.size(), b.tokens.size()));
       ++i)
    if (a.tokens[i] != b.tokens[i]) return i - a.question;
  return -1;
}

}  // namespace

Prompts prompts_of(const LoadedRun& run, const InspectArguments& asked, const Terminal& terminal) {
  Prompts p;
  p.clean = prompt_with_answer(run, asked.clean, 0, "--clean", terminal);
  Index differs = -1;
  if (!asked.corrupted.empty()) {
    p.corrupted = prompt_with_answer(run, asked.corrupted, 0, "--corrupted", terminal);
    if (p.clean.question != p.corrupted.question)
      throw UsageError("--clean has {} and --corrupted has {}; they must have the same length",
                       plural(p.clean.question, "token"), p.corrupted.question);
    differs = first_difference(p.clean, p.corrupted);
    if (differs < 0)
      throw UsageError(
          "--clean and --corrupted must have different completions, but both have '{}'",
          visible(run.task->show(answer_of(p.clean))));
  }
  constexpr Index most = 100;  // number of validation examples searched for a corrupted prompt
  for (Index i = 1; differs < 0 && i < std::min(most, held_out_size(*run.task)); ++i) {
    p.corrupted = prompt_with_answer(run, "", i, "--corrupted", terminal);
    if (p.clean.question == p.corrupted.question) differs = first_difference(p.clean, p.corrupted);
  }
  if (differs < 0)
    throw UsageError(
        "no validation example has the length of --clean and a different completion; pass a "
        "corrupted prompt with --corrupted");
  // A GPT or an encoder-decoder needs no tokens after the compared one, since they don't affect it.
  // An encoder predicts all tokens at once, so it keeps them.
  const bool writes = run.model->arch == "gpt" || run.model->arch == "encoder-decoder";
  for (Example* e : {&p.clean, &p.corrupted})
    if (writes) e->tokens.resize(e->question + differs + 1);
  p.pair.clean = run.model->batch({p.clean});
  p.pair.corrupted = run.model->batch({p.corrupted});
  p.pair.right = p.clean.tokens[p.clean.question + differs];
  p.pair.wrong = p.corrupted.tokens[p.clean.question + differs];
  p.pair.position = differs + (run.model->arch == "gpt" ? p.clean.question - 1 : 0);
  if (run.model->arch == "encoder-decoder") p.pair.source = p.clean.question;
  return p;
}

}  // namespace tapehead

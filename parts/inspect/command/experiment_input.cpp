#include "experiment_input.hpp"
#include "../../../cli/commands/example_seen.hpp"
#include "../../../cli/terminal/answer.hpp"
#include "../../../core/ops.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

ExperimentInput experiment_input(const LoadedRun& run, const InspectArguments& asked,
                                 const Terminal& terminal) {
  const Task& task = *run.task;
  constexpr std::size_t glance = 32;  // number of tokens to predict in a plain text
  ExperimentInput read;
  if (asked.example >= held_out_size(task))
    throw UsageError("--example {}: the validation examples are 0 to {}", asked.example,
                     held_out_size(task) - 1);
  if (!asked.input.empty()) {
    const std::vector<int> tokens = task.parse_prompt(asked.input);
    const Index most = run.model->longest_question() + 1;  // the last token is only a target
    read.note = "Input: --input";
    if (const auto all = static_cast<Index>(tokens.size());
        task.has_answers() && all <= most && all > prompt_length(tokens, run)) {
      read.example = {tokens, prompt_length(tokens, run)};
    } else {
      read.example = example_to_show(run, &asked.input, 0, "--input", terminal);
      if (task.has_answers()) read.note += ", completed by the model";
    }
  } else {
    const Index number = std::max<Index>(asked.example, 0);
    read.example = held_out_example(task, number);
    read.note = fmt::format("Input: validation example {}", number);
  }
  if (!task.has_answers()) {
    read.example.question = 0;
    if (asked.input.empty())
      read.example.tokens.resize(std::min(read.example.tokens.size(), glance + 1));
  }
  read.batch = run.model->batch({read.example});
  for (double token : read.batch.inputs.values())
    read.tokens.push_back(token_name(task, static_cast<int>(token)));
  read.note += ": " + visible(task.show(read.example.tokens));
  return read;
}

std::string in_context(const Task& task, const std::vector<int>& tokens, Index position) {
  constexpr Index around = 8;
  const auto count = static_cast<Index>(tokens.size());
  const bool spaced = task.show({tokens[0], tokens[0]}).size() > 2 * task.show({tokens[0]}).size();
  const auto shown = [&](Index begin, Index end) {
    return task.show({tokens.begin() + std::max<Index>(begin, 0),
                      tokens.begin() + std::min(std::max(begin, end), count)});
  };
  const std::string before = shown(position - around, position);
  const std::string after = shown(position + 1, position + 1 + around);
  const char* gap = spaced ? " " : "";
  return fmt::format("{}{}[{}]{}{}", before, before.empty() ? "" : gap,
                     token_name(task, tokens[position]), after.empty() ? "" : gap, after);
}

std::string top_tokens(const Task& task, const Tensor& scores, std::size_t count) {
  const std::vector<double> all = scores.values();
  std::vector<int> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<Index>(count), order.end(),
                    [&](int a, int b) { return all[a] != all[b] ? all[a] > all[b] : a < b; });
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? " " : "") + token_name(task, order[i]);
  return text;
}

Document::Column text_column(const char* name) { return {name, Document::Column::Kind::text}; }

int decimals_for(const std::vector<double>& numbers) {
  double most = 1e-9;
  for (double number : numbers)
    if (std::isfinite(number)) most = std::max(most, std::abs(number));
  int decimals = 0;
  for (; most < 1000; most *= 10) ++decimals;
  return decimals;
}

int token_of(const Task& task, const std::string& text, const char* option) {
  const std::vector<int> tokens = task.parse(text);
  if (tokens.size() != 1)
    throw UsageError("{} {}: expected one token, got {}", option, text, tokens.size());
  return tokens[0];
}

}  // namespace tapehead

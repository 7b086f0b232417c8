#include "answer.hpp"
#include "../../core/ops.hpp"
#include "../../train/step/not_finite.hpp"
#include "illustration.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tapehead {
namespace {

/// Returns answers to prompts of one length.
std::vector<std::vector<int>> answers_at_once(const TaskModel& model, const Task& task,
                                              const std::vector<std::vector<int>>& questions,
                                              Index longest) {
  const auto decoding = model.decode(questions);
  if (!decoding) throw ValueError("--arch {} generates no tokens", model.arch);
  std::vector<std::vector<int>> answers(questions.size());
  std::vector<bool> ended(questions.size(), false);
  std::vector<int> last;
  for (Index position = 0; position < longest; ++position) {
    const Tensor logits = next_logits(*decoding, last, static_cast<Index>(questions.size()));
    if (!logits) break;
    if (!is_finite(logits))
      throw Error("sample: the model's output isn't finite; the training diverged");
    last = most_likely_tokens(logits);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!ended[i]) answers[i].push_back(last[i]);
      if (last[i] == task.end_token()) ended[i] = true;
    }
    if (!contains(ended, false)) break;
  }
  return answers;
}

/// Returns for each example whether the model predicts every target token.
std::vector<bool> are_right(const TaskModel& model, const std::vector<Example>& examples) {
  const Batch batch = model.batch(examples);
  Pass pass = model.evaluation;
  const Tensor logits = logits_of(*model.module, batch, pass);  // (examples, [time,] vocabulary)
  const auto* targets = batch.targets.data<std::int32_t>();     // (examples, [time])
  const Index all = batch.targets.size(), each = all / batch.targets.dim(0);
  const std::vector<int> predicted =
      most_likely_tokens(reshape(logits, {all, logits.dim(logits.rank() - 1)}));
  std::vector<bool> right(examples.size(), true);
  for (Index i = 0; i < all; ++i)
    if (targets[i] >= 0 && targets[i] != predicted[i]) right[i / each] = false;
  return right;
}

/// Returns the first wrongly answered validation example from number `first` on. Teacher forcing
/// suffices: the first wrong token is the same as in generation.
std::optional<Example> find_wrong(const TaskModel& model, const Task& task, Index first) {
  const Index at_once = evaluation_batch_size(task);
  // Searches few enough examples to be fast.
  const Index all = std::min(held_out_size(task), 4 * at_once);
  for (Index begin = 0; begin < all; begin += at_once) {
    std::vector<Example> examples;
    for (Index i = begin; i < std::min(begin + at_once, all); ++i)
      examples.push_back(held_out_example(task, (first + i) % held_out_size(task)));
    const std::vector<bool> right = are_right(model, examples);
    const std::size_t wrong = std::find(right.begin(), right.end(), false) - right.begin();
    if (wrong < right.size()) return examples[wrong];
  }
  return {};
}

int room_beside_label(const Terminal& terminal) { return terminal.width - 8; }

std::string repeated(char c, int count) { return std::string(count, c); }

}  // namespace

std::vector<int> question_of(const Example& example) {
  return {example.tokens.begin(), example.tokens.begin() + std::max<Index>(example.question, 1)};
}
std::vector<int> answer_of(const Example& example) {
  return {example.tokens.begin() + std::max<Index>(example.question, 1), example.tokens.end()};
}

std::vector<std::vector<int>> answers(const TaskModel& model, const Task& task,
                                      const std::vector<Example>& examples) {
  std::map<std::size_t, std::vector<std::size_t>> by_length;  // example numbers by prompt length
  for (std::size_t i = 0; i < examples.size(); ++i)
    by_length[question_of(examples[i]).size()].push_back(i);
  std::vector<std::vector<int>> all(examples.size());
  for (const auto& [length, numbers] : by_length) {
    std::vector<std::vector<int>> questions;
    Index longest = 0;
    for (std::size_t i : numbers) {
      questions.push_back(question_of(examples[i]));
      longest = std::max(longest, answer_limit(task, examples[i]));
    }
    std::vector<std::vector<int>> some = answers_at_once(model, task, questions, longest);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      // Without an end token, an answer is as long as the target.
      const std::size_t most = answer_of(examples[numbers[i]]).size();
      if (task.end_token() < 0 && some[i].size() > most) some[i].resize(most);
      all[numbers[i]] = std::move(some[i]);
    }
  }
  return all;
}

Index answer_limit(const Task& task, const Example& example) {
  return task.end_token() < 0 ? static_cast<Index>(example.tokens.size()) - example.question
                              : task.longest_answer();
}

SampleOptions greedy() {
  SampleOptions options;
  options.temperature = 0;
  return options;
}

std::string show_question(const Task& task, const std::vector<int>& question,
                          const Terminal& terminal) {
  if (const auto* drawn = task.illustration()) return drawn->question(question, terminal);
  return fmt::format("  in   {}\n",
                     shorten(visible(task.show(question)), room_beside_label(terminal)));
}

std::string show_marked(const Task& task, const std::vector<int>& predicted,
                        const std::vector<int>& right, const Terminal& terminal) {
  // The task may show separators between tokens.
  const std::string whole = visible(task.show(predicted));
  std::string answer, marks;
  std::size_t at = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const std::string token = visible(task.show({predicted[i]}));
    const std::string gap = whole.substr(at, std::min(whole.find(token, at), whole.size()) - at);
    const bool is_right = i < right.size() && predicted[i] == right[i];
    answer += gap + (is_right ? token : paint(terminal, Style::bad, token));
    marks += repeated(' ', display_width(gap));
    marks += repeated(is_right ? ' ' : '^', display_width(token));
    at += gap.size() + token.size();
  }
  const int room = room_beside_label(terminal);
  const bool all_right = predicted == right;
  const std::string text =
      fmt::format("  out  {}   {}\n", shorten(answer, room - 4),
                  paint(terminal, all_right ? Style::good : Style::bad, all_right ? "✓" : "✗"));
  if (all_right || terminal.colour) return text;
  return text + fmt::format("       {}\n", shorten(marks.erase(marks.find_last_of('^') + 1), room));
}

std::string show_answers(const TaskModel& model, const Task& task,
                         const std::vector<Example>& examples, const Terminal& terminal) {
  const std::vector<std::vector<int>> predicted = answers(model, task, examples);
  if (const auto* drawn = task.illustration()) return drawn->gallery(examples, predicted, terminal);
  std::string text;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    text += show_question(task, question_of(examples[i]), terminal);
    text += show_marked(task, predicted[i], answer_of(examples[i]), terminal);
  }
  return text;
}

std::vector<Example> informative_examples(const TaskModel& model, const Task& task, Index first,
                                          std::size_t count, bool all_right) {
  std::vector<Example> examples;
  const auto add = [&](Example next) {
    const bool known = any_of(examples, [&](const Example& e) { return e.tokens == next.tokens; });
    if (!known && examples.size() < count) examples.push_back(std::move(next));
  };
  if (!all_right && count > 0)
    if (auto wrong = find_wrong(model, task, first)) add(std::move(*wrong));
  for (Index i = 0; i < held_out_size(task) && examples.size() < count; ++i)
    add(held_out_example(task, (first + i) % held_out_size(task)));
  return examples;
}

Mistakes find_mistakes(const TaskModel& model, const Task& task, Index most) {
  constexpr Index most_examined = 1000;
  constexpr Index at_once = 50;
  const Index all = std::min(most_examined, held_out_size(task));
  Mistakes found;
  const auto enough = [&] { return static_cast<Index>(found.wrong.size()) >= most; };
  while (found.examined < all && !enough()) {
    const std::vector<Example> examples =
        held_out_examples(task, found.examined, std::min(found.examined + at_once, all));
    const std::vector<std::vector<int>> predicted = answers(model, task, examples);
    for (std::size_t i = 0; i < examples.size() && !enough(); ++i, ++found.examined)
      if (std::vector<int> answer = answer_of(examples[i]); predicted[i] != answer)
        found.wrong.push_back(
            {found.examined, question_of(examples[i]), predicted[i], std::move(answer)});
  }
  return found;
}

std::string token_name(const Task& task, int token) { return label(task.show({token})); }

bool fills_in(const TaskModel& model, const Task& task) {
  return dynamic_cast<const EncoderModel*>(&model) && !task.has_answers() &&
         !model.options.pooled && held_out_size(task) > 0;
}

Filled fill_in(const TaskModel& model, const Example& example) {
  const Batch batch = model.batch({example});  // (1, time)
  Pass pass = model.evaluation;
  const Tensor logits = logits_of(*model.module, batch, pass);  // (1, time, vocabulary)
  const std::vector<int> best = most_likely_tokens(reshape(logits, {-1, logits.dim(2)}));
  const auto* targets = batch.targets.data<std::int32_t>();
  Filled result{question_of(example), question_of(example)};
  for (std::size_t i = 0; i < result.right.size(); ++i)
    if (targets[i] >= 0) result.predicted[i] = best[i], result.right[i] = targets[i];
  return result;
}

}  // namespace tapehead

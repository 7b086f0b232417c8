#include "answer.hpp"
#include "../../core/ops.hpp"
#include "../report/mistakes.hpp"

#include <algorithm>
#include <optional>

namespace tapehead {
namespace {

std::string columns(char c, const std::string& text) {
  return std::string(static_cast<std::size_t>(display_width(text)), c);
}

/// Whether the likeliest symbol is the right one wherever something is asked, of each example.
std::vector<bool> are_right(const TaskModel& model, const std::vector<Example>& examples) {
  const Batch batch = model.batch(examples);
  Pass pass = Pass::evaluation();
  const Tensor logits = (*model.module)(batch.inputs, pass);  // (examples, [time,] symbols)
  const auto* wanted = batch.targets.data<std::int32_t>();    // (examples, [time])
  const Index all = batch.targets.size(), each = all / batch.targets.dim(0);
  const std::vector<int> said = likeliest(reshape(logits, {all, logits.dim(logits.rank() - 1)}));
  std::vector<bool> right(examples.size(), true);
  for (Index i = 0; i < all; ++i)
    if (wanted[i] >= 0 && wanted[i] != said[static_cast<std::size_t>(i)])
      right[static_cast<std::size_t>(i / each)] = false;
  return right;
}

/// The first of some held-out examples, from number `first` on, that the model gets wrong.
/// Nothing is generated: an answer that goes wrong does so when told the right symbols, too.
std::optional<Example> find_wrong(const TaskModel& model, const Task& task, Index first) {
  const Index at_once = evaluated_at_once(task);
  const Index all = std::min(task.held_out_size(), 4 * at_once);  // not to be felt
  for (Index begin = 0; begin < all; begin += at_once) {
    std::vector<Example> examples;
    for (Index i = begin; i < std::min(begin + at_once, all); ++i)
      examples.push_back(task.held_out_example((first + i) % task.held_out_size()));
    const std::vector<bool> right = are_right(model, examples);
    const auto wrong = std::find(right.begin(), right.end(), false) - right.begin();
    if (wrong < static_cast<std::ptrdiff_t>(right.size()))
      return examples[static_cast<std::size_t>(wrong)];
  }
  return {};
}

int room_beside_label(const Terminal& terminal) { return terminal.width - 8; }

}  // namespace

SampleOptions greedy() {
  SampleOptions options;
  options.temperature = 0;
  return options;
}

Index answer_limit(const Task& task, const Example& example) {
  return task.end_symbol() < 0 ? static_cast<Index>(example.tokens.size()) - example.question
                               : task.longest_answer();
}

std::string show_question(const Task& task, const std::vector<int>& question,
                          const Terminal& terminal) {
  return fmt::format("  in   {}\n",
                     shorten(visible(task.show(question)), room_beside_label(terminal)));
}

std::string show_marked(const Task& task, const std::vector<int>& said,
                        const std::vector<int>& wanted, const Terminal& terminal) {
  // Symbols may have something between them, as the answer as a whole shows.
  const std::string whole = visible(task.show(said));
  std::string answer, marks;
  std::size_t at = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const std::string symbol = visible(task.show({said[i]}));
    const std::string gap = whole.substr(at, std::min(whole.find(symbol, at), whole.size()) - at);
    const bool right = i < wanted.size() && said[i] == wanted[i];
    answer += gap + (right ? symbol : paint(terminal, Style::bad, symbol));
    marks += columns(' ', gap) + columns(right ? ' ' : '^', symbol);
    at += gap.size() + symbol.size();
  }
  const int room = room_beside_label(terminal);
  const bool right = said == wanted;
  const std::string text =
      fmt::format("  out  {}   {}\n", shorten(answer, room - 4),
                  paint(terminal, right ? Style::good : Style::bad, right ? "✓" : "✗"));
  if (right || terminal.colour) return text;
  return text + fmt::format("       {}\n", shorten(marks.erase(marks.find_last_of('^') + 1), room));
}

std::string show_answers(const TaskModel& model, const Task& task,
                         const std::vector<Example>& examples, const Terminal& terminal) {
  const std::vector<std::vector<int>> said = answers(model, task, examples);
  std::string text;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const std::vector<int>& tokens = examples[i].tokens;
    const auto split = tokens.begin() + std::max<Index>(examples[i].question, 1);
    text += show_question(task, {tokens.begin(), split}, terminal);
    text += show_marked(task, said[i], {split, tokens.end()}, terminal);
  }
  return text;
}

std::vector<Example> telling_examples(const TaskModel& model, const Task& task, Index first,
                                      std::size_t count, bool all_right) {
  std::vector<Example> examples;
  const auto add = [&](Example next) {
    const bool known = std::any_of(examples.begin(), examples.end(),
                                   [&](const Example& e) { return e.tokens == next.tokens; });
    if (!known && examples.size() < count) examples.push_back(std::move(next));
  };
  if (!all_right && count > 0)
    if (auto wrong = find_wrong(model, task, first)) add(std::move(*wrong));
  for (Index i = 0; i < task.held_out_size() && examples.size() < count; ++i)
    add(task.held_out_example((first + i) % task.held_out_size()));
  return examples;
}

std::string symbol_name(const Task& task, int token) {
  const std::string name = task.show({token});
  return name == " " ? "␣" : visible(name);
}

}  // namespace tapehead

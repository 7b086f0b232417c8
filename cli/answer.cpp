#include <tapehead/cli/answer.hpp>

#include <algorithm>

namespace tapehead {
namespace {

std::string columns(char c, const std::string& text) {
  return std::string(static_cast<std::size_t>(display_width(text)), c);
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

std::string show_answer(const TaskModel& model, const Task& task, const Example& example,
                        SampleOptions options, const Terminal& terminal) {
  const auto split = example.tokens.begin() + example.question;
  const std::vector<int> question(example.tokens.begin(), split);
  options.end = task.end_symbol();
  options.tokens = answer_limit(task, example);
  const std::vector<int> all = generate(model, question, options);
  return show_question(task, question, terminal) +
         show_marked(task, {all.begin() + example.question, all.end()},
                     {split, example.tokens.end()}, terminal);
}

std::string symbol_name(const Task& task, int token) {
  const std::string name = task.show({token});
  return name == " " ? "␣" : visible(name);
}

}  // namespace tapehead

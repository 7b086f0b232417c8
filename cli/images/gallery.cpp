#include "gallery.hpp"
#include "../terminal/answer.hpp"

#include <algorithm>

namespace tapehead {

std::string question_picture(const ImageShape& image, const std::vector<int>& question,
                             const Terminal& terminal) {
  const std::string picture = drawn(picture_of(image, question), terminal);
  return side_by_side({"  in", picture}, terminal.width);
}

std::string gallery(const Task& task, const std::vector<Example>& examples,
                    const std::vector<std::vector<int>>& predicted, const Terminal& terminal) {
  std::vector<std::string> pictures;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const std::vector<int> right = answer_of(examples[i]);
    const bool good = predicted[i] == right;
    const std::string sign = paint(terminal, good ? Style::good : Style::bad, good ? "✓" : "✗");
    pictures.push_back(drawn(picture_of(*task.image(), examples[i].tokens), terminal) +
                       fmt::format("{} {}\n", visible(task.show(predicted[i])), sign) +
                       (good ? "" : fmt::format("not {}\n", visible(task.show(right)))));
  }
  return side_by_side(pictures, terminal.width);
}

std::string mistakes_gallery(const TaskModel& model, const Task& task, const Terminal& terminal) {
  constexpr Index most = 8;
  std::vector<Example> examples;
  std::vector<std::vector<int>> predicted;
  for (const Mistakes::Mistake& mistake : find_mistakes(model, task, most).wrong) {
    examples.push_back(task.held_out_example(mistake.number));
    predicted.push_back(mistake.predicted);
  }
  return examples.empty() ? ""
                          : "\nthe first mistakes\n" + gallery(task, examples, predicted, terminal);
}

std::vector<Index> examples_shown(const TaskModel& model, const Task& task, Index count) {
  std::vector<Index> numbers;
  if (task.image())
    for (const Mistakes::Mistake& mistake : find_mistakes(model, task, count).wrong)
      numbers.push_back(mistake.number);
  const std::vector<Index> wrong = numbers;
  for (Index i = 0; i < task.held_out_size() && static_cast<Index>(numbers.size()) < count; ++i)
    if (std::find(wrong.begin(), wrong.end(), i) == wrong.end()) numbers.push_back(i);
  return numbers;
}

}  // namespace tapehead

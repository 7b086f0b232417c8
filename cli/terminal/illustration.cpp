#include "illustration.hpp"
#include "answer.hpp"

namespace tapehead {

std::string mistakes_gallery(const TaskModel& model, const Task& task, const Terminal& terminal) {
  constexpr Index most = 8;
  std::vector<Example> examples;
  std::vector<std::vector<int>> predicted;
  for (const Mistakes::Mistake& mistake : find_mistakes(model, task, most).wrong) {
    examples.push_back(held_out_example(task, mistake.number));
    predicted.push_back(mistake.predicted);
  }
  if (examples.empty()) return "";
  return "\nfirst mistakes\n" + task.illustration()->gallery(examples, predicted, terminal);
}

std::vector<Index> examples_shown(const TaskModel& model, const Task& task, Index count) {
  std::vector<Index> numbers;
  if (task.illustration())
    for (const Mistakes::Mistake& mistake : find_mistakes(model, task, count).wrong)
      numbers.push_back(mistake.number);
  const std::vector<Index> wrong = numbers;
  for (Index i = 0; i < held_out_size(task) && static_cast<Index>(numbers.size()) < count; ++i)
    if (!contains(wrong, i)) numbers.push_back(i);
  return numbers;
}

Json overlay_json(const TaskModel& model, const Task& task, const Example& example) {
  const Illustration* const drawn = task.illustration();
  return drawn ? drawn->overlay_json(model, example) : nullptr;
}

}  // namespace tapehead

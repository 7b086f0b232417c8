#include "../../../cli/terminal/answer.hpp"
#include "../../../cli/terminal/illustration.hpp"
#include "../../../core/ops.hpp"
#include "page.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr Index most_wrong = 20;

std::vector<std::string> names_of(const Task& task, const std::vector<int>& tokens) {
  std::vector<std::string> names;
  for (int token : tokens) names.push_back(token_name(task, token));
  return names;
}

Json sample_json(const TaskModel& model, const Task& task, Index number) {
  const Example example = held_out_example(task, number);
  const Batch batch = model.batch({example});
  Pass pass = Pass::evaluation();
  const Tensor logits = logits_of(*model.module, batch, pass);  // (1, time, vocabulary)
  const Index vocabulary = logits.dim(logits.rank() - 1);
  const std::vector<double> scores = log_softmax(logits).values();
  const Index targets = static_cast<Index>(scores.size()) / vocabulary;
  const Index given = static_cast<Index>(example.tokens.size()) - targets;
  Json loss = Json::array(), likelier = Json::array();
  Json tokens = Json::array();  // tokens aren't escaped: a space stays a space
  for (int token : example.tokens) tokens.push_back(visible(task.show({token})));
  for (Index i = 0; i < targets; ++i) {
    const auto row = scores.begin() + i * vocabulary;
    const int right = example.tokens[given + i];
    const auto likeliest = static_cast<int>(std::max_element(row, row + vocabulary) - row);
    loss.push_back(static_cast<float>(-row[right]));
    likelier.push_back(likeliest == right ? Json() : Json(token_name(task, likeliest)));
  }
  return {{"number", number},
          {"given", given},
          {"tokens", tokens},
          {"loss", loss},
          {"likelier", likelier}};
}

}  // namespace

Json mistakes_json(const TaskModel& model, const Task& task) {
  const Mistakes found = find_mistakes(model, task, most_wrong);
  Json wrong = Json::array();
  for (const auto& [number, question, predicted, right] : found.wrong) {
    wrong.push_back({{"number", number},
                     {"predicted", names_of(task, predicted)},
                     {"right", names_of(task, right)}});
    if (const auto* drawn = task.illustration())
      wrong.back()["image"] = drawn->question_json(question);
    else
      wrong.back()["question"] = names_of(task, question);
  }
  return {{"examined", found.examined},
          {"right", found.examined - static_cast<Index>(found.wrong.size())},
          {"of", held_out_size(task)},
          {"wrong", std::move(wrong)}};
}

Json samples_json(const TaskModel& model, const Task& task) {
  const Index all = held_out_size(task);
  const Index count = std::min(all, std::clamp<Index>(400 / task.context(), 3, 12));
  Json samples = Json::array();
  for (Index i = 0; i < count; ++i) samples.push_back(sample_json(model, task, i * all / count));
  return samples;
}

}  // namespace tapehead

#include "mistakes.hpp"
#include "../../core/ops.hpp"
#include "../attention/map.hpp"
#include "../terminal/answer.hpp"

#include <algorithm>
#include <map>

namespace tapehead {
namespace {

constexpr std::size_t most_wrong = 20, at_once = 50;
constexpr Index most_examined = 1000;

/// Answers to questions of one length.
std::vector<std::vector<int>> answers_at_once(const TaskModel& model, const Task& task,
                                              const std::vector<std::vector<int>>& questions,
                                              Index longest) {
  const auto decoding = model.decode(questions);
  std::vector<std::vector<int>> said(questions.size());
  std::vector<bool> ended(questions.size(), false);
  std::vector<int> last;
  for (Index place = 0; place < longest; ++place) {
    const Tensor logits = decoding->next(last);
    if (!logits) break;
    last = likeliest(logits);
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (!ended[i]) said[i].push_back(last[i]);
      if (last[i] == task.end_symbol()) ended[i] = true;
    }
    if (std::count(ended.begin(), ended.end(), false) == 0) break;
  }
  return said;
}

std::vector<int> question_of(const Example& example) {
  return {example.tokens.begin(), example.tokens.begin() + std::max<Index>(example.question, 1)};
}
std::vector<int> answer_of(const Example& example) {
  return {example.tokens.begin() + std::max<Index>(example.question, 1), example.tokens.end()};
}

/// Each symbol by itself.
std::vector<std::string> symbols(const Task& task, const std::vector<int>& tokens) {
  std::vector<std::string> shown;
  for (int token : tokens) shown.push_back(label(task.show({token})));
  return shown;
}

ReportJson sample_json(const TaskModel& model, const Task& task, Index number) {
  const Example example = task.held_out_example(number);
  const Batch batch = model.batch({example});
  Pass pass = Pass::evaluation();
  const Tensor logits = (*model.module)(batch.inputs, pass);  // (1, time, symbols)
  const Index count = logits.dim(logits.rank() - 1);
  const std::vector<double> scores = log_softmax(logits).values();
  const Index targets = static_cast<Index>(scores.size()) / count;
  const Index given = static_cast<Index>(example.tokens.size()) - targets;
  ReportJson loss = ReportJson::array(), said = ReportJson::array();
  ReportJson read = ReportJson::array();  // as it stands in the text: a space is one
  for (int token : example.tokens) read.push_back(visible(task.show({token})));
  for (Index i = 0; i < targets; ++i) {
    const auto row = scores.begin() + i * count;
    const int right = example.tokens[static_cast<std::size_t>(given + i)];
    const auto likely = static_cast<int>(std::max_element(row, row + count) - row);
    loss.push_back(static_cast<float>(-row[right]));
    said.push_back(likely == right ? ReportJson() : ReportJson(symbol_name(task, likely)));
  }
  return {{"number", number}, {"given", given}, {"symbols", read}, {"loss", loss}, {"said", said}};
}

}  // namespace

std::vector<std::vector<int>> answers(const TaskModel& model, const Task& task,
                                      const std::vector<Example>& examples) {
  std::map<Index, std::vector<std::size_t>> by_length;
  for (std::size_t i = 0; i < examples.size(); ++i)
    by_length[std::max<Index>(examples[i].question, 1)].push_back(i);
  std::vector<std::vector<int>> all(examples.size());
  for (const auto& [length, places] : by_length) {
    std::vector<std::vector<int>> questions;
    Index longest = 0;
    for (std::size_t place : places) {
      questions.push_back(question_of(examples[place]));
      longest = std::max(longest, answer_limit(task, examples[place]));
    }
    std::vector<std::vector<int>> said = answers_at_once(model, task, questions, longest);
    for (std::size_t i = 0; i < places.size(); ++i) {
      // Without a symbol that ends it, an answer is as long as the right one.
      const std::size_t most = answer_of(examples[places[i]]).size();
      if (task.end_symbol() < 0 && said[i].size() > most) said[i].resize(most);
      all[places[i]] = std::move(said[i]);
    }
  }
  return all;
}

ReportJson mistakes_json(const TaskModel& model, const Task& task) {
  const Index all = std::min(most_examined, task.held_out_size());
  ReportJson wrong = ReportJson::array();
  Index examined = 0, right = 0;
  while (examined < all && wrong.size() < most_wrong) {
    std::vector<Example> examples;
    for (Index i = examined; i < all && examples.size() < at_once; ++i)
      examples.push_back(task.held_out_example(i));
    const std::vector<std::vector<int>> said = answers(model, task, examples);
    for (std::size_t i = 0; i < examples.size() && wrong.size() < most_wrong; ++i, ++examined) {
      const std::vector<int> wanted = answer_of(examples[i]);
      if (said[i] == wanted)
        ++right;
      else
        wrong.push_back({{"number", examined},
                         {"question", symbols(task, question_of(examples[i]))},
                         {"said", symbols(task, said[i])},
                         {"wanted", symbols(task, wanted)}});
    }
  }
  return {{"examined", examined},
          {"right", right},
          {"of", task.held_out_size()},
          {"wrong", std::move(wrong)}};
}

ReportJson samples_json(const TaskModel& model, const Task& task) {
  const Index all = task.held_out_size();
  const Index count = std::min(all, std::clamp<Index>(400 / task.context(), 3, 12));
  ReportJson samples = ReportJson::array();
  for (Index i = 0; i < count; ++i) samples.push_back(sample_json(model, task, i * all / count));
  return samples;
}

}  // namespace tapehead

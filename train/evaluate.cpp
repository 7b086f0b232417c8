#include <tapehead/core/parallel.hpp>
#include <tapehead/train/trainer.hpp>

#include <algorithm>
#include <map>

namespace tapehead {
namespace {

/// The likeliest symbol of each row of logits, (rows, symbols).
std::vector<int> likeliest(const Tensor& logits) {
  const Index symbols = logits.dim(1);
  std::vector<int> tokens;
  dispatch_float("evaluate", logits.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index row = 0; row < logits.dim(0); ++row) {
      const T* scores = logits.data<T>() + row * symbols;
      tokens.push_back(static_cast<int>(std::max_element(scores, scores + symbols) - scores));
    }
  });
  return tokens;
}

/// How many of the examples, of whose tokens the first `given` are given, the model answers rightly
/// throughout, taking the likeliest symbol each time. It is told the right symbol, which is what it
/// said itself; of one that went wrong, nothing that follows counts. So it never sees more than
/// what it would have said.
Index count_right(const TaskModel& model, const std::vector<Example>& examples, std::size_t given) {
  std::vector<std::vector<int>> questions;
  for (const Example& e : examples)
    questions.emplace_back(e.tokens.begin(), e.tokens.begin() + static_cast<Index>(given));
  const auto decoding = model.decode(questions);
  std::vector<bool> right(examples.size(), true);
  std::vector<int> told;
  for (std::size_t place = given;; ++place) {
    bool asked = false;
    for (std::size_t i = 0; i < examples.size(); ++i)
      asked |= right[i] && place < examples[i].tokens.size();
    if (!asked) break;
    const Tensor logits = decoding->next(told);
    const std::vector<int> said = logits ? likeliest(logits) : std::vector<int>();
    told.assign(examples.size(), 0);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (place >= examples[i].tokens.size()) continue;
      told[i] = examples[i].tokens[place];
      right[i] = right[i] && logits && said[i] == told[i];
    }
  }
  return std::count(right.begin(), right.end(), true);
}

/// The same for questions of any lengths. Those of one length are answered at once.
Index count_right(const TaskModel& model, const std::vector<Example>& examples) {
  std::map<std::size_t, std::vector<Example>> by_length;
  for (const Example& e : examples)
    by_length[static_cast<std::size_t>(std::max<Index>(e.question, 1))].push_back(e);
  Index right = 0;
  for (const auto& [given, some] : by_length) right += count_right(model, some, given);
  return right;
}

struct Part {
  double loss = 0;  // summed
  Index targets = 0, right = 0;
};

Part evaluate_part(const TaskModel& model, const std::vector<Example>& examples, bool decoding) {
  const Batch batch = model.batch(examples);
  const auto* targets = batch.targets.data<std::int32_t>();
  CrossEntropyOptions summed;
  summed.reduction = Reduction::sum;
  Pass pass = Pass::evaluation();
  Part part;
  part.loss = cross_entropy((*model.module)(batch.inputs, pass), batch.targets, summed).item();
  part.targets = batch.targets.size() - std::count(targets, targets + batch.targets.size(), -1);
  if (decoding) part.right = count_right(model, examples);
  return part;
}

}  // namespace

Evaluation evaluate(const TaskModel& model, const Task& task, Index examples, bool decoding) {
  const Index total = std::min(examples, task.held_out_size());
  if (total < 1) throw ValueError("evaluate: {} examples, and at least 1 is needed", total);
  // Fixed parts, added in their order: the threads don't show in the result.
  const Index rows = std::clamp<Index>(4096 / task.context(), 1, 64);
  std::vector<Part> parts(static_cast<std::size_t>((total + rows - 1) / rows));
  parallel_for(static_cast<Index>(parts.size()), [&](Index i) {
    const Pause pause;
    std::vector<Example> some;
    for (Index number = i * rows; number < std::min((i + 1) * rows, total); ++number)
      some.push_back(task.held_out_example(number));
    parts[static_cast<std::size_t>(i)] = evaluate_part(model, some, decoding && task.has_answers());
  });
  Part sum;
  for (const Part& part : parts) {
    sum.loss += part.loss;
    sum.targets += part.targets;
    sum.right += part.right;
  }
  Evaluation result;
  result.loss = sum.loss / static_cast<double>(sum.targets);
  result.exact_match = static_cast<double>(sum.right) / static_cast<double>(total);
  result.examples = total;
  return result;
}

}  // namespace tapehead

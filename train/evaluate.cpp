#include "evaluate.hpp"
#include "../core/runtime/parallel.hpp"

#include <algorithm>
#include <mutex>

namespace tapehead {
namespace {

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
  std::vector<Evaluation::Place> places;
  std::map<std::pair<int, int>, Index> heard;
};

/// Counts what the logits, (examples, time, symbols), or pooled (examples, symbols), find likeliest
/// where something is asked. The targets of an example are its answer from the first place on.
void count_places(const Tensor& logits, const Tensor& targets, Part& part) {
  const Index symbols = logits.dim(logits.rank() - 1), time = targets.size() / targets.dim(0);
  const std::vector<int> said = likeliest(reshape(logits, Shape{targets.size(), symbols}));
  const auto* right = targets.data<std::int32_t>();
  for (Index first = 0; first < targets.size(); first += time) {
    std::size_t place = 0;
    for (Index i = first; i < first + time; ++i) {
      if (right[i] < 0) continue;
      const int heard = said[static_cast<std::size_t>(i)];
      part.places.resize(std::max(part.places.size(), place + 1));
      ++part.places[place].asked;
      part.places[place++].right += heard == right[i];
      ++part.heard[{right[i], heard}];
      ++part.targets;
    }
  }
}

Part evaluate_part(const TaskModel& model, const std::vector<Example>& examples, bool decoding) {
  const Batch batch = model.batch(examples);
  CrossEntropyOptions summed;
  summed.reduction = Reduction::sum;
  Pass pass = Pass::evaluation();
  const Tensor logits = (*model.module)(batch.inputs, pass);
  Part part;
  part.loss = cross_entropy(logits, batch.targets, summed).item();
  count_places(logits, batch.targets, part);
  if (decoding) part.right = count_right(model, examples);
  return part;
}

void add(Part& sum, const Part& part) {
  sum.loss += part.loss;
  sum.targets += part.targets;
  sum.right += part.right;
  sum.places.resize(std::max(sum.places.size(), part.places.size()));
  for (std::size_t place = 0; place < part.places.size(); ++place) {
    sum.places[place].asked += part.places[place].asked;
    sum.places[place].right += part.places[place].right;
  }
  for (const auto& [pair, times] : part.heard) sum.heard[pair] += times;
}

}  // namespace

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

Index evaluated_at_once(const Task& task) {
  constexpr Index tokens = 512;  // whose activations stay in a second-level cache: a quarter faster
  return std::clamp<Index>(tokens / task.context(), 1, 64);
}

Evaluation::Place Evaluation::all_places() const {
  Place all;
  for (const Place& place : places) all.asked += place.asked, all.right += place.right;
  return all;
}

Evaluation evaluate(const TaskModel& model, const Task& task, Index examples, bool decode,
                    const std::function<void(double share)>& told) {
  const Index total = std::min(examples, task.held_out_size());
  if (total < 1) throw ValueError("evaluate: {} examples, and at least 1 is needed", total);
  // Fixed parts, added in their order: the threads don't show in the result.
  const Index rows = evaluated_at_once(task);
  std::vector<Part> parts(static_cast<std::size_t>((total + rows - 1) / rows));
  std::mutex telling;
  std::size_t done = 0;
  parallel_for(static_cast<Index>(parts.size()), [&](Index i) {
    const Pause pause;
    std::vector<Example> some;
    for (Index number = i * rows; number < std::min((i + 1) * rows, total); ++number)
      some.push_back(task.held_out_example(number));
    parts[static_cast<std::size_t>(i)] = evaluate_part(model, some, decode && task.has_answers());
    if (!told) return;
    const std::lock_guard<std::mutex> one(telling);
    told(static_cast<double>(++done) / static_cast<double>(parts.size()));
  });
  Part sum;
  for (const Part& part : parts) add(sum, part);
  Evaluation result;
  result.loss = sum.loss / static_cast<double>(sum.targets);
  result.exact_match = static_cast<double>(sum.right) / static_cast<double>(total);
  result.examples = total;
  result.places = std::move(sum.places);
  result.heard = std::move(sum.heard);
  return result;
}

}  // namespace tapehead

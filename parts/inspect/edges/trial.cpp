#include "trial.hpp"
#include "../../../core/ops.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../core/shuffle.hpp"
#include "../../../train/evaluate.hpp"
#include "../lanczos.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tapehead {
namespace {

/// Returns a random cyclic order of the numbers 0 to n - 1: each number's successor.
std::vector<Index> successors(Index n) {
  std::vector<Index> order(n), next(n);
  for (Index i = 0; i < n; ++i) order[i] = i;
  Random random({1, Draw::sample});
  shuffle(order, random);
  for (Index i = 0; i < n; ++i) next[order[i]] = order[(i + 1) % n];
  return next;
}

/// Returns an i32 tensor of these numbers.
Tensor ids(const std::vector<double>& numbers, const Shape& shape) {
  return tensor(numbers, shape, DType::i32);
}

/// Returns each node's mean output over all examples at each position, (1, time, width).
std::vector<Tensor> mean_outputs(const std::vector<std::vector<Tensor>>& outputs) {
  Index longest = 0;
  for (const auto& batch : outputs) longest = std::max(longest, batch[0].dim(1));
  const auto to_longest = [&](const Tensor& x) { return pad(x, 1, 0, longest - x.dim(1)); };
  Tensor counts = zeros({1, longest, 1}, outputs[0][0].dtype());
  for (const auto& batch : outputs)
    counts = counts + to_longest(full({1, batch[0].dim(1), 1}, batch[0].dim(0), counts.dtype()));
  std::vector<Tensor> means;
  for (std::size_t node = 0; node + 1 < outputs[0].size(); ++node) {
    Tensor total = to_longest(sum(outputs[0][node], {0}, true));
    for (std::size_t i = 1; i < outputs.size(); ++i)
      total = total + to_longest(sum(outputs[i][node], {0}, true));
    means.push_back(total / counts);
  }
  return means;
}

}  // namespace

std::vector<EdgeBatch> edge_batches(const TaskModel& model, const Task& task, Index count,
                                    ReplaceBy by) {
  std::map<std::pair<std::size_t, Index>, std::vector<Example>> by_length;
  for (Index i = 0; i < std::min(count, held_out_size(task)); ++i) {
    Example example = held_out_example(task, i);
    by_length[{example.tokens.size(), example.question}].push_back(std::move(example));
  }
  std::vector<EdgeBatch> batches;
  for (const auto& [length, examples] : by_length) {
    if (examples.size() < 2 && by == ReplaceBy::resample) continue;
    std::vector<Example> others;
    if (by == ReplaceBy::resample)
      for (Index next : successors(static_cast<Index>(examples.size())))
        others.push_back(examples[next]);
    batches.push_back({model.batch(examples), others.empty() ? Batch() : model.batch(others)});
  }
  if (batches.empty())
    throw UsageError(
        "no two of {} validation examples have the same length; use more --examples, or --by mean",
        count);
  return batches;
}

EdgeTrial::EdgeTrial(const TaskModel& model, std::vector<EdgeBatch> batches, ReplaceBy by,
                     EdgeMetric metric)
    : graph(model), metric_(metric) {
  const auto plain = [](std::size_t, const Tensor& stream, const std::vector<Tensor>&) {
    return stream;
  };
  const Pause pause;
  std::vector<std::vector<Tensor>> outputs;
  for (const EdgeBatch& batch : batches) outputs.push_back(edge_forward(graph, batch.own, plain));
  std::vector<Tensor> means;
  if (by == ReplaceBy::mean) means = mean_outputs(outputs);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    Prepared part;
    part.batch = std::move(batches[i].own);
    if (!find_targets(part, batches[i].other.targets)) continue;
    examples_ += part.batch.inputs.dim(0);
    targets_ += part.rows.size();
    part.whole = logits_at(part, outputs[i].back());
    const Index time = part.batch.inputs.dim(1);
    if (by == ReplaceBy::resample) part.replacements = edge_forward(graph, batches[i].other, plain);
    for (const Tensor& mean : means) part.replacements.push_back(slice(mean, 1, 0, time));
    if (by == ReplaceBy::zero)
      part.replacements.assign(graph.nodes.size() - 1, scalar(0, outputs[i][0].dtype()));
    parts_.push_back(std::move(part));
  }
  if (targets_ == 0)
    throw UsageError(
        "no example has a target that differs from its other example's; use more --examples or "
        "another --metric");
  whole_ = measure(std::vector<double>(graph.edges.size(), 0.0));
  none_ = measure(std::vector<double>(graph.edges.size(), 1.0));
}

/// Finds the positions of a batch that the metric counts. `other` has the targets of the other
/// examples; null: none. Returns whether there are any.
bool EdgeTrial::find_targets(Prepared& part, const Tensor& other) const {
  std::vector<double> rows, right, wrong;
  const Tensor& targets = part.batch.targets;
  for (Index i = 0; i < targets.size(); ++i) {
    const double of_other = other ? other(i) : -1;
    if (targets(i) < 0) continue;
    // Without a difference of targets, there is no difference of logits.
    if (metric_ == EdgeMetric::logit && other && (of_other < 0 || of_other == targets(i))) continue;
    rows.push_back(static_cast<double>(i));
    right.push_back(targets(i));
    wrong.push_back(of_other);
  }
  const auto count = static_cast<Index>(rows.size());
  if (count == 0) return false;
  part.rows = ids(rows, {count});
  part.right = ids(right, {count, 1});
  if (other) part.wrong = ids(wrong, {count, 1});
  return true;
}

/// Returns the logits at the targets, f64 (targets, vocabulary).
Tensor EdgeTrial::logits_at(const Prepared& part, const Tensor& logits) const {
  return gather_rows(cast(reshape(logits, {-1, logits.dim(-1)}), DType::f64), part.rows);
}

/// Returns the sum of the metric over the targets of a batch, ().
Tensor EdgeTrial::sum_of(const Prepared& part, const Tensor& logits) const {
  const Tensor x = logits_at(part, logits);
  switch (metric_) {
    case EdgeMetric::logit:
      return part.wrong ? sum(gather(x, part.right) - gather(x, part.wrong))
                        : sum(gather(x, part.right) - mean(x, {1}, true));
    case EdgeMetric::loss:
      return neg(sum(gather(log_softmax(x), part.right)));
    case EdgeMetric::kl:
      return sum(softmax(part.whole) * (log_softmax(part.whole) - log_softmax(x)));
    case EdgeMetric::square:
      break;
  }
  const Tensor difference = x - part.whole;
  return sum(difference * difference);
}

/// Returns what a reader reads for these weights of the edges.
Tensor EdgeTrial::input(const Prepared& part, const std::vector<double>& weights,
                        std::size_t reader, const Tensor& stream,
                        const std::vector<Tensor>& outputs) const {
  Tensor x = stream;
  for (std::size_t e = graph.first_edge[reader]; e < graph.first_edge[reader + 1]; ++e) {
    if (weights[e] == 0) continue;
    const std::size_t from = graph.edges[e].from;
    x = x + (part.replacements[from] - outputs[from]) * weights[e];
  }
  return x;
}

double EdgeTrial::measure(const std::vector<double>& weights) const {
  const Pause pause;
  double total = 0;
  for (const Prepared& part : parts_) {
    const std::vector<Tensor> outputs =
        edge_forward(graph, part.batch, [&](auto... all) { return input(part, weights, all...); });
    total += sum_of(part, outputs.back()).item();
  }
  return total / static_cast<double>(targets_);
}

/// Adds a batch's derivatives: the gradient at a reader times the change of what the edge carries.
void EdgeTrial::add_slopes(const Prepared& part, const std::vector<double>& weights,
                           std::vector<double>& slopes) const {
  Tape tape;
  std::vector<Tensor> zero(graph.readers.size());
  const std::vector<Tensor> outputs = edge_forward(
      graph, part.batch,
      [&](std::size_t reader, const Tensor& stream, const std::vector<Tensor>& before) {
        zero[reader] = zeros(stream.shape(), stream.dtype());
        tape.watch(zero[reader]);
        return input(part, weights, reader, stream, before) + zero[reader];
      });
  const Gradients gradients = tape.backward(sum_of(part, outputs.back()), {false, false, true});
  std::vector<Tensor> changes;
  for (std::size_t i = 0; i + 1 < graph.nodes.size(); ++i)
    changes.push_back(cast(part.replacements[i] - outputs[i], DType::f64));
  for (std::size_t reader = 0; reader < graph.readers.size(); ++reader) {
    const Tensor gradient = cast(gradients[zero[reader]], DType::f64);
    for (std::size_t e = graph.first_edge[reader]; e < graph.first_edge[reader + 1]; ++e)
      slopes[e] += dot(gradient, changes[graph.edges[e].from]) / static_cast<double>(targets_);
  }
}

std::vector<double> EdgeTrial::slopes(const std::vector<double>& weights) const {
  std::vector<double> all(graph.edges.size());
  for (const Prepared& part : parts_) add_slopes(part, weights, all);
  return all;
}

std::vector<Tensor> EdgeTrial::changes() const {
  const Pause pause;
  std::vector<Tensor> all(graph.nodes.size() - 1);
  for (const Prepared& part : parts_) {
    const std::vector<Tensor> outputs =
        edge_forward(graph, part.batch, [](auto, const Tensor& x, const auto&) { return x; });
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Tensor most = amax(cast(abs(part.replacements[i] - outputs[i]), DType::f64), {0, 1});
      all[i] = all[i] ? maximum(all[i], most) : most;
    }
  }
  return all;
}

}  // namespace tapehead

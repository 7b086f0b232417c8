// Chapter 4: attention.
#include "../../../core/ops.hpp"
#include "task.hpp"

#include <cmath>

namespace tapehead {
namespace {

/// A way to compute attention, which may be wrong.
struct Steps {
  bool causal = false;
  double factor = 1 / std::sqrt(8.0);
  int axis = -1;           ///< of the softmax
  bool mask_late = false;  ///< whether hidden weights are cleared after the softmax
  Index diagonal = 0;      ///< query i sees key i + diagonal
};

constexpr Index width = 8;

/// Computes attention for qkv (batch, time, 3 width) from other ops.
Tensor attend(const Tensor& qkv, const Steps& steps) {
  const auto part = [&](Index i) { return slice(qkv, 2, i * width, (i + 1) * width); };
  Tensor scores = matmul(part(0), transpose(part(1))) * steps.factor;
  const Tensor mask = tril_mask(qkv.dim(1), qkv.dim(1), steps.diagonal);
  const auto hidden = [&](const Tensor& x, double value) {
    return steps.causal ? where(mask, x, scalar(value)) : x;
  };
  if (steps.mask_late) return matmul(hidden(softmax(scores, steps.axis), 0), part(2));
  return matmul(softmax(hidden(scores, -infinity), steps.axis), part(2));
}

CourseTask attention_task(const char* name, bool causal) {
  AttentionOptions options;
  options.causal = causal;
  const Tensor qkv = drawn({2, 20, 3 * width}, 40);
  CourseTask task = differentiated(
      name, {{"qkv", qkv}}, [=](const Tensor& x) { return self_attention(x, 1, 1, options); });
  const auto mistake = [&](const std::string& note, Steps steps) {
    steps.causal = causal && steps.causal;
    return Candidate{note, results_of(task, [=](const Tensor& x) { return attend(x, steps); })};
  };
  const double root = std::sqrt(static_cast<double>(width));
  task.mistakes = {
      mistake("the factor 1 / sqrt(width) is missing", {true, 1}),
      mistake("divide the scores by sqrt(width), not by width", {true, 1 / (root * root)}),
      mistake("the softmax runs over the queries; each row of a query must sum to 1",
              {true, 1 / root, -2})};
  if (causal) {
    task.mistakes.push_back(
        mistake("the mask comes after the softmax: hide scores before it, with minus infinity",
                {true, 1 / root, -1, true}));
    task.mistakes.push_back(mistake("no key is hidden; query i sees only keys up to i", {false}));
    task.mistakes.push_back(mistake("query i may see key i, too", {true, 1 / root, -1, false, -1}));
  }
  const Tensor dqkv = find(task.expected, "dqkv");
  const auto columns = [&](Index from, Index end) {
    return slice(dqkv, 2, from * width, end * width);
  };
  task.mistakes.push_back({"the gradients of q and k lack the factor 1 / sqrt(width)",
                           {{"dqkv", concat({columns(0, 2) * root, columns(2, 3)}, 2)}}});
  task.mistakes.push_back(
      {"dk gets dscore instead of its transpose, or the gradients of q and k are "
       "swapped",
       {{"dqkv", concat({columns(1, 2), columns(0, 1), columns(2, 3)}, 2)}}});
  task.advice = "follow the last sentences of the comment above attention";
  return task;
}

CourseTask block_task() {
  const auto branch = [](const std::vector<Tensor>& x) {
    const Tensor qkv = linear(layer_norm(x[0], x[1], x[2]), x[3], x[4]);
    return linear(self_attention(qkv, 1, 1, {}), x[5], x[6]);
  };
  CourseTask task = differentiated("attention_block", block_inputs({2, 12, 8}, 24, 8),
                                   [=](const auto& x) { return x[0] + branch(x); });
  task.mistakes = residual_mistakes(task, branch);
  task.advice = "compose it of add, reshape, linear, attention and layer_norm";
  return task;
}

}  // namespace

std::vector<CourseTask> attention_tasks(const Registry&) {
  return {attention_task("attention", false), attention_task("causal", true), block_task()};
}

}  // namespace tapehead

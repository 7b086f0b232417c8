// Chapter 3: layers.
#include "../../../core/ops.hpp"
#include "task.hpp"

namespace tapehead {
namespace {

CourseTask linear_task() {
  CourseTask task = differentiated(
      "linear", {{"x", drawn({24, 20}, 20)}, {"w", drawn({20, 20}, 21)}, {"b", drawn({20}, 22)}},
      [](auto& x, auto& w, auto& b) { return linear(x, w, b); });
  task.mistakes = {
      {"add b", results_of(task, [](auto& x, auto& w, auto& b) { return linear(x, w, b * 0.0); })}};
  task.advice = "use your matmul and add";
  return task;
}

CourseTask embedding_task() {
  const Tensor table = drawn({10, 6}, 23);
  const Tensor ids = tensor({7, 3, 7, 0, 3, 7, 9, 1, 7, 2, 2, 8, 7, 5, 3, 6, 0, 7, 4, 3});
  const Tensor rows = cast(ids, DType::i32);
  CourseTask task =
      differentiated("embedding", {{"table", table}},
                     [=](const Tensor& x) { return gather_rows(x, rows); }, {{"ids", ids}});
  const Tensor dy = find(task.inputs, "dy");
  // The last use of each row decides if its gradient is overwritten.
  std::vector<double> last(60);
  for (Index i = 0; i < dy.size(); ++i)
    last[static_cast<std::size_t>(ids(i / 6) * 6) + static_cast<std::size_t>(i % 6)] = dy(i);
  task.mistakes = {
      {"an id occurs several times, and its last gradient overwrote the others: add "
       "them (in NumPy, with a loop or np.add.at)",
       {{"dtable", tensor(last, Shape{10, 6})}}}};
  task.advice = "add the rows of dy in their order, to zeros; then call add_gradient";
  return task;
}

/// Computes the layer norm from other ops: with `correction` subtracted from the number of elements
/// in the variance, and epsilons inside and outside of the root.
Tensor norm(const Tensor& x, const Tensor& gain, const Tensor& bias, int correction = 0,
            double inside = 1e-5, double outside = 0) {
  const Tensor root = sqrt(var(x, {-1}, true, correction) + inside) + outside;
  return (x - mean(x, {-1}, true)) / root * gain + bias;
}

CourseTask layer_norm_task() {
  // The variance of the first row is so small that epsilon matters.
  const Tensor scales = tensor({0.004, 1, 1, 2, 1, 1}, {6, 1});
  const Tensor x = drawn({6, 40}, 24) * scales, gain = drawn({40}, 25), bias = drawn({40}, 26);
  CourseTask task =
      differentiated("layer_norm", {{"x", x}, {"gain", gain}, {"bias", bias}},
                     [](auto& in, auto& g, auto& b) { return layer_norm(in, g, b, 1e-5); });
  const Tensor dy = find(task.inputs, "dy"), dn = dy * gain, one = ones({40});
  const Tensor n = norm(x, one, zeros({40})), root = sqrt(var(x, {-1}, true) + 1e-5);
  const Tensor m = mean(dn, {-1}, true), s = mean(dn * n, {-1}, true);
  const auto other = [&](int correction, double inside, double outside) {
    return results_of(task, [=](auto& in, auto& g, auto& b) {
      return norm(in, g, b, correction, inside, outside);
    });
  };
  task.mistakes = {
      {"the variance divides by n - 1; divide by n, the width", other(1, 1e-5, 0)},
      {"add epsilon to the variance, inside of the root", other(0, 0, 1e-5)},
      {"add epsilon, 1e-5, to the variance", other(0, 0, 0)},
      {"mean and variance depend on x, too: subtract m and n * s", {{"dx", dn / root}}},
      {"the variance depends on x, too: subtract n * s", {{"dx", (dn - m) / root}}},
      {"the mean depends on x, too: subtract m", {{"dx", (dn - n * s) / root}}},
      {"multiply dy by gain first",
       {{"dx", (dy - mean(dy, {-1}, true) - n * mean(dy * n, {-1}, true)) / root}}},
      {"dgain is the sum of dy * n, with the normalized n", {{"dgain", sum(dy * x, {0})}}}};
  task.advice = "follow the last sentences of the comment above layer_norm";
  return task;
}

CourseTask mlp_task() {
  const auto branch = [](const std::vector<Tensor>& x) {
    return linear(gelu(linear(layer_norm(x[0], x[1], x[2]), x[3], x[4])), x[5], x[6]);
  };
  CourseTask task = differentiated("mlp_block", block_inputs({12, 8}, 32, 32),
                                   [=](const auto& x) { return x[0] + branch(x); });
  task.mistakes = residual_mistakes(task, branch);
  task.advice = "compose it of add, linear, gelu and layer_norm";
  return task;
}

}  // namespace

CourseTensors block_inputs(const Shape& shape, Index hidden, Index read) {
  const Index width = shape[-1];
  return {{"x", drawn(shape, 30)},       {"gain", drawn({width}, 31)},
          {"bias", drawn({width}, 32)},  {"w_in", drawn({hidden, width}, 33) * 0.3},
          {"b_in", drawn({hidden}, 34)}, {"w_out", drawn({width, read}, 35) * 0.3},
          {"b_out", drawn({width}, 36)}};
}

std::vector<Candidate> residual_mistakes(const CourseTask& task, const Function& branch) {
  const Tensor dy = find(task.inputs, "dy");
  return {{"x itself is missing: add the branch to it", results_of(task, branch)},
          {"x reaches y on two paths: add dy of the residual path to dx",
           {{"dx", find(task.expected, "dx") - dy}}},
          {"the path through the branch is missing", {{"dx", dy}}},
          {"add the branch to x, not to the normalized x", results_of(task, [=](const auto& x) {
             return layer_norm(x[0], x[1], x[2]) + branch(x);
           })}};
}

std::vector<CourseTask> layer_tasks(const Registry&) {
  return {linear_task(), embedding_task(), layer_norm_task(), mlp_task()};
}

}  // namespace tapehead

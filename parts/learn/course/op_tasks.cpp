// Chapter 2: ops.
#include "../../../core/ops.hpp"
#include "../../../core/tape.hpp"
#include "task.hpp"

namespace tapehead {
namespace {

Tensor in_double(const Tensor& a, const Tensor& b) {
  return cast(matmul(cast(a, DType::f64), cast(b, DType::f64)), DType::f32);
}

/// Returns the matmul of a (m, k) and b (k, n), with a rounding after each product and each sum.
Tensor rounded_twice(const Tensor& a, const Tensor& b) {
  Tensor y = zeros({a.dim(0), b.dim(1)}, a.dtype());
  for (Index k = 0; k < b.dim(0); ++k) y = y + slice(a, 1, k, k + 1) * slice(b, 0, k, k + 1);
  return y;
}

/// Returns the sum along the last axis, which is kept, added from left to right.
Tensor summed_rightwards(const Tensor& x) {
  Tensor sum = zeros({x.dim(0), 1}, x.dtype());
  for (Index j = 0; j < x.dim(1); ++j) sum = sum + slice(x, 1, j, j + 1);
  return sum;
}

CourseTask matmul_task() {
  const Tensor x = drawn({24, 20}, 10), w = drawn({20, 20}, 11);
  CourseTask task = differentiated("matmul", {{"x", x}, {"w", w}},
                                   [](auto& a, auto& b) { return linear(a, b, {}); });
  const Tensor dy = find(task.inputs, "dy"), dw = matmul(transpose(dy), x);
  task.mistakes = {
      {"y is x times w transposed", {{"y", matmul(x, w)}}},
      {"dx is dy times w, not transposed", {{"dx", matmul(dy, transpose(w))}}},
      {"this is the transposed dw; dw is dy transposed times x", {{"dw", transpose(dw)}}}};
  const auto computed_with = [&](auto& multiply) {
    return CourseTensors{{"y", multiply(x, transpose(w))},
                         {"dx", multiply(dy, w)},
                         {"dw", multiply(transpose(dy), x)}};
  };
  task.orders = {{"you add in double and round once; Tapehead rounds each sum: use product",
                  computed_with(in_double)},
                 {"you round each product before you add it; Tapehead rounds a * b + c once: use "
                  "product",
                  computed_with(rounded_twice)}};
  task.advice = "Tapehead adds the terms in order, each with a fused multiply-add: use product";
  return task;
}

CourseTask softmax_task() {
  // The last row has scores whose exponentials are infinite.
  const Tensor shift = tensor({0, 0, 0, 0, 0, 100}, {6, 1});
  const Tensor x = drawn({6, 40}, 12) * 2 + shift;
  CourseTask task =
      differentiated("softmax", {{"x", x}}, [](const Tensor& in) { return softmax(in); });
  const Tensor y = find(task.expected, "y"), dy = find(task.inputs, "dy");
  const Tensor e = exp(x - amax(x, {-1}, true));
  task.mistakes = {
      {"this is the softmax along the first axis; each row of the last axis sums to 1",
       results_of(task, [](const Tensor& in) { return softmax(in, 0); })},
      {"exp overflows: subtract each row's largest score first",
       {{"y", exp(x) / sum(exp(x), {-1}, true)}}},
      {"every score affects every weight: subtract sum(dy * y) of the row from dy",
       {{"dx", y * dy}}},
      {"subtract the sum of dy * y, not its mean", {{"dx", y * (dy - mean(dy * y, {-1}, true))}}}};
  task.orders = {
      {"you add from left to right; Tapehead adds elements 0, 16, 32, ... to one sum, "
       "1, 17, 33, ... to the next",
       {{"y", e * (1 / summed_rightwards(e))}, {"dx", y * (dy - summed_rightwards(dy * y))}}},
      {"you divide by the sum; Tapehead multiplies by 1 / sum", {{"y", e / sum(e, {-1}, true)}}}};
  task.advice =
      "your softmax adds in another order, or has another exp: Tapehead adds elements 0, 16, 32, "
      "... first";
  return task;
}

CourseTask gelu_task() {
  const Tensor x = drawn({5, 40}, 13) * 2;
  CourseTask task = differentiated("gelu", {{"x", x}}, [](const Tensor& in) { return gelu(in); });
  const Tensor dy = find(task.inputs, "dy"), gate = gelu(x) / x;
  task.mistakes = {
      {"this is the exact GELU, with erf; use gelu_gate, the approximation with tanh",
       results_of(task, [](const Tensor& in) { return gelu(in, Gelu::erf); })},
      {"x is in both factors of x g(x): add x times the slope of g", {{"dx", dy * gate}}},
      {"x is in both factors of x g(x): add g(x)",
       {{"dx", find(task.expected, "dx") - dy * gate}}}};
  task.advice = "compute g with gelu_gate, and g(x) + x slope with one fma";
  return task;
}

CourseTask cross_entropy_task() {
  const Tensor x = drawn({12, 10}, 14) * 2, targets = tensor({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8});
  const Tensor ids = cast(targets, DType::i32);
  constexpr double count = 24;  // the rows are half of a batch
  CrossEntropyOptions summed;
  summed.reduction = Reduction::sum;
  const auto loss = [=](double by) {
    return [=](const Tensor& in) { return cross_entropy(in, ids, summed) * by; };
  };
  CourseTask task = differentiated("cross_entropy", {{"x", x}}, loss(1 / count),
                                   {{"targets", targets}, {"count", tensor({count}, Shape())}});
  const Tensor dy = find(task.inputs, "dy");
  task.mistakes = {
      {"this is the sum of the losses; divide it by count", results_of(task, loss(1))},
      {"this is the mean over these rows; divide by count, the rows of the whole batch",
       results_of(task, loss(1.0 / 12))},
      {"the loss is -log(p), so its sign is wrong", results_of(task, loss(-1 / count))},
      {"subtract 1 from the probability of the target", {{"dx", softmax(x) * dy * (1 / count)}}}};
  task.advice = "follow the last sentences of the comment above cross_entropy";
  return task;
}

}  // namespace

std::vector<CourseTask> op_tasks(const Registry&) {
  return {matmul_task(), softmax_task(), gelu_task(), cross_entropy_task()};
}

}  // namespace tapehead

// Chapter 1: values and a tape.
#include "../../../core/ops.hpp"
#include "task.hpp"

namespace tapehead {
namespace {

/// Returns the sum of the rows of x (rows, width), added one after the other.
Tensor summed_in_order(const Tensor& x) {
  Tensor sum = zeros({x.dim(1)}, x.dtype());
  for (Index i = 0; i < x.dim(0); ++i) sum = sum + reshape(slice(x, 0, i, i + 1), {x.dim(1)});
  return sum;
}

}  // namespace

std::vector<CourseTask> tape_tasks(const Registry&) {
  const Tensor a = drawn({4, 5}, 1), b = drawn({4, 5}, 2);
  CourseTask product =
      differentiated("product", {{"a", a}, {"b", b}}, [](auto& x, auto& y) { return x * y; });
  const Tensor dy = find(product.inputs, "dy");
  product.mistakes = {{"da is dy times b, the other factor", {{"da", dy * a}, {"db", dy * b}}},
                      {"multiply dy by the other factor", {{"da", dy}, {"db", dy}}}};

  CourseTask reuse =
      differentiated("reuse", {{"a", a}, {"b", b}}, [](auto& x, auto& y) { return x * y + x; });
  const std::string overwritten =
      "a has two uses, and the gradient of one overwrote the other: add to x.grad";
  const Tensor of_product = find(reuse.inputs, "dy");
  reuse.mistakes = {{overwritten, {{"da", of_product * b}}},
                    {"the tape ran from its start, before the gradient of a * b was complete: run "
                     "it from its end",
                     {{"da", of_product}}}};

  const Tensor x = drawn({40, 5}, 3), row = drawn({5}, 4);
  CourseTask broadcast = differentiated("broadcast", {{"x", x}, {"b", row}},
                                        [](auto& in, auto& bias) { return in + bias; });
  const Tensor all = find(broadcast.inputs, "dy");
  const auto of_row = [&](Index i) { return reshape(slice(all, 0, i, i + 1), {5}); };
  const std::string unsummed = "b was added to every row: sum its gradient over the rows";
  broadcast.mistakes = {{unsummed, {{"db", all}}},
                        {unsummed, {{"db", of_row(0)}}},
                        {unsummed, {{"db", of_row(39)}}},
                        {"sum over the rows; this is their mean", {{"db", mean(all, {0})}}}};
  broadcast.orders = {
      {"you add the rows from the first to the last, Tapehead adds halves; use "
       "sum_rows",
       {{"db", summed_in_order(all)}}}};
  broadcast.advice = "Tapehead halves more than 32 rows; use sum_rows";
  return {product, reuse, broadcast};
}

}  // namespace tapehead

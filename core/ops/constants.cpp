// Ops that make constant tensors: arange, one_hot and triangular masks.
#include "../ops.hpp"
#include "families.hpp"
#include "ids.hpp"

#include <numeric>

namespace tapehead {
namespace {

/// Returns an i32 tensor (rows, columns) whose element (i, j) is f(i, j).
template <class F>
Tensor i32_mask(const char* op, Index rows, Index columns, F f) {
  check_count(op, "rows", rows);
  check_count(op, "columns", columns);
  Tensor y = Tensor::empty({rows, columns}, DType::i32);
  std::int32_t* out = y.mutable_data<std::int32_t>();
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) *out++ = f(i, j);
  return y;
}

}  // namespace

Tensor arange(Index n, DType dtype) {
  check_count("arange", "n", n);
  Tensor y = constant(Tensor::empty({n}, dtype));
  with_elements(dtype, [&](auto zero) {
    auto* to = y.mutable_data<decltype(zero)>();
    std::iota(to, to + n, zero);
  });
  return y;
}

Tensor one_hot(const Tensor& ids, Index classes, DType dtype) {
  check_present("one_hot", ids);
  check_count("one_hot", "classes", classes);
  check_ids("one_hot", ids, classes, "the result", "column");
  Tensor y = zeros(joined(ids.shape(), {classes}), dtype);
  with_elements(dtype, [&](auto zero) {
    auto* row = y.mutable_data<decltype(zero)>();
    const std::int32_t* id = ids.data<std::int32_t>();
    for (Index i = 0; i < ids.size(); ++i, row += classes) row[id[i]] = 1;
  });
  return y;
}

Tensor tril_mask(Index rows, Index columns, Index diagonal) {
  return i32_mask("tril_mask", rows, columns, [=](Index i, Index j) { return j <= i + diagonal; });
}

Tensor triu_mask(Index rows, Index columns, Index diagonal) {
  return i32_mask("triu_mask", rows, columns, [=](Index i, Index j) { return j >= i + diagonal; });
}

std::vector<Op> constant_ops() {
  return {{"arange", "y[i] = i", {}, [](Index n) { return arange(n, DType::f64); }, {"n"}},
          {"one_hot",
           "y[i][c] = 1 where c = ids[i], else 0",
           {},
           [](const Tensor& ids, Index classes) { return one_hot(ids, classes, DType::f64); },
           {ids("ids"), "classes"}},
          {"tril_mask",
           "y[i][j] = 1 where j <= i + diagonal, else 0",
           {},
           tril_mask,
           {"rows", "columns", {"diagonal", 0}}},
          {"triu_mask",
           "y[i][j] = 1 where j >= i + diagonal, else 0",
           {},
           triu_mask,
           {"rows", "columns", {"diagonal", 0}}}};
}

}  // namespace tapehead

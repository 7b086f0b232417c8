// Ops that select rows or elements by ids.
#include "../kernels/kernels.hpp"
#include "../ops.hpp"
#include "families.hpp"
#include "ids.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Adds row i of x to row ids[i] of y.
void add_rows(Tensor& y, const Tensor& x, const Tensor& ids) {
  with_elements(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Index width = x.size() / std::max<Index>(ids.size(), 1);
    const std::int32_t* id = ids.data<std::int32_t>();
    T* to = y.mutable_data<T>();
    const T* from = x.data<T>();
    for (Index i = 0; i < ids.size(); ++i, from += width)
      for (Index j = 0; j < width; ++j) to[id[i] * width + j] += from[j];
  });
}

}  // namespace

Tensor gather_rows(const Tensor& table, const Tensor& ids) {
  check_present("gather_rows", table, ids);
  if (table.rank() == 0)
    throw ShapeError("gather_rows: the table has shape (), expected at least one axis");
  const Index rows = table.dim(0);
  check_ids("gather_rows", ids, rows, "the table", "row");
  const Shape row = table.shape().slice(1, table.rank());
  if (table.dtype() == DType::bf16) {
    Tensor y = Tensor::empty(joined(ids.shape(), row), DType::f32);
    float* to = y.mutable_data<float>();
    for (Index i = 0; i < ids.size(); ++i)
      kernels<float>().widen(to + i * row.size(), row.size(),
                             table.data<Bf16>() + ids.data<std::int32_t>()[i] * row.size());
    return y;
  }
  Tensor y = Tensor::empty(joined(ids.shape(), row), table.dtype());
  with_elements(table.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Index width = row.size();
    const std::int32_t* id = ids.data<std::int32_t>();
    const T* from = table.data<T>();
    T* to = y.mutable_data<T>();
    for (Index i = 0; i < ids.size(); ++i, to += width)
      std::copy_n(from + id[i] * width, width, to);
  });
  return record({"gather_rows", {{"ids", ids}}}, y, {table},
                [=](const Tensor& dy, GradientSums& sums) {
                  // With weight tying, the table may already have a gradient, which is much larger
                  // than dy.
                  Tensor whole = sums.take(0);
                  if (!whole) return Grads{scatter_rows(dy, ids, rows)};
                  add_rows(whole, dy, ids);
                  return Grads{whole};
                });
}

Tensor scatter_rows(const Tensor& x, const Tensor& ids, Index rows) {
  check_present("scatter_rows", x, ids);
  check_count("scatter_rows", "rows", rows);
  check_ids("scatter_rows", ids, rows, "the table", "row");
  if (x.rank() < ids.rank() || x.shape().slice(0, ids.rank()) != ids.shape())
    throw ShapeError("scatter_rows: x {} must begin with the shape of ids, {}", x.shape(),
                     ids.shape());
  const Shape row = x.shape().slice(ids.rank(), x.rank());
  Tensor y = zeros(joined({rows}, row), x.dtype());
  add_rows(y, x, ids);
  return record({"scatter_rows", {{"ids", ids}, {"rows", rows}}}, y, {x},
                [=](const Tensor& dy) { return Grads{gather_rows(dy, ids)}; });
}

/// Calls gather_rows with x as a table whose rows are single elements.
Tensor gather(const Tensor& x, const Tensor& ids, int axis) {
  check_present("gather", x, ids);
  const int along = axis_of("gather", x.shape(), axis);
  const Index n = x.dim(along), width = x.shape().slice(along + 1, x.rank()).size();
  if (ids.rank() != x.rank() || ids.shape().with(along, n) != x.shape())
    throw ShapeError("gather: ids have shape {} and x has {}, which may differ only along axis {}",
                     ids.shape(), x.shape(), axis);
  check_ids("gather", ids, n, "the axis", "element");
  check_countable("gather", x.shape(), x.size());
  Tensor numbers = Tensor::empty(ids.shape(), DType::i32);
  with_elements(DType::i32, [&](auto) {
    const std::int32_t* id = ids.data<std::int32_t>();
    std::int32_t* number = numbers.mutable_data<std::int32_t>();
    for (Index i = 0; i < ids.size(); ++i) {
      const Index outer = i / (ids.dim(along) * width);
      number[i] = static_cast<std::int32_t>((outer * n + id[i]) * width + i % width);
    }
  });
  return gather_rows(reshape(x, {x.size()}), numbers);
}

std::vector<Op> gather_ops() {
  return {{"gather_rows",
           "y[i] = table[ids[i]]",
           {"dtable = scatter_rows(dy, ids, rows)"},
           gather_rows,
           {"table", ids("ids")}},
          {"scatter_rows",
           "y[r] = sum of x[i] over ids[i] = r",
           {"dx = gather_rows(dy, ids)"},
           scatter_rows,
           {"x", ids("ids"), "rows"}},
          {"gather",
           "y[i] = x[ids[i]] along an axis, for each index of the other axes",
           {"dx[k] = sum of dy[i] over ids[i] = k"},
           gather,
           {"x", ids("ids"), {"axis", -1}}}};
}

}  // namespace tapehead

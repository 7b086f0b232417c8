// Rows selected by ids, and tensors that are defined by a formula.
#include "../kernels/kernels.hpp"
#include "../ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tapehead {
namespace {

/// `limit` says how many ids there are: "the table has {} rows".
void check_ids(const char* op, const Tensor& ids, Index n, const char* limit) {
  if (ids.dtype() != DType::i32)
    throw TypeError("{}: ids are {}, and must be i32; convert them with cast(ids, DType::i32)", op,
                    ids.dtype());
  const std::int32_t* id = ids.data<std::int32_t>();
  for (Index i = 0; i < ids.size(); ++i)
    if (id[i] < 0 || id[i] >= n)
      throw ValueError("{}: id {} at position {}, and {}", op, id[i], i,
                       fmt::format(fmt::runtime(limit), n));
}
void check_count(const char* op, const char* what, Index n) {
  if (n < 0) throw ValueError("{}: {} is {}, and can't be negative", op, what, n);
}

Shape joined(Shape a, const Shape& b) {
  for (Index size : b) a.push_back(size);
  return a;
}

/// An i32 tensor (rows, columns) of f(i, j).
template <class F>
Tensor mask(const char* op, Index rows, Index columns, F f) {
  check_count(op, "rows", rows);
  check_count(op, "columns", columns);
  Tensor y = Tensor::empty({rows, columns}, DType::i32);
  std::int32_t* out = y.mutable_data<std::int32_t>();
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) *out++ = f(i, j);
  return y;
}

/// Row ids[i] of y += row i of x.
void add_rows(Tensor& y, const Tensor& x, const Tensor& ids) {
  dispatch(x.dtype(), [&](auto zero) {
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
    throw ShapeError("gather_rows: the table has shape (), and needs an axis of rows");
  const Index rows = table.dim(0);
  check_ids("gather_rows", ids, rows, "the table has {} rows");
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
  dispatch(table.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Index width = row.size();
    const std::int32_t* id = ids.data<std::int32_t>();
    const T* from = table.data<T>();
    T* to = y.mutable_data<T>();
    for (Index i = 0; i < ids.size(); ++i, to += width)
      std::copy_n(from + id[i] * width, width, to);
  });
  return record("gather_rows", y, {table}, [=](const Tensor& dy, Arrived& arrived) {
    // A table tied to the output layer already has a gradient, many times as large as dy.
    Tensor whole = arrived.take(0);
    if (!whole) return Grads{scatter_rows(dy, ids, rows)};
    add_rows(whole, dy, ids);
    return Grads{whole};
  });
}

Tensor scatter_rows(const Tensor& x, const Tensor& ids, Index rows) {
  check_present("scatter_rows", x, ids);
  check_count("scatter_rows", "rows", rows);
  check_ids("scatter_rows", ids, rows, "the table has {} rows");
  if (x.rank() < ids.rank() || x.shape().slice(0, ids.rank()) != ids.shape())
    throw ShapeError("scatter_rows: x {} must begin with the shape of ids, {}", x.shape(),
                     ids.shape());
  const Shape row = x.shape().slice(ids.rank(), x.rank());
  Tensor y = zeros(joined({rows}, row), x.dtype());
  add_rows(y, x, ids);
  return record("scatter_rows", y, {x},
                [=](const Tensor& dy) { return Grads{gather_rows(dy, ids)}; });
}

Tensor arange(Index n, DType dtype) {
  check_count("arange", "n", n);
  Tensor y = constant(Tensor::empty({n}, dtype));
  dispatch(dtype, [&](auto zero) {
    auto* to = y.mutable_data<decltype(zero)>();
    std::iota(to, to + n, zero);
  });
  return y;
}

Tensor one_hot(const Tensor& ids, Index classes, DType dtype) {
  check_present("one_hot", ids);
  check_count("one_hot", "classes", classes);
  check_ids("one_hot", ids, classes, "there are {} classes");
  Tensor y = zeros(joined(ids.shape(), {classes}), dtype);
  dispatch(dtype, [&](auto zero) {
    auto* row = y.mutable_data<decltype(zero)>();
    const std::int32_t* id = ids.data<std::int32_t>();
    for (Index i = 0; i < ids.size(); ++i, row += classes) row[id[i]] = 1;
  });
  return y;
}

Tensor tril_mask(Index rows, Index columns, Index diagonal) {
  return mask("tril_mask", rows, columns, [=](Index i, Index j) { return j <= i + diagonal; });
}
Tensor triu_mask(Index rows, Index columns, Index diagonal) {
  return mask("triu_mask", rows, columns, [=](Index i, Index j) { return j >= i + diagonal; });
}

}  // namespace tapehead

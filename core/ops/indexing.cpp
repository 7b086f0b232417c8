// What ids select, ids of the largest elements, and tensors that are defined by a formula.
#include "../kernels/kernels.hpp"
#include "../ops.hpp"
#include "../plural.hpp"
#include "../trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tapehead {
namespace {

/// `owner` has n of `thing`: "the table", "row".
void check_ids(const char* op, const Tensor& ids, Index n, const char* owner, const char* thing) {
  if (ids.dtype() != DType::i32)
    throw TypeError("{}: ids are {}, and must be i32; convert them with cast(ids, DType::i32)", op,
                    ids.dtype());
  const std::int32_t* id = ids.data<std::int32_t>();
  for (Index i = 0; i < ids.size(); ++i)
    if (id[i] < 0 || id[i] >= n)
      throw ValueError("{}: id {} at position {}, and {} has {}", op, id[i], i, owner,
                       plural(n, thing));
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

/// Elements are numbered in i32.
void check_countable(const char* op, const Shape& shape, Index n) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (n > most)
    throw ShapeError("{}: {} has {} elements to count, and i32 counts up to {}", op, shape, n,
                     most);
}

/// Whether x counts as larger than y: a NaN does where y is none.
template <class T>
bool exceeds(T x, T y) {
  const auto is_nan = [](T v) { return std::isnan(static_cast<double>(v)); };
  return x > y || (is_nan(x) && !is_nan(y));
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
  dispatch(table.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Index width = row.size();
    const std::int32_t* id = ids.data<std::int32_t>();
    const T* from = table.data<T>();
    T* to = y.mutable_data<T>();
    for (Index i = 0; i < ids.size(); ++i, to += width)
      std::copy_n(from + id[i] * width, width, to);
  });
  notify_call(ids);
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
  check_ids("scatter_rows", ids, rows, "the table", "row");
  if (x.rank() < ids.rank() || x.shape().slice(0, ids.rank()) != ids.shape())
    throw ShapeError("scatter_rows: x {} must begin with the shape of ids, {}", x.shape(),
                     ids.shape());
  const Shape row = x.shape().slice(ids.rank(), x.rank());
  Tensor y = zeros(joined({rows}, row), x.dtype());
  add_rows(y, x, ids);
  return record("scatter_rows", y, {x},
                [=](const Tensor& dy) { return Grads{gather_rows(dy, ids)}; });
}

/// They are rows of one number to gather_rows, numbered as they lie in x.
Tensor gather(const Tensor& x, const Tensor& ids, int axis) {
  check_present("gather", x, ids);
  const int along = axis_of("gather", x.shape(), axis);
  const Index n = x.dim(along), width = x.shape().slice(along + 1, x.rank()).size();
  if (ids.rank() != x.rank() || ids.shape().with(along, n) != x.shape())
    throw ShapeError("gather: ids are {}, and x {}; they may differ along axis {} alone",
                     ids.shape(), x.shape(), axis);
  check_ids("gather", ids, n, "the axis", "element");
  check_countable("gather", x.shape(), x.size());
  Tensor numbers = Tensor::empty(ids.shape(), DType::i32);
  dispatch(DType::i32, [&](auto) {
    const std::int32_t* id = ids.data<std::int32_t>();
    std::int32_t* number = numbers.mutable_data<std::int32_t>();
    for (Index i = 0; i < ids.size(); ++i) {
      const Index outer = i / (ids.dim(along) * width);
      number[i] = static_cast<std::int32_t>((outer * n + id[i]) * width + i % width);
    }
  });
  return gather_rows(reshape(x, {x.size()}), numbers);
}

Tensor argmax(const Tensor& x, int axis, bool keep) {
  check_present("argmax", x);
  const int along = axis_of("argmax", x.shape(), axis);
  const Index n = x.dim(along), width = x.shape().slice(along + 1, x.rank()).size();
  if (n == 0)
    throw ShapeError("argmax: axis {} of {} has no elements, so there is no maximum", axis,
                     x.shape());
  check_countable("argmax", x.shape(), n);
  const Shape kept = x.shape().with(along, 1);
  const Shape dropped = joined(kept.slice(0, along), kept.slice(along + 1, kept.rank()));
  Tensor y = Tensor::empty(keep ? kept : dropped, DType::i32);
  dispatch(x.dtype(), [&](auto zero) {
    const auto* in = x.data<decltype(zero)>();
    std::int32_t* out = y.mutable_data<std::int32_t>();
    for (Index i = 0; i < y.size(); ++i) {
      const auto* const first = in + i / width * n * width + i % width;
      Index best = 0;
      for (Index k = 1; k < n; ++k)
        if (exceeds(first[k * width], first[best * width])) best = k;
      out[i] = static_cast<std::int32_t>(best);
    }
  });
  return y;
}

TopK top_k(const Tensor& x, Index k) {
  check_present("top_k", x);
  const int last = axis_of("top_k", x.shape(), -1);
  const Index n = x.dim(last);
  if (k < 0 || k > n)
    throw ShapeError("top_k: k is {}, and the last axis of {} has {}", k, x.shape(),
                     plural(n, "element"));
  check_countable("top_k", x.shape(), n);
  Tensor ids = Tensor::empty(x.shape().with(last, k), DType::i32);
  dispatch(x.dtype(), [&](auto zero) {
    const auto* row = x.data<decltype(zero)>();
    std::int32_t* to = ids.mutable_data<std::int32_t>();
    const auto before = [&](std::int32_t a, std::int32_t b) {
      return exceeds(row[a], row[b]) || (!exceeds(row[b], row[a]) && a < b);
    };
    std::vector<std::int32_t> order(n);
    for (Index rows = x.shape().slice(0, last).size(); rows > 0; --rows, row += n) {
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
      to = std::copy_n(order.begin(), k, to);
    }
  });
  return {gather(x, ids), ids};
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
  check_ids("one_hot", ids, classes, "the result", "column");
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

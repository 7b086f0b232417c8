#include "tensor.hpp"
#include "dispatch.hpp"
#include "plural.hpp"
#include "runtime/memory.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>

namespace tapehead {
namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// Formats the elements of the axes from `axis` on as nested brackets, beginning with element
/// `offset`. Shows at most eight elements along an axis.
std::string nested(const Tensor& x, int axis, Index offset) {
  if (axis == x.rank()) {
    const double value = x(offset);
    return std::isnan(value) ? "nan" : fmt::format("{:.6g}", value);  // omits the sign of NaN
  }
  constexpr Index shown = 4;  // elements shown at each end of an axis
  const Index n = x.dim(axis);
  const Index stride = x.shape().slice(axis + 1, x.rank()).size();
  std::string text = "[";
  for (Index i = 0; i < n; ++i) {
    if (i > 0) text += ", ";
    if (n > 2 * shown && i == shown) {
      text += "..., ";
      i = n - shown;
    }
    text += nested(x, axis + 1, offset + i * stride);
  }
  return text + "]";
}

template <class T>
T element(double value) {
  if constexpr (std::is_integral_v<T>)
    if (!(value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max() &&
          value == std::trunc(value)))
      throw ValueError("tensor: {} isn't a 32-bit integer", value);
  return static_cast<T>(value);
}

}  // namespace

Tensor::Data::Data(const Shape& of, DType type, std::byte* first)
    : id(next_id()), dtype(type), size(of.size()), elements(first), shape(of) {}

/// Allocates Data and `bytes` bytes for the elements in one block from the thread's pool.
Tensor::Tensor(const Shape& shape, DType dtype, std::size_t bytes) {
  const PoolBlock block = take_block(bytes);
  data_ = std::allocate_shared<Data>(HeaderAllocator<Data>(block), shape, dtype, block.elements());
}

Tensor Tensor::empty(const Shape& shape, DType dtype) {
  const Index needed = shape.size() * static_cast<Index>(bytes_of(dtype));
  if (needed > std::numeric_limits<std::ptrdiff_t>::max())
    throw std::bad_alloc();  // can only happen on 32-bit systems
  const auto bytes = static_cast<std::size_t>(needed);
  if (MetaTensors::is_alive())
    return over({MetaTensors::track_bytes(bytes), nullptr}, shape, dtype);
  return Tensor(shape, dtype, bytes);
}

Tensor Tensor::over(std::shared_ptr<std::byte> elements, const Shape& shape, DType dtype) {
  Tensor x(shape, dtype, 0);
  x.data_->elements = elements.get();
  x.data_->owner = std::move(elements);
  return x;
}

Tensor Tensor::viewed_as(const Shape& shape) const {
  if (shape.size() != size())
    throw ShapeError("reshape: {} has {}, but {} has {}", this->shape(), plural(size(), "element"),
                     shape, shape.size());
  return slice_view(shape);
}

Tensor Tensor::slice_view(const Shape& shape, Index first) const {
  if (first < 0 || shape.size() > size() - first)
    throw ShapeError("slice_view: {} needs {} from element {} on, but {} has {}", shape,
                     plural(shape.size(), "element"), first, this->shape(), size());
  const auto owner = data_->owner ? data_->owner : data_;
  std::byte* const elements = data_->elements;
  return over({owner, elements ? elements + first * bytes_of(dtype()) : nullptr}, shape, dtype());
}

double Tensor::operator()(Index i) const {
  if (i < 0 || i >= size())
    throw ShapeError("element {} is out of range for shape {}, which has {}", i, shape(),
                     plural(size(), "element"));
  return dispatch(dtype(),
                  [&](auto zero) { return static_cast<double>(data<decltype(zero)>()[i]); });
}

double Tensor::item() const {
  if (size() != 1)
    throw ShapeError("item: a tensor of shape {} has {} elements, expected one", shape(), size());
  return (*this)(0);
}

std::vector<double> Tensor::values() const {
  return dispatch(dtype(), [&](auto zero) {
    const auto* x = data<decltype(zero)>();
    return std::vector<double>(x, x + size());
  });
}

void Tensor::refuse_null() {
  throw TypeError(
      "a null tensor was read: it was never set, was moved from, or is an absent parameter");
}

void Tensor::check_type(DType wanted) const {
  if (dtype() != wanted) throw TypeError("a tensor of type {} was accessed as {}", dtype(), wanted);
}

void Tensor::check_unshared() const {
  if (shared())
    throw TapeError("can't write to a tensor of shape {}, because its elements are shared",
                    shape());
}

Tensor full(const Shape& shape, double value, DType dtype) {
  Tensor x = constant(Tensor::empty(shape, dtype));
  with_elements(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(x.mutable_data<T>(), x.size(), element<T>(value));
  });
  return x;
}
Tensor zeros(const Shape& shape, DType dtype) { return full(shape, 0, dtype); }
Tensor ones(const Shape& shape, DType dtype) { return full(shape, 1, dtype); }
Tensor scalar(double value, DType dtype) { return full({}, value, dtype); }

Tensor tensor(const std::vector<double>& values, DType dtype) {
  return tensor(values, {static_cast<Index>(values.size())}, dtype);
}
Tensor tensor(const std::vector<double>& values, const Shape& shape, DType dtype) {
  if (static_cast<Index>(values.size()) != shape.size())
    throw ShapeError("tensor: {} for shape {}, which needs {}", plural(values.size(), "value"),
                     shape, shape.size());
  Tensor x = constant(Tensor::empty(shape, dtype));
  with_elements(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::transform(values.begin(), values.end(), x.mutable_data<T>(), element<T>);
  });
  return x;
}

bool bitwise_equal(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() && a.bytes() == b.bytes();
}

std::string to_string(const Tensor& x) { return x ? nested(x, 0, 0) : "no tensor"; }

void refuse_type(const char* op, DType dtype) {
  throw TypeError("{}: expected f32 or f64, got {}; convert with cast(x, DType::f32)", op, dtype);
}

void refuse_bf16() {
  throw TypeError("ops don't support bf16; convert the tensor with cast(x, DType::f32)");
}

void refuse_null(const char* op, std::initializer_list<bool> present) {
  const auto at = std::find(present.begin(), present.end(), false) - present.begin() + 1;
  const std::string which =
      present.size() == 1 ? "the tensor" : fmt::format("tensor {} of {}", at, present.size());
  throw TypeError("{}: {} is null: it was never set, was moved from, or is an absent parameter", op,
                  which);
}

void check_same_type(const char* op, const Tensor& a, const Tensor& b) {
  check_present(op, a, b);
  if (a.dtype() != b.dtype())
    throw TypeError("{}: types {} and {} differ; convert one with cast(x, DType::{})", op,
                    a.dtype(), b.dtype(), a.dtype());
}

}  // namespace tapehead

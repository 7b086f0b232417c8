#pragma once
#include "dtype.hpp"
#include "shape.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace tapehead {

class Tensor;
/// Returns x as a constant. A backward function that writes elements itself, not by ops, calls this
/// if they depend neither on `dy` nor on the op's inputs. Otherwise differentiating its gradient
/// again throws TapeError. `zeros`, `tensor` and random numbers are constants already.
Tensor constant(Tensor x);

/// A cheap handle to a contiguous, row-major array. Copies share the elements. These never change
/// once another handle can see them, so the tensors that an op saves for backward stay valid. f32
/// and f64 carry numbers and gradients. i32 carries token ids, and truth values as 0 and 1. bf16
/// carries weights that aren't trained: `linear` and `gather_rows` read it, `cast` converts it.
class Tensor {
 public:
  Tensor() = default;  ///< null: false in a condition
  explicit operator bool() const { return data_ != nullptr; }

  /// Returns uninitialised elements, which a kernel writes before anything else holds the tensor.
  /// While an MetaTensors is alive, it is a meta tensor: a shape and a type without elements.
  static Tensor empty(const Shape& shape, DType dtype);
  /// Wraps elements that are already in memory, row by row. They must not change while a handle is
  /// alive.
  static Tensor over(std::shared_ptr<std::byte> elements, const Shape& shape, DType dtype);
  /// Evaluates an xtensor expression; include <tapehead/core/array.hpp>.
  template <class Expression>
  static Tensor from(const Expression& expression);

  // All of these throw TypeError if the tensor is null.
  const Shape& shape() const { return nonnull().shape; }
  Index size() const { return nonnull().size; }  ///< number of elements
  int rank() const { return nonnull().shape.rank(); }
  Index dim(int axis) const { return nonnull().shape[axis]; }  ///< a size; -1 is the last axis
  DType dtype() const { return nonnull().dtype; }
  bool is_float() const { return dtype() == DType::f32 || dtype() == DType::f64; }
  std::uint64_t id() const { return nonnull().id; }  ///< unique within a process

  double item() const;                 ///< the element of a one-element tensor
  std::vector<double> values() const;  ///< all elements, row-major
  double operator()(Index i) const;    ///< element i, row-major, checked

  /// The elements. Throws TypeError if T isn't the element type.
  template <class T>
  const T* data() const {
    check_type(dtype_of<T>());
    return reinterpret_cast<const T*>(elements());
  }
  /// The elements, for writing. Throws TapeError unless this is the only handle to them.
  template <class T>
  T* mutable_data() {
    check_type(dtype_of<T>());
    check_unshared();
    return reinterpret_cast<T*>(elements());
  }
  /// The elements as raw bytes, of any type. `mutable_bytes` throws as `mutable_data` does.
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(elements()),
            static_cast<std::size_t>(size()) * bytes_of(dtype())};
  }
  char* mutable_bytes() {
    check_unshared();
    return reinterpret_cast<char*>(elements());
  }
  bool shared() const { return data_.use_count() > 1 || nonnull().owner.use_count() > 1; }

  /// Returns an xtensor expression over the elements, without a copy; include
  /// <tapehead/core/array.hpp>.
  template <class T>
  auto array() const;

  /// Returns the same elements in another shape. No tape records it: `reshape` is the op.
  Tensor viewed_as(const Shape& shape) const;
  /// Returns the elements from number `first` on, as many as the shape has. Not recorded either.
  Tensor slice_view(const Shape& shape, Index first = 0) const;
  /// Returns the same elements as a new tensor that no tape knows: a constant.
  Tensor detached() const { return constant(viewed_as(shape())); }

 private:
  struct Data {
    Data(const Shape& shape, DType dtype, std::byte* elements);
    std::uint64_t id;
    DType dtype;
    Index size;
    std::byte* elements;          // null in a meta tensor that nobody has read
    std::shared_ptr<void> owner;  // of the elements; null if they follow in this allocation
    Shape shape;
  };
  Tensor(const Shape& shape, DType dtype, std::size_t bytes);
  const Data& nonnull() const {
    if (!data_) refuse_null();
    return *data_;
  }
  std::byte* elements() const { return nonnull().elements ? data_->elements : zeros_of_meta(); }
  std::byte* zeros_of_meta() const;
  [[noreturn]] static void refuse_null();
  void check_type(DType wanted) const;
  void check_unshared() const;

  std::shared_ptr<Data> data_;
};

Tensor full(const Shape& shape, double value, DType dtype = DType::f32);
Tensor zeros(const Shape& shape, DType dtype = DType::f32);
Tensor ones(const Shape& shape, DType dtype = DType::f32);
Tensor scalar(double value, DType dtype = DType::f32);  ///< shape ()
/// One axis, or `shape`, whose size must equal the number of values.
Tensor tensor(const std::vector<double>& values, DType dtype = DType::f32);
Tensor tensor(const std::vector<double>& values, const Shape& shape, DType dtype = DType::f32);

/// Returns whether two tensors have the same shape, type and elements, byte by byte.
bool bitwise_equal(const Tensor& a, const Tensor& b);

/// Returns `[[1, 2], [3, 4]]`; dots abridge long axes.
std::string to_string(const Tensor& x);

}  // namespace tapehead

template <>
struct fmt::formatter<tapehead::Tensor> : tapehead::TextFormatter<tapehead::Tensor> {};

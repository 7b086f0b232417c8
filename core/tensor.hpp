#pragma once
#include "dtype.hpp"
#include "shape.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace tapehead {

class Tensor;
/// Marks x as a constant and returns it. Call it in a backward function for a tensor whose elements
/// were written without ops, if they depend on neither `dy` nor the op's inputs. Otherwise
/// differentiating the gradient again throws TapeError. Results of `zeros`, `tensor` and random
/// functions are constants already.
Tensor constant(Tensor x);

/// A cheap handle to a contiguous, row-major array. Copies of a tensor share its elements. Shared
/// elements never change, so the tensors that an op saves for backward stay valid. f32 and f64 hold
/// numbers and gradients; i32 holds token ids and masks of 0 and 1. bf16 holds weights that aren't
/// trained: `linear` and `gather_rows` read it, and `cast` converts it.
class Tensor {
 public:
  Tensor() = default;  ///< null; false in a condition
  explicit operator bool() const { return data_ != nullptr; }

  /// Returns a tensor with uninitialised elements. Write the elements before the tensor is copied.
  /// In a MetaTensors scope, the result is a meta tensor.
  static Tensor empty(const Shape& shape, DType dtype);
  /// Makes a tensor from row-major elements in memory, which must not change while a handle exists.
  static Tensor over(std::shared_ptr<std::byte> elements, const Shape& shape, DType dtype);
  /// Evaluates an xtensor expression. Requires <tapehead/core/array.hpp>.
  template <class Expression>
  static Tensor from(const Expression& expression);

  // All functions below throw TypeError if the tensor is null.
  const Shape& shape() const { return nonnull().shape; }
  Index size() const { return nonnull().size; }  ///< number of elements
  int rank() const { return nonnull().shape.rank(); }
  Index dim(int axis) const { return nonnull().shape[axis]; }  ///< size of an axis; -1 is the last
  DType dtype() const { return nonnull().dtype; }
  bool is_float() const { return dtype() == DType::f32 || dtype() == DType::f64; }
  std::uint64_t id() const { return nonnull().id; }  ///< unique within a process

  double item() const;                 ///< the only element; throws if there are more
  std::vector<double> values() const;  ///< all elements, row-major
  double operator()(Index i) const;    ///< element i in row-major order; checks i

  /// Returns a pointer to the elements. Throws TypeError if T isn't the element type.
  template <class T>
  const T* data() const {
    check_type(dtype_of<T>());
    return reinterpret_cast<const T*>(elements());
  }
  /// Returns a pointer for writing the elements. Throws TapeError if another handle shares them.
  template <class T>
  T* mutable_data() {
    check_type(dtype_of<T>());
    check_unshared();
    return reinterpret_cast<T*>(elements());
  }
  /// Returns the elements as raw bytes. `mutable_bytes` throws like `mutable_data`.
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(elements()),
            static_cast<std::size_t>(size()) * bytes_of(dtype())};
  }
  char* mutable_bytes() {
    check_unshared();
    return reinterpret_cast<char*>(elements());
  }
  bool shared() const { return data_.use_count() > 1 || nonnull().owner.use_count() > 1; }

  /// Returns an xtensor view of the elements. Requires <tapehead/core/array.hpp>.
  template <class T>
  auto array() const;

  /// Returns a view of the elements in another shape. Unlike `reshape`, tapes don't record it.
  Tensor viewed_as(const Shape& shape) const;
  /// Returns an unrecorded view of shape.size() elements, from element `first` on.
  Tensor slice_view(const Shape& shape, Index first = 0) const;
  /// Returns a view of the elements as a constant: no tape tracks it.
  Tensor detached() const { return constant(viewed_as(shape())); }

 private:
  struct Data {
    Data(const Shape& shape, DType dtype, std::byte* elements);
    std::uint64_t id;
    DType dtype;
    Index size;
    std::byte* elements;          // null in a meta tensor whose elements were never read
    std::shared_ptr<void> owner;  // owner of the elements; null: they are in the block of Data
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
/// Returns a tensor of these values, with one axis or `shape`. Throws ShapeError if sizes differ.
Tensor tensor(const std::vector<double>& values, DType dtype = DType::f32);
Tensor tensor(const std::vector<double>& values, const Shape& shape, DType dtype = DType::f32);

/// Returns whether two tensors have the same shape, type and elements, byte by byte.
bool bitwise_equal(const Tensor& a, const Tensor& b);

/// Formats the elements: `[[1, 2], [3, 4]]`. Abbreviates long axes with dots.
std::string to_string(const Tensor& x);

}  // namespace tapehead

template <>
struct fmt::formatter<tapehead::Tensor> : tapehead::TextFormatter<tapehead::Tensor> {};

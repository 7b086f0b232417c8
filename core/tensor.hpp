#pragma once
#include "dtype.hpp"
#include "shape.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace tapehead {

class Tensor;
/// Returns x, which depends on nothing that is differentiated. A backward function that writes the
/// elements of a tensor itself, not by ops, calls this if they depend neither on `dy` nor on the
/// op's inputs; without it, to differentiate the gradient again throws TapeError. `zeros`,
/// `tensor`, random numbers and the like are constants already.
Tensor constant(Tensor x);

/// A cheap handle to a contiguous, row-major array. Copies share the elements, which never change
/// once another handle can see them; so what an op saves for its gradient stays valid. f32 and f64
/// carry numbers and gradients; i32 carries token ids, and truth values as 0 and 1; bf16 carries
/// weights that aren't trained, which `linear` and `gather_rows` read and `cast` makes and widens.
class Tensor {
 public:
  Tensor() = default;  ///< null: false in a condition
  explicit operator bool() const { return data_ != nullptr; }

  /// Uninitialised elements, for a kernel, which writes them before anything else holds the tensor;
  /// none while an Outline is alive.
  static Tensor empty(const Shape& shape, DType dtype);
  /// A tensor over elements that are already in memory, row by row. They must not change as long as
  /// a handle is alive.
  static Tensor over(std::shared_ptr<std::byte> elements, const Shape& shape, DType dtype);
  /// Evaluates an xtensor expression; include <tapehead/core/array.hpp>.
  template <class Expression>
  static Tensor from(const Expression& expression);

  // All of these throw TypeError if the tensor is null.
  const Shape& shape() const { return some().shape; }
  Index size() const { return some().size; }  ///< number of elements
  int rank() const { return some().shape.rank(); }
  Index dim(int axis) const { return some().shape[axis]; }  ///< a size; -1 is the last axis
  DType dtype() const { return some().dtype; }
  bool is_float() const { return dtype() == DType::f32 || dtype() == DType::f64; }
  std::uint64_t id() const { return some().id; }  ///< unique within a process

  double item() const;                 ///< the element of a one-element tensor
  std::vector<double> values() const;  ///< all elements, row-major
  double operator()(Index i) const;    ///< element i, row-major, checked

  /// The elements. Throws TypeError if T isn't the element type.
  template <class T>
  const T* data() const {
    check_type(dtype_of<T>());
    return reinterpret_cast<const T*>(elements());
  }
  /// The elements, to be written. Throws TapeError unless this is the only handle to them.
  template <class T>
  T* mutable_data() {
    check_type(dtype_of<T>());
    check_unshared();
    return reinterpret_cast<T*>(elements());
  }
  /// The elements as they lie in memory, whatever their type; to be written as `mutable_data` is.
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(elements()),
            static_cast<std::size_t>(size()) * bytes_of(dtype())};
  }
  char* mutable_bytes() {
    check_unshared();
    return reinterpret_cast<char*>(elements());
  }
  bool shared() const { return data_.use_count() > 1 || some().owner.use_count() > 1; }

  /// An xtensor expression over the elements, without a copy; include <tapehead/core/array.hpp>.
  template <class T>
  auto array() const;

  /// The same elements in another shape of the same size. Not recorded: `reshape` is the op.
  Tensor viewed_as(const Shape& shape) const;
  /// The elements from number `first` on, as many as the shape has. Not recorded either.
  Tensor part_as(const Shape& shape, Index first = 0) const;
  /// The same elements as a new tensor, which no tape knows: a constant.
  Tensor detached() const { return constant(viewed_as(shape())); }

 private:
  struct Data {
    Data(const Shape& shape, DType dtype, std::byte* elements);
    std::uint64_t id;
    DType dtype;
    Index size;
    std::byte* elements;          // null in an outline that nobody has read
    std::shared_ptr<void> owner;  // of the elements; null where they follow in the same block
    Shape shape;
  };
  Tensor(const Shape& shape, DType dtype, std::size_t bytes);
  const Data& some() const {
    if (!data_) refuse_null();
    return *data_;
  }
  std::byte* elements() const { return some().elements ? data_->elements : zeros_of_outline(); }
  std::byte* zeros_of_outline() const;
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

/// Whether two tensors have the same shape, type and elements, byte by byte.
bool bitwise_equal(const Tensor& a, const Tensor& b);

/// `[[1, 2], [3, 4]]`, long axes abridged with dots.
std::string to_string(const Tensor& x);

}  // namespace tapehead

template <>
struct fmt::formatter<tapehead::Tensor> : tapehead::TextFormatter<tapehead::Tensor> {};

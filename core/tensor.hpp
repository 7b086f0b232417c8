#pragma once
#include "outline.hpp"
#include "shape.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace tapehead {

enum class DType : std::uint8_t { f32, f64, i32, bf16 };

/// The upper half of an f32: 8 bits of its exponent, 7 of its fraction.
struct Bf16 {
  std::uint16_t bits;
};

/// How a matmul of f32 matrices is computed: from its factors as they are, or from factors rounded
/// to bf16. Sums are in f32 either way. Factors in f64 are never rounded.
enum class Precision : std::uint8_t { f32, bf16 };

const char* to_string(DType dtype);
std::size_t bytes_of(DType dtype);  ///< of one element

template <class T>
constexpr DType dtype_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                    std::is_same_v<T, std::int32_t> || std::is_same_v<T, Bf16>,
                "elements are float, double, std::int32_t or Bf16");
  return std::is_same_v<T, float>    ? DType::f32
         : std::is_same_v<T, double> ? DType::f64
         : std::is_same_v<T, Bf16>   ? DType::bf16
                                     : DType::i32;
}

class Tensor;
/// x, marked as a constant: it depends on nothing that is differentiated. A gradient rule does so
/// with a tensor whose elements it writes itself, not by ops, and which doesn't depend on `dy` or
/// on the op's inputs; without it, to differentiate the rule's result again throws TapeError.
/// `zeros`, `tensor`, random numbers and the like are constants already.
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
  friend class Tape;
  friend Tensor constant(Tensor x);
  friend struct Parameter;
  struct Data {
    Data(const Shape& shape, DType dtype, std::byte* elements);
    std::uint64_t id;
    DType dtype;
    Index size;
    std::byte* elements;           // null in an outline that nobody has read
    std::shared_ptr<void> owner;   // of the elements; null where they follow in the same block
    std::atomic<int> watchers{0};  // live tapes that watch this tensor
    std::atomic<std::uint64_t> constant_for{0};  // serial of the tape that took it for a constant
    bool by_hand = true;  // so far neither an op's result nor a constant; see Tape::mark_opaque
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

/// Whether f returns nothing, since it only writes elements.
template <class F>
constexpr bool only_writes = std::is_void_v<std::invoke_result_t<F&, float>>;
[[noreturn]] void refuse_bf16();
/// Calls f with a zero of the element type, which tells f that type: `using T = decltype(zero)`. It
/// is float, double or int32_t; for bf16 TypeError is thrown, and by `dispatch_float`, in the name
/// of `op`, for i32 too. While an Outline is alive, an f that only writes elements isn't called.
template <class F>
auto dispatch(DType dtype, F&& f) {
  if (dtype == DType::bf16) refuse_bf16();
  if constexpr (only_writes<F>)
    if (Outline::is_alive()) return;
  if (dtype == DType::f32) return f(float{});
  if (dtype == DType::f64) return f(double{});
  return f(std::int32_t{});
}
[[noreturn]] void refuse_type(const char* op, DType dtype);
template <class F>
auto dispatch_float(const char* op, DType dtype, F&& f) {
  if (dtype != DType::f32 && dtype != DType::f64) refuse_type(op, dtype);
  if constexpr (only_writes<F>)
    if (Outline::is_alive()) return;
  return dtype == DType::f32 ? f(float{}) : f(double{});
}
/// Throws TypeError if one of an op's tensors, in the order of its arguments, is null.
[[noreturn]] void refuse_null(const char* op, std::initializer_list<bool> present);
template <class... Tensors>
void check_present(const char* op, const Tensors&... x) {
  if (!(static_cast<bool>(x) && ...)) refuse_null(op, {static_cast<bool>(x)...});
}
/// Throws TypeError if one is null, or the two differ.
void check_same_type(const char* op, const Tensor& a, const Tensor& b);

}  // namespace tapehead

template <>
struct fmt::formatter<tapehead::Tensor> : tapehead::TextFormatter<tapehead::Tensor> {};
template <>
struct fmt::formatter<tapehead::DType> : tapehead::TextFormatter<tapehead::DType> {};

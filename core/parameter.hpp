#pragma once
#include "ops.hpp"

#include <string>

namespace tapehead {

/// The initial value of a parameter: normal with mean 0, uniform in +-spread, or constant.
struct Init {
  enum class Kind { constant, normal, uniform } kind;
  double value;  ///< the constant, the standard deviation, or the spread

  static Init constant(double value) { return {Kind::constant, value}; }
  static Init normal(double deviation) { return {Kind::normal, deviation}; }
  static Init uniform(double spread) { return {Kind::uniform, spread}; }
};

/// A member that tells whether the object containing it still exists, and whether a tape watches
/// that object. A copied or moved object gets a new anchor.
class Anchor {
 public:
  Anchor() = default;
  Anchor(const Anchor&) {}
  Anchor& operator=(const Anchor&) { return *this; }
  /// Returns the lease. While a tape holds it, the tape watches the object, which can't be changed.
  const std::shared_ptr<void>& lease() const { return lease_; }
  bool is_leased() const { return lease_.use_count() > 1; }
  /// Returns a pointer that expires when the object is destroyed.
  std::weak_ptr<void> hold() {
    if (!here_) here_ = std::make_shared<char>();
    return here_;
  }

 private:
  std::shared_ptr<void> here_, lease_ = std::make_shared<char>();
};

/// A trainable tensor. Passing a parameter to an op converts it to its value, and makes every
/// recording tape watch the value, unless the parameter is frozen. Only `initialise` draws the
/// value, so a model of any size can be printed and counted without allocating it.
struct Parameter {
  Parameter() = default;  ///< an absent parameter, such as no bias; converts to a null tensor
  Parameter(const Shape& shape_, Init init_, bool decay_)
      : shape(shape_), init(init_), decay(decay_), present(true) {}

  /// Returns the value. Makes all recording tapes of this thread watch it, unless it is frozen.
  operator const Tensor&() const;
  /// Returns the value without watching it. Throws TapeError before `initialise`.
  const Tensor& value() const;

  /// Makes this parameter stand for another one of the same shape, which must stay in place. Tapes,
  /// walks and optimizers see only the owner of the value, the other one.
  void share(Parameter& other);
  Parameter& owner() { return shared_ ? *shared_ : *this; }

  /// Draws the initial value as `init` describes, with the element type `type`.
  void initialise(const RandomKey& key, DType type);
  /// Replaces the value, in the same shape and type. Throws TapeError while a tape watches it.
  void set(Tensor value);
  /// Returns the elements, which the caller may change in place. The value becomes a new tensor, so
  /// copies of the old value stay unchanged. Throws TapeError while a tape watches the value.
  template <class T>
  T* change() {
    own_value();
    return value_.mutable_data<T>();
  }
  char* change_bytes() {
    own_value();
    return value_.mutable_bytes();
  }

  Shape shape;
  Init init = Init::constant(0);
  bool decay = false;  ///< whether weight decay applies; false for biases, norms and temperatures
  bool trainable = true;  ///< false: frozen; no gradient is computed
  bool present = false;
  /// For a linear map: the number of rows of each matrix that is stacked in the value, such as the
  /// query, key and value projections. Optimizers such as Muon update each of these matrices as a
  /// whole. Empty: not a linear map.
  std::vector<Index> matrices = {};
  std::string path;          ///< path from the model's root, set by initialise(model, seed)
  DType dtype = DType::f32;  ///< type of the value, set by initialise(model, seed)
  Anchor anchor;             ///< for tapes and optimizers that refer to this parameter

 private:
  void check_unwatched() const;
  void own_value();

  Tensor value_;
  Parameter* shared_ = nullptr;
};

}  // namespace tapehead

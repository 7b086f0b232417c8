#pragma once
#include "ops.hpp"

#include <string>

namespace tapehead {

/// The initial value of a parameter: drawn from a normal distribution of mean 0, drawn uniformly
/// from +-spread, or constant.
struct Init {
  enum class Kind { constant, normal, uniform } kind;
  double value;  ///< the constant, the standard deviation, or the spread

  static Init constant(double value) { return {Kind::constant, value}; }
  static Init normal(double deviation) { return {Kind::normal, deviation}; }
  static Init uniform(double spread) { return {Kind::uniform, spread}; }
};

/// Tells whether an object is still there, and whether tapes use it. An object that is copied or
/// moved gets its own anchor.
class Anchor {
 public:
  Anchor() = default;
  Anchor(const Anchor&) {}
  Anchor& operator=(const Anchor&) { return *this; }
  /// What a tape holds as long as it watches the object.
  const std::shared_ptr<void>& lease() const { return lease_; }
  bool is_leased() const { return lease_.use_count() > 1; }
  /// Expires when the object is destroyed.
  std::weak_ptr<void> hold() {
    if (!here_) here_ = std::make_shared<char>();
    return here_;
  }

 private:
  std::shared_ptr<void> here_, lease_ = std::make_shared<char>();
};

/// A tensor that training changes. To use one as a tensor is to watch it: every tape that records
/// gives its gradient, unless it is frozen. It is created with a shape and an Init; `initialise`
/// gives it its value, so that even the largest model can be counted and printed without being
/// allocated.
struct Parameter {
  Parameter() = default;  ///< absent, as in a layer without bias; converts to a null tensor
  Parameter(const Shape& shape_, Init init_, bool decay_)
      : shape(shape_), init(init_), decay(decay_), present(true) {}

  /// The value, which the tapes that record on this thread watch from now on, unless the parameter
  /// is frozen.
  operator const Tensor&() const;
  /// The value, unwatched. Throws TapeError before `initialise`.
  const Tensor& value() const;

  void initialise(const RandomKey& key, DType type);
  /// Replaces the value by one of the same shape and type. Throws TapeError while a live tape has
  /// recorded the old one.
  void set(Tensor value);
  /// The elements, to be changed in place. The value becomes a new tensor, and copies of the old
  /// one keep their elements; throws as `set` does.
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
  bool decay = false;     ///< whether weight decay applies: not for biases, norms, temperatures
  bool trainable = true;  ///< false: frozen; no gradient is computed
  bool present = false;
  /// How many rows each matrix stacked in it has, if it is a linear map inside a model: an
  /// optimizer may treat such a matrix as a whole. Empty if the elements are independent.
  std::vector<Index> matrices = {};
  std::string path;          ///< from the model's root, set by initialise(model, seed) or outline
  DType dtype = DType::f32;  ///< of the value, set likewise
  Anchor anchor;             ///< for those who keep a pointer to this parameter

 private:
  void check_unwatched() const;
  void own_value();

  Tensor value_;
};

}  // namespace tapehead

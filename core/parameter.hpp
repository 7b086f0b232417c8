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

/// Tells whether an object still exists, and whether a tape watches it. A copied or moved object
/// gets its own anchor.
class Anchor {
 public:
  Anchor() = default;
  Anchor(const Anchor&) {}
  Anchor& operator=(const Anchor&) { return *this; }
  /// A tape holds this while it watches the object, which then refuses to change.
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

/// A tensor that training changes. An op that reads a parameter gets its value by conversion, and
/// the conversion watches it. So every tape that records returns its gradient, unless it is frozen.
/// The constructor sets a shape and an Init, and `initialise` draws the value. So a model of any
/// size can be counted and printed without allocating it.
struct Parameter {
  Parameter() = default;  ///< absent, as in a layer without bias; converts to a null tensor
  Parameter(const Shape& shape_, Init init_, bool decay_)
      : shape(shape_), init(init_), decay(decay_), present(true) {}

  /// Returns the value. The tapes that record on this thread watch it from now on, unless the
  /// parameter is frozen.
  operator const Tensor&() const;
  /// Returns the value without watching it. Throws TapeError before `initialise`.
  const Tensor& value() const;

  void initialise(const RandomKey& key, DType type);
  /// Replaces the value by one of the same shape and type. Throws TapeError while a tape watches
  /// the old one.
  void set(Tensor value);
  /// Returns the elements, to be changed in place. The value becomes a new tensor, and copies of
  /// the old one keep their elements. Throws as `set` does.
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
  /// Of a linear map inside a model: the rows of each matrix that is stacked in it, such as
  /// queries, keys and values. Optimizers may treat each as a whole. Empty: independent elements.
  std::vector<Index> matrices = {};
  std::string path;          ///< from the model's root, set by initialise(model, seed) or outline
  DType dtype = DType::f32;  ///< of the value, set likewise
  Anchor anchor;             ///< for tapes and optimizers that refer to this parameter

 private:
  void check_unwatched() const;
  void own_value();

  Tensor value_;
};

}  // namespace tapehead

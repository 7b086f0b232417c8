#pragma once
#include "ops.hpp"

#include <string>

namespace tapehead {

/// How a parameter starts: drawn from a normal distribution of mean 0, uniformly over +-spread, or
/// one value throughout.
struct Init {
  enum class Kind { constant, normal, uniform } kind;
  double value;  ///< the constant, the standard deviation, or the spread

  static Init constant(double value) { return {Kind::constant, value}; }
  static Init normal(double deviation) { return {Kind::normal, deviation}; }
  static Init uniform(double spread) { return {Kind::uniform, spread}; }
};

/// A tensor that training changes. It is made of shape and rule first; `initialise` gives it its
/// value, so that the largest model can be counted and printed without being allocated.
struct Parameter {
  Parameter() = default;  ///< absent: a layer without bias. Converts to no tensor.
  Parameter(const Shape& shape_, Init init_, bool decay_)
      : shape(shape_), init(init_), decay(decay_), present(true) {}

  /// The value. A tape that records on this thread watches it from here on, unless it is frozen.
  operator const Tensor&() const;
  /// The value, unwatched. Throws TapeError before `initialise`.
  const Tensor& value() const;

  void initialise(const RandomKey& key, DType dtype);
  /// Replaces the value: same shape. Throws TapeError while a live tape has recorded the old one.
  void set(Tensor value);
  /// The elements to change in place. The value becomes a new tensor, and copies of the old one
  /// keep theirs; throws as `set` does.
  template <class T>
  T* change() {
    own_value();
    return value_.mutable_data<T>();
  }

  Shape shape;
  Init init = Init::constant(0);
  bool decay = false;     ///< whether weight decay applies: not to biases, norms, temperatures
  bool trainable = true;  ///< false: frozen, no gradient is computed
  bool present = false;
  /// Rows of each matrix in it, one below the other, where it maps what is inside a model: an
  /// optimizer may treat such a matrix as a whole. Empty: numbers on their own.
  std::vector<Index> matrices = {};
  std::string path;  ///< from the model's root, given by initialise(model, seed)

 private:
  void check_unwatched() const;
  void own_value();

  Tensor value_;
};

}  // namespace tapehead

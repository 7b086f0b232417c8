#pragma once
#include "tensor.hpp"

#include <unordered_map>
#include <vector>

namespace tapehead {

/// The gradients of an op's inputs, in their order. A null tensor stands for zero.
using Grads = std::vector<Tensor>;

/// The gradients of one loss: a value that can be read, added and passed to an optimizer.
class Gradients {
 public:
  /// The gradient of a watched tensor or parameter, of its shape and type. Throws TapeError for a
  /// tensor that the tape didn't watch; and for one that the loss can't depend on, unless backward
  /// was asked for zeros there.
  Tensor operator[](const Tensor& x) const;
  bool contains(const Tensor& x) const { return place_of_.count(x.id()) > 0; }

  /// The same with every gradient multiplied by `factor`, when it is read.
  Gradients scaled(double factor) &&;
  double factor() const { return factor_; }
  /// The stored gradient, still to be multiplied by factor(); a null tensor stands for zeros.
  const Tensor& stored(const Tensor& x) const;
  /// All stored gradients, in the order in which their tensors were first watched.
  std::vector<Tensor> all() const;

  /// Made from pairs of a tensor and its gradient.
  static Gradients of(const std::vector<std::pair<Tensor, Tensor>>& all);
  /// The gradients of the sum of several losses (of shards or accumulated micro-batches), added in
  /// their order. All must have the same factor(). Throws ValueError if there are none.
  static Gradients sum(std::vector<Gradients> parts);

 private:
  friend class Tape;
  struct Watched {
    std::uint64_t id;  // of the tensor
    Shape shape;
    DType dtype;
    bool reached;  // the loss may depend on it
    Tensor gradient;
  };
  const Watched& find(const Tensor& x) const;
  void add(Watched x);

  std::vector<Watched> watched_;
  std::unordered_map<std::uint64_t, std::size_t> place_of_;  // tensor id -> where it is in watched_
  double factor_ = 1;
  bool zeros_ = false;
};

/// The gradients that have arrived so far at the inputs of an op. A backward function whose
/// gradient is mostly zeros, such as that of a few rows of a table, takes the sum so far, adds to
/// it in place, and returns the whole.
class GradientSums {
 public:
  /// Takes over the sum for an input, which is no longer kept here. Null if nothing has arrived, if
  /// something else holds it too, or if the computation of the gradient is recorded.
  Tensor take(std::size_t input);

 private:
  friend class Tape;
  friend struct HigherOrder;
  GradientSums(std::vector<Tensor>* gradients, const int* inputs)
      : gradients_(gradients), inputs_(inputs) {}

  std::vector<Tensor>* gradients_;  // of all entries; null: nothing may be taken
  const int* inputs_;               // entries; negative for a constant
};

}  // namespace tapehead

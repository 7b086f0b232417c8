#pragma once
#include "tensor.hpp"

#include <unordered_map>
#include <vector>

namespace tapehead {

/// The gradients of an op's inputs, in their order. A null tensor stands for zero.
using Grads = std::vector<Tensor>;

/// The gradients of one loss. They can be read, added, and passed to an optimizer.
class Gradients {
 public:
  /// Returns the gradient of a watched tensor or parameter, of its shape and type. Throws TapeError
  /// if the tape didn't watch it, or if the loss can't depend on it and backward ran without
  /// `zeros`.
  Tensor operator[](const Tensor& x) const;
  bool contains(const Tensor& x) const { return index_by_id_.count(x.id()) > 0; }

  /// Multiplies every gradient by `factor` when it is read, so clipping needs no extra pass.
  Gradients scaled(double factor) &&;
  double factor() const { return factor_; }
  /// The stored gradient, not yet multiplied by factor(); a null tensor stands for zeros.
  const Tensor& stored(const Tensor& x) const;
  /// All stored gradients, in the order in which their tensors were first watched.
  std::vector<Tensor> all() const;

  /// Makes gradients from pairs of a tensor and its gradient.
  static Gradients from_pairs(const std::vector<std::pair<Tensor, Tensor>>& all);
  /// Returns the gradients of the sum of several losses (of shards or micro-batches), added in this
  /// order. All must have the same factor(). Throws ValueError if there are none.
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
  std::unordered_map<std::uint64_t, std::size_t>
      index_by_id_;  // tensor id -> where it is in watched_
  double factor_ = 1;
  bool zeros_ = false;
};

/// Lets a backward function add to the gradients that have arrived so far at the op's inputs. If
/// its gradient is mostly zeros, as for `gather_rows`, it takes the sum, adds rows, and returns it.
class GradientSums {
 public:
  /// Moves the sum for an input out of the tape. Returns null if nothing has arrived, if something
  /// else holds the sum too, or if backward itself is recorded.
  Tensor take(std::size_t input);

 private:
  friend class Tape;
  friend struct HigherOrder;
  GradientSums(std::vector<Tensor>* gradients, const int* inputs)
      : gradients_(gradients), inputs_(inputs) {}

  std::vector<Tensor>* gradients_;  // of all entries; null: nothing may be taken
  const int* inputs_;               // their entries; negative for a constant
};

}  // namespace tapehead

#pragma once
#include "tensor.hpp"

#include <unordered_map>
#include <vector>

namespace tapehead {

/// The gradients of an op's inputs, in the order of the inputs. A null tensor means zeros.
using Grads = std::vector<Tensor>;

/// The gradients of one loss with respect to the watched tensors: the result of Tape::backward.
class Gradients {
 public:
  /// Returns the gradient of a watched tensor or parameter, with the same shape and type. Throws
  /// TapeError if the tape didn't watch x, or if the loss doesn't depend on x and backward ran
  /// without `zeros`.
  Tensor operator[](const Tensor& x) const;
  bool contains(const Tensor& x) const { return index_by_id_.count(x.id()) > 0; }

  /// Returns the gradients scaled by `factor`. Each gradient is multiplied only when it is read, so
  /// clipping doesn't need another pass over memory.
  Gradients scaled(double factor) &&;
  double factor() const { return factor_; }
  /// Returns the stored gradient, not yet multiplied by factor(); a null tensor means zeros.
  const Tensor& stored(const Tensor& x) const;
  /// Returns all stored gradients, in the order in which their tensors were first watched.
  std::vector<Tensor> all() const;

  /// Makes a Gradients from pairs (tensor, gradient).
  static Gradients from_pairs(const std::vector<std::pair<Tensor, Tensor>>& all);
  /// Returns the gradients of the sum of several losses (shards or micro-batches), added in the
  /// order of `parts`. If factors differ, multiplies by them first. Throws ValueError if `parts` is
  /// empty.
  static Gradients sum(std::vector<Gradients> parts);

 private:
  friend class Tape;
  struct Watched {
    std::uint64_t id;  // id of the tensor
    Shape shape;
    DType dtype;
    bool reached;  // whether the loss may depend on the tensor
    Tensor gradient;
  };
  const Watched& find(const Tensor& x) const;
  void add(Watched x);

  std::vector<Watched> watched_;
  std::unordered_map<std::uint64_t, std::size_t> index_by_id_;  // tensor id -> index in watched_
  double factor_ = 1;
  bool zeros_ = false;
};

/// The gradients of an op's inputs that the tape has summed so far. The own gradient of an op such
/// as gather_rows is mostly zeros. So its backward function takes the sum out of the tape, adds its
/// few nonzero rows to the sum, and returns the sum.
class GradientSums {
 public:
  /// Moves the gradient sum of an input out of the tape. Returns null if nothing has been added to
  /// this sum yet, if another handle shares it, or if backward itself is recorded.
  Tensor take(std::size_t input);

 private:
  friend class Tape;
  friend struct HigherOrder;
  GradientSums(std::vector<Tensor>* gradients, const int* inputs)
      : gradients_(gradients), inputs_(inputs) {}

  std::vector<Tensor>* gradients_;  // gradient sums of all tape entries; null: take returns null
  const int* inputs_;               // index of each input's entry; negative: constant
};

}  // namespace tapehead

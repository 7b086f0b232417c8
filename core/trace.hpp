#pragma once
// What can be observed of tapes: the module in which an op runs and, by a listener, each op, each
// gradient rule and each gradient.
#include "runtime/nested.hpp"
#include "tape.hpp"

namespace tapehead {

/// Is told what tapes do on the threads on which it listens. The module is ModuleScope::current().
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  /// A tape was told to watch x. It isn't said of parameters, which are watched as they are used.
  virtual void watched(const Tensor& /*x*/) {}
  /// An op has computed y, recorded or not, but not during a Pause. If y has taken over the memory
  /// of an input, that input holds the elements of y.
  virtual void computed(const OpCall& /*call*/, const Tensor& /*y*/,
                        const std::vector<Tensor>& /*inputs*/) {}
  /// Backward has the whole gradient of the tensor of this id, which is watched, or made by an op.
  virtual void gradient_ready(std::uint64_t /*x*/, const Tensor& /*dx*/) {}
  /// An op computes products of matrices with so many multiply-adds, during a Pause too.
  virtual void multiplying(double /*multiply_adds*/) {}
  /// The gradient rule of an op is about to run.
  virtual void differentiating(const char* /*op*/) {}
  /// The rule of the op that made the tensor of id y has returned these gradients, in the order of
  /// the op's inputs. One may have the result's shape where its input was broadcast.
  virtual void differentiated(std::uint64_t /*y*/, const char* /*op*/, const Tensor& /*dy*/,
                              const Grads& /*grads*/) {}
};

// Each of these tells this thread's listener, if there is one.
void notify_watched(const Tensor& x);
void notify_computed(const OpCall& call, const Tensor& y, const Inputs& inputs);
void notify_gradient(std::uint64_t x, const Tensor& dx);

/// Tells this thread's listener how many multiply-adds an op takes: an op that multiplies matrices
/// says so itself. Element-wise work isn't counted.
void count_multiply_adds(double multiply_adds);

/// Names the module in which this thread's ops run while it is alive. `name` must outlive the
/// tapes.
class ModuleScope : public Nested<ModuleScope> {
 public:
  explicit ModuleScope(const char* name) : name_(name) {}
  /// The name of the innermost module; empty outside of any.
  static const char* current() { return innermost() ? innermost()->name_ : ""; }

 private:
  const char* name_;
};

/// Has a listener, or none where it is null, told of this thread's tapes while it is alive.
class ListenerScope : public Nested<ListenerScope> {
 public:
  explicit ListenerScope(TapeListener* listener) : listener_(listener) {}
  /// The innermost listener of this thread, or null.
  static TapeListener* current() { return innermost() ? innermost()->listener_ : nullptr; }

 private:
  TapeListener* listener_;
};

/// Has fused ops on this thread recorded as the primitive ops of their decompositions while it is
/// alive.
class PrimitiveOpsScope : public Nested<PrimitiveOpsScope> {};

}  // namespace tapehead

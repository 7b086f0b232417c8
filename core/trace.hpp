#pragma once
// Observation of tapes: the module in which an op runs, and a listener for ops, backward functions
// and gradients.
#include "runtime/nested.hpp"
#include "tape.hpp"

namespace tapehead {

/// A listener for the events of this thread's tapes; install it with a ListenerScope. During an
/// event, ModuleScope::current() is the module in which the op runs.
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  /// A tape watches x. Not called for parameters, which every use watches.
  virtual void watched(const Tensor& /*x*/) {}
  /// An op has computed y; it may not be recorded. Not called during a Pause. If y reuses the
  /// memory of an input, that input already holds the elements of y.
  virtual void computed(const OpCall& /*call*/, const Tensor& /*y*/,
                        const std::vector<Tensor>& /*inputs*/) {}
  /// Backward has computed the whole gradient dx of the tensor with id x, a watched tensor or an
  /// op's result.
  virtual void gradient_ready(std::uint64_t /*x*/, const Tensor& /*dx*/) {}
  /// An op runs matmuls with this many multiply-adds. Called during a Pause, too.
  virtual void multiplying(double /*multiply_adds*/) {}
  /// The backward function of an op is about to run.
  virtual void differentiating(const char* /*op*/) {}
  /// The backward function of the op that made the tensor with id y has returned these gradients,
  /// in the order of the inputs. If an input was broadcast, its gradient may have the result's
  /// shape.
  virtual void differentiated(std::uint64_t /*y*/, const char* /*op*/, const Tensor& /*dy*/,
                              const Grads& /*grads*/) {}
};

// These functions notify the listener of this thread, if there is one.
void notify_watched(const Tensor& x);
void notify_computed(const OpCall& call, const Tensor& y, const Inputs& inputs);
void notify_gradient(std::uint64_t x, const Tensor& dx);

/// Reports the multiply-adds of a matmul to the listener of this thread. Element-wise ops don't
/// call this.
void count_multiply_adds(double multiply_adds);

/// A scope in which `name` is the current module of this thread. `name` must outlive the tapes.
class ModuleScope : public Nested<ModuleScope> {
 public:
  explicit ModuleScope(const char* name) : name_(name) {}
  /// Returns the name of the innermost module, or an empty string outside of modules.
  static const char* current() { return innermost() ? innermost()->name_ : ""; }

 private:
  const char* name_;
};

/// A scope in which this thread's tapes notify a listener. With null they notify none.
class ListenerScope : public Nested<ListenerScope> {
 public:
  explicit ListenerScope(TapeListener* listener) : listener_(listener) {}
  /// Returns the innermost listener of this thread, or null.
  static TapeListener* current() { return innermost() ? innermost()->listener_ : nullptr; }

 private:
  TapeListener* listener_;
};

/// A scope in which fused ops on this thread run and record their decompositions.
class PrimitiveOpsScope : public Nested<PrimitiveOpsScope> {};

}  // namespace tapehead

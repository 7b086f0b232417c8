#pragma once
// Observation of tapes: the module in which an op runs, and a listener for ops, backward functions
// and gradients.
#include "runtime/nested.hpp"
#include "tape.hpp"

namespace tapehead {

/// A listener for the events of this thread's tapes; install it with a ListenerScope. During an
/// event, ModuleScope::current() is the module.
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  /// A tape was asked to watch x. Not called for parameters, which are watched when an op uses
  /// them.
  virtual void watched(const Tensor& /*x*/) {}
  /// An op has computed y, recorded or not. Not called during a Pause. If y reuses the memory of an
  /// input, that input holds the elements of y.
  virtual void computed(const OpCall& /*call*/, const Tensor& /*y*/,
                        const std::vector<Tensor>& /*inputs*/) {}
  /// Backward has the complete gradient of the tensor with id x, which is watched or made by an op.
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

/// Reports the multiply-adds of a matmul to the listener of this thread. Element-wise work isn't
/// counted.
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

/// A scope in which this thread's tapes notify a listener; null switches listeners off.
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

#pragma once
// What can be observed of tapes: the module in which an op runs and, by a listener, each op, each
// gradient rule and each gradient.
#include "gradients.hpp"
#include "runtime/nested.hpp"

namespace tapehead {

/// Is told what tapes do on the threads on which it listens. The module is Scope::current().
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  /// A tape was told to watch x. It isn't said of parameters, which are watched as they are used.
  virtual void watched(const Tensor& /*x*/) {}
  /// An op has computed y, recorded or not, but not during a Pause. If y has taken over the memory
  /// of an input, that input holds the elements of y.
  virtual void computed(const char* /*op*/, const Tensor& /*y*/,
                        const std::vector<Tensor>& /*inputs*/) {}
  /// Backward has the whole gradient of the tensor of this id, which is watched, or made by an op.
  virtual void arrived(std::uint64_t /*x*/, const Tensor& /*dx*/) {}
  /// An op is about to be recorded: the arguments besides its inputs, which are numbers, such as
  /// axes and bounds, or its mask or ids. Called during a Pause too.
  virtual void called(const std::vector<double>& /*numbers*/, const Tensor& /*ids*/) {}
  /// Two tensors were compared, which no tape records: y is i32. Called during a Pause too.
  virtual void compared(const char* /*op*/, const Tensor& /*y*/, const Tensor& /*a*/,
                        const Tensor& /*b*/) {}
  /// An op computes products of matrices with so many multiply-adds, during a Pause too.
  virtual void multiplying(double /*multiply_adds*/) {}
  /// The gradient rule of an op is about to run.
  virtual void differentiating(const char* /*op*/) {}
  /// The rule of the op that made the tensor of id y has returned these gradients, in the order of
  /// the op's inputs. One may have the result's shape where its input was broadcast.
  virtual void differentiated(std::uint64_t /*y*/, const char* /*op*/, const Tensor& /*dy*/,
                              const Grads& /*grads*/) {}
};

/// Tells this thread's listener how many multiply-adds an op takes: an op that multiplies matrices
/// says so itself. Element-wise work isn't counted.
void count_multiply_adds(double multiply_adds);

/// Names the module in which this thread's ops run while it is alive. `name` must outlive the
/// tapes.
class Scope : public Nested<Scope> {
 public:
  explicit Scope(const char* name) : name_(name) {}
  /// The name of the innermost module; empty outside of any.
  static const char* current() { return innermost() ? innermost()->name_ : ""; }

 private:
  const char* name_;
};

/// Has a listener, or none where it is null, told of this thread's tapes while it is alive.
class Listening : public Nested<Listening> {
 public:
  explicit Listening(TapeListener* listener) : listener_(listener) {}
  /// The innermost listener of this thread, or null.
  static TapeListener* current() { return innermost() ? innermost()->listener_ : nullptr; }

 private:
  TapeListener* listener_;
};

/// Passes the arguments of the op that is recorded next to this thread's listener, if any.
template <class... Number>
void notify_call(double first, Number... others) {
  if (TapeListener* const listener = Listening::current())
    listener->called({first, static_cast<double>(others)...}, {});
}
inline void notify_call(const std::vector<int>& axes) {
  if (TapeListener* const listener = Listening::current())
    listener->called({axes.begin(), axes.end()}, {});
}
inline void notify_call(const Tensor& ids) {
  if (TapeListener* const listener = Listening::current()) listener->called({}, ids);
}

/// Has fused ops on this thread recorded as the primitive ops of their decompositions while it is
/// alive.
class Primitive : public Nested<Primitive> {};

}  // namespace tapehead

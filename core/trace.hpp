#pragma once
// What can be observed of tapes: the module in which an op runs and, by a listener, each op, each
// gradient rule and each gradient.
#include "gradients.hpp"

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
  /// An op computes products of matrices with so many multiply-adds, during a Pause too.
  virtual void multiplying(double /*multiply_adds*/) {}
  /// The gradient rule of an op is about to run.
  virtual void differentiating(const char* /*op*/) {}
  /// The rule of the op that made the tensor of id y has returned these gradients, in the order of
  /// the op's inputs. One may have the result's shape where its input was broadcast.
  virtual void differentiated(std::uint64_t /*y*/, const char* /*op*/, const Tensor& /*dy*/,
                              const Grads& /*grads*/) {}
};

/// How this thread's ops are recorded now. Tapes read it; Scope, Listening and Primitive set it
/// while they are alive.
struct Trace {
  const char* module = "";
  TapeListener* listener = nullptr;
  bool primitive = false;  ///< fused ops are recorded as the primitive ops of their decomposition

  static Trace& current();
};

/// Tells this thread's listener how many multiply-adds an op takes: an op that multiplies matrices
/// says so itself. Element-wise work isn't counted.
void count_multiply_adds(double multiply_adds);

/// Names the module in which ops run while it is alive. `name` must outlive the tapes.
class Scope {
 public:
  explicit Scope(const char* name);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  static const char* current() { return Trace::current().module; }

 private:
  const char* outer_;
};

/// Has a listener, or none where it is null, told of this thread's tapes while it is alive.
class Listening {
 public:
  explicit Listening(TapeListener* listener);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  TapeListener* outer_;
};

/// Has fused ops on this thread recorded as the primitive ops of their decompositions while it is
/// alive.
class Primitive {
 public:
  Primitive();
  ~Primitive();
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;

 private:
  bool outer_;
};

}  // namespace tapehead

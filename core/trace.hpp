#pragma once
// What can be observed of tapes: the module in which an op runs, and, for a listener, each op and
// each gradient rule.
#include "gradients.hpp"

namespace tapehead {

/// Is notified of what tapes do on the threads on which it listens. The module is Scope::current().
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  /// An op has computed y, recorded or not, but not during a Pause. If y has taken over the memory
  /// of an input, that input holds the elements of y.
  virtual void computed(const char* /*op*/, const Tensor& /*y*/,
                        const std::vector<Tensor>& /*inputs*/) {}
  /// The gradient rule of an op is about to run.
  virtual void differentiating(const char* /*op*/) {}
  /// The rule of an entry of the tape has returned these gradients, in the order of the op's
  /// inputs. One may have the result's shape where its input was broadcast.
  virtual void differentiated(int /*entry*/, const char* /*op*/, const Tensor& /*dy*/,
                              const Grads& /*grads*/) {}
};

/// The trace of this thread. Ops read it; Scope and Listening set it while they are alive.
struct Trace {
  const char* module = "";
  TapeListener* listener = nullptr;
  bool primitive = false;  ///< fused ops are recorded as the primitive ops of their decomposition

  static Trace& current();
};

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

/// Notifies a listener, which may be null, of this thread's tapes while it is alive.
class Listening {
 public:
  explicit Listening(TapeListener* listener);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  TapeListener* outer_;
};

/// Records fused ops on this thread as the primitive ops that they stand for, while it is alive.
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

#pragma once
// What is told about the work of tapes: the module in which an op runs, and, to a listener, each op
// and each gradient rule.
#include "gradients.hpp"

namespace tapehead {

/// Hears of what tapes do on the threads on which it listens. The module is Scope::current().
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  /// An op has computed y, recorded or not; a paused tape tells nothing. An input whose memory y
  /// has taken over holds y's elements.
  virtual void computed(const char* /*op*/, const Tensor& /*y*/,
                        const std::vector<Tensor>& /*inputs*/) {}
  /// The gradient rule of an op is about to run.
  virtual void differentiating(const char* /*op*/) {}
  /// The rule has returned these gradients, in the order of the op's inputs.
  virtual void differentiated(const char* /*op*/, const Tensor& /*dy*/, const Grads& /*grads*/) {}
};

/// The trace of this thread. Ops read it; Scope and Listening set it while they live.
struct Trace {
  const char* module = "";
  TapeListener* listener = nullptr;

  static Trace& current();
};

/// Names the module in which ops run while it lives. `name` must live as long as the tapes.
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

/// Lets a listener, which may be null, hear of this thread's tapes while it lives.
class Listening {
 public:
  explicit Listening(TapeListener* listener);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  TapeListener* outer_;
};

}  // namespace tapehead

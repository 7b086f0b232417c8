#pragma once
#include "tape.hpp"

namespace tapehead {

/// Told of what tapes do on the threads that it listens on. The module is Scope::current().
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  /// An op has made y, recorded or not; what a paused tape doesn't see isn't told. An input whose
  /// memory y has taken holds y's elements.
  virtual void computed(const char* op, const Tensor& y, const std::vector<Tensor>& inputs) {
    (void)op, (void)y, (void)inputs;
  }
  /// The rule of an op is about to run.
  virtual void differentiating(const char* op) { (void)op; }
  /// The rule has given these gradients, in the order of the op's inputs.
  virtual void differentiated(const char* op, const Tensor& dy, const Grads& grads) {
    (void)op, (void)dy, (void)grads;
  }
};

/// Lets the listener, which may be null, hear of this thread's tapes while it lives.
class Listening {
 public:
  explicit Listening(TapeListener* listener);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  static TapeListener* current();

 private:
  TapeListener* outer_;
};

}  // namespace tapehead

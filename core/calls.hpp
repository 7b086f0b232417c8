#pragma once
// The arguments of ops besides their inputs, for a listener that needs them: axes, bounds, masks.
#include "tensor.hpp"

#include <utility>
#include <vector>

namespace tapehead {

/// Receives the arguments of this thread's ops while it is alive.
class CallListener {
 public:
  CallListener();
  virtual ~CallListener();
  CallListener(const CallListener&) = delete;
  CallListener& operator=(const CallListener&) = delete;

  /// Called before an op is recorded, with its numbers, and with its mask or ids.
  virtual void called(const std::vector<double>& numbers, const Tensor& ids) = 0;
  /// Called after a comparison, which no tape records: y is i32.
  virtual void compared(const char* op, const Tensor& y, const Tensor& a, const Tensor& b) = 0;

  static CallListener* current();

 private:
  CallListener* const outer_;
};

/// Passes the arguments of the op that is recorded next to this thread's listener, if any.
template <class... Number>
void notify_call(double first, Number... others) {
  if (CallListener* const listener = CallListener::current())
    listener->called({first, static_cast<double>(others)...}, {});
}
inline void notify_call(const std::vector<int>& axes) {
  if (CallListener* const listener = CallListener::current())
    listener->called({axes.begin(), axes.end()}, {});
}
inline void notify_call(const Tensor& ids) {
  if (CallListener* const listener = CallListener::current()) listener->called({}, ids);
}

}  // namespace tapehead

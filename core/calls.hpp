#pragma once
// The arguments of ops besides their inputs, for a listener that needs them: axes, bounds, masks.
#include "tensor.hpp"

#include <utility>
#include <vector>

namespace tapehead {

/// Is told on one thread, while it is alive, how ops are called.
class CallListener {
 public:
  CallListener();
  virtual ~CallListener();
  CallListener(const CallListener&) = delete;
  CallListener& operator=(const CallListener&) = delete;

  /// The op that is recorded next was called with these numbers, and with this mask or these ids.
  virtual void called(const std::vector<double>& numbers, const Tensor& ids) = 0;
  /// An op that no tape records has compared a and b: y is i32.
  virtual void compared(const char* op, const Tensor& y, const Tensor& a, const Tensor& b) = 0;

  static CallListener* current();

 private:
  CallListener* const outer_;
};

/// Tells this thread's listener, if there is one, how the op is called that is recorded next.
template <class... Number>
void tell_call(double first, Number... others) {
  if (CallListener* const listener = CallListener::current())
    listener->called({first, static_cast<double>(others)...}, {});
}
inline void tell_call(const std::vector<int>& axes) {
  if (CallListener* const listener = CallListener::current())
    listener->called({axes.begin(), axes.end()}, {});
}
inline void tell_call(const Tensor& ids) {
  if (CallListener* const listener = CallListener::current()) listener->called({}, ids);
}

}  // namespace tapehead

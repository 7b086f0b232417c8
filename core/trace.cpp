#include "trace.hpp"

#include <utility>

namespace tapehead {

Trace& Trace::current() {
  thread_local Trace trace;
  return trace;
}

void count_multiply_adds(double multiply_adds) {
  if (TapeListener* const listener = Trace::current().listener)
    listener->multiplying(multiply_adds);
}

Scope::Scope(const char* name) : outer_(std::exchange(Trace::current().module, name)) {}
Scope::~Scope() { Trace::current().module = outer_; }

Listening::Listening(TapeListener* listener)
    : outer_(std::exchange(Trace::current().listener, listener)) {}
Listening::~Listening() { Trace::current().listener = outer_; }

Primitive::Primitive() : outer_(std::exchange(Trace::current().primitive, true)) {}
Primitive::~Primitive() { Trace::current().primitive = outer_; }

}  // namespace tapehead

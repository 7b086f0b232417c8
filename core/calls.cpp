#include "calls.hpp"

namespace tapehead {
namespace {

thread_local CallListener* listening = nullptr;

}  // namespace

CallListener::CallListener() : outer_(std::exchange(listening, this)) {}
CallListener::~CallListener() { listening = outer_; }
CallListener* CallListener::current() { return listening; }

}  // namespace tapehead

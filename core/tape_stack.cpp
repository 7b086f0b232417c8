#include "tape_stack.hpp"

#include <algorithm>
#include <utility>

namespace tapehead {

std::vector<std::shared_ptr<TapeSlot>>& TapeStack::slots() {
  thread_local std::vector<std::shared_ptr<TapeSlot>> all;
  while (!all.empty() && all.back()->ended) all.pop_back();
  return all;
}

std::shared_ptr<TapeSlot> TapeStack::add(Tape* tape) {
  auto slot = std::make_shared<TapeSlot>();
  slot->tape = tape;
  slots().push_back(slot);
  return slot;
}

Tape::Tape() : slot_(TapeStack::add(this)) {}

Tape::~Tape() {
  finish();
  slot_->ended = true;
}

Pause::Pause() : slot_(TapeStack::add(nullptr)) {}
Pause::~Pause() { slot_->ended = true; }

void Tape::check_thread(const char* what) const {
  const auto& all = TapeStack::slots();
  if (std::find(all.begin(), all.end(), slot_) == all.end())
    throw TapeError("{}: this tape was made on another thread; make one on the thread that uses it",
                    what);
}

Tape* Tape::current() {
  Tape* innermost = nullptr;
  TapeStack::for_each_recording([&](Tape& tape) {
    innermost = &tape;
    return true;
  });
  return innermost;
}

bool is_tracked(const Tensor& x) {
  bool found = false;
  TapeStack::for_each_recording([&](Tape& tape) { return found = tape.is_tracking(x); });
  return found;
}

void TapeStack::watch_by_all(const Tensor& x, const std::shared_ptr<void>& lease) {
  for_each_recording([&](Tape& tape) {
    tape.watch_one(x, lease);
    return false;
  });
}

void TapeStack::append_to_all(const OpCall& call, const Tensor& y, const Inputs& inputs,
                              BackwardFunction backward) {
  Tape* innermost = nullptr;
  for_each_recording([&](Tape& tape) {
    if (innermost) tape.append(call, y, inputs, backward);
    if (!innermost) innermost = &tape;
    return false;
  });
  if (innermost) innermost->append(call, y, inputs, std::move(backward));
}

bool TapeStack::is_tracked_outside(const Tape& inner, const Tensor& x) {
  for (const auto& slot : slots()) {
    if (slot == inner.slot_) return false;
    if (!slot->ended && slot->tape && slot->tape->is_tracking(x)) return true;
  }
  return false;
}

}  // namespace tapehead

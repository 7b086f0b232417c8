// Recording: which tapes there are on this thread, and what they write down.
#include "tape.hpp"
#include "trace.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace tapehead {

/// What stands in its thread's list for a tape, or for a pause, whose tape is null. It outlives the
/// tape, which may end before an inner one does, or on another thread.
struct Tape::Recorder {
  Tape* tape = nullptr;
  std::atomic<bool> ended{false};
};

namespace {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// Tapes and pauses of this thread, the innermost last. Ended ones are dropped once none after them
/// is alive. (A template, since the type is private to Tape.)
template <class Recorder>
std::vector<std::shared_ptr<Recorder>>& recorders() {
  thread_local std::vector<std::shared_ptr<Recorder>> all;
  while (!all.empty() && all.back()->ended) all.pop_back();
  return all;
}

}  // namespace

Tape::Tape()
    : recorder_(std::make_shared<Recorder>()),
      serial_(next_serial()),
      enclosed_(!recorders<Recorder>().empty()) {
  recorder_->tape = this;
  recorders<Recorder>().push_back(recorder_);
}

Tape::~Tape() {
  finish();
  recorder_->ended = true;
}

/// Calls f with each tape that records on this thread, the innermost first, until f returns true.
template <class F>
void Tape::each_recording(F f) {
  const auto& all = recorders<Recorder>();
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    if ((*at)->ended) continue;
    Tape* const tape = (*at)->tape;
    if (!tape || (!tape->finished_ && !tape->resting_ && f(*tape))) return;
  }
}

Tape* Tape::current() {
  Tape* innermost = nullptr;
  each_recording([&](Tape& tape) {
    innermost = &tape;
    return true;
  });
  return innermost;
}

bool Tape::others_record() const {
  bool others = false;
  each_recording([&](Tape& tape) { return others = (&tape != this); });
  return others;
}

bool known(const Tensor& x) {
  bool found = false;
  Tape::each_recording([&](Tape& tape) { return found = tape.knows(x); });
  return found;
}

Pause::Pause() : recorder_(std::make_shared<Tape::Recorder>()) {
  recorders<Tape::Recorder>().push_back(recorder_);
}
Pause::~Pause() { recorder_->ended = true; }

// ---- recording

Tape::Entry::Entry(const char* name, const Tensor& y)
    : op(name), id(y.id()), shape(y.shape()), dtype(y.dtype()), module(Scope::current()) {}

int Tape::append(const char* op, const Tensor& y) {
  entries_.emplace_back(op, y);
  const int index = static_cast<int>(entries_.size()) - 1;
  entry_of_.set(y.id(), index);
  return index;
}

void Tape::watch_one(const Tensor& x) {
  start_watching(x);
  if (TapeListener* const listener = Listening::current()) listener->watched(x);
}

void Tape::watch_by_all(const Tensor& x) {
  each_recording([&](Tape& tape) {
    tape.start_watching(x);
    return false;
  });
}

void Tape::start_watching(const Tensor& x) {
  check_present("watch", x);
  check_thread("watch");
  if (finished_) throw TapeError("watch: backward has already run on this tape; make a new one");
  if (!x.is_float()) throw TypeError("watch: a tensor of {} has no gradient", x.dtype());
  int index = find(x);
  if (index < 0 && x.data_->constant_for.load(std::memory_order_relaxed) == serial_)
    throw TapeError(
        "watch: an op has already taken this tensor of shape {} for a constant; watch it before "
        "it is used, or use x.detached() where it is meant as one",
        x.shape());
  if (index < 0 && refusing_) refuse(x);
  if (index < 0) index = append("", x);
  Entry& entry = entries_[index];
  if (entry.watched) return;
  entry.watched = x;
  x.data_->watchers.fetch_add(1, std::memory_order_relaxed);
}

Tensor Tape::add(const char* op, Tensor y, const Inputs& inputs, Rule rule,
                 Decomposition decomposition) {
  if (decomposition && Primitive::is_alive()) return decomposition();  // in place of y
  const std::size_t count = inputs.size();
  for (std::size_t i = 0; i < count; ++i)
    if (!inputs[i]) throw TypeError("{}: input {} is null", op, i);
  for (std::size_t i = 0; running_ && i < count; ++i) mark_opaque(inputs[i], *running_);
  if (TapeListener* const listener = Listening::current()) {
    std::vector<Tensor> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(inputs[i]);
    listener->computed(op, y, all);
  }
  if (!y.is_float()) return y;
  y.data_->by_hand = false;
  if (enclosed_)  // else there is no outer tape
    each_recording([&](Tape& tape) {
      if (&tape != this) tape.append_op(op, y, inputs, Rule(rule), Decomposition(decomposition));
      return false;
    });
  append_op(op, y, inputs, std::move(rule), std::move(decomposition));
  return y;
}

void Tape::append_op(const char* op, const Tensor& y, const Inputs& inputs, Rule&& rule,
                     Decomposition&& decomposition) {
  const std::size_t count = inputs.size(), first = inputs_.size();
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    inputs_.push_back(find(inputs[i]));
    any = any || inputs_.back() >= 0;
    if (inputs_.back() < 0) take_for_constant(inputs[i]);
  }
  if (!any) {
    inputs_.resize(first);
    return;
  }
  Entry& entry = entries_[append(op, y)];
  entry.first = first;
  entry.count = count;
  entry.rule = std::move(rule);
  if (!decomposition) return;
  entry.decomposition = std::move(decomposition);
  for (std::size_t i = 0; i < count; ++i) entry.fused.push_back(inputs[i]);
}

/// x is an input that this tape doesn't know. A tape that refuses others throws if an outer one
/// does, as in `recompute`, whose inputs must all be listed.
void Tape::take_for_constant(const Tensor& x) {
  x.data_->constant_for.store(serial_, std::memory_order_relaxed);
  if (!refusing_) return;
  for (const auto& recorder : recorders<Recorder>()) {
    if (recorder == recorder_) return;
    if (!recorder->ended && recorder->tape && recorder->tape->knows(x)) refuse(x);
  }
}

void Tape::refuse(const Tensor& x) const {
  throw TapeError(
      "{}: a tensor of shape {} is used that isn't among its inputs and parameters, so its "
      "gradient would be lost; list it",
      refusing_, x.shape());
}

/// x is an input of an op that the running rule calls, or a gradient that it returns. If the rule
/// wrote its elements itself, not by ops, x depends on what the rule reads, and no entry says how.
/// So each tape gets an entry for it whose rule throws, lest x be taken for a constant.
void Tape::mark_opaque(const Tensor& x, const Running& running) {
  if (!x.data_->by_hand || x.id() <= running.began || !x.is_float()) return;
  each_recording([&](Tape& tape) {
    if (!tape.knows(x)) tape.append_opaque(x, running);
    return false;
  });
}

void Tape::append_opaque(const Tensor& x, const Running& running) {
  const int made = entry_of_.find(running.y), dy = entry_of_.find(running.dy);
  const std::size_t first = inputs_.size();
  if (made >= 0)
    for (std::size_t i = 0; i < entries_[made].count; ++i)
      inputs_.push_back(inputs(entries_[made])[i]);
  if (dy >= 0) inputs_.push_back(dy);
  if (inputs_.size() == first) return;
  Entry& entry = entries_[append(running.op, x)];
  entry.first = first;
  entry.count = inputs_.size() - first;
  entry.rule = [op = running.op](Tensor, Arrived&) -> Grads {
    throw TapeError(
        "{}: its rule isn't made of ops, so that gradient can't be differentiated; "
        "write it in ops, or record a decomposition",
        op);
  };
}

void Tape::check_thread(const char* what) const {
  const auto& all = recorders<Recorder>();
  if (std::find(all.begin(), all.end(), recorder_) == all.end())
    throw TapeError("{}: this tape was made on another thread; make one on the thread that uses it",
                    what);
}

void count_multiply_adds(double multiply_adds) {
  if (TapeListener* const listener = Listening::current()) listener->multiplying(multiply_adds);
}

}  // namespace tapehead

#include "tape.hpp"
#include "ops.hpp"
#include "ops/elementwise.hpp"
#include "trace.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

namespace tapehead {

/// The entry of a tape, or of a pause, whose tape is null, in the list of its thread. It outlives
/// the tape, which may end before an inner one does, or on another thread.
struct Tape::Recorder {
  Tape* tape = nullptr;
  std::atomic<bool> ended{false};
};

namespace {

constexpr Index small = 16;  // tensors of at most this many elements are kept for printing

/// Tapes and pauses of this thread, the innermost last. Ended ones are dropped once none after them
/// is alive. (A template, since the type is private to Tape.)
template <class Recorder>
std::vector<std::shared_ptr<Recorder>>& recorders() {
  thread_local std::vector<std::shared_ptr<Recorder>> all;
  while (!all.empty() && all.back()->ended) all.pop_back();
  return all;
}

/// Whether an input of this shape can have been broadcast to that of the gradient.
bool broadcasts(const Shape& shape, const Shape& gradient) {
  if (shape.rank() > gradient.rank()) return false;
  for (int axis = 1; axis <= shape.rank(); ++axis)
    if (shape[-axis] != 1 && shape[-axis] != gradient[-axis]) return false;
  return true;
}

}  // namespace

Tape::Tape() : recorder_(std::make_shared<Recorder>()) {
  recorder_->tape = this;
  recorders<Recorder>().push_back(recorder_);
}

Tape::~Tape() {
  finish();
  recorder_->ended = true;
}

Tape* Tape::current() {
  const auto& all = recorders<Recorder>();
  Tape* const tape = all.empty() ? nullptr : all.back()->tape;
  return tape && !tape->finished_ ? tape : nullptr;
}

Pause::Pause() : recorder_(std::make_shared<Tape::Recorder>()) {
  recorders<Tape::Recorder>().push_back(recorder_);
}
Pause::~Pause() { recorder_->ended = true; }

Tensor Arrived::take(std::size_t input) {
  if (!gradients_ || inputs_[input] < 0) return {};
  Tensor& sum = (*gradients_)[inputs_[input]];
  return sum && !sum.shared() ? std::exchange(sum, {}) : Tensor();
}

// ---- recording

Tape::Entry::Entry(const char* name, const Tensor& y)
    : op(name), shape(y.shape()), dtype(y.dtype()), module(Scope::current()) {
  if (y.size() <= small) value = y;
}

int Tape::append(const char* op, const Tensor& y) {
  entries_.emplace_back(op, y);
  const int index = static_cast<int>(entries_.size()) - 1;
  slots_.set(y.id(), index);
  return index;
}

void Tape::watch_one(const Tensor& x) {
  check_thread("watch");
  if (finished_) throw TapeError("watch: backward has already run on this tape; make a new one");
  if (!x.is_float()) throw TypeError("watch: a tensor of {} has no gradient", x.dtype());
  int index = find(x);
  if (index < 0) index = append("", x);
  Entry& entry = entries_[index];
  if (entry.watched) return;
  entry.watched = x;
  x.data_->watchers.fetch_add(1, std::memory_order_relaxed);
}

Tensor Tape::add(const char* op, Tensor y, const Inputs& inputs, Rule rule,
                 Decomposition decomposition) {
  if (decomposition && Trace::current().primitive) return decomposition();
  const std::size_t count = inputs.size(), first = inputs_.size();
  if (TapeListener* const listener = Trace::current().listener) {
    std::vector<Tensor> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(inputs[i]);
    listener->computed(op, y, all);
  }
  for (std::size_t i = 0; i < count; ++i) inputs_.push_back(find(inputs[i]));
  const auto unknown = [](int entry) { return entry < 0; };
  if (!y.is_float() || std::all_of(inputs_.begin() + first, inputs_.end(), unknown)) {
    inputs_.resize(first);
    return y;
  }
  Entry& entry = entries_[append(op, y)];
  entry.first = first;
  entry.count = count;
  entry.rule = std::move(rule);
  entry.decomposition = std::move(decomposition);
  return y;
}

// ---- backward

Gradients Tape::backward(const Tensor& loss, const BackwardOptions& options) {
  if (loss.size() != 1)
    throw ShapeError(
        "backward: the loss has shape {}, and a loss is one number; sum or mean it, "
        "or pass the gradient of each element",
        loss.shape());
  return backward(loss, ones(loss.shape(), loss.dtype()), options);
}

Gradients Tape::backward(const Tensor& y, const Tensor& dy, const BackwardOptions& options) {
  check_thread("backward");
  if (finished_)
    throw TapeError(
        "backward: it has already run on this tape; to run it twice, ask for `keep` "
        "the first time");
  if (dy.shape() != y.shape() || dy.dtype() != y.dtype())
    throw ShapeError("backward: the result is {} {} and its gradient {} {}", y.dtype(), y.shape(),
                     dy.dtype(), dy.shape());
  const int last = find(y);
  if (last < 0)
    throw TapeError(
        "backward: the loss depends on nothing that this tape watches; call "
        "tape.watch(x), or use a parameter, before computing it");
  Slots slots(last + 1);
  slots[last] = dy;
  std::optional<Pause> pause;
  if (!options.create_graph) pause.emplace();
  sweep(slots, 0, last, options);
  Gradients result;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    Tensor gradient = i < slots.size() ? std::move(slots[i]) : Tensor();
    if (gradient && gradient.size() <= small) entry.gradient = gradient;
    if (!entry.watched) continue;
    result.slots_[entry.watched.id()] = result.entries_.size();
    result.entries_.push_back({entry.watched.id(), entry.shape, entry.dtype, std::move(gradient)});
  }
  if (!options.create_graph && !options.keep) finish();
  return result;
}

Grads Tape::differentiate(const Tensor& y, const Tensor& dy) const {
  const int index = find(y);
  const Rule rule = index < 0 ? nullptr : entries_[index].rule;
  if (!rule) throw TapeError("differentiate: this tape has no rule for how y was made");
  const Pause pause;
  Rule once = rule;
  Arrived nothing(nullptr, inputs(entries_[index]));
  return once(dy, nothing);
}

void Tape::sweep(Slots& slots, int first, int last, const BackwardOptions& options) {
  for (int i = last; i >= first; --i) {
    if (slots[i] && options.ready && entries_[i].watched)
      options.ready(entries_[i].watched, slots[i]);
    if (!slots[i] || !entries_[i].rule) continue;
    const bool kept = entries_[i].watched || entries_[i].shape.size() <= small;  // or printed
    Tensor dy = kept ? slots[i] : std::exchange(slots[i], {});
    const Arrived arrived(options.create_graph ? nullptr : &slots, inputs(entries_[i]));
    const bool again = options.create_graph || options.keep;
    // A rule that is called once may release what it saved; so one that will be called again is
    // copied.
    Rule rule = again ? entries_[i].rule : std::exchange(entries_[i].rule, nullptr);
    Grads grads = apply(i, std::move(rule), std::move(dy), arrived, options.create_graph);
    if (grads.size() != entries_[i].count)
      throw TapeError("{}: its rule gave {} gradients for {} inputs", entries_[i].op, grads.size(),
                      entries_[i].count);
    for (std::size_t input = 0; input < grads.size(); ++input)
      accept(slots, i, input, std::move(grads[input]), options.create_graph);
    if (!again) entries_[i].decomposition = nullptr;
  }
}

Grads Tape::apply(int index, Rule rule, Tensor dy, Arrived arrived, bool create_graph) {
  const Entry& entry = entries_[index];
  const char* op = entry.op;  // recording may move the entries
  const Scope scope(entry.module);
  TapeListener* const listener = Trace::current().listener;
  if (listener) listener->differentiating(op);
  const Tensor dy_before = listener ? dy : Tensor();
  Grads grads = create_graph && entry.decomposition ? differentiate_decomposition(index, dy)
                                                    : rule(std::move(dy), arrived);
  if (listener) listener->differentiated(index, op, dy_before, grads);
  return grads;
}

/// The gradient of a fused op, in primitive ops: its decomposition is recorded at the end of the
/// tape, and only that part of the tape is swept.
Grads Tape::differentiate_decomposition(int index, const Tensor& dy) {
  const int first = static_cast<int>(entries_.size());
  const Decomposition decomposition = entries_[index].decomposition;
  const Tensor y = decomposition();
  const int last = find(y);
  Slots slots(entries_.size());
  if (last >= 0) slots[last] = dy;  // y may be one of the op's inputs
  sweep(slots, first, last, {true, true});
  Grads grads;
  for (std::size_t i = 0; i < entries_[index].count; ++i) {
    const int input = inputs(entries_[index])[i];
    grads.push_back(input < 0 ? Tensor() : std::exchange(slots[input], {}));
  }
  return grads;
}

void Tape::accept(Slots& slots, int index, std::size_t input, Tensor dx, bool create_graph) {
  const int target = inputs(entries_[index])[input];
  if (target < 0 || !dx) return;
  const char* op = entries_[index].op;
  if (const Shape& shape = entries_[target].shape; dx.shape() != shape) {
    if (!broadcasts(shape, dx.shape()))
      throw ShapeError("{}: its rule gave a gradient of {} for input {}, which is {}", op,
                       dx.shape(), input, shape);
    dx = sum_to(dx, Shape(shape));  // recording may move the entries
  }
  if (const DType dtype = entries_[target].dtype; dx.dtype() != dtype)
    throw TypeError("{}: its rule gave a gradient of {} for input {}, which is {}", op, dx.dtype(),
                    input, dtype);
  Tensor& slot = slots[target];
  if (!slot)
    slot = std::move(dx);
  else
    slot = create_graph ? slot + dx : accumulated(std::move(slot), &dx, &dx + 1);
}

// ---- the end

void Tape::check_thread(const char* what) const {
  const auto& all = recorders<Recorder>();
  if (std::find(all.begin(), all.end(), recorder_) == all.end())
    throw TapeError("{}: this tape was made on another thread; make one on the thread that uses it",
                    what);
}

void Tape::finish() {
  if (finished_) return;
  finished_ = true;
  slots_ = {};
  for (Entry& entry : entries_) {
    entry.rule = nullptr;
    entry.decomposition = nullptr;
    if (!entry.watched) continue;
    entry.watched.data_->watchers.fetch_sub(1, std::memory_order_relaxed);
    entry.watched = Tensor();
  }
}

}  // namespace tapehead

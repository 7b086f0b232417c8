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

/// A rule that runs while what it computes is recorded.
struct Tape::Running {
  const char* op;
  std::uint64_t y, dy;  // ids of the op's result and of its gradient
  std::uint64_t began;  // tensors with a higher id were made since
};

namespace {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

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
    if (!tape || (!tape->finished_ && f(*tape))) return;
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

bool tracked(const Tensor& x) {
  bool known = false;
  Tape::each_recording([&](Tape& tape) { return known = tape.knows(x); });
  return known;
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
    : op(name), id(y.id()), shape(y.shape()), dtype(y.dtype()), module(Scope::current()) {
  if (y.size() <= small) value = y;
}

int Tape::append(const char* op, const Tensor& y) {
  entries_.emplace_back(op, y);
  const int index = static_cast<int>(entries_.size()) - 1;
  slots_.set(y.id(), index);
  return index;
}

void Tape::watch_by_all(const Tensor& x) {
  each_recording([&](Tape& tape) {
    tape.watch_one(x);
    return false;
  });
}

void Tape::watch_one(const Tensor& x) {
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
  if (decomposition && Trace::current().primitive) return decomposition();
  const std::size_t count = inputs.size();
  for (std::size_t i = 0; i < count; ++i)
    if (!inputs[i]) throw TypeError("{}: input {} is null", op, i);
  for (std::size_t i = 0; running_ && i < count; ++i) opaque(inputs[i], *running_);
  if (TapeListener* const listener = Trace::current().listener) {
    std::vector<Tensor> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(inputs[i]);
    listener->computed(op, y, all);
  }
  if (!y.is_float()) return y;
  y.data_->by_hand = false;
  if (enclosed_)
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
  entry.decomposition = std::move(decomposition);
}

/// x is an input that isn't known.
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

/// If x was computed by hand in the rule that runs, it depends on what that rule reads, and nobody
/// can say how.
void Tape::opaque(const Tensor& x, const Running& running) {
  if (!x.data_->by_hand || x.id() <= running.began || !x.is_float()) return;
  each_recording([&](Tape& tape) {
    if (!tape.knows(x)) tape.append_opaque(x, running);
    return false;
  });
}

void Tape::append_opaque(const Tensor& x, const Running& running) {
  const int made = slots_.find(running.y), dy = slots_.find(running.dy);
  const std::size_t first = inputs_.size();
  if (made >= 0)
    for (std::size_t i = 0; i < entries_[made].count; ++i)
      inputs_.push_back(int{inputs(entries_[made])[i]});
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

// ---- backward

Gradients Tape::backward(const Tensor& loss, const BackwardOptions& options) {
  check_present("backward", loss);
  if (loss.size() != 1)
    throw ShapeError(
        "backward: the loss has shape {}, and a loss is one number; sum or mean it, "
        "or pass the gradient of each element",
        loss.shape());
  return backward(loss, ones(loss.shape(), loss.dtype()), options);
}

Gradients Tape::backward(const Tensor& y, const Tensor& dy, const BackwardOptions& options) {
  check_present("backward", y, dy);
  check_thread("backward");
  if (finished_)
    throw TapeError(
        "backward: it has already run on this tape, or failed; to run it twice, ask for `keep` "
        "the first time");
  if (dy.shape() != y.shape() || dy.dtype() != y.dtype())
    throw ShapeError("backward: the result is {} {} and its gradient {} {}", y.dtype(), y.shape(),
                     dy.dtype(), dy.shape());
  const int last = find(y);
  if (last < 0 && !options.zeros)
    throw TapeError(
        "backward: the loss depends on nothing that this tape watches; call "
        "tape.watch(x), or use a parameter, before computing it; or ask for `zeros`");
  Slots slots(last + 1);
  if (last >= 0) slots[last] = dy;
  BackwardOptions how = options;
  // An outer tape differentiates what is computed here as if create_graph had been asked for.
  each_recording([&](Tape& tape) { return how.create_graph = how.create_graph || &tape != this; });
  std::optional<Pause> pause;
  if (!how.create_graph) pause.emplace();
  const bool again = options.create_graph || options.keep;
  try {
    sweep(slots, 0, last, how);
  } catch (...) {
    if (!again) finish();  // rules that have run are gone
    throw;
  }
  std::vector<bool> reached;  // is looked up only where no gradient came
  Gradients result;
  result.zeros_ = options.zeros;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    Tensor gradient = i < slots.size() ? std::move(slots[i]) : Tensor();
    if (gradient && gradient.size() <= small) entry.gradient = gradient;
    if (!entry.watched) continue;
    if (!gradient && reached.empty()) reached = reached_from(last);
    const bool depends = gradient || (i < reached.size() && reached[i]);
    result.slots_[entry.watched.id()] = result.entries_.size();
    result.entries_.push_back(
        {entry.watched.id(), entry.shape, entry.dtype, depends, std::move(gradient)});
  }
  if (!again) finish();
  return result;
}

/// Whether entry `last` depends on each entry up to it.
std::vector<bool> Tape::reached_from(int last) const {
  std::vector<bool> reached(last + 1);
  if (last >= 0) reached[last] = true;
  for (int i = last; i >= 0; --i)
    for (std::size_t input = 0; reached[i] && input < entries_[i].count; ++input)
      if (const int from = inputs(entries_[i])[input]; from >= 0) reached[from] = true;
  return reached;
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
  Grads grads = create_graph ? apply_recorded(index, std::move(rule), dy, arrived)
                             : rule(std::move(dy), arrived);
  if (listener) listener->differentiated(index, op, dy_before, grads);
  return grads;
}

/// The same where what it computes is recorded.
Grads Tape::apply_recorded(int index, Rule rule, const Tensor& dy, Arrived arrived) {
  if (entries_[index].decomposition) return differentiate_decomposition(index, dy);
  const Running running{entries_[index].op, entries_[index].id, dy.id(), scalar(0).id()};
  struct Runs {
    Runs(Tape& tape, const Running& rule) : now(tape.running_), outer(now) { now = &rule; }
    ~Runs() { now = outer; }
    const Running *&now, *const outer;
  } const runs(*this, running);
  Grads grads = rule(dy, arrived);
  for (const Tensor& dx : grads)
    if (dx) opaque(dx, running);
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

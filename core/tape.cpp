#include "tape.hpp"
#include "higher_order.hpp"
#include "ops.hpp"
#include "ops/elementwise.hpp"
#include "plural.hpp"
#include "trace.hpp"

#include <utility>

namespace tapehead {

// ---- recording

Tensor record_call(const OpCall& call, Tensor y, const Inputs& inputs, BackwardFunction::F backward,
                   Decomposition decomposition) {
  if (decomposition && PrimitiveOpsScope::is_alive())
    return decomposition();  // records the ops of the decomposition instead
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i]) throw TypeError("{}: input {} is null", call.name, i);
  notify_computed(call, y, inputs);
  auto whole = HigherOrder::prepared(std::move(backward), std::move(decomposition), y, inputs);
  if (y.is_float()) TapeStack::append_to_all(call, y, inputs, std::move(whole));
  return y;
}

void Tape::append(const OpCall& call, const Tensor& y, const Inputs& inputs,
                  BackwardFunction backward) {
  const std::size_t first = inputs_.size();
  bool depends = false;  // whether the tape tracks an input
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int index = find(inputs[i]);
    if (index < 0) on_untracked(inputs[i], false);
    if (index == -1) entry_of_.set(inputs[i].id(), constant);
    depends = depends || index >= 0;
    inputs_.push_back(index);
  }
  if (!depends) return inputs_.resize(first);  // don't record the op
  Entry& entry = append(call.name, y);
  entry.first = static_cast<int>(first);
  entry.count = static_cast<int>(inputs.size());
  entry.backward = std::move(backward);
}

Tape::Entry& Tape::append(const char* op, const Tensor& y) {
  entry_of_.set(y.id(), static_cast<int>(entries_.size()));
  return entries_.emplace_back(
      Entry{op, y.id(), y.shape(), y.dtype(), false, ModuleScope::current()});
}

/// A parameter (x with a lease) isn't reported to listeners, since it is watched at each use.
void Tape::watch_one(const Tensor& x, const std::shared_ptr<void>& lease) {
  check_present("watch", x);
  check_thread("watch");
  if (state_ == State::finished)
    throw TapeError("watch: backward has already run on this tape; make a new one");
  if (!x.is_float()) throw TypeError("watch: a tensor of type {} has no gradient", x.dtype());
  const int index = find(x);
  if (index == constant)
    throw TapeError(
        "watch: an op has already used this tensor of shape {} as a constant; watch it before "
        "it is used, or use x.detached() for a constant",
        x.shape());
  if (index < 0) on_untracked(x, true);
  Entry& entry = index < 0 ? append("", x) : entries_[index];
  if (!std::exchange(entry.watched, true) && lease) leases_.push_back(lease);
  if (!lease) notify_watched(x);
}

// ---- backward

Gradients Tape::backward(const Tensor& loss, const BackwardOptions& options) {
  check_present("backward", loss);
  if (loss.size() != 1)
    throw ShapeError(
        "backward: the loss has shape {}, expected one element; use sum or mean, "
        "or pass the gradient of each element",
        loss.shape());
  return backward(loss, ones(loss.shape(), loss.dtype()), options);
}

Gradients Tape::backward(const Tensor& y, const Tensor& dy, const BackwardOptions& options) {
  const int last = check_backward(y, dy, options);
  const bool keep = options.create_graph || options.keep;
  std::vector<Tensor> gradients(last + 1);     // the gradient sum of each entry so far
  std::vector<char> reached(entries_.size());  // whether y depends on the tensor of each entry
  if (last >= 0) gradients[last] = dy, reached[last] = true;
  try {
    // Pauses recording, unless create_graph is set or another tape is recording.
    const HigherOrder::Run how(*this, options.create_graph);
    run(last, gradients, reached, how.is_recorded(), keep);
  } catch (...) {
    if (!keep) finish();  // a second run is impossible: backward functions are freed as they run
    throw;
  }
  Gradients result;
  result.zeros_ = options.zeros;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!entry.watched) continue;
    Tensor gradient = i < gradients.size() ? std::move(gradients[i]) : Tensor();
    result.add({entry.id, entry.shape, entry.dtype, reached[i] != 0, std::move(gradient)});
  }
  if (!keep) finish();
  return result;
}

/// Checks the arguments of backward. Returns y's entry, or -1 if it has none and `zeros` is set.
int Tape::check_backward(const Tensor& y, const Tensor& dy, const BackwardOptions& options) const {
  check_present("backward", y, dy);
  check_thread("backward");
  if (runs_backward_)
    throw TapeError(
        "backward: it is already running on this tape; use another tape in a backward function");
  if (state_ == State::finished)
    throw TapeError(
        "backward: it has already run on this tape, or failed; to run it twice, set `keep` the "
        "first time");
  if (dy.shape() != y.shape() || dy.dtype() != y.dtype())
    throw ShapeError("backward: the result is {} {}, but its gradient is {} {}", y.dtype(),
                     y.shape(), dy.dtype(), dy.shape());
  if (is_tracking(y)) return find(y);
  if (options.zeros) return -1;
  throw TapeError(
      "backward: the loss depends on no tensor that this tape watches; call "
      "tape.watch(x), or use a parameter, before computing it; or set `zeros`");
}

/// Applies the chain rule. When the loop reaches an entry, it has passed all ops that used the
/// entry's tensor, so the gradient is complete. Recorded backward appends to entries_, so a
/// reference to an entry may become invalid.
void Tape::run(int last, std::vector<Tensor>& gradients, std::vector<char>& reached, bool recorded,
               bool keep) {
  for (int i = last; i >= 0; --i) {
    if (!reached[i]) continue;
    for (int input = 0; input < entries_[i].count; ++input)
      if (const int target = inputs(entries_[i])[input]; target >= 0) reached[target] = true;
    if (!gradients[i]) continue;  // null means zeros
    notify_gradient(entries_[i].id, gradients[i]);
    if (!entries_[i].backward.f) continue;
    Tensor dy = entries_[i].watched ? gradients[i] : std::exchange(gradients[i], {});
    // A backward function may consume its saved tensors, so with `keep` a copy is called.
    BackwardFunction backward =
        keep ? entries_[i].backward : std::exchange(entries_[i].backward, {});
    const GradientSums sums(recorded ? nullptr : &gradients, inputs(entries_[i]));
    Grads grads = apply(i, std::move(backward), std::move(dy), sums, recorded);
    const char* const op = entries_[i].op;
    check_count(op, grads, entries_[i].count);
    for (std::size_t input = 0; input < grads.size(); ++input)
      if (const int target = inputs(entries_[i])[input]; target >= 0 && grads[input])
        accept(gradients[target], target, op, input, std::move(grads[input]), recorded);
  }
}

void Tape::check_count(const char* op, const Grads& grads, std::size_t count) {
  if (grads.size() != count)
    throw TapeError("{}: its backward function returned {} for {}", op,
                    plural(grads.size(), "gradient"), plural(count, "input"));
}

/// Calls a backward function, and notifies this thread's listener before and after.
Grads Tape::apply(int index, BackwardFunction backward, Tensor dy, GradientSums sums,
                  bool recorded) {
  const char* const op = entries_[index].op;
  const std::uint64_t y = entries_[index].id;
  const ModuleScope scope(entries_[index].module);
  TapeListener* const listener = ListenerScope::current();
  if (listener) listener->differentiating(op);
  const Tensor dy_before = listener ? dy : Tensor();  // backward can't overwrite it
  Grads grads = recorded ? HigherOrder::recorded(*this, index, backward, dy, sums)
                         : backward.f(std::move(dy), sums);
  if (listener && listener == ListenerScope::current())
    listener->differentiated(y, op, dy_before, grads);
  return grads;
}

/// Adds dx, an op's gradient for one of its inputs, to the gradient sum of that input's entry.
void Tape::accept(Tensor& sum, int target, const char* op, std::size_t input, Tensor dx,
                  bool recorded) {
  if (const Shape shape = entries_[target].shape; dx.shape() != shape) {
    if (!broadcasts_to(shape, dx.shape()))
      throw ShapeError(
          "{}: its backward function returned a gradient of {} for input {}, which is {}", op,
          dx.shape(), input, shape);
    dx = sum_to(dx, shape);
  }
  if (const DType dtype = entries_[target].dtype; dx.dtype() != dtype)
    throw TypeError("{}: its backward function returned a gradient of {} for input {}, which is {}",
                    op, dx.dtype(), input, dtype);
  if (!sum)
    sum = std::move(dx);
  else
    sum = recorded ? sum + dx : accumulated(std::move(sum), &dx, &dx + 1);
}

void Tape::finish() {
  if (state_ == State::finished) return;
  state_ = State::finished;
  entry_of_ = {};
  for (Entry& entry : entries_) {
    entry.backward = {};
    entry.watched = false;
  }
  leases_.clear();
}

}  // namespace tapehead

#include "tape.hpp"
#include "ops.hpp"
#include "ops/elementwise.hpp"
#include "runtime/parallel.hpp"
#include "trace.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tapehead {
namespace {

thread_local Tape* recording = nullptr;
thread_local const char* module_now = "";
thread_local TapeListener* listener = nullptr;

/// While it lives a rule may take from `slots`, unless that is null, those of its op's inputs.
struct Taking {
  std::vector<Tensor>* slots;
  const std::vector<int>& inputs;
  Taking* outer = std::exchange(now, this);

  ~Taking() { now = outer; }
  static thread_local Taking* now;
};
thread_local Taking* Taking::now = nullptr;

constexpr Index small = 6;  // tensors of at most so many elements are kept for printing

/// Whether an input of this shape can have been broadcast to that of the gradient.
bool broadcasts(const Shape& shape, const Shape& gradient) {
  if (shape.rank() > gradient.rank()) return false;
  for (int axis = 1; axis <= shape.rank(); ++axis)
    if (shape[-axis] != 1 && shape[-axis] != gradient[-axis]) return false;
  return true;
}

/// x and others, added in their order; in x's memory where nothing else refers to it. Three others
/// at a time, as the shards of a batch mostly are: x is read and written once for them.
Tensor sum_of(Tensor x, const Tensor* other, const Tensor* const end) {
  if (other == end) return x;
  if (x.shared()) x = x + *other++;
  dispatch_float("backward", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const sum = x.mutable_data<T>();
    in_pieces(x.size(), [&](Index first, Index last) {
      const Tensor* next = other;
      const auto of = [&](const Tensor& t) { return t.data<T>() + first; };
      for (; end - next >= 3; next += 3)
        add_row(sum + first, last - first, of(next[0]), of(next[1]), of(next[2]));
      for (; next != end; ++next) add_row(sum + first, last - first, of(*next));
    });
  });
  return x;
}

}  // namespace

Tape::Tape() : outer_(recording) { recording = this; }

Tape::~Tape() {
  finish();
  if (recording == this) recording = outer_;
}

Tape* Tape::current() { return recording && !recording->finished_ ? recording : nullptr; }

int Tape::find(const Tensor& x) const {
  const auto found = slots_.find(x.id());
  return found == slots_.end() ? -1 : found->second;
}

int Tape::append(const char* op, const Tensor& y) {
  Entry entry{};
  entry.op = op;
  entry.shape = y.shape();
  entry.dtype = y.dtype();
  entry.module = Scope::current();
  if (y.size() <= small) entry.value = y.detached();
  entries_.push_back(std::move(entry));
  const int index = static_cast<int>(entries_.size()) - 1;
  slots_[y.id()] = index;
  return index;
}

void Tape::watch_one(const Tensor& x) {
  if (finished_) throw TapeError("watch: this tape has gone backward already; make a new one");
  if (!x.is_float()) throw TypeError("watch: a tensor of {} has no gradient", x.dtype());
  int index = find(x);
  if (index < 0) index = append("", x);
  Entry& entry = entries_[static_cast<std::size_t>(index)];
  if (entry.watched) return;
  entry.watched = x;
  x.data_->watchers.fetch_add(1, std::memory_order_relaxed);
}

Tensor Tape::add(const char* op, Tensor y, const std::vector<Tensor>& inputs, Rule rule,
                 Decomposition decomposition) {
  if (listener) listener->computed(op, y, inputs);
  std::vector<int> known;
  for (const Tensor& x : inputs) known.push_back(find(x));
  const bool any = std::any_of(known.begin(), known.end(), [](int entry) { return entry >= 0; });
  if (!any || !y.is_float()) return y;
  Entry& entry = entries_[static_cast<std::size_t>(append(op, y))];
  entry.inputs = std::move(known), entry.rule = std::move(rule),
  entry.decomposition = std::move(decomposition);
  return y;
}

Gradients Tape::backward(const Tensor& loss, BackwardOptions options) {
  if (loss.size() != 1)
    throw ShapeError(
        "backward: the loss has shape {}, and a loss is one number; sum or mean it, "
        "or pass the gradient of each element",
        loss.shape());
  return backward(loss, ones(loss.shape(), loss.dtype()), options);
}

Gradients Tape::backward(const Tensor& y, const Tensor& dy, BackwardOptions options) {
  if (finished_)
    throw TapeError(
        "backward: this tape has gone backward already; to do it twice, ask for `keep` "
        "the first time");
  if (dy.shape() != y.shape() || dy.dtype() != y.dtype())
    throw ShapeError("backward: the result is {} {} and its gradient {} {}", y.dtype(), y.shape(),
                     dy.dtype(), dy.shape());
  const int last = find(y);
  if (last < 0)
    throw TapeError(
        "backward: the loss depends on nothing that this tape watches; call "
        "tape.watch(x), or use a parameter, before computing it");
  Slots slots(static_cast<std::size_t>(last) + 1);
  slots[static_cast<std::size_t>(last)] = dy;
  std::optional<Pause> pause;
  if (!options.create_graph) pause.emplace();
  sweep(slots, 0, last, options);
  Gradients result;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    Tensor gradient = i < slots.size() ? std::move(slots[i]) : Tensor();
    if (gradient && gradient.size() <= small) entry.gradient = gradient.detached();
    if (!entry.watched) continue;
    result.slots_[entry.watched.id()] = result.entries_.size();
    result.entries_.push_back({entry.watched.id(), entry.shape, entry.dtype, std::move(gradient)});
  }
  if (!options.create_graph && !options.keep) finish();
  return result;
}

void Tape::sweep(Slots& slots, int first, int last, BackwardOptions options) {
  for (int i = last; i >= first; --i) {
    const auto at = static_cast<std::size_t>(i);
    if (!slots[at] || !entries_[at].rule) continue;
    const bool wanted = entries_[at].watched || entries_[at].shape.size() <= small;
    Tensor dy = wanted ? slots[at] : std::exchange(slots[at], {});
    const Taking taking{options.create_graph ? nullptr : &slots, entries_[at].inputs};
    const bool again = options.create_graph || options.keep;
    // Called once, a rule may let go of what it has saved; so whoever calls it again has copies.
    Rule rule = again ? entries_[at].rule : std::exchange(entries_[at].rule, nullptr);
    Grads grads = apply(i, std::move(rule), std::move(dy), options.create_graph);
    if (grads.size() != entries_[at].inputs.size())
      throw TapeError("{}: its rule gave {} gradients for {} inputs", entries_[at].op, grads.size(),
                      entries_[at].inputs.size());
    for (std::size_t input = 0; input < grads.size(); ++input)
      accept(slots, i, input, std::move(grads[input]), options.create_graph);
    if (!again) entries_[at].decomposition = nullptr;
  }
}

Grads Tape::apply(int index, Rule rule, Tensor dy, bool create_graph) {
  const Entry& entry = entries_[static_cast<std::size_t>(index)];
  const char* op = entry.op;  // recording may move the entries
  const Scope scope(entry.module);
  if (listener) listener->differentiating(op);
  const Tensor told = listener ? dy : Tensor();
  Grads grads = create_graph && entry.decomposition ? differentiate_decomposition(index, dy)
                                                    : rule(std::move(dy));
  if (listener) listener->differentiated(op, told, grads);
  return grads;
}

/// A fused op's gradient as ops: its decomposition is recorded behind everything else, and only
/// that stretch of the tape is swept.
Grads Tape::differentiate_decomposition(int index, const Tensor& dy) {
  const int first = static_cast<int>(entries_.size());
  const Decomposition decomposition = entries_[static_cast<std::size_t>(index)].decomposition;
  const Tensor y = decomposition();
  const int last = find(y);
  Slots slots(entries_.size());
  if (last >= 0)
    slots[static_cast<std::size_t>(last)] = dy;  // the decomposition may be just its input
  sweep(slots, first, last, {true, true});
  Grads grads;
  for (int input : entries_[static_cast<std::size_t>(index)].inputs)
    grads.push_back(input < 0 ? Tensor()
                              : std::exchange(slots[static_cast<std::size_t>(input)], {}));
  return grads;
}

void Tape::accept(Slots& slots, int index, std::size_t input, Tensor dx, bool create_graph) {
  const auto at = static_cast<std::size_t>(index);
  const int target = entries_[at].inputs[input];
  if (target < 0 || !dx) return;
  const Shape shape = entries_[static_cast<std::size_t>(target)].shape;
  const DType dtype = entries_[static_cast<std::size_t>(target)].dtype;
  if (!broadcasts(shape, dx.shape()))
    throw ShapeError("{}: its rule gave a gradient of {} for input {}, which is {}",
                     entries_[at].op, dx.shape(), input, shape);
  if (dx.shape() != shape) dx = sum_to(dx, shape);
  if (dx.dtype() != dtype)
    throw TypeError("{}: its rule gave a gradient of {} for input {}, which is {}", entries_[at].op,
                    dx.dtype(), input, dtype);
  Tensor& slot = slots[static_cast<std::size_t>(target)];
  slot = !slot ? std::move(dx) : create_graph ? slot + dx : sum_of(std::move(slot), &dx, &dx + 1);
}

Tensor Tape::take_so_far(std::size_t input) {
  if (!Taking::now || !Taking::now->slots) return {};
  const int target = Taking::now->inputs[input];
  if (target < 0) return {};
  Tensor& slot = (*Taking::now->slots)[static_cast<std::size_t>(target)];
  return slot && !slot.shared() ? std::exchange(slot, {}) : Tensor();
}

void Tape::finish() {
  if (finished_) return;
  finished_ = true;
  slots_.clear();
  for (Entry& entry : entries_) {
    entry.rule = nullptr;
    entry.decomposition = nullptr;
    if (!entry.watched) continue;
    entry.watched.data_->watchers.fetch_sub(1, std::memory_order_relaxed);
    entry.watched = Tensor();
  }
}

Pause::Pause() : paused_(std::exchange(recording, nullptr)) {}
Pause::~Pause() { recording = paused_; }

Scope::Scope(const char* name) : outer_(std::exchange(module_now, name)) {}
Scope::~Scope() { module_now = outer_; }
const char* Scope::current() { return module_now; }

Listening::Listening(TapeListener* l) : outer_(std::exchange(listener, l)) {}
Listening::~Listening() { listener = outer_; }
TapeListener* Listening::current() { return listener; }

const Gradients::Entry& Gradients::entry(const Tensor& x) const {
  const auto found = slots_.find(x.id());
  if (found == slots_.end())
    throw TapeError(
        "gradient: a tensor of shape {} was not watched by the tape; call "
        "tape.watch(x) before it is used",
        x.shape());
  return entries_[found->second];
}

Tensor Gradients::operator[](const Tensor& x) const {
  const Entry& e = entry(x);
  if (!e.gradient) return zeros(e.shape, e.dtype);
  return factor_ == 1 ? e.gradient : e.gradient * factor_;
}

const Tensor& Gradients::stored(const Tensor& x) const { return entry(x).gradient; }

std::vector<Tensor> Gradients::all() const {
  std::vector<Tensor> gradients;
  for (const Entry& entry : entries_)
    if (entry.gradient) gradients.push_back(entry.gradient);
  return gradients;
}

Gradients Gradients::scaled(double factor) && {
  factor_ *= factor;
  return std::move(*this);
}

Gradients Gradients::sum(std::vector<Gradients> parts) {
  Gradients whole = std::move(parts.front());
  std::vector<std::vector<Tensor>> more(whole.entries_.size());  // to be added, entry by entry
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    if (part->factor_ != whole.factor_)
      throw TapeError("gradients: only equally scaled ones can be added");
    for (Entry& theirs : part->entries_) {
      const auto [found, is_new] = whole.slots_.try_emplace(theirs.id, whole.entries_.size());
      if (is_new)
        whole.entries_.push_back(std::move(theirs)), more.emplace_back();
      else if (Tensor& mine = whole.entries_[found->second].gradient; !mine)
        mine = std::move(theirs.gradient);
      else if (theirs.gradient)
        more[found->second].push_back(std::move(theirs.gradient));
    }
  }
  parallel_for(static_cast<Index>(more.size()), [&](Index i) {
    const Pause pause;
    const auto at = static_cast<std::size_t>(i);
    Tensor& mine = whole.entries_[at].gradient;
    mine = sum_of(std::move(mine), more[at].data(), more[at].data() + more[at].size());
  });
  return whole;
}

}  // namespace tapehead

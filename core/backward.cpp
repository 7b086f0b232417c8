// Backward: one loop over a tape, from its end to its start.
#include "custom_gradient.hpp"
#include "derivatives.hpp"
#include "ops.hpp"
#include "ops/elementwise.hpp"
#include "plural.hpp"
#include "tape.hpp"
#include "trace.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tapehead {
namespace {

/// Whether an input of this shape can have been broadcast to that of the gradient.
bool broadcasts(const Shape& shape, const Shape& gradient) {
  if (shape.rank() > gradient.rank()) return false;
  for (int axis = 1; axis <= shape.rank(); ++axis)
    if (shape[-axis] != 1 && shape[-axis] != gradient[-axis]) return false;
  return true;
}

void check_count(const char* op, const Grads& grads, std::size_t count) {
  if (grads.size() != count)
    throw TapeError("{}: its rule gave {} for {}", op, plural(grads.size(), "gradient"),
                    plural(count, "input"));
}

/// Gives a variable another value to the end of a scope, however that is left.
template <class T>
class Meanwhile {
 public:
  Meanwhile(T& variable, T value) : variable_(variable), before_(std::exchange(variable, value)) {}
  ~Meanwhile() { variable_ = before_; }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  T& variable_;
  const T before_;
};

}  // namespace

Tensor Arrived::take(std::size_t input) {
  if (!gradients_ || inputs_[input] < 0) return {};
  Tensor& sum = (*gradients_)[inputs_[input]];
  return sum && !sum.shared() ? std::exchange(sum, {}) : Tensor();
}

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
  if (runs_backward_)
    throw TapeError("backward: it is already running on this tape; use another tape in a rule");
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
  std::vector<Tensor> gradients(last + 1);
  if (last >= 0) gradients[last] = dy;
  BackwardOptions how = options;
  // An outer tape differentiates what is computed here as if create_graph had been asked for.
  how.create_graph = how.create_graph || others_record();
  std::optional<Pause> pause;
  if (!how.create_graph) pause.emplace();
  // Not `how`: if only an outer tape wants the graph, this one still ends after a single sweep.
  const bool again = options.create_graph || options.keep;
  try {
    const Meanwhile runs(runs_backward_, true);
    const Meanwhile rests(resting_, !options.create_graph);
    sweep(gradients, 0, last, how);
  } catch (...) {
    if (!again) finish();  // rules that have run are gone
    throw;
  }
  std::vector<bool> reached;  // is looked up only where no gradient came
  Gradients result;
  result.zeros_ = options.zeros;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!entry.watched) continue;
    Tensor gradient = i < gradients.size() ? std::move(gradients[i]) : Tensor();
    if (!gradient && reached.empty()) reached = reached_from(last);
    const bool depends = gradient || (i < reached.size() && reached[i]);
    result.add({entry.id, entry.shape, entry.dtype, depends, std::move(gradient)});
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
  const Rule once = index < 0 ? nullptr : entries_[index].rule;  // a copy
  if (!once) throw TapeError("differentiate: this tape has no rule for how y was made");
  const Pause pause;
  Arrived nothing(nullptr, inputs(entries_[index]));
  return once(dy, nothing);
}

void Tape::sweep(std::vector<Tensor>& gradients, int first, int last,
                 const BackwardOptions& options) {
  const bool again = options.create_graph || options.keep;
  for (int i = last; i >= first; --i) {
    if (!gradients[i]) continue;
    const bool watched = static_cast<bool>(entries_[i].watched);
    if (watched && options.ready) options.ready(entries_[i].watched, gradients[i]);
    // Asked each time, since a rule may begin or end to listen.
    if (TapeListener* const listener = Listening::current())
      listener->arrived(entries_[i].id, gradients[i]);
    if (!entries_[i].rule) continue;
    Tensor dy = watched ? gradients[i] : std::exchange(gradients[i], {});
    const Arrived arrived(options.create_graph ? nullptr : &gradients, inputs(entries_[i]));
    // A rule that is called once may release what it saved; so one that will be called again is
    // copied.
    Rule rule = again ? entries_[i].rule : std::exchange(entries_[i].rule, nullptr);
    Grads grads = apply(i, std::move(rule), std::move(dy), arrived, options.create_graph);
    check_count(entries_[i].op, grads, entries_[i].count);
    for (std::size_t input = 0; input < grads.size(); ++input)
      accept(gradients, i, input, std::move(grads[input]), options.create_graph);
    if (again) continue;
    entries_[i].decomposition = nullptr;
    entries_[i].fused.clear();
  }
}

Grads Tape::apply(int index, Rule rule, Tensor dy, Arrived arrived, bool create_graph) {
  const Entry& entry = entries_[index];
  const char* op = entry.op;  // recording may move the entries
  const std::uint64_t y = entry.id;
  const Scope scope(entry.module);
  TapeListener* const listener = Listening::current();
  if (listener) listener->differentiating(op);
  const Tensor dy_before = listener ? dy : Tensor();  // held, so the rule can't reuse its memory
  Grads grads = create_graph ? apply_recorded(index, std::move(rule), dy, arrived)
                             : rule(std::move(dy), arrived);
  if (listener && listener == Listening::current())
    listener->differentiated(y, op, dy_before, grads);
  return grads;
}

/// The same where what it computes is recorded.
Grads Tape::apply_recorded(int index, Rule rule, const Tensor& dy, Arrived arrived) {
  if (entries_[index].decomposition) return differentiate_fused(index, rule, dy);
  // A new tensor has the highest id so far: those with higher ones are made by the rule.
  const Running running{entries_[index].op, entries_[index].id, dy.id(), scalar(0).id()};
  const Meanwhile runs(running_, &running);
  Grads grads = rule(dy, arrived);
  for (const Tensor& dx : grads)
    if (dx) mark_opaque(dx, running);
  return grads;
}

/// The gradient of a fused op is that of its kernel. It is recorded as one op of the inputs and of
/// dy; what that needs to be differentiated, the gradient of the decomposition, is computed only
/// then, so that nothing of it is kept.
Grads Tape::differentiate_fused(int index, const Rule& rule, const Tensor& dy) {
  const Decomposition decomposition = entries_[index].decomposition;
  const std::vector<Tensor> from = entries_[index].fused;
  Grads grads(from.size());  // each input has one, where it is first
  {
    const Pause pause;
    Arrived nothing(nullptr, inputs(entries_[index]));
    const Grads all = rule(dy, nothing);
    check_count(entries_[index].op, all, from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!all[i] || inputs(entries_[index])[i] < 0) continue;
      std::size_t first = 0;
      while (from[first].id() != from[i].id()) ++first;
      const Tensor dx = sum_to(all[i], from[i].shape());
      grads[first] = grads[first] ? grads[first] + dx : dx;
    }
  }
  std::vector<Tensor> wanted, found, sources;  // of the gradients, as far as a tape knows them
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (known(from[i])) sources.push_back(from[i]);
    if (!grads[i]) continue;
    wanted.push_back(from[i]);
    found.push_back(grads[i]);
  }
  if (known(dy)) sources.push_back(dy);
  if (found.empty() || sources.empty()) return grads;
  const auto again = [=] {
    return flat(
        vjp([&](const auto&) { return decomposition(); }, wanted, dy, Unused::zeros).second);
  };
  const std::vector<Tensor> recorded = unflat(recomputed(flat(found), sources, again), found);
  auto next = recorded.begin();
  for (Tensor& dx : grads)
    if (dx) dx = *next++;
  return grads;
}

void Tape::accept(std::vector<Tensor>& gradients, int index, std::size_t input, Tensor dx,
                  bool create_graph) {
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
  Tensor& sum = gradients[target];
  if (!sum)
    sum = std::move(dx);
  else
    sum = create_graph ? sum + dx : accumulated(std::move(sum), &dx, &dx + 1);
}

void Tape::finish() {
  if (finished_) return;
  finished_ = true;
  entry_of_ = {};
  for (Entry& entry : entries_) {
    entry.rule = nullptr;
    entry.decomposition = nullptr;
    entry.fused = {};
    if (!entry.watched) continue;
    entry.watched.data_->watchers.fetch_sub(1, std::memory_order_relaxed);
    entry.watched = Tensor();
  }
}

}  // namespace tapehead

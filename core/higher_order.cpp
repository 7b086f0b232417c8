#include "higher_order.hpp"
#include "custom_gradient.hpp"
#include "derivatives.hpp"
#include "ops.hpp"

#include <utility>

namespace tapehead {

BackwardFunction HigherOrder::prepared(BackwardFunction::F backward, Decomposition decomposition,
                                       const Tensor& y, const Inputs& inputs) {
  if (const auto* running = RecordedBackward::innermost())
    for (std::size_t i = 0; i < inputs.size(); ++i) running->check(inputs[i]);
  RecordedBackward::explain(y);
  BackwardFunction whole{std::move(backward)};
  if (!decomposition) return whole;
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) all.push_back(inputs[i]);
  whole.fused = std::make_shared<Fused>(Fused{std::move(decomposition), std::move(all)});
  return whole;
}

ClosedTape::ClosedTape(const char* owner, const std::vector<Tensor>& inputs) {
  for (const Tensor& x : inputs)
    if (x.is_float()) watch(x);
  owner_ = owner;
}

void ClosedTape::on_untracked(const Tensor& x, bool watched) {
  if (!owner_ || (!watched && !TapeStack::is_tracked_outside(*this, x))) return;
  throw TapeError(
      "{}: the function uses a tensor of shape {} that isn't one of its inputs or parameters, so "
      "its gradient would be lost; add it to the inputs",
      owner_, x.shape());
}

// ---- gradients whose computation is recorded

Grads Tape::differentiate(const Tensor& y, const Tensor& dy) const {
  BackwardFunction once = is_tracking(y) ? entries_[find(y)].backward : BackwardFunction();
  if (!once.f) throw TapeError("differentiate: this tape has no backward function for y");
  const Pause pause;
  GradientSums nothing(nullptr, inputs(entries_[find(y)]));
  return once.f(dy, nothing);
}

HigherOrder::Run::Run(Tape& tape, bool create_graph) : tape_(tape) {
  bool others = false;
  TapeStack::for_each_recording([&](Tape& other) { return others = (&other != &tape); });
  if (!create_graph && !others) pause_.emplace();
  tape.runs_backward_ = true;
  if (!create_graph) tape.state_ = Tape::State::resting;
}

HigherOrder::Run::~Run() {
  tape_.runs_backward_ = false;
  if (tape_.state_ == Tape::State::resting) tape_.state_ = Tape::State::recording;
}

Grads HigherOrder::recorded(Tape& tape, int index, const BackwardFunction& backward,
                            const Tensor& dy, GradientSums sums) {
  if (backward.fused) return recorded_fused(tape, index, backward, dy);
  const Tape::Entry& entry = tape.entries_[index];
  const RecordedBackward running(entry.op, entry.id, dy.id());
  Grads grads = backward.f(dy, sums);
  for (const Tensor& dx : grads)
    if (dx) running.check(dx);
  return grads;
}

/// Computes the gradients of a fused op with its kernel, and records the computation as one op,
/// whose inputs are the op's inputs and dy. The backward function of the recorded op differentiates
/// the decomposition. So the tensors of the decomposition exist only while that function runs.
Grads HigherOrder::recorded_fused(Tape& tape, int index, const BackwardFunction& backward,
                                  const Tensor& dy) {
  const Fused& fused = *backward.fused;
  const std::vector<Tensor>& from = fused.inputs;
  Grads grads(from.size());  // the gradient of a repeated input is at its first occurrence
  {
    const Pause pause;
    const Tape::Entry& entry = tape.entries_[index];
    GradientSums nothing(nullptr, tape.inputs(entry));
    const Grads all = backward.f(dy, nothing);
    Tape::check_count(entry.op, all, from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!all[i] || tape.inputs(entry)[i] < 0) continue;
      std::size_t first = 0;
      while (from[first].id() != from[i].id()) ++first;
      const Tensor dx = sum_to(all[i], from[i].shape());
      grads[first] = grads[first] ? grads[first] + dx : dx;
    }
  }
  std::vector<Tensor> wanted, found, sources;  // found[i] is the gradient of wanted[i]
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (is_tracked(from[i])) sources.push_back(from[i]);
    if (!grads[i]) continue;
    wanted.push_back(from[i]);
    found.push_back(grads[i]);
  }
  if (is_tracked(dy)) sources.push_back(dy);
  if (found.empty() || sources.empty()) return grads;
  const auto again = [=, kept = backward.fused] {
    return flatten(
        vjp([&](const auto&) { return kept->decomposition(); }, wanted, dy, Unused::zeros).second);
  };
  const std::vector<Tensor> recorded = unflatten(recomputed(flatten(found), sources, again), found);
  auto next = recorded.begin();
  for (Tensor& dx : grads)
    if (dx) dx = *next++;
  return grads;
}

// ---- tensors that a recorded backward function writes without ops

RecordedBackward::RecordedBackward(const char* op_, std::uint64_t y_, std::uint64_t dy_)
    : op(op_), y(y_), dy(dy_), began_(scalar(0).id()) {}  // a new tensor has the highest id so far

void RecordedBackward::explain(const Tensor& x) {
  for (RecordedBackward* running = innermost(); running; running = running->outer())
    running->explained_.insert(x.id());
}

void RecordedBackward::check(const Tensor& x) const {
  if (x.id() <= began_ || explained_.count(x.id()) > 0 || !x.is_float()) return;
  HigherOrder::append_opaque(x, *this);
}

Tensor constant(Tensor x) {
  check_present("constant", x);
  RecordedBackward::explain(x);
  return x;
}

void HigherOrder::append_opaque(const Tensor& x, const RecordedBackward& running) {
  TapeStack::for_each_recording([&](Tape& tape) {
    if (tape.is_tracking(x)) return false;
    const std::size_t first = tape.inputs_.size();
    const int made = tape.entry_of_.find(running.y), dy = tape.entry_of_.find(running.dy);
    if (made >= 0)
      for (int i = 0; i < tape.entries_[made].count; ++i)
        tape.inputs_.push_back(tape.inputs(tape.entries_[made])[i]);
    if (dy >= 0) tape.inputs_.push_back(dy);
    if (tape.inputs_.size() == first) return false;
    Tape::Entry& entry = tape.append(running.op, x);
    entry.first = static_cast<int>(first);
    entry.count = static_cast<int>(tape.inputs_.size() - first);
    entry.backward.f = [op = running.op](Tensor, GradientSums&) -> Grads {
      throw TapeError(
          "{}: its backward function isn't made of ops, so its gradient can't be differentiated; "
          "write it in ops, or record a decomposition",
          op);
    };
    return false;
  });
}

}  // namespace tapehead

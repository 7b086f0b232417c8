#include "op_gradients.hpp"
#include "../op.hpp"
#include "../ops.hpp"
#include "../trace.hpp"
#include "overwrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace tapehead {
namespace {

/// A differentiable input of an op: the result of an earlier op, or a watched tensor.
struct Source {
  std::size_t position;  // index among the op's inputs
  int made_by;           // index of the earlier op; -1: a watched tensor, shared by all runs of f
  Tensor tensor;
};
struct RecordedOp {
  std::string op, module;
  std::size_t inputs;  // number of all inputs
  std::vector<Source> sources;
};

bool same_elements(const Tensor& a, const Tensor& b) {
  return dispatch(a.dtype(), [&](auto zero) {
    return a.dtype() == b.dtype() && a.data<decltype(zero)>() == b.data<decltype(zero)>();
  });
}
Tensor copy_of(const Tensor& x) {
  Tensor copy = Tensor::empty(x.shape(), x.dtype());
  overwrite(copy, x);
  return copy;
}

/// A listener that lists every op that f computes, even if the tape doesn't record the op.
struct Survey : TapeListener {
  void computed(const OpCall& call, const Tensor& y, const std::vector<Tensor>& inputs) override {
    RecordedOp next{call.name, ModuleScope::current(), inputs.size(), {}};
    for (std::size_t i = 0; y.is_float() && i < inputs.size(); ++i) {
      if (!inputs[i] || !inputs[i].is_float() || !Tape::current()->is_tracking(inputs[i])) continue;
      const auto maker = maker_.find(inputs[i].id());
      next.sources.push_back({i, maker == maker_.end() ? -1 : maker->second, inputs[i]});
    }
    maker_[y.id()] = static_cast<int>(ops.size());
    made_.push_back(y);  // keeps y alive, so that no other result gets its memory
    ops.push_back(std::move(next));
  }
  std::vector<RecordedOp> ops;

 private:
  std::unordered_map<std::uint64_t, int> maker_;
  std::vector<Tensor> made_;
};

/// A listener that changes the inputs of one op while f runs. Overwrites an input just before the
/// op computes or, if `early` is set, as soon as the input is computed. Some ops read their inputs
/// before the ops that they call internally are recorded, and need `early`.
class Replay : public TapeListener {
 public:
  Replay(const std::vector<Source>& sources, std::size_t target, const std::vector<Tensor>& values,
         bool early)
      : sources_(sources), target_(target), values_(values), early_(early) {
    if (early || target == 0) place(-1);
  }
  ~Replay() override { restore(); }

  void computed(const OpCall&, const Tensor& y, const std::vector<Tensor>&) override {
    const std::size_t now = made.size();
    made.push_back(y);
    if (now == target_) {
      result = copy_of(y);
      restore();
    } else if (early_ && now < target_) {
      place(static_cast<int>(now));
    } else if (now + 1 == target_) {
      for (int maker = -1; maker <= static_cast<int>(now); ++maker) place(maker);
    }
  }
  std::vector<Tensor> made;
  Tensor result;

 private:
  void place(int maker) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (sources_[i].made_by != maker) continue;
      const Tensor& x = maker < 0 ? sources_[i].tensor : made[maker];
      saved_.emplace_back(x, copy_of(x));
      overwrite(x, values_[i]);
    }
  }
  void restore() {
    for (; !saved_.empty(); saved_.pop_back()) overwrite(saved_.back().first, saved_.back().second);
  }

  const std::vector<Source>& sources_;
  const std::size_t target_;
  const std::vector<Tensor>& values_;
  const bool early_;
  std::vector<std::pair<Tensor, Tensor>> saved_;
};

/// Computes f(inputs) with a listener, under a tape that `then` may use.
template <class Then>
void run(const Function& f, const std::vector<Tensor>& inputs, TapeListener& listener, Then then) {
  Tape tape;
  for (const Tensor& x : inputs) tape.watch(x);
  const ListenerScope listening(&listener);
  f(inputs);
  then(tape);
}

/// Removes sources that share their elements with an earlier source, because a perturbation changes
/// both.
std::vector<Source> distinct(const std::vector<Source>& sources) {
  std::vector<Source> result;
  for (const Source& s : sources)
    if (std::none_of(result.begin(), result.end(),
                     [&](const Source& r) { return same_elements(r.tensor, s.tensor); }))
      result.push_back(s);
  return result;
}

/// Calls the op's backward function with dy. Returns a gradient for each of `sources`, summed over
/// the op's inputs that share their elements.
Grads backward_gradients(const Function& f, const std::vector<Tensor>& inputs, const RecordedOp& op,
                         const std::vector<Source>& sources, std::size_t target, const Tensor& dy) {
  const std::vector<Tensor> none;
  Replay replay(sources, target, none, false);
  Grads grads;
  run(f, inputs, replay, [&](Tape& tape) { grads = tape.differentiate(replay.made[target], dy); });
  Grads sums;
  for (const Source& source : sources) {
    Tensor sum;
    for (const Source& other : op.sources) {
      if (!same_elements(other.tensor, source.tensor)) continue;
      Tensor dx = grads.at(other.position);
      if (!dx) continue;
      dx = reshape(sum_to(dx, other.tensor.shape()), source.tensor.shape());
      sum = sum ? sum + dx : dx;
    }
    sums.push_back(sum);
  }
  return sums;
}

GradcheckResult check_backward(const Function& f, const std::vector<Tensor>& inputs,
                               const RecordedOp& op, std::size_t target, bool early,
                               GradcheckOptions options) {
  const std::vector<Source> sources = distinct(op.sources);
  std::vector<Tensor> values;
  for (const Source& source : sources) values.push_back(copy_of(source.tensor));
  const Function alone = [&](const std::vector<Tensor>& x) {
    Replay replay(sources, target, x, early);
    run(f, inputs, replay, [](Tape&) {});
    // Infinite elements, such as masked scores, have no finite differences.
    const Tensor zero = scalar(0, replay.result.dtype());
    const Tensor finite = less(abs(replay.result), scalar(infinity, replay.result.dtype()));
    return record("rule", where(finite, replay.result, zero), x, [&, zero, finite](auto dy) {
      return backward_gradients(f, inputs, op, sources, target, where(finite, dy, zero));
    });
  };
  options.culprit = false;
  options.names.clear();
  options.forward = false;  // no jvp: no tape tracks the gradients that `record` returns
  GradcheckResult result = gradcheck(alone, values, options);
  result.input = sources[result.input].position;
  return result;
}

/// Returns the name of an input's gradient, from the op's descriptor or from the input's position.
std::string name_of(const RecordedOp& op, std::size_t input) {
  const Op* known = find_op(op.op);
  const std::size_t named = known ? known->gradients.size() : 0;
  if (input < named && (named > 1 || op.inputs == 1))
    if (const std::string& gradient = known->gradients[input];
        gradient.find(" = ") < gradient.size())
      return gradient.substr(0, gradient.find(" = "));
  if (known || op.inputs > 2) return fmt::format("d(input {})", input);
  return op.inputs == 1 ? "dx" : input == 0 ? "da" : "db";
}

/// Returns the place of a wrong gradient, `dx[2]`, or `(da + db)[2]` if a and b are the same
/// tensor.
std::string place_of(const RecordedOp& op, const GradcheckResult& result) {
  Tensor x;
  for (const Source& source : op.sources)
    if (source.position == result.input) x = source.tensor;
  std::string names;
  for (const Source& source : op.sources)
    if (same_elements(source.tensor, x))
      names += (names.empty() ? "" : " + ") + name_of(op, source.position);
  if (names.find('+') != std::string::npos) names = '(' + names + ')';
  return names + indices_of(x.shape(), result.element);
}

}  // namespace

WrongGradient find_wrong_gradient(const Function& f, const std::vector<Tensor>& given,
                                  const GradcheckOptions& options) {
  std::vector<Tensor> inputs;  // copies that no other tape tracks
  for (const Tensor& x : given) inputs.push_back(copy_of(x));
  Survey survey;
  run(f, inputs, survey, [](Tape&) {});
  WrongGradient wrong;
  for (std::size_t i = 0; i < survey.ops.size(); ++i) {
    const RecordedOp& op = survey.ops[i];
    if (op.sources.empty()) continue;
    ++wrong.checked;
    const auto fails = [](const GradcheckResult& r) { return !r.passed && r.doubt.empty(); };
    const GradcheckResult result = check_backward(f, inputs, op, i, false, options);
    if (!fails(result)) continue;
    const GradcheckResult early = check_backward(f, inputs, op, i, true, options);
    if (!fails(early)) continue;
    if (wrong.wrong++ > 0) continue;
    wrong.op = op.op;
    wrong.module = op.module;
    wrong.result = result.numeric == 0 ? early : result;  // 0: later changes had no effect
    wrong.at = place_of(op, wrong.result);
  }
  return wrong;
}

std::string to_string(const WrongGradient& wrong) {
  if (wrong.op.empty()) return fmt::format("none of {} backward functions is wrong", wrong.checked);
  return fmt::format(
      "{}{}{}: wrong gradient at {} (backward {:.6g}, finite differences {:.6g}), {}", wrong.op,
      wrong.module.empty() ? "" : " in ", wrong.module, wrong.at, wrong.result.analytic,
      wrong.result.numeric,
      wrong.wrong == 1 ? "the only wrong op"
                       : fmt::format("the first of {} wrong ops", wrong.wrong));
}

}  // namespace tapehead

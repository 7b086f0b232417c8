#include "not_finite.hpp"
#include "../../core/ops.hpp"

#include <algorithm>

namespace tapehead {
namespace {

using Finding = FiniteCheck::Finding;

/// Describes a non-finite value for an error message.
std::string describe(const Finding& finding, Index shard, Module& model, const Batch& batch) {
  std::string op = finding.op;
  if (finding.how == Finding::How::made_in_backward) op = "the gradient of " + op;
  if (*finding.module) op += fmt::format(" in {}", finding.module);
  if (finding.how != Finding::How::met)
    return fmt::format("{} made {} from finite inputs, in shard {}", op, finding.what, shard);
  if (const Parameter* p = first_non_finite_parameter(model))
    return fmt::format("parameter {} contained {} before the step, first read by {}, in shard {}",
                       p->path, non_finite_kind(p->value()), op, shard);
  if (!is_finite(batch.inputs))
    return fmt::format("the inputs contain {}, first read by {}, in shard {}",
                       non_finite_kind(batch.inputs), op, shard);
  return fmt::format("{} read {} in a constant, in shard {}", op, finding.what, shard);
}

}  // namespace

std::string non_finite_kind(const Tensor& x) {
  if (!x) return {};
  if (x.dtype() == DType::bf16) return non_finite_kind(cast(x, DType::f32));
  if (!x.is_float()) return {};
  return dispatch_float("is_finite", x.dtype(), [&](auto zero) -> std::string {
    using T = decltype(zero);
    const T *first = x.data<T>(), *end = first + x.size();
    const T* bad = std::find_if(first, end, [](T value) { return !std::isfinite(value); });
    return bad == end ? "" : std::isnan(*bad) ? "nan" : "inf";
  });
}

bool is_finite(const Tensor& x) { return non_finite_kind(x).empty(); }

Parameter* first_non_finite_parameter(Module& model) {
  for (Parameter* p : parameters(model))
    if (!is_finite(p->value())) return p;
  return nullptr;
}

void FiniteCheck::computed(const OpCall& call, const Tensor& y, const std::vector<Tensor>& inputs) {
  // The ops inside a recompute op are reported one by one when backward recomputes them.
  if (made_ || call.name == std::string_view("recompute")) return;
  const std::string what = non_finite_kind(y);
  if (what.empty()) return;
  const auto bad = std::find_if_not(inputs.begin(), inputs.end(), is_finite);
  if (bad == inputs.end())
    made_ = Finding{Finding::How::made, call.name, ModuleScope::current(), what};
  else if (!met_)
    met_ = Finding{Finding::How::met, call.name, ModuleScope::current(), non_finite_kind(*bad)};
}

void FiniteCheck::differentiated(std::uint64_t, const char* op, const Tensor& dy,
                                 const Grads& grads) {
  if (made_in_backward_ || !is_finite(dy)) return;
  for (const Tensor& dx : grads)
    if (const std::string what = non_finite_kind(dx); !what.empty())
      made_in_backward_ = Finding{Finding::How::made_in_backward, op, ModuleScope::current(), what};
}

std::optional<Finding> FiniteCheck::cause(bool of_loss) const {
  if (!of_loss && made_in_backward_) return made_in_backward_;
  return made_ ? made_ : met_;
}

std::string explain_non_finite(Module& model, const Batch& batch, std::uint64_t seed, Index step,
                               Index shards, StepOptions options) {
  std::vector<FiniteCheck> checks(static_cast<std::size_t>(shards));
  options.listeners.clear();
  for (FiniteCheck& check : checks) options.listeners.push_back(&check);
  StepResult result;
  const Gradients gradients = sharded_gradients(model, batch, seed, step, shards, result, options);
  // A non-finite constant may be a harmless mask, so results that ops made come first.
  for (const bool made : {true, false})
    for (std::size_t shard = 0; shard < checks.size(); ++shard) {
      const auto cause = checks[shard].cause(!std::isfinite(result.loss));
      if (cause && (cause->how != Finding::How::met) == made)
        return describe(*cause, static_cast<Index>(shard), model, batch);
    }
  for (const Parameter* p : parameters(model)) {
    if (!p->trainable || !gradients.contains(p->value())) continue;
    const Tensor& gradient = gradients.stored(p->value());
    if (gradient && !is_finite(gradient))
      return fmt::format("the gradients of {} are finite in each shard, but their sum isn't",
                         p->path);
  }
  return "the gradient is finite, but its sum of squares isn't";
}

}  // namespace tapehead

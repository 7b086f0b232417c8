#include "readout.hpp"

#include <cmath>

namespace tapehead {
namespace {

/// Returns f64 (..., width) with each row's mean subtracted.
Tensor centred(const Tensor& x) { return x - mean(x, {-1}, true); }

}  // namespace

const GPT& require_residual_gpt(const TaskModel& model, const char* experiment) {
  const auto* gpt = dynamic_cast<const GPT*>(model.module.get());
  if (!gpt)
    throw UsageError("{} needs --arch gpt, but the run has --arch {}", experiment, model.arch);
  if (!gpt->options.residual)
    throw UsageError(
        "{} needs a residual stream, but the run was trained with --residual "
        "false",
        experiment);
  return *gpt;
}

Tensor fold_norm(const Tensor& weight, const Module* norm, const char* experiment) {
  const Tensor w = cast(weight, DType::f64);
  if (!norm) return w;
  if (const auto* layer = dynamic_cast<const LayerNorm*>(norm))
    return centred(w * cast(layer->gain.value(), DType::f64));
  if (const auto* rms = dynamic_cast<const RMSNorm*>(norm))
    return rms->gain.present ? w * cast(rms->gain.value(), DType::f64) : w;
  throw UsageError("{} supports layer norm and RMS norm, but the run has a custom norm",
                   experiment);
}

Readout::Readout(const GPT& model, const char* experiment) : norm_(model.norm.get()) {
  const Parameter& head = model.head ? model.head->weight : model.embedding.tokens.weight;
  directions = fold_norm(head.value(), norm_, experiment);
  const auto* layer = dynamic_cast<const LayerNorm*>(norm_);
  constants =
      layer ? sum(cast(head.value(), DType::f64) * cast(layer->bias.value(), DType::f64), {-1})
            : zeros({directions.dim(0)}, DType::f64);
}

Tensor Readout::products(const Tensor& x) const { return linear(cast(x, DType::f64), directions); }

double Readout::scale(const Tensor& x) const {
  if (!norm_) return 1;
  const Tensor row = cast(x, DType::f64);
  if (const auto* layer = dynamic_cast<const LayerNorm*>(norm_))
    return std::sqrt(var(row).item() + layer->epsilon);
  return std::sqrt(mean(row * row).item() + dynamic_cast<const RMSNorm&>(*norm_).epsilon);
}

}  // namespace tapehead

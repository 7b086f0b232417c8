#include "readout.hpp"

#include <cmath>

namespace tapehead {
namespace {

/// f64 (..., width), each row less its mean.
Tensor centred(const Tensor& x) { return x - mean(x, {-1}, true); }

}  // namespace

const GPT& streaming_gpt(const TaskModel& model, const char* experiment) {
  const auto* gpt = dynamic_cast<const GPT*>(model.module.get());
  if (!gpt) throw UsageError("{} reads a gpt, and this run's model is {}", experiment, model.arch);
  if (!gpt->options.residual)
    throw UsageError(
        "{} reads the stream that blocks add to; this run was trained with --residual "
        "false",
        experiment);
  return *gpt;
}

Readout::Readout(const GPT& model, const char* experiment) {
  const Parameter& head = model.head ? model.head->weight : model.embedding.tokens.weight;
  directions = cast(head.value(), DType::f64);  // (vocabulary, width)
  constants = zeros({directions.dim(0)}, DType::f64);
  if (!model.norm) return;
  scaled_ = true;
  if (const auto* layer = dynamic_cast<const LayerNorm*>(model.norm.get())) {
    centred_ = true;
    epsilon_ = layer->epsilon;
    constants = sum(directions * cast(layer->bias.value(), DType::f64), {-1});
    directions = centred(directions * cast(layer->gain.value(), DType::f64));
  } else if (const auto* rms = dynamic_cast<const RMSNorm*>(model.norm.get())) {
    epsilon_ = rms->epsilon;
    if (rms->gain.present) directions = directions * cast(rms->gain.value(), DType::f64);
  } else {
    throw UsageError("{} knows layer norms and RMS norms; this run has a norm of its own",
                     experiment);
  }
}

Tensor Readout::products(const Tensor& x) const { return linear(cast(x, DType::f64), directions); }

double Readout::scale(const Tensor& x) const {
  if (!scaled_) return 1;
  const Tensor row = cast(x, DType::f64), from = centred_ ? centred(row) : row;
  return std::sqrt(mean(from * from).item() + epsilon_);
}

}  // namespace tapehead

#pragma once
// Names of version 0.2 for a program that isn't adapted yet. The next version removes them.
#include <tapehead/core/derivatives.hpp>
#include <tapehead/core/meta_tensors.hpp>
#include <tapehead/core/tape_stack.hpp>
#include <tapehead/core/trace.hpp>
#include <tapehead/nn/attention/projection.hpp>
#include <tapehead/nn/cache.hpp>
#include <tapehead/nn/model_options.hpp>
#include <tapehead/optim/average.hpp>
#include <tapehead/optim/optimizer.hpp>

namespace tapehead {

using Averaged [[deprecated("use EvaluationWeights")]] = EvaluationWeights;
using Growing [[deprecated("use AppendableTensor")]] = AppendableTensor;
using KeysAndValues [[deprecated("use KeyValueCache")]] = KeyValueCache;
using Listening [[deprecated("use ListenerScope")]] = ListenerScope;
using MLPWith [[deprecated("use StandardMLP")]] = StandardMLP;
using MakeAttention [[deprecated("use AttentionFactory")]] = AttentionFactory;
using MakeMLP [[deprecated("use MLPFactory")]] = MLPFactory;
using MakeNorm [[deprecated("use NormFactory")]] = NormFactory;
using Outline [[deprecated("use MetaTensors")]] = MetaTensors;
using Point [[deprecated("use HookPoint")]] = HookPoint;
using Primitive [[deprecated("use PrimitiveOpsScope")]] = PrimitiveOpsScope;
using Scope [[deprecated("use ModuleScope")]] = ModuleScope;
using Trained [[deprecated("use ParameterList")]] = ParameterList;

[[deprecated("use finish_construction")]] inline void begin(Module& model,
                                                            const ModelOptions& options) {
  finish_construction(model, options);
}
[[deprecated("use flatten")]] inline Tensor flat(const std::vector<Tensor>& all) {
  return flatten(all);
}
[[deprecated("use is_tracked")]] inline bool known(const Tensor& x) { return is_tracked(x); }
[[deprecated("use unflatten")]] inline std::vector<Tensor> unflat(const Tensor& flat,
                                                                  const std::vector<Tensor>& like) {
  return unflatten(flat, like);
}

}  // namespace tapehead

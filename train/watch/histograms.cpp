#include "histograms.hpp"
#include "../../core/containers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace tapehead {
namespace {

/// A listener that keeps the last result of each module. Holding the tensors keeps later ops from
/// reusing their memory.
class LastResults : public TapeListener {
 public:
  std::vector<std::pair<std::string, Tensor>> by_module;  // in the order of their first ops

 private:
  void computed(const OpCall& call, const Tensor& y, const std::vector<Tensor>&) override {
    if (call.name == std::string_view("recompute")) return;  // its ops are reported in backward
    const std::string module = ModuleScope::current();
    if (module.empty() || module == loss_scope || !y.is_float()) return;
    const auto found = find_if(by_module, [&](const auto& known) { return known.first == module; });
    if (found == by_module.end())
      by_module.emplace_back(module, y);
    else
      found->second = y;
  }
};

}  // namespace

Json histogram(const Tensor& given) {
  constexpr std::size_t bins = 30;
  const Tensor x = given.dtype() == DType::bf16 ? cast(given, DType::f32) : given;
  return dispatch_float("histogram", x.dtype(), [&](auto zero) -> Json {
    const auto *first = x.data<decltype(zero)>(), *end = first + x.size();
    double least = infinity, most = -infinity;
    Index others = 0;
    for (const auto* at = first; at < end; ++at) {
      if (!std::isfinite(*at)) {
        ++others;
        continue;
      }
      least = std::min(least, static_cast<double>(*at));
      most = std::max(most, static_cast<double>(*at));
    }
    if (least > most) return {};
    std::array<Index, bins> counts{};
    const double width = (most - least) / bins;
    for (const auto* at = first; at < end; ++at)
      if (std::isfinite(*at))
        ++counts[width > 0 ? std::min(static_cast<std::size_t>((*at - least) / width), bins - 1)
                           : bins / 2];
    Json found = {{"from", least}, {"to", most}, {"counts", Json::array()}};
    for (const Index count : counts) found["counts"].push_back(count);
    if (others > 0) found["not_finite"] = others;
    return found;
  });
}

Json histograms(Module& model, const Batch& batch, std::uint64_t seed, Index step, Index shards,
                StepOptions options) {
  LastResults results;
  options.listeners.assign(static_cast<std::size_t>(shards), nullptr);
  options.listeners[0] = &results;
  StepResult ignored;
  const Gradients gradients = sharded_gradients(model, batch, seed, step, shards, ignored, options);
  Json found;
  for (const Parameter* p : parameters(model)) {
    found["weights"][p->path] = histogram(p->value());
    if (p->trainable && gradients.contains(p->value()))
      found["gradients"][p->path] = histogram(gradients.stored(p->value()));
  }
  for (const auto& [module, y] : results.by_module) found["activations"][module] = histogram(y);
  return found;
}

}  // namespace tapehead

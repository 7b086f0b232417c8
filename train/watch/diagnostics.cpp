#include "diagnostics.hpp"
#include "../../core/kernels/functions/logarithms.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../nn/attention/attention.hpp"
#include "../files/json.hpp"
#include "../files/strings.hpp"
#include "head_weights.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

class ScaleCollector : public Visitor {
 public:
  Json found;

 private:
  void enter(const std::string&, Module& module) override {
    if (const auto* attention = dynamic_cast<const MultiHeadAttention*>(&module))
      for (const auto& [name, factors] : learned_factors(*attention)) found[path()][name] = factors;
  }
};

/// Returns the weights of one head from (1, heads, queries, keys), for the first `queries` queries.
HeadWeights head_of(const Tensor& weights, Index head, Index queries) {
  HeadWeights one;
  one.queries = queries;
  one.keys = weights.dim(3);
  with_floats("attention_entropy", weights.dtype(), [&](auto zero) {
    const auto* first = weights.data<decltype(zero)>() + head * weights.dim(2) * one.keys;
    one.values.assign(first, first + queries * one.keys);
  });
  return one;
}

/// Returns the norms of `after - before` and of `before`.
std::pair<double, double> norms(const Tensor& before, const Tensor& after) {
  return dispatch_float("update_ratio", before.dtype(), [&](auto zero) {
    const auto *a = before.data<decltype(zero)>(), *b = after.data<decltype(zero)>();
    double change = 0, whole = 0;
    for (Index i = 0; i < before.size(); ++i) {
      const double old = a[i], difference = b[i] - old;
      change += difference * difference;
      whole += old * old;
    }
    return std::pair(std::sqrt(change), std::sqrt(whole));
  });
}

}  // namespace

Json learned_scales(Module& model) {
  ScaleCollector scales;
  model.visit(scales);
  return scales.found;
}

Json attention_entropy(const TaskModel& model, const Task& task) {
  constexpr Index few = 4;
  const Index examples = std::min(few, held_out_size(task));
  std::vector<std::pair<std::string, std::vector<double>>> sums;  // by module, in the model's order
  for (Index number = 0; number < examples; ++number) {
    const Example example = held_out_example(task, number);
    const Batch batch = model.batch({example});
    if (!has_tokens(task, batch)) return {};
    Pass pass = Pass::evaluation();
    std::vector<AttentionWeights> all;
    collect_weights(pass, all);
    logits_of(*model.module, batch, pass);
    sums.resize(all.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto& [module, weights] = all[i];
      auto& [path, heads] = sums[i];
      path = module;
      heads.resize(weights.dim(1));
      // An encoder's prompt is padded.
      const bool padded = model.arch == "encoder-decoder" && starts_with(path, "encoder.");
      const Index queries = padded ? example.question : weights.dim(2);
      for (std::size_t head = 0; head < heads.size(); ++head)
        heads[head] += entropy(head_of(weights, static_cast<Index>(head), queries)) /
                       static_cast<double>(examples);
    }
  }
  Json found;
  for (const auto& [path, heads] : sums) found[path] = heads;
  return found;
}

WeightSnapshot::WeightSnapshot(Module& model) {
  for (Parameter* p : parameters(model)) {
    if (!p->trainable || !p->decay || p->shape.size() == 0) continue;
    weights_.push_back(p);
    before_.push_back(p->value());
  }
}

Json WeightSnapshot::update_ratio() const {
  std::vector<double> ratios(weights_.size());
  parallel_for(static_cast<Index>(ratios.size()), [&](Index i) {
    const auto [change, whole] = norms(before_[i], weights_[i]->value());
    ratios[i] = change / whole;
  });
  Json found;
  for (std::size_t i = 0; i < ratios.size(); ++i)
    if (std::isfinite(ratios[i]))
      found[weights_[i]->path] = ratios[i];  // weights that began at zero are omitted
  return found;
}

std::string GradientNormMonitor::notice(double norm) {
  constexpr long first = 50;       // steps that establish the range
  constexpr double memory = 0.99;  // averages over about 100 steps
  // An outlier is four deviations of log(norm) above the mean, and at least five times as large.
  constexpr double deviations = 4, least = 5;
  if (!(norm > 0) || !std::isfinite(norm)) return {};
  const double now = kernel::log(norm), deviation = std::sqrt(variance_);
  const double limit = mean_ + std::max(deviations * deviation, kernel::log(least));
  std::string text;
  if (seen_ >= first && now > limit)
    text = fmt::format("gradient norm {:.3g}; recently it was {:.2g} to {:.2g}", norm,
                       kernel::exp(mean_ - 2 * deviation), kernel::exp(mean_ + 2 * deviation));
  ++seen_;
  const double weight = std::max(1 - memory, 1 / static_cast<double>(seen_));
  const double away = (seen_ > first ? std::min(now, limit) : now) - mean_;
  mean_ += weight * away;
  variance_ = (1 - weight) * (variance_ + weight * away * away);
  return text;
}

}  // namespace tapehead

#include "ablation.hpp"
#include "../../core/ops.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../nn/gpt.hpp"
#include "../../train/evaluate.hpp"
#include "../../train/files/strings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace tapehead {
namespace {

using Examples = std::vector<Example>;

/// Returns how many positions of an example a module reads. Later positions of its row are padding.
Index positions_read(const TaskModel& model, const std::string& module, const Example& example) {
  const auto tokens = static_cast<Index>(example.tokens.size());
  if (model.arch == "gpt") return tokens - 1;
  if (model.arch == "encoder" || starts_with(module, "encoder.")) return example.question;
  if (model.arch == "encoder-decoder") return tokens - example.question;
  return std::numeric_limits<Index>::max();
}

/// The mean activation of some examples at each hook point and position.
class MeanActivations {
 public:
  void add(const TaskModel& model, const HookPoint& point, const Examples& examples,
           const Tensor& x) {
    const Index time = x.dim(1), width = x.dim(2);
    Sum& sum = sums_[key(point.module, point.name)];
    sum.width = width;
    sum.counts.resize(std::max(sum.counts.size(), static_cast<std::size_t>(time)));
    sum.values.resize(sum.counts.size() * static_cast<std::size_t>(width));
    with_floats("ablate", x.dtype(), [&](auto zero) {
      const auto* from = x.data<decltype(zero)>();
      for (std::size_t row = 0; row < examples.size(); ++row, from += time * width) {
        const Index read = std::min(time, positions_read(model, point.module, examples[row]));
        for (Index t = 0; t < read; ++t) ++sum.counts[t];
        for (Index i = 0; i < read * width; ++i) sum.values[i] += from[i];
      }
    });
  }

  void add(const MeanActivations& other) {
    for (const auto& [name, more] : other.sums_) {
      Sum& sum = sums_[name];
      sum.width = more.width;
      sum.counts.resize(std::max(sum.counts.size(), more.counts.size()));
      sum.values.resize(std::max(sum.values.size(), more.values.size()));
      for (std::size_t t = 0; t < more.counts.size(); ++t) sum.counts[t] += more.counts[t];
      for (std::size_t i = 0; i < more.values.size(); ++i) sum.values[i] += more.values[i];
    }
  }

  void finish(DType dtype) {
    for (auto& [name, sum] : sums_) {
      for (std::size_t i = 0; i < sum.values.size(); ++i)
        sum.values[i] /= static_cast<double>(std::max<Index>(sum.counts[i / sum.width], 1));
      means_[name] = tensor(sum.values, {static_cast<Index>(sum.counts.size()), sum.width}, dtype);
    }
  }

  /// Returns the means at a place's hook point, (time, width), or null.
  Tensor at(const Site::Place& place) const {
    const auto found = means_.find(key(place.module, place.point));
    return found == means_.end() ? Tensor() : found->second;
  }

 private:
  struct Sum {
    Index width = 0;
    std::vector<Index> counts;
    std::vector<double> values;
  };
  static std::string key(const std::string& module, const std::string& point) {
    return module + ' ' + point;
  }

  std::map<std::string, Sum> sums_;
  std::map<std::string, Tensor> means_;
};

/// Validation examples in batches. Their size is fixed, so that results don't depend on the number
/// of threads.
struct Batches {
  Batches(const Task& task, Index count) {
    const Index rows = evaluation_batch_size(task);
    for (Index first = 0; first < count; first += rows) {
      all.emplace_back();
      for (Index i = first; i < std::min(first + rows, count); ++i)
        all.back().push_back(held_out_example(task, i));
    }
  }

  std::vector<Examples> all;
};

MeanActivations means_of(const TaskModel& model, const std::vector<Examples>& batches,
                         const std::vector<Ablation>& ablations) {
  const auto is_ablated = [&](const HookPoint& point) {
    for (const Ablation& ablation : ablations)
      for (const Site* site : ablation.sites)
        for (const Site::Place& place : site->places)
          if (is_at(place, point)) return true;
    return false;
  };
  const auto count = static_cast<Index>(batches.size());
  std::vector<MeanActivations> parts(static_cast<std::size_t>(std::min<Index>(count, 16)));
  parallel_for(static_cast<Index>(parts.size()), [&](Index part) {
    const Pause pause;
    const auto groups = static_cast<Index>(parts.size());
    for (Index i = part * count / groups; i < (part + 1) * count / groups; ++i) {
      Pass pass = Pass::evaluation();
      pass.hook = [&](const HookPoint& point, const Tensor& x) {
        if (is_ablated(point)) parts[part].add(model, point, batches[i], x);
        return x;
      };
      logits_of(*model.module, model.batch(batches[i]), pass);
    }
  });
  MeanActivations means;
  for (const MeanActivations& part : parts) means.add(part);
  means.finish(model.options.dtype);
  return means;
}

/// The model's results on a batch.
struct Results {
  std::vector<double> losses;  ///< one per example: the sum of the losses at its targets
  Index targets = 0, right = 0;
};

Results results_of(const TaskModel& model, const Examples& examples, const Tensor& logits,
                   const Tensor& targets) {
  const Index classes = logits.dim(-1), time = targets.size() / targets.dim(0);
  const Tensor rows = reshape(logits, Shape{targets.size(), classes});
  const std::vector<int> predicted = most_likely_tokens(rows);
  const Tensor logs = log_softmax(rows);
  const auto* target = targets.data<std::int32_t>();
  Results results;
  for (std::size_t e = 0; e < examples.size(); ++e) {
    // The targets of a GPT are one token ahead of the inputs. Targets before `answer` belong to the
    // prompt.
    const Index answer = model.arch == "gpt" ? examples[e].question - 1 : 0;
    bool right = true;
    double loss = 0;
    for (Index t = 0; t < time; ++t) {
      const Index i = static_cast<Index>(e) * time + t;
      if (target[i] < 0) continue;
      ++results.targets;
      loss -= logs(i * classes + target[i]);
      right = right && (t < answer || predicted[i] == target[i]);
    }
    results.losses.push_back(loss);
    results.right += right;
  }
  return results;
}

/// Runs a model on one batch, first unablated, then with ablations. For a GPT, an ablated run
/// starts at the first ablated block.
class AblationTrial {
 public:
  AblationTrial(const TaskModel& model, const Examples& examples, const MeanActivations& means)
      : model_(model), examples_(examples), means_(means), batch_(model.batch(examples)) {}

  Results whole() {
    Pass pass = Pass::evaluation();
    pass.hook = [&](const HookPoint& point, const Tensor& x) {
      if (point.name == std::string("in")) read_.push_back(x);
      return x;
    };
    return results_of(model_, examples_, logits_of(*model_.module, batch_, pass), batch_.targets);
  }

  Results without(const Ablation& ablation) const {
    Pass pass = Pass::evaluation();
    pass.hook = [&](const HookPoint& point, const Tensor& x) {
      Tensor y = x;
      for (const Site* site : ablation.sites)
        for (const Site::Place& place : site->places)
          if (is_at(place, point))
            y = replace_columns(y, place.first, place.end, means_.at(place), ablation.position);
      return y;
    };
    return results_of(model_, examples_, logits_with(pass, ablation), batch_.targets);
  }

 private:
  Tensor logits_with(Pass& pass, const Ablation& ablation) const {
    const auto* gpt = dynamic_cast<const GPT*>(model_.module.get());
    if (!gpt || ablation.sites.empty()) return logits_of(*model_.module, batch_, pass);
    auto first = static_cast<Index>(gpt->blocks.size());
    for (const Site* site : ablation.sites) first = std::min(first, site->block);
    pass.named = &batch_.named;
    Tensor x = read_[first];
    for (auto block = gpt->blocks.begin() + first; block != gpt->blocks.end(); ++block)
      x = (*block)(x, pass);
    return logits(gpt->head, gpt->embedding.tokens, apply_optional(gpt->norm, x, pass), pass);
  }

  const TaskModel& model_;
  const Examples& examples_;
  const MeanActivations& means_;
  const Batch batch_;
  std::vector<Tensor> read_;  // the input of each block in the unablated run
};

/// Summarizes an ablation's results on all batches, compared with the unablated results.
AblationLoss ablation_loss(const std::vector<Results>& results, const std::vector<Results>& whole) {
  double loss = 0, moved = 0, squares = 0;
  Index targets = 0, right = 0, examples = 0;
  for (std::size_t b = 0; b < results.size(); ++b) {
    targets += results[b].targets;
    right += results[b].right;
    for (std::size_t e = 0; e < results[b].losses.size(); ++e, ++examples) {
      const double difference = results[b].losses[e] - whole[b].losses[e];
      loss += results[b].losses[e];
      moved += difference;
      squares += difference * difference;
    }
  }
  const auto n = static_cast<double>(examples), count = static_cast<double>(targets);
  const double spread = std::max(squares - moved * moved / n, 0.0) * n / std::max(n - 1, 1.0);
  return {loss / count, static_cast<double>(right) / n, std::sqrt(spread) / count};
}

}  // namespace

Ablations ablate(const TaskModel& model, const Task& task, const std::vector<Ablation>& ablations,
                 AblateBy by, Index examples, const std::function<void(double)>& on_progress) {
  const Index total = std::min(examples, held_out_size(task));
  if (total < 1) throw ValueError("ablate: needs at least 1 example, got {}", total);
  const std::vector<Examples> batches = Batches(task, total).all;
  MeanActivations means;
  if (by == AblateBy::mean) means = means_of(model, batches, ablations);
  // Indexed by ablation (0 is the unablated model), then by batch.
  std::vector<std::vector<Results>> results(ablations.size() + 1,
                                            std::vector<Results>(batches.size()));
  parallel_for_with_progress(static_cast<Index>(batches.size()), on_progress, [&](Index b) {
    const Pause pause;
    AblationTrial trial(model, batches[b], means);
    results[0][b] = trial.whole();
    for (std::size_t i = 0; i < ablations.size(); ++i)
      results[i + 1][b] = trial.without(ablations[i]);
  });
  Ablations all;
  all.examples = total;
  all.whole = ablation_loss(results[0], results[0]);
  for (std::size_t i = 1; i < results.size(); ++i)
    all.without.push_back(ablation_loss(results[i], results[0]));
  return all;
}

}  // namespace tapehead

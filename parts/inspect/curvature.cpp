#include "curvature.hpp"
#include "../../core/derivatives.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../nn/recompute.hpp"
#include "../../train/config/config.hpp"
#include "../../train/step/step.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// Returns the block or top-level module of a parameter: blocks.0 for blocks.0.mlp.in.weight, norm
/// for norm.gain.
std::string block_of(const std::string& path) {
  std::size_t begin = 0, end = 0;
  while ((end = path.find('.', begin)) != std::string::npos) {
    if (path.find_first_not_of("0123456789", begin) == end) return path.substr(0, end);
    begin = end + 1;
  }
  return begin == 0 ? path : path.substr(0, begin - 1);
}

/// Returns the mean of some numbers and the standard error of this mean.
std::pair<double, double> mean_of(const std::vector<double>& numbers) {
  const auto n = static_cast<double>(numbers.size());
  double sum = 0, squares = 0;
  for (double x : numbers) sum += x;
  for (double x : numbers) squares += (x - sum / n) * (x - sum / n);
  return {sum / n, std::sqrt(squares / (n - 1) / n)};
}

}  // namespace

LossHessian::LossHessian(const TaskModel& model, const std::vector<Example>& examples,
                         Index at_once, std::shared_ptr<const Loss> own)
    : model_(model), own_(std::move(own)) {
  for (auto first = examples.begin(); first != examples.end();) {
    const auto end = first + std::min<Index>(at_once, examples.end() - first);
    batches_.push_back(model.batch({first, end}));
    targets_ += counted(batches_.back(), own_.get());
    first = end;
  }
  std::vector<std::string> names;
  walk(*model.module, [&](const std::string& path, const Parameter& p) {
    if (!p.trainable) return;
    values_.push_back(p.value());
    names.push_back(block_of(path));
  });
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto block = find_named(blocks_, names[i]);
    if (block == blocks_.end())
      block = blocks_.insert(block, {names[i], std::vector<bool>(names.size()), 0});
    block->has[i] = true;
    block->size += values_[i].size();
  }
}

Index LossHessian::size() const {
  Index size = 0;
  for (const Tensor& each : values_) size += each.size();
  return size;
}

Tensor LossHessian::operator()(const Tensor& v) const {
  const std::vector<Tensor> along = unflatten(cast(v, values_[0].dtype()), values_);
  StepOptions options;
  options.loss = own_.get();
  const auto product = [&](const Batch& batch) {
    const Function loss = [&](const std::vector<Tensor>&) {
      Pass pass = Pass::evaluation();
      const KeepActivations keep;
      return partial_loss(*model_.module, batch, pass, targets_, options);
    };
    return cast(flatten(hvp(loss, values_, along, Unused::zeros).second), DType::f64);
  };
  // A fixed number of partial sums, added in a fixed order, makes the result independent of the
  // number of threads.
  constexpr std::size_t most = 16;
  std::vector<Tensor> sums(std::min(most, batches_.size()));
  parallel_for(static_cast<Index>(sums.size()), [&](Index i) {
    const Pause pause;
    for (std::size_t batch = i; batch < batches_.size(); batch += sums.size()) {
      const Tensor one = product(batches_[batch]);
      sums[i] = sums[i] ? sums[i] + one : one;
    }
  });
  for (std::size_t i = 1; i < sums.size(); ++i) sums[0] = sums[0] + sums[i];
  return sums[0];
}

Tensor LossHessian::block_slice(const Block& block, const Tensor& v) const {
  const std::vector<Tensor> all = unflatten(v, values_);
  std::vector<Tensor> part;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (block.has[i]) part.push_back(all[i]);
  return flatten(part);
}

Tensor LossHessian::block_product(const Block& block, const Tensor& v) const {
  std::vector<Tensor> whole;
  Index first = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Index size = values_[i].size();
    whole.push_back(block.has[i] ? slice(v, 0, first, first + size) : zeros({size}, DType::f64));
    if (block.has[i]) first += size;
  }
  return block_slice(block, (*this)(flatten(whole)));
}

Curvature curvature(const LossHessian& hessian, Index top,
                    const std::function<void(double fraction)>& on_progress) {
  const std::vector<LossHessian::Block>& blocks = hessian.blocks();
  const auto all = static_cast<double>(blocks.size() + 2);  // steps of the progress
  double done = 0;
  const auto next = [&] {
    if (on_progress) on_progress(++done / all);
  };
  Curvature found;
  LanczosOptions options;
  options.count = top;
  found.eigenvalues = largest_eigenvalues(hessian.size(), std::cref(hessian), options);
  next();

  // One Hessian product with a random vector estimates the traces of all blocks: in each block, the
  // contributions of other blocks have mean 0.
  constexpr Index vectors = 32;
  std::vector<std::vector<double>> traces(blocks.size() + 1);
  for (Index number = 0; number < vectors; ++number) {
    const Tensor v = sign_direction(hessian.size(), number), along = v * hessian(v);
    traces[0].push_back(sum(along).item());
    for (std::size_t i = 0; i < blocks.size(); ++i)
      traces[i + 1].push_back(sum(hessian.block_slice(blocks[i], along)).item());
  }
  next();

  const auto add = [&](const std::string& name, Index parameters, double sharpness) {
    const auto [trace, error] = mean_of(traces[found.parts.size()]);
    found.parts.push_back({name, parameters, sharpness, trace, error});
  };
  add("all", hessian.size(), found.eigenvalues.largest[0]);
  for (const LossHessian::Block& block : blocks) {
    const auto product = [&](const Tensor& v) { return hessian.block_product(block, v); };
    add(block.name, block.size, largest_eigenvalues(block.size, product).largest[0]);
    next();
  }
  return found;
}

double sharpness(const LossHessian& hessian) {
  return largest_eigenvalues(hessian.size(), std::cref(hessian)).largest[0];
}

std::vector<Example> first_training_examples(const Task& task, const TrainConfig& config,
                                             Index count) {
  if (config.fixed_batch) count = std::min(count, config.batch);
  return training_examples(task, config.seed, 0, count);
}

}  // namespace tapehead

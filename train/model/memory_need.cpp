#include "memory_need.hpp"
#include "../../nn/convolution.hpp"
#include "../../nn/encoder.hpp"
#include "../../nn/zoo/linear_attention.hpp"

#include <algorithm>

namespace tapehead {
namespace {

double real(Index n) { return static_cast<double>(n); }

/// Counts what the forward pass over one example leaves for backward, in elements. Each layer keeps
/// its result, for the next one's gradient; a sum takes the place of one of its terms.
class Kept : public Visitor {
 public:
  explicit Kept(const ModelOptions& options) : options_(options) {}

  double elements() const { return outside_ + (options_.recompute ? inputs_ + largest_ : blocks_); }
  /// Weights of attention, where all of them are looked at.
  double scores() const { return scores_; }

 private:
  void enter(const std::string&, Module& module) override {
    if (dynamic_cast<const Block*>(&module)) before_ = outside_;
    // Those of the head are logits, which are counted by themselves.
    if (const auto* linear = dynamic_cast<const Linear*>(&module); linear && path() != "head")
      keep_of(of_source(), linear->weight.shape[0]);
    if (const auto* norm = dynamic_cast<const LayerNorm*>(&module)) keep(norm->gain.shape[0]);
    // That of queries and keys is counted with their attention.
    if (const auto* norm = dynamic_cast<const RMSNorm*>(&module); norm && !norm->gain.present)
      keep(options_.width);
    if (const auto* convolution = dynamic_cast<const CausalConvolution*>(&module))
      keep(convolution->weight.shape[0] * options_.width);  // what each weight multiplies
    if (const auto* mlp = dynamic_cast<const MLP*>(&module)) {
      const bool twice =
          mlp->activation == Activation::swiglu || mlp->activation == Activation::relu2;
      keep((twice ? 2 : 1) * mlp->in.weight.shape[0]);
    }
    if (const auto* attention = dynamic_cast<const MultiHeadAttention*>(&module))
      attend(*attention);
    if (const auto* linear = dynamic_cast<const zoo::LinearAttention*>(&module))
      keep(2 * linear->options.heads * std::min(time(), linear->chunk));  // scores, and the masked
  }
  void leave(Module& module) override {
    if (!dynamic_cast<const Block*>(&module)) return;
    const double block = std::exchange(outside_, before_) - before_;
    blocks_ += block;
    largest_ = std::max(largest_, block);
    inputs_ += real(time() * options_.width);
  }

  /// The sequence that the part where the walk is works on.
  Index time() const {
    const bool source =
        options_.source > 0 && (path().rfind("encoder", 0) == 0 || path().rfind("source", 0) == 0);
    return source ? options_.source : positions_seen(options_);
  }
  /// Cross-attention makes keys and values of the source.
  Index of_source() const {
    const std::string name = path().substr(path().rfind('.') + 1);
    const bool across = path().find("cross") != std::string::npos;
    return across && (name == "key" || name == "value") ? options_.source : time();
  }
  void keep_of(Index tokens, Index width) { outside_ += real(tokens * width); }
  void keep(Index width) { keep_of(time(), width); }

  void attend(const MultiHeadAttention& attention) {
    const AttentionLayerOptions& o = attention.options;
    const Index queries_keys = (o.heads + o.kv_heads) * o.head_width;
    const Index all = queries_keys + o.kv_heads * o.value_width;
    // What changes queries and keys makes new ones, of values too where they aren't cut apart.
    const bool apart = o.temperature == Temperature::qkv;
    const bool rotates = o.position == Position::rotary;
    keep((o.qk_norm + rotates) * (apart ? queries_keys : all) + (apart ? all : 0));
    keep(o.heads * o.value_width);
    const bool across = path().find("cross") != std::string::npos;
    scores_ += real(o.heads * time()) * real(across ? options_.source : time());
  }

  const ModelOptions& options_;
  double outside_ = 0;  // of blocks; while one is walked, with what is in it, and `before_` without
  double before_ = 0;
  double blocks_ = 0, largest_ = 0, inputs_ = 0;  // all blocks, one of them, the inputs of all
  double scores_ = 0;
};

}  // namespace

double MemoryNeed::total() const {
  return weights + optimizer + average + data + std::max({step, evaluation, saving});
}

MemoryNeed memory_need(const TrainConfig& config, const Registry& registry, const TaskModel& model,
                       const Task& task, Index shards, Index threads) {
  const auto& moments = registry.optimizers().make(config.optimizer).moments;
  const ModelOptions& options = model.options;
  const double bytes = real(static_cast<Index>(bytes_of(options.dtype)));
  MemoryNeed need;
  double gradients = 0;
  walk(static_cast<const Module&>(*model.module), [&](const std::string&, const Parameter& p) {
    const double size = bytes * real(p.shape.size());
    need.weights += size;
    need.optimizer += size * real(moments(p));
    if (!p.trainable) return;
    gradients += size;
    if (config.average > 0) need.average += size;
  });
  need.data = real(static_cast<Index>(task.bytes()));

  Kept kept(options);
  model.module->visit(kept);
  // Embeddings; logits and their gradient.
  const double tokens = real(positions_seen(options) + options.source) * real(options.width);
  const ImageShape& image = options.patches.image;
  const Index predicted = options.pooled || image.size() > 0 ? 1 : options.context;
  const Index classes = image.size() > 0      ? image.classes
                        : options.classes > 0 ? options.classes
                                              : options.vocabulary;
  const double logits = 2 * real(predicted * classes);
  const double example = bytes * (kept.elements() + tokens + logits);
  const Index rows = config.batch / config.accumulate / shards;  // of a shard
  const Index at_once = std::min(shards, threads);
  // Shards that are done hold their gradients; those at work begin with activations, and end with
  // gradients. So do the micro-batches before.
  const double held = real(shards - at_once + (config.accumulate > 1 ? 1 : 0)) * gradients;
  const double at_work = real(at_once) * std::max(real(rows) * example, gradients);
  // Where the change of the weights is measured, there are those before it and those after.
  need.step = std::max(held + at_work, gradients + need.weights);
  need.evaluation = bytes * kept.scores();
  need.saving = std::max(need.weights, need.optimizer + need.average);
  return need;
}

}  // namespace tapehead

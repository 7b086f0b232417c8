#include "flops.hpp"
#include "../../nn/zoo/differential.hpp"
#include "../../nn/zoo/latent.hpp"
#include "../../nn/zoo/linear_attention.hpp"
#include "../../nn/zoo/sinks.hpp"
#include "../../nn/zoo/switch_head.hpp"

#include <algorithm>

namespace tapehead {
namespace {

double real(Index n) { return static_cast<double>(n); }

/// How many keys all queries see together, where each sees those before it, or those on both sides.
double pairs(Index queries, Index keys, const AttentionLayerOptions& options) {
  const double window = real(options.window > 0 ? std::min(options.window, keys) : keys);
  const double before = window * (real(queries) - window / 2);
  return options.window == 0 && !options.causal ? real(queries * keys)
                                                : (options.causal ? 1 : 2) * before;
}

/// The operations of one example's forward pass: two for each weight of a product and each token.
class Counter : public Visitor {
 public:
  explicit Counter(const ModelOptions& options) : options_(options) {}
  double flops = 0;
  bool has_head = false;  ///< of its own, not the embedding's weights

 private:
  void enter(const std::string&, Module& module) override {
    if (const auto* linear = dynamic_cast<const Linear*>(&module)) {
      has_head |= path() == "head";
      flops += 2 * real(tokens_of_linear() * linear->weight.shape.size());
    }
    if (const auto* layer = dynamic_cast<const MultiHeadAttention*>(&module))
      attend(layer->options, layer->options.head_width + layer->options.value_width);
    if (const auto* layer = dynamic_cast<const zoo::Differential*>(&module))  // two maps a head
      attend(layer->options, 2 * (layer->options.head_width + layer->options.value_width));
    if (const auto* layer = dynamic_cast<const zoo::Latent*>(&module))
      attend(layer->options, layer->latent + layer->turned + layer->latent);
    if (const auto* layer = dynamic_cast<const zoo::Sinks*>(&module))
      attend(layer->options, layer->options.head_width + layer->options.value_width,
             layer->options.window > 0 ? layer->seen.sinks : 0);
    if (const auto* layer = dynamic_cast<const zoo::SwitchHead*>(&module))
      attend(layer->options, 2 * layer->options.head_width);
    if (const auto* layer = dynamic_cast<const zoo::LinearAttention*>(&module)) {
      // Within a chunk all pairs; and each token's key and query with what the chunks sum up to.
      const Index chunk = std::min(time(), zoo::LinearAttention::chunk);
      const Index d = layer->options.head_width, summed = d + 1;
      flops += 2 * real(time() * layer->options.heads * (chunk * (d + summed) + 2 * d * summed));
    }
  }

  bool in(const char* part) const { return path().rfind(part, 0) == 0; }
  bool is_cross() const { return path().find("cross") != std::string::npos; }
  Index time() const {
    return options_.source > 0 && in("encoder") ? options_.source : positions_seen(options_);
  }
  Index tokens_of_linear() const {
    const std::string name = path().substr(path().rfind('.') + 1);
    const bool image = options_.patches.image.size() > 0;
    if (path() == "head" && (options_.pooled || image)) return 1;
    if (image && in("patches")) return options_.patches.count();
    return is_cross() && (name == "key" || name == "value") ? options_.source : time();
  }
  /// `width`: of a query and a key, and of a value, of one head. Each query sees the first `sinks`
  /// keys besides.
  void attend(const AttentionLayerOptions& layer, Index width, Index sinks = 0) {
    const Index keys = is_cross() ? options_.source : time();
    const double seen =
        std::min(pairs(time(), keys, layer) + real(time() * sinks), real(time() * keys));
    flops += 2 * seen * real(layer.heads * width);
  }

  const ModelOptions& options_;
};

}  // namespace

double step_flops(Module& model, const ModelOptions& options, Index tokens) {
  Counter counter(options);
  model.visit(counter);
  if (!counter.has_head)
    counter.flops += 2 * real(options.context * options.vocabulary * options.width);
  return 3 * counter.flops * real(tokens) / real(options.source + options.context);
}

}  // namespace tapehead

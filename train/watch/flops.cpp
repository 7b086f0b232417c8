#include "flops.hpp"
#include "../../nn/encoder.hpp"

namespace tapehead {
namespace {

double real(Index n) { return static_cast<double>(n); }

/// The operations of one example's forward pass: two for each weight and token.
class Counter : public Visitor {
 public:
  explicit Counter(const ModelOptions& options) : options_(options) {}
  double flops = 0;

 private:
  void enter(const std::string&, Module& module) override {
    const bool of_encoder = options_.source > 0 && path().rfind("encoder", 0) == 0;
    const Index time = of_encoder ? options_.source : positions_seen(options_);
    if (const auto* linear = dynamic_cast<const Linear*>(&module))
      flops += 2 * real(time * linear->weight.shape.size());
    if (const auto* attention = dynamic_cast<const MultiHeadAttention*>(&module)) {
      const bool across = path().find("cross") != std::string::npos;
      const Index keys = across ? options_.source : time;
      const AttentionLayerOptions& own = attention->options;
      const double seen = own.causal ? 0.5 : 1;
      flops += 2 * seen * real(time * keys * own.heads * (own.head_width + own.value_width));
    }
  }

  const ModelOptions& options_;
};

}  // namespace

double step_flops(Module& model, const ModelOptions& options, Index tokens) {
  Counter counter(options);
  model.visit(counter);
  const bool tied =  // the head shares the embedding's weights
      dynamic_cast<const Encoder*>(&model) == nullptr && options.patches.image.size() == 0;
  if (tied) counter.flops += 2 * real(options.context * options.vocabulary * options.width);
  return 3 * counter.flops * real(tokens) / real(options.source + options.context);
}

}  // namespace tapehead

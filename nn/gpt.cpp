#include <tapehead/nn/gpt.hpp>

#include <cmath>

namespace tapehead {
namespace {

/// Each block adds to the residual stream twice: its variance shall not grow with the depth.
Init residual_init(const GPTOptions& options) {
  return Init::normal(0.02 / std::sqrt(2.0 * static_cast<double>(options.layers)));
}

std::unique_ptr<Module> make_attention(const GPTOptions& options) {
  if (options.attention) return options.attention(options);
  AttentionLayerOptions attention;
  attention.dropout = options.dropout;
  attention.temperature = options.temperature;
  attention.out_init = residual_init(options);
  return std::make_unique<MultiHeadAttention>(options.width, options.heads, attention);
}

const GPTOptions& checked(const GPTOptions& options) {
  const std::pair<const char*, Index> sizes[] = {{"vocabulary", options.vocabulary},
                                                 {"context", options.context},
                                                 {"layers", options.layers},
                                                 {"heads", options.heads},
                                                 {"width", options.width}};
  for (const auto& [name, value] : sizes)
    if (value < 1) throw ValueError("GPT: {} is {}, and must be at least 1", name, value);
  return options;
}

}  // namespace

MLP::MLP(Index width, Index hidden, Init in_init, Init out_init)
    : in(width, hidden, {true, in_init}), out(hidden, width, {true, out_init}) {}

Tensor MLP::forward(const Tensor& x, Pass& pass) const {
  return out(gelu(in(x, pass)), pass);  // (..., width) -> (..., hidden) -> (..., width)
}

Block::Block(const GPTOptions& options)
    : attention_norm(options.width),
      attention(make_attention(options)),
      mlp_norm(options.width),
      mlp(options.width, 4 * options.width, Init::normal(0.02), residual_init(options)),
      dropout(options.dropout) {}

Tensor Block::forward(const Tensor& x, Pass& pass) const {
  const Tensor y = x + dropout((*attention)(attention_norm(x, pass), pass), pass);
  return y + dropout(mlp(mlp_norm(y, pass), pass), pass);
}

void Block::visit(Visitor& v) {
  v("attention_norm", attention_norm), v("attention", attention);
  v("mlp_norm", mlp_norm), v("mlp", mlp);
}

GPT::GPT(const GPTOptions& options_)
    : options(checked(options_)),
      tokens(options.vocabulary, options.width),
      positions(options.context, options.width),
      dropout(options.dropout),
      norm(options.width) {
  for (Index i = 0; i < options.layers; ++i) blocks.emplace_back(options);
  initialise(*this, options.seed, options.dtype);
}

Tensor GPT::forward(const Tensor& ids, Pass& pass) const {
  if (ids.rank() != 2 || ids.dim(1) > options.context)
    throw ShapeError("GPT: ids {}, expected (batch, time) with time at most {}", ids.shape(),
                     options.context);
  const Tensor places = slice(positions.weight, 0, 0, ids.dim(1));  // (time, width)
  Tensor x = dropout(tokens(ids, pass) + places, pass);             // (batch, time, width)
  for (const Block& block : blocks) x = block(x, pass);
  return linear(norm(x, pass), tokens.weight);  // (batch, time, vocabulary): the tied head
}

void GPT::visit(Visitor& v) {
  v("tokens", tokens), v("positions", positions), v("blocks", blocks), v("norm", norm);
}

}  // namespace tapehead

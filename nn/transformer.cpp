#include "transformer.hpp"
#include "convolution.hpp"
#include "recompute.hpp"

namespace tapehead {

Block::Block(const ModelOptions& options, bool causal, bool with_cross, Index layer)
    : attention_norm(make_norm(options)),
      attention_convolution(make_convolution(options)),
      residual(options.residual),
      recomputed(options.recompute),
      dropout(options.dropout) {
  attention = require_result("attention", options.attention.make(self_attention_options(
                                              options, causal, with_cross, layer)));
  if (with_cross) {
    cross_norm = make_norm(options);
    cross.emplace(cross_attention_options(options, layer));
  }
  if (!options.mlp) return;
  mlp_norm = make_norm(options);
  mlp_convolution = make_convolution(options);
  mlp = require_result(
      "mlp", options.mlp(options, inner_init(options), residual_init(options, with_cross)));
}

Tensor Block::forward(const Tensor& x, Pass& pass) const { return run(x, {}, {}, pass); }

Tensor Block::operator()(const Tensor& x, const Tensor& source, const Tensor& source_mask,
                         Pass& pass) const {
  return within([&] { return run(x, source, source_mask, pass); });
}

Tensor Block::run(const Tensor& x, const Tensor& source, const Tensor& source_mask,
                  Pass& pass) const {
  if (!recomputed) return compute(x, source, source_mask, pass);
  return recompute({x, source}, parameters(*this), pass,
                   [=](const std::vector<Tensor>& in, Pass& again) {
                     return compute(in[0], in[1], source_mask, again);
                   });
}

Tensor Block::compute(const Tensor& stream, const Tensor& source, const Tensor& source_mask,
                      Pass& pass) const {
  const auto join = [&](const Tensor& onto, const char* name, Tensor branch) {
    if (branch.shape() != onto.shape())
      throw ShapeError("a branch of a block returned shape {} for {}, expected the same shape",
                       branch.shape(), onto.shape());
    branch = pass.at(path, name, std::move(branch));
    // Clears `branch`, because dropout may return the same tensor. Then only `kept` holds it, so
    // the sum can reuse its memory.
    Tensor kept = dropout(std::exchange(branch, {}), pass);
    return residual ? onto + std::move(kept) : kept;
  };
  const Tensor x = pass.at(path, "in", stream);  // (batch, time, width), like all tensors below
  const Tensor normed =
      apply_optional(attention_convolution, apply_optional(attention_norm, x, pass), pass);
  pass.hides_padding = false;  // key_mask() sets it to true
  Tensor attended = (*attention)(normed, pass);
  if (pass.padding && !pass.hides_padding)
    throw Error(
        "this attention layer doesn't support padding; all sequences must have the same length");
  Tensor y = join(x, "attention_out", std::move(attended));
  if (cross) {
    // All blocks read `source`. With this reshape to the same shape, the tape first sums the
    // gradients of one block, so the order of sums doesn't depend on activation checkpointing.
    const Tensor seen = source ? reshape(source, source.shape()) : source;
    const Tensor queries = apply_optional(cross_norm, y, pass);
    y = join(y, "cross_out", (*cross)(queries, seen, seen, pass, {{}, source_mask}));
  }
  if (mlp) {
    const Tensor read_by_mlp =
        apply_optional(mlp_convolution, apply_optional(mlp_norm, y, pass), pass);
    y = join(y, "mlp_out", (*mlp)(read_by_mlp, pass));
  }
  return pass.at(path, "out", std::move(y));
}

void Block::visit(Visitor& v) {
  v("attention_norm", attention_norm);
  v("attention_convolution", attention_convolution);
  v("attention", attention);
  v("cross_norm", cross_norm);
  v("cross", cross);
  v("mlp_norm", mlp_norm);
  v("mlp_convolution", mlp_convolution);
  v("mlp", mlp);
}

std::vector<Block> make_blocks(const ModelOptions& options, bool causal, bool cross) {
  std::vector<Block> blocks;
  for (Index i = 0; i < options.layers; ++i) blocks.emplace_back(options, causal, cross, i);
  for (Index i = distinct_blocks(options); i < options.layers; ++i)
    share_parameters(blocks[i], blocks[i - distinct_blocks(options)]);
  return blocks;
}

std::unique_ptr<Module> make_norm(const ModelOptions& options) {
  return options.norm ? require_result("norm", options.norm(options)) : nullptr;
}

Tensor apply_optional(const std::unique_ptr<Module>& layer, const Tensor& x, Pass& pass) {
  return layer ? (*layer)(x, pass) : x;
}

}  // namespace tapehead

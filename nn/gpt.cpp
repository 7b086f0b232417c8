#include "gpt.hpp"

namespace tapehead {

GPT::GPT(const ModelOptions& given)
    : options(checked_model("GPT", given)),
      embedding(options, options.context),
      norm(make_norm(options)) {
  for (Index i = 0; i < options.layers; ++i) blocks.emplace_back(options);
  for (Block& block : blocks)
    if (options.recompute) block.recompute_in_backward();
  initialise(*this, options.seed, options.dtype);
}

Tensor GPT::forward(const Tensor& ids, Pass& pass) const {
  if (pass.cache && !caches())
    throw Error("GPT: this kind of attention doesn't keep its keys and values for a cache");
  Tensor x = embedding(ids, pass);  // (batch, time, width)
  for (const Block& block : blocks) x = block(x, pass);
  if (pass.cache) pass.cache->length += ids.dim(1);
  x = through(norm, x, pass);
  return linear(x, embedding.tokens.weight, {},
                pass.precision);  // (batch, time, vocabulary): the head is tied
}

void GPT::visit(Visitor& v) {
  embedding.visit(v);
  v("blocks", blocks);
  v("norm", norm);
}

}  // namespace tapehead

#include "gpt.hpp"

namespace tapehead {

GPT::GPT(const ModelOptions& given)
    : options((check_model("GPT", given), given)),
      embedding(options, options.context),
      norm(make_norm(options)) {
  for (Index i = 0; i < options.layers; ++i) blocks.emplace_back(options);
  for (Block& block : blocks)
    if (options.recompute) block.keep_little();
  initialise(*this, options.seed, options.dtype);
}

Tensor GPT::forward(const Tensor& ids, Pass& pass) const {
  if (pass.cache && !caches())
    throw Error("GPT: this kind of attention doesn't keep its keys and values for a cache");
  Tensor x = embedding(ids, pass);  // (batch, time, width)
  for (const Block& block : blocks) x = block(x, pass);
  if (pass.cache) pass.cache->length += ids.dim(1);
  return linear(through(norm, x, pass),
                embedding.tokens.weight);  // (batch, time, vocabulary): the tied head
}

void GPT::visit(Visitor& v) { embedding.visit(v), v("blocks", blocks), v("norm", norm); }

}  // namespace tapehead

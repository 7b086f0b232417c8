#include "gpt.hpp"

namespace tapehead {

GPT::GPT(const ModelOptions& given)
    : options(checked_model("GPT", given)),
      embedding(options, options.context),
      norm(make_norm(options)),
      head(make_head(options)) {
  blocks = make_blocks(options, true);
  finish_construction(*this, options);  // names the parameters and draws their values
}

Tensor GPT::forward(const Tensor& ids, Pass& pass) const {
  if (pass.cache && !caches()) throw Error("GPT: this attention layer doesn't support a KV cache");
  Tensor x = embedding(ids, pass);  // (batch, time, width)
  for (const Block& block : blocks) x = block(x, pass);
  if (pass.cache) pass.cache->length += ids.dim(1);
  return logits(head, embedding.tokens, apply_optional(norm, x, pass),
                pass);  // (batch, time, vocabulary)
}

void GPT::visit(Visitor& v) {
  embedding.visit(v);  // its names have no prefix: tokens.weight
  v("blocks", blocks);
  v("norm", norm);
  v("head", head);
}

}  // namespace tapehead

#include "encoder_decoder.hpp"

namespace tapehead {

EncoderDecoder::EncoderDecoder(const ModelOptions& given)
    : options(checked_model("EncoderDecoder", given)),
      source_embedding(options, options.source),
      source_norm(make_norm(options)),
      embedding(options, options.context),
      norm(make_norm(options)),
      head(make_head(options)) {
  if (options.source < 1)
    throw ValueError("EncoderDecoder: source is {}, expected at least 1", options.source);
  encoder = make_blocks(options, false);
  decoder = make_blocks(options, true, true);
  finish_construction(*this, options);
}

/// Encodes the source, as (batch, source, width). Called only for the first tokens of a sequence,
/// and doesn't use the pass's cache.
Tensor EncoderDecoder::read(const PaddedIds& source, Pass& pass) const {
  Cache* const cache = std::exchange(pass.cache, nullptr);
  Tensor x = source_embedding(source.ids, pass);
  const Padding padding(pass, source.mask);
  for (const Block& block : encoder) x = block(x, pass);
  pass.cache = cache;
  return apply_optional(source_norm, x, pass);
}

Tensor EncoderDecoder::forward(const Tensor& ids, Pass& pass) const {
  Tensor target = ids, source, mask;  // `mask` is the mask of the source
  if (pass.cache && pass.cache->length > 0) {
    mask = pass.cache->source;
  } else {
    if (ids.rank() != 2 || ids.dim(1) <= options.source)
      throw ShapeError(
          "EncoderDecoder: ids {}, expected (batch, time) with a time above {}, the source length",
          ids.shape(), options.source);
    const PaddedIds padded(slice(ids, 1, 0, options.source));
    target = slice(ids, 1, options.source, ids.dim(1));
    source = read(padded, pass);  // (batch, source, width)
    mask = padded.mask;
  }
  Tensor x = embedding(target, pass);  // (batch, time, width)
  for (const Block& block : decoder) x = block(x, source, mask, pass);
  if (pass.cache) {
    pass.cache->length += target.dim(1);
    pass.cache->source = mask;
  }
  return logits(head, embedding.tokens, apply_optional(norm, x, pass),
                pass);  // (batch, time, vocabulary)
}

void EncoderDecoder::visit(Visitor& v) {
  v("source", source_embedding);
  v("encoder", encoder);
  v("source_norm", source_norm);
  v("target", embedding);
  v("decoder", decoder);
  v("norm", norm);
  v("head", head);
}

}  // namespace tapehead

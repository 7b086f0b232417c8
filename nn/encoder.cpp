#include "encoder.hpp"

namespace tapehead {

Encoder::Encoder(const ModelOptions& given)
    : options(checked_model("Encoder", given)),
      embedding(options, options.context),
      norm(make_norm(options)),
      head(options.width, options.classes > 0 ? options.classes : options.vocabulary,
           {true, default_init(options)}) {
  head.weight.matrices.clear();  // so that Muon updates the output layer with AdamW
  blocks = make_blocks(options, false);
  finish_construction(*this, options);
}

Tensor Encoder::forward(const Tensor& ids, Pass& pass) const {
  const auto [input, mask] = PaddedIds(ids);
  Tensor x = embedding(input, pass);  // (batch, time, width)
  const Padding padding(pass, mask);
  for (const Block& block : blocks) x = block(x, pass);
  x = apply_optional(norm, x, pass);
  if (!options.pooled) return head(x, pass);  // (batch, time, classes)
  if (!mask) return head(mean(x, {1}), pass);
  const Tensor counts = cast(mask, x.dtype());  // (batch, time)
  const Tensor total = sum(x * reshape(counts, Shape{ids.dim(0), ids.dim(1), 1}), {1});
  return head(total / maximum(sum(counts, {1}, true), scalar(1, x.dtype())), pass);
}

void Encoder::visit(Visitor& v) {
  embedding.visit(v);
  v("blocks", blocks);
  v("norm", norm);
  v("head", head);
}

PaddedIds::PaddedIds(const Tensor& padded) : ids(padded) {
  const auto* id = padded.data<std::int32_t>();
  if (std::all_of(id, id + padded.size(), [](std::int32_t i) { return i >= 0; })) return;
  const Tensor zero = zeros({}, DType::i32);
  mask = less_equal(zero, padded);
  ids = where(mask, padded, zero);
}

}  // namespace tapehead

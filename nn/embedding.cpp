#include "embedding.hpp"
#include "../core/plural.hpp"

namespace tapehead {

TokenEmbedding::TokenEmbedding(const ModelOptions& options, Index context_)
    : context(context_),
      tokens(options.vocabulary, options.width, default_init(options)),
      positions(options.position.on_input(options, context)),
      dropout(options.dropout) {}

Tensor TokenEmbedding::forward(const Tensor& ids, Pass& pass) const {
  const Index first = pass.cache ? pass.cache->length : 0;
  if (ids.rank() != 2 || first + ids.dim(1) > context)
    throw ShapeError("embedding: ids {} after {}, expected (batch, time) with at most {} in all",
                     ids.shape(), plural(first, "earlier token"), plural(context, "token"));
  const Tensor x = tokens(ids, pass);  // (batch, time, width)
  if (!positions) return dropout(x, pass);
  const Tensor all = pass.cache ? pass.cache->ids.add(ids) : ids;  // (batch, first + time)
  return dropout(positions->add(x, all, first, pass), pass);
}

std::optional<Linear> make_head(const ModelOptions& options) {
  if (options.tied) return {};
  Linear head(options.width, options.vocabulary, {false, default_init(options)});
  head.weight.matrices.clear();  // so that Muon updates the output layer with AdamW
  return head;
}

Tensor logits(const std::optional<Linear>& head, const Embedding& tokens, const Tensor& x,
              Pass& pass) {
  return head ? (*head)(x, pass) : linear(x, tokens.weight, {}, pass.precision);
}

}  // namespace tapehead

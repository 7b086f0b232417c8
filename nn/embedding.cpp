#include "embedding.hpp"
#include "../core/numerics.hpp"
#include "../core/plural.hpp"

namespace tapehead {
namespace {

/// Returns the rows of x, (batch, time, width), that have a target, (n, width), and sets the pass's
/// targets to theirs, (n). Returns x if more than half of the rows, or none, have a target.
Tensor rows_with_targets(const Tensor& x, Pass& pass) {
  const Index rows = pass.targets.size();
  if (pass.targets.shape() != Shape{x.dim(0), x.dim(1)}) return x;  // the targets of another output
  const auto* target = pass.targets.data<std::int32_t>();
  std::vector<double> places, targets;
  for (Index i = 0; i < rows; ++i)
    if (target[i] >= 0) places.push_back(static_cast<double>(i)), targets.push_back(target[i]);
  const auto count = static_cast<Index>(places.size());
  if (count == 0 || count > rows / 2) return x;
  pass.targets = tensor(targets, {count}, DType::i32);
  return gather_rows(reshape(x, {rows, x.dim(2)}), tensor(places, {count}, DType::i32));
}

}  // namespace

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

Tensor logits(const std::optional<Linear>& head, const Embedding& tokens, const Tensor& all,
              Pass& pass) {
  const bool is_large = tokens.weight.shape[0] >= pinned::large_vocabulary;
  const Tensor x = pass.targets && is_large ? rows_with_targets(all, pass) : all;
  return head ? (*head)(x, pass) : linear(x, tokens.weight, {}, pass.precision);
}

}  // namespace tapehead

#include "lens.hpp"
#include "lanczos.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace tapehead {
namespace {

/// Returns row i of x (..., columns) as an f64 tensor of shape (columns).
Tensor row_of(const Tensor& x, Index i) {
  const Index columns = x.dim(-1);
  const Tensor rows = reshape(x, {-1, columns});
  return cast(reshape(slice(rows, 0, i, i + 1), {columns}), DType::f64);
}

/// The logits and the activations at the hook points of a forward pass over one sequence. Keys are
/// like `blocks.0.attention heads`.
struct RecordedPass {
  RecordedPass(const GPT& model, const Batch& batch) {
    Pass pass = Pass::evaluation();
    pass.hook = [&](const HookPoint& point, const Tensor& x) {
      return points[fmt::format("{} {}", point.module, point.name)] = x;
    };
    logits = logits_of(model, batch, pass);
  }
  const Tensor& stream(std::size_t layer) const {  // residual stream before block `layer`
    return layer == 0 ? points.at("blocks.0 in") : at(layer - 1, " out");
  }
  const Tensor& at(std::size_t layer, const char* point) const {
    return points.at(fmt::format("blocks.{}{}", layer, point));
  }

  std::map<std::string, Tensor> points;  // each (1, time, columns)
  Tensor logits;                         // (1, time, vocabulary)
};

/// Adds the logit contributions of one layer's heads. `outputs` (heads d_v) are the heads' outputs
/// at a position.
void add_heads(const MultiHeadAttention& attention, const std::string& layer, const Tensor& outputs,
               const Tensor& direction, std::vector<Attribution::Term>& terms) {
  // The logit contribution of each column of the heads' outputs.
  const Tensor weight = cast(attention.out->weight.value(), DType::f64);   // (width, heads d_v)
  const Tensor each = outputs * sum(transpose(weight) * direction, {-1});  // (heads d_v)
  const Tensor heads = sum(reshape(each, {attention.options.heads, -1}), {-1});
  for (Index head = 0; head < heads.size(); ++head)
    terms.push_back({fmt::format("{} head {}", layer, head), heads(head)});
  if (const Parameter& bias = attention.out->bias; bias.present)
    terms.push_back({layer + " attention's bias", dot(row_of(bias.value(), 0), direction)});
}

}  // namespace

std::vector<std::vector<LensCell>> logit_lens(const GPT& model, const Batch& batch) {
  const RecordedPass seen(model, batch);
  Pass pass = Pass::evaluation();
  std::vector<std::vector<LensCell>> rows;
  for (std::size_t layer = 0; layer <= model.blocks.size(); ++layer) {
    const Tensor normed = apply_optional(model.norm, seen.stream(layer), pass);
    const Tensor read = logits(model.head, model.embedding.tokens, normed, pass);
    const std::vector<double> all = softmax(cast(read, DType::f64)).values();
    std::vector<LensCell>& row = rows.emplace_back();
    for (Index time = 0; time < batch.inputs.dim(1); ++time) {
      const auto p = all.begin() + time * read.dim(2);
      const auto most = std::max_element(p, p + read.dim(2));
      const auto right = static_cast<Index>(batch.targets(time));
      row.push_back({static_cast<int>(most - p), *most,
                     right < 0 ? std::numeric_limits<double>::quiet_NaN() : p[right]});
    }
  }
  return rows;
}

double Attribution::sum() const {
  return std::accumulate(terms.begin(), terms.end(), 0.0,
                         [](double sum, const Term& term) { return sum + term.value; });
}

Attribution attribute(const GPT& model, const Batch& batch, Index position, int token,
                      int against) {
  const Tensor& ids = batch.inputs;
  const Index time = ids.dim(1), vocabulary = model.options.vocabulary;
  if (position < 0 || position >= time)
    throw ValueError("attribution: position {} is out of range 0 to {}", position, time - 1);
  if (token < 0 || token >= vocabulary || against < -1 || against >= vocabulary)
    throw ValueError("attribution: token {} or {} is out of range 0 to {}", token, against,
                     vocabulary - 1);
  const Readout readout(model, "attribution");
  const RecordedPass seen(model, batch);
  const auto chosen = [&](const Tensor& rows) {  // the row of `token`, minus the row of `against`
    const Tensor row = row_of(rows, token);
    return against < 0 ? row : row - row_of(rows, against);
  };
  const auto at = [&](const Tensor& x) { return row_of(x, position); };
  const std::size_t layers = model.blocks.size();
  const Tensor direction = chosen(readout.directions) / readout.scale(at(seen.stream(layers)));

  Attribution found;
  found.logit = chosen(reshape(at(seen.logits), {vocabulary, 1})).item();
  const auto add = [&](const std::string& name, const Tensor& part) {
    found.terms.push_back({name, dot(part, direction)});
  };
  const Tensor token_row =
      row_of(model.embedding.tokens.weight.value(), static_cast<Index>(ids(position)));
  add("token", token_row);
  if (model.embedding.positions) add("position", at(seen.stream(0)) - token_row);
  for (std::size_t i = 0; i < layers; ++i) {
    const Block& block = model.blocks[i];
    const std::string layer = fmt::format("layer {}", i);
    const auto* attention = dynamic_cast<const MultiHeadAttention*>(block.attention.get());
    if (attention && attention->out)
      add_heads(*attention, layer, at(seen.at(i, ".attention heads")), direction, found.terms);
    else
      add(layer + " attention", at(seen.at(i, " attention_out")));
    if (block.mlp) add(layer + " MLP", at(seen.at(i, " mlp_out")));
  }
  if (dynamic_cast<const LayerNorm*>(model.norm.get()))
    found.terms.push_back(
        {"last norm's bias", chosen(reshape(readout.constants, {vocabulary, 1})).item()});
  return found;
}

}  // namespace tapehead

#include "circuits.hpp"
#include "lanczos.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace tapehead {
namespace {

constexpr const char* experiment = "inspect circuits";

const MultiHeadAttention& heads_of(const GPT& model, Index layer) {
  const Module* attention = model.blocks[layer].attention.get();
  const auto* heads = dynamic_cast<const MultiHeadAttention*>(attention);
  if (!heads || !heads->out)
    throw UsageError("{} needs --attention standard, but the run uses another attention layer",
                     experiment);
  return *heads;
}

/// Returns one head's slice of x along `axis`.
Tensor of_head(const Tensor& x, int axis, Index head, Index heads) {
  const Index width = x.dim(axis) / heads;
  return slice(x, axis, head * width, (head + 1) * width);
}

/// Returns the factor that multiplies a head's scores q k^T.
double score_factor(const MultiHeadAttention& attention, Index head) {
  const auto of = [&](const Tensor& x) { return x(x.size() > 1 ? head : 0); };
  const AttentionLayerOptions& o = attention.options;
  double factor = o.scale > 0 ? o.scale : 1 / std::sqrt(static_cast<double>(o.head_width));
  if (attention.scale.present) factor = of(attention.scale.value());
  if (attention.temperature.present)
    factor *= temperature_multiplier(of(attention.temperature.value()));
  return factor;
}

/// Returns W_q, W_k or W_v of all heads, (heads d, width), for number 0, 1 or 2.
Tensor projection(const AttentionProjection& p, std::size_t number) {
  if (p.tied_kv && number == 2) number = 1;
  if (!p.qkv) return (number == 0 ? p.query : number == 1 ? p.key : p.value)->weight.value();
  const std::vector<Index>& rows = p.qkv->weight.matrices;
  const Index first = std::accumulate(rows.begin(), rows.begin() + number, Index{0});
  return slice(p.qkv->weight.value(), 0, first, first + rows[number]);
}

/// A head's matrices that read or write the residual stream: W_QK = q^T k, W_OV = o v.
struct Maps {
  Tensor q, k, v;         // f64 (d, width)
  Tensor o;               // f64 (width, d_v)
  Tensor qq, kk, vv, oo;  // Gram matrices of the rows of q, k and v, and of o's columns
  double qk = 0, ov = 0;  // norms of W_QK and W_OV

  Maps(const Block& block, const MultiHeadAttention& attention, Index head) {
    const AttentionLayerOptions& options = attention.options;
    const Index shared = head / (options.heads / options.kv_heads);
    const auto read = [&](std::size_t number, Index h, Index heads,
                          const std::optional<RMSNorm>& norm) {
      const Tensor all = projection(attention.projection, number);
      const Tensor w = fold_norm(of_head(all, 0, h, heads), block.attention_norm.get(), experiment);
      return norm ? w * cast(reshape(norm->gain.value(), {-1, 1}), DType::f64) : w;
    };
    q = read(0, head, options.heads, attention.projection.query_norm);
    k = read(1, shared, options.kv_heads, attention.projection.key_norm);
    v = read(2, shared, options.kv_heads, {});
    o = cast(of_head(attention.out->weight.value(), 1, head, options.heads), DType::f64);
    const auto gram = [](const Tensor& rows) { return matmul(rows, transpose(rows)); };
    qq = gram(q), kk = gram(k), vv = gram(v), oo = gram(transpose(o));
    qk = std::sqrt(dot(qq, kk));
    ov = std::sqrt(dot(oo, vv));
  }
};

/// Returns |L^T R O V| / (norm |O V|), where O V is the writing head's W_OV. Uses a trace of small
/// matrices: `ll` is the Gram matrix of L's rows, `reads` is R (d, width), and norm is |L^T R|.
double score(const Tensor& ll, const Tensor& reads, double norm, const Maps& writer) {
  const Tensor met = matmul(reads, writer.o);  // (d, d_v)
  const double square = dot(matmul(matmul(ll, met), writer.vv), met);
  return std::sqrt(std::max(square, 0.0)) / (norm * writer.ov);
}

}  // namespace

HeadCircuits head_circuits(const GPT& model, Index layer, Index head,
                           const std::vector<int>& tokens) {
  const auto layers = static_cast<Index>(model.blocks.size());
  if (layer < 0 || layer >= layers)
    throw UsageError("layer {}: the model has layers 0 to {}", layer, layers - 1);
  const MultiHeadAttention& attention = heads_of(model, layer);
  const AttentionLayerOptions& o = attention.options;
  if (head < 0 || head >= o.heads)
    throw UsageError("head {}: layer {} has heads 0 to {}", head, layer, o.heads - 1);
  const Readout readout(model, experiment);
  const Index shared = head / (o.heads / o.kv_heads);
  const Tensor ids = tensor({tokens.begin(), tokens.end()}, DType::i32);
  const Tensor embedded = gather_rows(model.embedding.tokens.weight.value(), ids);
  Pass pass = Pass::evaluation();
  const Tensor x = reshape(apply_optional(model.blocks[layer].attention_norm, embedded, pass),
                           {1, ids.size(), -1});  // (1, tokens, width)
  const auto p = attention.projection(x, x, x, pass, nullptr);
  const auto rows = [&](const Tensor& all, Index h, Index heads) {  // f64 (tokens, d)
    return cast(reshape(of_head(all, 2, h, heads), {ids.size(), -1}), DType::f64);
  };
  const Tensor q = rows(p.q, head, o.heads), k = rows(p.k, shared, o.kv_heads);
  const Tensor out = cast(of_head(attention.out->weight.value(), 1, head, o.heads), DType::f64);
  const Tensor written = linear(rows(p.v, shared, o.kv_heads), out);  // (tokens, width)
  return {linear(q, k) * score_factor(attention, head),
          linear(written, gather_rows(readout.directions, ids))};
}

Composition composition(const GPT& model) {
  Composition found;
  found.layers = static_cast<Index>(model.blocks.size());
  found.heads = model.options.heads;
  found.chance = 1 / std::sqrt(static_cast<double>(model.options.width));
  std::vector<Maps> maps;
  for (Index layer = 0; layer < found.layers; ++layer)
    for (Index head = 0; head < found.heads; ++head)
      maps.emplace_back(model.blocks[layer], heads_of(model, layer), head);
  const std::vector<double> row(maps.size(), std::numeric_limits<double>::quiet_NaN());
  found.q = found.k = found.v = std::vector<std::vector<double>>(maps.size(), row);
  for (std::size_t reader = 0; reader < maps.size(); ++reader) {
    const Maps& to = maps[reader];
    const std::size_t earlier = reader / found.heads * found.heads;
    for (std::size_t writer = 0; writer < earlier; ++writer) {
      found.q[reader][writer] = score(to.kk, to.q, to.qk, maps[writer]);
      found.k[reader][writer] = score(to.qq, to.k, to.qk, maps[writer]);
      found.v[reader][writer] = score(to.oo, to.v, to.ov, maps[writer]);
    }
  }
  return found;
}

}  // namespace tapehead

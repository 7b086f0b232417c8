#include "transformer.hpp"
#include "recompute.hpp"

#include <cmath>

namespace tapehead {
namespace {

/// How many times a block adds to the residual stream.
Index branches_of(const ModelOptions& options, bool cross) {
  return 1 + (cross ? 1 : 0) + (options.mlp || options.mlp_layer ? 1 : 0);
}

/// Of layers inside a branch. Without a residual path everything that a block passes on goes
/// through them, so they keep its variance: they start by Linear's own rule.
Init inner_init(const ModelOptions& options) {
  return options.residual ? first_init(options) : Init::uniform(0);
}

AttentionLayerOptions attention_options(const ModelOptions& model, bool causal, Index branches,
                                        Index layer) {
  const double standard = 1 / std::sqrt(static_cast<double>(head_width_of(model)));
  AttentionLayerOptions o;
  o.width = model.width;
  o.heads = model.heads;
  o.kv_heads = model.kv_heads;
  o.head_width = model.head_width;
  o.causal = causal;
  o.dropout = model.dropout;
  o.temperature = model.temperature;
  if (model.scale == ScoreScale::one) o.scale = 1;
  if (model.scale == ScoreScale::layer) o.scale = standard / static_cast<double>(layer + 1);
  o.window = model.window;
  o.hide_self = model.hide_self;
  o.qk_norm = model.qk_norm;
  o.in_bias = o.out_bias = model.biases;
  o.epsilon = model.epsilon;
  o.positions = model.positions;
  o.in_init = inner_init(model);
  o.out_init = residual_init(model, branches);
  return o;
}

/// Between two sequences there is no distance, and no position of a query's own to hide.
MultiHeadAttention cross_attention_layer(const ModelOptions& model, Index layer) {
  AttentionLayerOptions o = attention_options(model, false, branches_of(model, true), layer);
  o.fused = false;
  o.window = 0;
  if (o.temperature == Temperature::lsa) o.temperature = Temperature::none;
  return MultiHeadAttention(o);
}

std::unique_ptr<Module> make_convolution(const ModelOptions& o) {
  if (o.convolution == 0) return nullptr;
  return std::make_unique<CausalConvolution>(o.width, o.convolution);
}

std::unique_ptr<Module> make_mlp(const ModelOptions& o, const Init& in, const Init& out) {
  if (o.mlp_layer) return returned_by("mlp", o.mlp_layer(o, in, out));
  return std::make_unique<MLP>(o.width, MLPOptions{o.mlp_width, *o.mlp, o.biases, in, out});
}

}  // namespace

AttentionLayerOptions self_attention_options(const ModelOptions& model, bool causal, bool cross,
                                             Index layer) {
  AttentionLayerOptions o = attention_options(model, causal, branches_of(model, cross), layer);
  o.scheme = model.attention_positions;
  if (!o.scheme && acts_in_attention(model)) o.position = model.position;
  return o;
}

Index head_width_of(const ModelOptions& options) {
  return options.head_width > 0 ? options.head_width : options.width / options.heads;
}

bool acts_in_attention(const ModelOptions& options) {
  if (options.input_positions) return false;
  if (options.attention_positions) return true;
  return options.position != Position::none && options.position != Position::learned &&
         options.position != Position::sinusoidal;
}

const ModelOptions& checked_model(const char* model, const ModelOptions& options) {
  const std::pair<const char*, Index> sizes[] = {{"vocabulary", options.vocabulary},
                                                 {"context", options.context},
                                                 {"layers", options.layers},
                                                 {"heads", options.heads},
                                                 {"width", options.width}};
  for (const auto& [name, value] : sizes)
    if (value < 1) throw ValueError("{}: {} is {}, and must be at least 1", model, name, value);
  if (options.zero_out && !options.residual)
    throw ValueError("{}: zero_out without residual: nothing would pass a block, nor its gradient",
                     model);
  return options;
}

void begin(Module& model, const ModelOptions& options) {
  if (options.drawn)
    initialise(model, options.seed, options.dtype);
  else
    outline(model, options.dtype);
}

Init residual_init(const ModelOptions& options, Index branches) {
  if (options.zero_out) return Init::constant(0);
  if (!options.residual) return inner_init(options);
  return Init::normal(options.init_std / std::sqrt(static_cast<double>(branches * options.layers)));
}

std::unique_ptr<Module> make_norm(const ModelOptions& options) {
  if (options.norm_layer) return returned_by("norm", options.norm_layer(options));
  if (options.norm == Norm::none) return nullptr;
  if (options.norm == Norm::layer)
    return std::make_unique<LayerNorm>(options.width, options.epsilon);
  return std::make_unique<RMSNorm>(options.width, options.epsilon, false);
}

std::optional<Linear> make_head(const ModelOptions& options) {
  if (options.tied) return {};
  Linear head(options.width, options.vocabulary, {false, first_init(options)});
  head.weight.matrices.clear();  // it maps out of the model, not within it
  return head;
}

Tensor logits(const std::optional<Linear>& head, const Embedding& tokens, const Tensor& x,
              Pass& pass) {
  return head ? (*head)(x, pass) : linear(x, tokens.weight, {}, pass.precision);
}

Tensor through(const std::unique_ptr<Module>& layer, const Tensor& x, Pass& pass) {
  return layer ? (*layer)(x, pass) : x;
}

std::unique_ptr<PositionScheme> make_input_positions(const ModelOptions& options, Index tokens) {
  if (options.input_positions) return options.input_positions(options, tokens);
  if (acts_in_attention(options)) return nullptr;
  return input_positions(options.position, tokens, options.width, first_init(options));
}

TokenEmbedding::TokenEmbedding(const ModelOptions& options, Index context_)
    : context(context_),
      tokens(options.vocabulary, options.width, first_init(options)),
      positions(make_input_positions(options, context)),
      dropout(options.dropout) {}

Tensor TokenEmbedding::forward(const Tensor& ids, Pass& pass) const {
  const Index first = pass.cache ? pass.cache->length : 0;
  if (ids.rank() != 2 || first + ids.dim(1) > context)
    throw ShapeError("embedding: ids {} after {}, expected (batch, time) with {} at most in all",
                     ids.shape(), first, context);
  const Tensor x = tokens(ids, pass);  // (batch, time, width)
  if (!positions) return dropout(x, pass);
  const Tensor all = pass.cache ? pass.cache->ids.add(ids) : ids;  // (batch, first + time)
  return dropout(positions->add(x, all, first, pass), pass);
}

Block::Block(const ModelOptions& options, bool causal, bool with_cross, Index layer)
    : attention_norm(make_norm(options)),
      attention_convolution(make_convolution(options)),
      residual(options.residual),
      recomputed(options.recompute),
      dropout(options.dropout) {
  if (options.attention)
    attention = returned_by("attention", options.attention(options));
  else
    attention = std::make_unique<MultiHeadAttention>(
        self_attention_options(options, causal, with_cross, layer));
  if (with_cross) {
    cross_norm = make_norm(options);
    cross.emplace(cross_attention_layer(options, layer));
  }
  if (!options.mlp && !options.mlp_layer) return;
  const Init in = inner_init(options);
  const Init out = residual_init(options, branches_of(options, with_cross));
  mlp_norm = make_norm(options);
  mlp_convolution = make_convolution(options);
  mlp = make_mlp(options, in, out);
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
      throw ShapeError("a branch of a block gives {} for {}, and must keep the shape",
                       branch.shape(), onto.shape());
    branch = pass.at(path, name, std::move(branch));
    // A dropout that does nothing returns `branch` itself. It mustn't be held here as well, so that
    // the sum can take over its memory.
    Tensor kept = dropout(std::exchange(branch, {}), pass);
    return residual ? onto + std::move(kept) : kept;
  };
  const Tensor x = pass.at(path, "in", stream);  // (batch, time, width), as all of these
  const Tensor normed = through(attention_convolution, through(attention_norm, x, pass), pass);
  pass.hides_padding = false;
  Tensor attended = (*attention)(normed, pass);
  if (pass.padding && !pass.hides_padding)
    throw Error("this kind of attention can't hide padding; all sequences must be of one length");
  Tensor y = join(x, "attention_out", std::move(attended));
  if (cross) {
    // An op that changes nothing: the gradients of this block's keys and values are added up at
    // `seen`, before they meet those of other blocks, so in one order, recomputed or not.
    const Tensor seen = source ? reshape(source, source.shape()) : source;
    const Tensor queries = through(cross_norm, y, pass);
    y = join(y, "cross_out", (*cross)(queries, seen, seen, pass, {{}, source_mask}));
  }
  if (mlp) {
    const Tensor read_by_mlp = through(mlp_convolution, through(mlp_norm, y, pass), pass);
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
  return blocks;
}

}  // namespace tapehead

#include "../../core/checks/inputs.hpp"
#include "../../nn/encoder_decoder.hpp"
#include "../../nn/gpt.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(transformer)

namespace {

ModelOptions small() {
  ModelOptions o;
  o.vocabulary = 7, o.context = 5, o.source = 3, o.layers = 1, o.heads = 2, o.width = 12;
  o.dtype = DType::f64;
  return o;
}

const Tensor ids = tensor({3, 1, 4, 1, 5, 2, 6, 5, 3, 5}, {2, 5}, DType::i32);

std::vector<std::string> names(Module& module) {
  std::vector<std::string> all;
  for (const Parameter* p : parameters(module)) all.push_back(p->path);
  return all;
}

/// Returns the number of parameters with `part` in their path.
int count(Module& module, const std::string& part) {
  int found = 0;
  for (const std::string& name : names(module)) found += name.find(part) != std::string::npos;
  return found;
}

Tensor numbers() { return normal_sample({2, 5, 12}, 1); }

/// Returns a block with values far from the initial ones; they depend only on names and shapes.
Block trained(const ModelOptions& options) {
  Block block(options);
  initialise(block, 1, DType::f64);
  for (Parameter* p : parameters(block))
    p->set(p->value() + 0.3 * normal_sample(p->shape, std::hash<std::string>()(p->path)));
  return block;
}

Tensor output(const Module& module, const Tensor& x) {
  Pass pass;
  return module(x, pass);
}

}  // namespace

BOOST_AUTO_TEST_CASE(mlps_are_their_formulas) {
  const Tensor x = numbers();
  for (const Activation kind : {Activation::gelu, Activation::gelu_erf, Activation::relu,
                                Activation::relu2, Activation::swiglu}) {
    MLP mlp(12, {48, kind, true, Init::normal(0.5), Init::normal(0.5)});
    initialise(mlp, 1, DType::f64);
    const Tensor h = linear(x, mlp.in.weight, mlp.in.bias);
    Tensor inner;
    if (kind == Activation::gelu) inner = gelu(h);
    if (kind == Activation::gelu_erf) inner = h * 0.5 * (1 + erf(h * std::sqrt(0.5)));
    if (kind == Activation::relu) inner = maximum(h, scalar(0, DType::f64));
    if (kind == Activation::relu2)
      inner = h * h * where(h > 0, ones(h.shape(), DType::f64), zeros(h.shape(), DType::f64));
    if (kind == Activation::swiglu) {
      const Tensor gate = linear(x, mlp.gate->weight, mlp.gate->bias);
      inner = h * gate * sigmoid(gate);
    }
    expect_equal(output(mlp, x), linear(inner, mlp.out.weight, mlp.out.bias), 1e-14);
    BOOST_TEST(mlp.gate.has_value() == (kind == Activation::swiglu));
  }
}

BOOST_AUTO_TEST_CASE(a_gated_mlp_has_as_many_parameters) {
  for (Index width : {12, 64, 128, 384}) {
    MLPOptions options;
    options.activation = Activation::swiglu;
    const MLP plain(width), gated(width, options);
    const double ratio =
        static_cast<double>(count_parameters(gated)) / static_cast<double>(count_parameters(plain));
    BOOST_TEST(std::abs(ratio - 1) < 0.02);
  }
}

BOOST_AUTO_TEST_CASE(norms_compute_their_formulas) {
  ModelOptions o = small();
  const auto normed = [&](const NormFactory& norm, bool is_rms = false) {
    o.norm = norm;
    const Block block = trained(o);
    const Tensor x = numbers();
    const auto by = [&](const Tensor& y, const std::unique_ptr<Module>& layer) {
      if (!norm) return y;
      if (is_rms) return rms_norm(y);
      const auto& affine = dynamic_cast<const LayerNorm&>(*layer);
      return layer_norm(y, affine.gain, affine.bias);
    };
    Pass pass;
    const Tensor y = x + (*block.attention)(by(x, block.attention_norm), pass);
    expect_equal(output(block, x), y + (*block.mlp)(by(y, block.mlp_norm), pass), 1e-14);
  };
  normed(make_layer_norm), normed(make_rms_norm, true), normed(nullptr);
}

BOOST_AUTO_TEST_CASE(all_norms_have_the_model_s_epsilon) {
  ModelOptions o = small();
  o.epsilon = 0.5;
  o.qk_norm = true;
  for (const bool is_rms : {false, true}) {
    o.norm = is_rms ? make_rms_norm : make_layer_norm;
    const Block block(o);
    const auto epsilon = [&](const std::unique_ptr<Module>& layer) {
      return is_rms ? dynamic_cast<const RMSNorm&>(*layer).epsilon
                    : dynamic_cast<const LayerNorm&>(*layer).epsilon;
    };
    BOOST_TEST(epsilon(block.attention_norm) == 0.5);
    BOOST_TEST(epsilon(block.mlp_norm) == 0.5);
    const auto& attention = dynamic_cast<const MultiHeadAttention&>(*block.attention);
    BOOST_TEST(attention.projection.query_norm->epsilon == 0.5);
    BOOST_TEST(attention.projection.key_norm->epsilon == 0.5);
  }
}

BOOST_AUTO_TEST_CASE(scores_have_the_scale_that_was_chosen) {
  ModelOptions o = small();
  o.layers = 2;
  const auto factor = [&](ScoreScale scale, Index layer) {
    o.scale = scale;
    Block block(o, true, false, layer);
    return dynamic_cast<const MultiHeadAttention&>(*block.attention).options.scale;
  };
  BOOST_TEST(factor(ScoreScale::standard, 1) == 0);
  BOOST_TEST(factor(ScoreScale::one, 1) == 1);
  BOOST_TEST(factor(ScoreScale::layer, 0) == 1 / std::sqrt(6.0));
  BOOST_TEST(factor(ScoreScale::layer, 2) == 1 / std::sqrt(6.0) / 3);
  // The standard scale is 1 / sqrt(6), so it gives the same numbers.
  o.scale = ScoreScale::standard;
  const Block standard = trained(o);
  o.scale = ScoreScale::layer;
  expect_equal(output(trained(o), numbers()), output(standard, numbers()), 1e-15);
  GPT deep(o);
  BOOST_TEST(dynamic_cast<const MultiHeadAttention&>(*deep.blocks[1].attention).options.scale ==
             1 / std::sqrt(6.0) / 2);
}

BOOST_AUTO_TEST_CASE(a_window_hides_what_is_farther_away) {
  ModelOptions o = small();
  o.position = Positions();
  o.window = 2;
  GPT model(o);
  Pass pass;
  const Tensor other = tensor({6, 1, 4, 1, 5}, {1, 5}, DType::i32);  // the first token differs
  const Tensor changed = output(model, slice(ids, 0, 0, 1)) - output(model, other);
  for (Index t = 0; t < 5; ++t) {
    const double most = amax(abs(slice(changed, 1, t, t + 1))).item();
    BOOST_TEST((most > 0) == (t < 2), "position " << t);
  }
  const Tensor whole = output(model, ids);
  Cache cache;
  pass.cache = &cache;
  for (Index t = 0; t < 5; ++t)
    expect_equal(model(slice(ids, 1, t, t + 1), pass), slice(whole, 1, t, t + 1), 1e-14);
}

BOOST_AUTO_TEST_CASE(positions_see_all_tokens_so_far) {
  /// Adds the number of earlier occurrences of each token.
  struct Counted : PositionScheme {
    Tensor add(const Tensor& x, const Tensor& all, Index first, Pass& pass) const override {
      BOOST_TEST(all.shape() == Shape({x.dim(0), first + x.dim(1)}));
      BOOST_TEST(pass.train == false);
      const Tensor kinds = one_hot(all, 10, x.dtype());  // (batch, first + time, 10)
      const Tensor before = matmul(cast(tril_mask(all.dim(1), all.dim(1)), x.dtype()), kinds);
      const Tensor count = sum(before * kinds, {2}, true);  // (batch, first + time, 1)
      return x + slice(count, 1, first, first + x.dim(1));
    }
  };
  ModelOptions o = small();
  o.position = [](const ModelOptions&, Index) { return std::make_unique<Counted>(); };
  const GPT model(o);
  const Tensor whole = output(model, ids);
  Cache cache;
  Pass pass;
  pass.cache = &cache;
  for (Index t = 0; t < 5; ++t)
    expect_equal(model(slice(ids, 1, t, t + 1), pass), slice(whole, 1, t, t + 1), 1e-14);
  expect_equal(cache.ids.all(), ids);
}

BOOST_AUTO_TEST_CASE(widths_of_heads_and_mlp_and_no_biases) {
  ModelOptions o;
  o.vocabulary = 12, o.context = 32, o.layers = 1, o.heads = 2, o.kv_heads = 1, o.width = 3;
  o.position = RotaryPositions{}, o.norm = make_rms_norm, o.qk_norm = true,
  o.mlp = StandardMLP{Activation::swiglu};
  o.head_width = 4, o.mlp_width = 3, o.biases = false, o.init_std = 1;
  const GPT model(o);
  // Embedding; projections of 2 + 1 + 1 heads; output projection; query-key norm; MLP.
  BOOST_TEST(count_parameters(model) == 12 * 3 + 4 * 4 * 3 + 2 * 4 * 3 + 2 * 4 + 3 * 3 * 3);
  walk(static_cast<const Module&>(model), [](const std::string& path, const Parameter& p) {
    BOOST_TEST(path.find("bias") == std::string::npos, path);
    const std::vector<double> values = p.value().values();
    if (path == "tokens.weight") BOOST_TEST(*std::max_element(values.begin(), values.end()) > 1);
  });
}

BOOST_AUTO_TEST_CASE(untied_head) {
  ModelOptions o = small();
  o.tied = false;
  GPT model(o);
  EncoderDecoder translator(o);
  BOOST_TEST(count(model, "head.weight") == 1);
  BOOST_TEST(count(translator, "head.weight") == 1);
  BOOST_TEST(
      model.head->weight.matrices.empty());  // like the embedding, not a map inside the model
  const Tensor before = output(model, ids);
  model.head->weight.set(model.head->weight.value() * 2.0);
  expect_equal(output(model, ids), before * 2.0, 1e-15);
  const Tensor first = output(translator, ids);
  translator.head->weight.set(translator.head->weight.value() * 2.0);
  expect_equal(output(translator, ids), first * 2.0, 1e-15);
}

BOOST_AUTO_TEST_CASE(a_branch_that_changes_the_shape_is_refused) {
  struct Narrow : Module {
    Tensor forward(const Tensor& x, Pass&) const override { return slice(x, 2, 0, 1); }
    void visit(Visitor&) override {}
  };
  ModelOptions o = small();
  o.attention = [](const AttentionLayerOptions&) { return std::make_unique<Narrow>(); };
  const GPT model(o);
  EXPECT_ERROR(
      ShapeError, output(model, ids),
      "a branch of a block returned shape (2, 5, 1) for (2, 5, 12), expected the same shape (in "
      "blocks.0)");
}

BOOST_AUTO_TEST_CASE(without_residual_a_branch_replaces_its_input) {
  ModelOptions o = small();
  o.residual = false;
  const Block block = trained(o);
  Pass pass;
  const Tensor x = numbers();
  const Tensor y = (*block.attention)((*block.attention_norm)(x, pass), pass);
  expect_equal(output(block, x), (*block.mlp)((*block.mlp_norm)(y, pass), pass), 1e-14);
  o.mlp = nullptr;
  const Block alone = trained(o);
  expect_equal(output(alone, x), (*alone.attention)((*alone.attention_norm)(x, pass), pass), 1e-14);
}

BOOST_AUTO_TEST_CASE(projections_that_start_at_zero_leave_the_stream_as_it_is) {
  ModelOptions o = small();
  o.zero_out = true;
  for (bool cross : {false, true}) {
    Block block(o, true, cross);
    initialise(block, 1, DType::f64);
    Pass pass;
    const Tensor source = cross ? normal_sample({2, 3, 12}, 2) : Tensor();
    expect_equal(block(numbers(), source, {}, pass), numbers());
    int zero = 0;
    for (const Parameter* p : parameters(block))
      zero += p->decay && p->value().values() == std::vector<double>(p->shape.size(), 0.0);
    BOOST_TEST(zero == (cross ? 3 : 2));
  }
}

BOOST_AUTO_TEST_CASE(every_kind_of_model_takes_them) {
  ModelOptions o = small();
  const auto check = [&](auto make, int norms) {
    o = small();
    auto plain = make(o);
    BOOST_TEST(count(*plain, "norm.gain") == norms);
    BOOST_TEST(count(*plain, "mlp.gate") == 0);
    o.norm = make_rms_norm, o.mlp = StandardMLP{Activation::swiglu};
    auto modern = make(o);
    BOOST_TEST(count(*modern, "norm") == 0);
    BOOST_TEST(count(*modern, "mlp.gate") > 0);
    BOOST_TEST(tree(*modern).find("attention_norm: RMSNorm\n") != std::string::npos);
    o.norm = nullptr, o.mlp = nullptr, o.residual = false;
    auto bare = make(o);
    BOOST_TEST(tree(*bare).find("norm") == std::string::npos);
    BOOST_TEST(count(*bare, "mlp") == 0);
    Pass pass;
    for (Module* each : {plain.get(), modern.get(), bare.get()})
      for (double value : (*each)(ids, pass).values()) BOOST_TEST(std::isfinite(value));
  };
  check([](const ModelOptions& m) { return std::make_unique<GPT>(m); }, 3);
  check([](const ModelOptions& m) { return std::make_unique<Encoder>(m); }, 3);
  check([](const ModelOptions& m) { return std::make_unique<EncoderDecoder>(m); }, 7);
}

BOOST_AUTO_TEST_CASE(the_names_of_a_plain_model_stay) {
  GPT model(small());
  const std::vector<std::string> expected = {"tokens.weight",
                                             "positions.weight",
                                             "blocks.0.attention_norm.gain",
                                             "blocks.0.attention_norm.bias",
                                             "blocks.0.attention.qkv.weight",
                                             "blocks.0.attention.qkv.bias",
                                             "blocks.0.attention.out.weight",
                                             "blocks.0.attention.out.bias",
                                             "blocks.0.mlp_norm.gain",
                                             "blocks.0.mlp_norm.bias",
                                             "blocks.0.mlp.in.weight",
                                             "blocks.0.mlp.in.bias",
                                             "blocks.0.mlp.out.weight",
                                             "blocks.0.mlp.out.bias",
                                             "norm.gain",
                                             "norm.bias"};
  BOOST_TEST(names(model) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(training_with_them_is_repeatable) {
  for (const std::string& arch : registry().architectures().names()) BOOST_TEST_CONTEXT(arch) {
      TrainConfig config = small_config(arch);
      config.norm = "rms", config.mlp = "swiglu", config.model.zero_out = true,
      config.model.qk_norm = true;
      expect_repeatable(config);
      config.norm = "none", config.mlp = "none",
      config.model.zero_out = config.model.residual = false;
      expect_repeatable(config);
    }
}

BOOST_AUTO_TEST_CASE(refuses_invalid_options) {
  ModelOptions o = small();
  o.zero_out = true, o.residual = false;
  expect_error<ValueError>(
      [&] { GPT model(o); },
      "GPT: zero_out needs residual connections, otherwise every block returns zeros");
  expect_refusal(
      "--zero-out true needs --residual true; otherwise neither activations nor gradients pass a "
      "block",
      "--zero-out true --residual false");
  expect_refusal("unknown --norm 'rsm'; did you mean 'rms'?", "--norm rsm");
  expect_refusal("unknown --mlp 'swigul'; did you mean 'swiglu'?", "--mlp swigul");
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../nn/encoder.hpp"
#include "../../nn/encoder_decoder.hpp"
#include "../../nn/gpt.hpp"
#include "../shared/hooks.hpp"
#include "../shared/small_models.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(pass)

namespace {

ModelOptions small() {
  ModelOptions o = small_options(7, 6, 2);
  o.dropout = 0.2;
  return o;
}

Tensor ids(Index batch, Index time, Index below = 7, Index first = 0) {
  std::vector<double> values;
  for (Index i = 0; i < batch * time; ++i)
    values.push_back(static_cast<double>(first + (i * i + 3 * i) % below));
  return tensor(values, {batch, time}, DType::i32);
}

struct Case {
  std::string name;
  std::unique_ptr<Module> model;
  Tensor input;
};

std::vector<Case> all_models() {
  std::vector<Case> all;
  all.push_back({"gpt", std::make_unique<GPT>(small()), ids(3, 6)});
  ModelOptions o = small();
  o.recompute = true;
  o.temperature = Temperature::head;
  o.position = RelativePositions{};
  o.mlp = StandardMLP{Activation::swiglu};
  all.push_back({"recomputed", std::make_unique<GPT>(o), ids(3, 6)});
  all.push_back({"encoder", std::make_unique<Encoder>(small()), ids(3, 6)});
  o = small();
  o.source = 4;
  all.push_back({"encoder-decoder", std::make_unique<EncoderDecoder>(o), ids(3, 7)});
  return all;
}

/// Custom attention that ignores padding, or hides it.
struct OwnAttention : Module {
  OwnAttention(const AttentionLayerOptions& o, bool hides_) : inner(o), hides(hides_) {}
  Tensor forward(const Tensor& x, Pass& pass) const override {
    return inner(x, x, x, pass, {{}, hides ? pass.key_mask() : Tensor()});
  }
  void visit(Visitor& v) override { v("inner", inner); }

  MultiHeadAttention inner;
  bool hides;
};

Encoder own_encoder(bool hides) {
  ModelOptions o = small();
  o.attention = [=](const AttentionLayerOptions& model) {
    return std::make_unique<OwnAttention>(model, hides);
  };
  return Encoder(o);
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_unchanged_hook_point_is_bitwise_identical) {
  for (const Case& c : all_models())
    BOOST_TEST_CONTEXT(c.name) expect_hooks_preserve_bits(*c.model, c.input);
}

BOOST_AUTO_TEST_CASE(a_cache_visits_the_same_hook_points) {
  const GPT model(small());
  const Tensor input = ids(2, 6);
  const auto generate = [&](bool zero_head) {
    Cache cache;
    Pass pass = Pass::evaluation();
    pass.cache = &cache;
    pass.hook = [=](const HookPoint& point, const Tensor& x) {
      return zero_head && point.name == std::string("heads") ? x * 0 : x;
    };
    (void)model(slice(input, 1, 0, 4), pass);
    return model(slice(input, 1, 4, 6), pass);
  };
  Pass pass = Pass::evaluation();
  expect_equal(generate(false), slice(model(input, pass), 1, 4, 6), 1e-5);
  pass.hook = [](const HookPoint& point, const Tensor& x) {
    return point.name == std::string("heads") ? x * 0 : x;
  };
  expect_equal(generate(true), slice(model(input, pass), 1, 4, 6), 1e-5);
}

BOOST_AUTO_TEST_CASE(a_replaced_pattern_weights_the_values) {
  AttentionLayerOptions o;
  o.width = 4;
  o.heads = 2;
  o.causal = true;
  o.project_out = false;
  MultiHeadAttention layer(o);
  initialise(layer, 0, DType::f64);
  const Tensor x = tensor({1, 2, 3, 4, 0, -1, 2, 1, 3, 0, 0, 5}, {1, 3, 4}, DType::f64);
  Pass pass = Pass::evaluation();
  pass.hook_patterns = true;
  // Every query sees only the first key, so all positions have the output of the first.
  pass.hook = [](const HookPoint& point, const Tensor& w) {
    if (point.name != std::string("pattern")) return w;
    return broadcast_to(tensor({1, 0, 0}, {1, 1, 1, 3}, w.dtype()), w.shape());
  };
  const Tensor y = layer(x, pass);  // (1, 3, 4)
  pass.hook = {};
  const Tensor first = slice(layer(x, pass), 1, 0, 1);
  expect_equal(y, broadcast_to(first, y.shape()), 1e-12);
}

BOOST_AUTO_TEST_CASE(gradients_reach_a_hooks_replacement) {
  for (const Case& c : all_models())
    if (c.name != "recomputed")  // the tape only sees the input and the parameters
      BOOST_TEST_CONTEXT(c.name) expect_gradients_reach_hooks(*c.model, c.input);
}

BOOST_AUTO_TEST_CASE(attention_hides_padding) {
  const Tensor padded = tensor({3, 1, 4, -1, -1}, {1, 5}, DType::i32);
  const Tensor whole = tensor({3, 1, 4}, {1, 3}, DType::i32);
  const Encoder ours(small()), own = own_encoder(true);
  for (const Encoder* model : {&ours, &own}) {
    Pass pass = Pass::evaluation();
    const Tensor logits = (*model)(padded, pass);
    BOOST_TEST(!pass.padding);  // padding is set only while blocks run
    expect_equal(slice(logits, 1, 0, 3), (*model)(whole, pass), 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(attention_without_padding_support_is_refused) {
  const Encoder blind = own_encoder(false);
  Pass pass = Pass::evaluation();
  BOOST_CHECK_NO_THROW(blind(ids(2, 5), pass));
  EXPECT_ERROR(
      Error, blind(tensor({3, 1, -1}, {1, 3}, DType::i32), pass),
      "this attention layer doesn't support padding; all sequences must have the same length "
      "(in blocks.0)");
}

BOOST_AUTO_TEST_CASE(the_padding_of_a_source_is_hidden_from_encoder_and_decoder) {
  ModelOptions o = small();
  o.source = 4;
  const EncoderDecoder model(o);
  const Tensor padded = tensor({3, 1, -1, -1, 2, 5}, {1, 6}, DType::i32);
  Tensor full = tensor({3, 1, 6, 6, 2, 5}, {1, 6}, DType::i32);
  std::vector<AttentionWeights> all;
  Pass pass = Pass::evaluation();
  collect_weights(pass, all);
  const Tensor logits = model(padded, pass);
  BOOST_TEST_REQUIRE(all.size() == 6u);  // two blocks each of encoder, decoder and cross-attention
  for (const AttentionWeights& layer : all) {
    const std::string path = layer.module;
    const bool of_source =
        path.find("decoder") == std::string::npos || path.find("cross") != std::string::npos;
    const Tensor last =
        slice(layer.weights, 3, layer.weights.dim(3) - (of_source ? 2 : 1), layer.weights.dim(3));
    BOOST_TEST((amax(last).item() == 0) == of_source, path);
  }
  pass.hook = {};
  BOOST_TEST(logits.values() != model(full, pass).values());
}

BOOST_AUTO_TEST_CASE(a_read_only_pattern_is_the_kernels) {
  MultiHeadAttention layer(self_attention_options(small()));
  initialise(layer, 1);
  const Tensor x = random_normal({2, 5, 8}, RandomKey{1});
  int calls = 0;
  Pass plain = Pass::evaluation(), hooked = Pass::evaluation();
  hooked.hook_patterns = true;
  hooked.hook = [&](const HookPoint& point, const Tensor& w) {
    calls += point.name == std::string("pattern");
    return w;
  };
  expect_equal(layer(x, hooked), layer(x, plain));
  BOOST_TEST(calls == 1);
  hooked.hook = [&](const HookPoint& point, const Tensor& w) {
    calls += point.name == std::string("pattern");
    return point.name == std::string("pattern") ? w * 0.5 : w;
  };
  BOOST_TEST(layer(x, hooked).values() != layer(x, plain).values());
  BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(wrong_replacements_are_refused) {
  const GPT model(small());
  Pass pass = Pass::evaluation();
  pass.hook = [](const HookPoint& point, const Tensor& x) {
    return point.name == std::string("mlp_out") ? slice(x, 1, 0, 2) : x;
  };
  EXPECT_ERROR(
      ShapeError, model(ids(1, 3), pass),
      "hook at mlp_out of blocks.0 returned f32 (1, 2, 8), expected f32 (1, 3, 8) (in blocks.0)");
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../nn/encoder.hpp"
#include "../../nn/encoder_decoder.hpp"
#include "../../nn/gpt.hpp"
#include "../../nn/vision/vit.hpp"
#include "../../nn/zoo/gated_heads.hpp"
#include "../shared/small_models.hpp"
#include "../shared/support.hpp"

#include <map>

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
  o.position = Position::relative;
  o.mlp = Activation::swiglu;
  all.push_back({"recomputed", std::make_unique<GPT>(o), ids(3, 6)});
  all.push_back({"encoder", std::make_unique<Encoder>(small()), ids(3, 6)});
  o = small();
  o.source = 4;
  all.push_back({"encoder-decoder", std::make_unique<EncoderDecoder>(o), ids(3, 7)});
  o = small();
  o.patches.image = {4, 4, 1, 256, 3};
  o.patches.side = 2;
  all.push_back({"vit", std::make_unique<ViT>(o), ids(3, 16, 200, 3)});
  o = small();
  o.attention = [](const ModelOptions& model) {
    return std::make_unique<zoo::GatedHeads>(self_attention_options(model));
  };
  all.push_back({"zoo", std::make_unique<GPT>(o), ids(3, 6)});
  return all;
}

struct Result {
  Tensor logits;
  std::vector<Tensor> gradients;
};

Result step(const Module& model, const Tensor& input, Pass pass) {
  Tape tape;
  for (Parameter* p : parameters(const_cast<Module&>(model))) tape.watch(*p);
  const Tensor y = model(input, pass);
  const Gradients all = tape.backward(sum(y * y));
  Result result{y, {}};
  for (Parameter* p : parameters(const_cast<Module&>(model)))
    result.gradients.push_back(all.contains(*p) ? all[*p] : Tensor());
  return result;
}

void expect_same_bits(const Tensor& a, const Tensor& b) {
  BOOST_TEST_REQUIRE(static_cast<bool>(a) == static_cast<bool>(b));
  if (a) expect_equal(a, b);
}

/// The same numbers in memory of their own.
Tensor copied(const Tensor& x) { return tensor(x.values(), x.shape(), x.dtype()); }

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_put_back_as_it_was_changes_no_bit) {
  for (const Case& c : all_models()) {
    BOOST_TEST_CONTEXT(c.name) {
      const Result plain = step(*c.model, c.input, Pass::training(1, 2));
      std::map<std::string, Index> seen;
      Pass hooked = Pass::training(1, 2);
      hooked.hook_patterns = true;
      hooked.hook = [&](const Point& point, const Tensor& x) {
        ++seen[point.name];
        return x;
      };
      const Result same = step(*c.model, c.input, hooked);
      for (const char* name : {"in", "out", "attention_out", "mlp_out", "heads", "pattern"})
        BOOST_TEST(seen[name] >= (c.name == "zoo" && name == std::string("heads") ? 0 : 2), name);
      BOOST_TEST(seen["neurons"] >= 2);
      expect_same_bits(same.logits, plain.logits);
      for (std::size_t i = 0; i < plain.gradients.size(); ++i)
        expect_same_bits(same.gradients[i], plain.gradients[i]);

      // Copies are what a tape doesn't know: the values go on, their gradients don't.
      hooked.hook = [](const Point&, const Tensor& x) { return copied(x); };
      Pass quiet = Pass::evaluation();
      const Tensor expected = (*c.model)(c.input, quiet);
      hooked.train = false;
      expect_same_bits((*c.model)(c.input, hooked), expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_cache_meets_the_same_points) {
  const GPT model(small());
  const Tensor input = ids(2, 6);
  const auto generate = [&](bool zero_head) {
    KeyValueCache cache;
    Pass pass = Pass::evaluation();
    pass.cache = &cache;
    pass.hook = [=](const Point& point, const Tensor& x) {
      return zero_head && point.name == std::string("heads") ? x * 0 : x;
    };
    (void)model(slice(input, 1, 0, 4), pass);
    return model(slice(input, 1, 4, 6), pass);
  };
  Pass pass = Pass::evaluation();
  expect_equal(generate(false), slice(model(input, pass), 1, 4, 6), 1e-5);
  pass.hook = [](const Point& point, const Tensor& x) {
    return point.name == std::string("heads") ? x * 0 : x;
  };
  expect_equal(generate(true), slice(model(input, pass), 1, 4, 6), 1e-5);
}

BOOST_AUTO_TEST_CASE(a_replaced_pattern_is_what_values_are_mixed_by) {
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
  // Every query sees the first key alone: each position has what the first one has.
  pass.hook = [](const Point& point, const Tensor& w) {
    if (point.name != std::string("pattern")) return w;
    return broadcast_to(tensor({1, 0, 0}, {1, 1, 1, 3}, w.dtype()), w.shape());
  };
  const Tensor y = layer(x, pass);  // (1, 3, 4)
  pass.hook = {};
  const Tensor first = slice(layer(x, pass), 1, 0, 1);
  expect_equal(y, broadcast_to(first, y.shape()), 1e-12);
}

BOOST_AUTO_TEST_CASE(gradients_reach_what_a_hook_puts_in) {
  for (const Case& c : all_models()) {
    if (c.name == "recomputed") continue;  // the tape sees its input and its parameters alone
    for (const char* name : {"in", "attention_out", "mlp_out", "heads", "pattern", "neurons"}) {
      if (c.name == "zoo" && name == std::string("heads")) continue;
      BOOST_TEST_CONTEXT(c.name << " " << name) {
        Tape tape;
        Tensor added;
        Pass pass = Pass::evaluation();
        pass.hook_patterns = true;
        pass.hook = [&](const Point& point, const Tensor& x) {
          if (added || name != std::string(point.name)) return x;
          added = zeros(x.shape(), x.dtype());
          tape.watch(added);
          return x + added;
        };
        const Tensor y = (*c.model)(c.input, pass);
        const Gradients gradients = tape.backward(sum(y * y));
        double largest = 0;
        for (double g : gradients[added].values()) largest = std::max(largest, std::abs(g));
        BOOST_TEST(largest > 0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  const GPT model(small());
  Pass pass = Pass::evaluation();
  pass.hook = [](const Point& point, const Tensor& x) {
    return point.name == std::string("mlp_out") ? slice(x, 1, 0, 2) : x;
  };
  EXPECT_ERROR(
      ShapeError, model(ids(1, 3), pass),
      "mlp_out of blocks.0: f32 (1, 2, 8) can't take the place of f32 (1, 3, 8) (in blocks.0)");
}

BOOST_AUTO_TEST_SUITE_END()

// Compares the zoo's layers with their papers' formulas in PyTorch, and runs them step by step with
// a cache.
#include "../../../nn/gpt.hpp"
#include "../../../tests/shared/golden.hpp"
#include "../../../tests/shared/hooks.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../mixers.hpp"

#include <cmath>
#include <regex>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(zoo_layers)

namespace {

using Json = nlohmann::json;

AttentionLayerOptions layer_options(const Json& given) {
  AttentionLayerOptions o;
  o.width = given.at("width");
  o.heads = given.at("heads");
  o.kv_heads = given.value("kv_heads", 0);
  o.window = given.value("window", 0);
  if (given.value("rotary", false)) o.position = RotaryPositions{};
  return o;
}

std::unique_ptr<Module> make(const Json& given) {
  const AttentionLayerOptions o = layer_options(given);
  const std::string name = given.at("layer");
  if (name == "gated-heads") return std::make_unique<zoo::GatedHeads>(o);
  if (name == "differential")
    return std::make_unique<zoo::Differential>(o, given.value("lambda_", 0.8));
  if (name == "sinks") return std::make_unique<zoo::Sinks>(o, given.at("sinks"));
  if (name == "linear") return std::make_unique<zoo::LinearAttention>(o);
  if (name == "lstm") return std::make_unique<zoo::LSTM>(o);
  if (name == "gla") return std::make_unique<zoo::GatedLinearAttention>(o);
  if (name == "mamba2")
    return std::make_unique<zoo::Mamba2>(o, given.at("expand"), given.at("state"));
  if (name == "gated-deltanet") return std::make_unique<zoo::GatedDeltaNet>(o);
  if (name == "latent") return std::make_unique<zoo::Latent>(o, given.at("latent"));
  return std::make_unique<zoo::SwitchHead>(o, given.at("experts"), given.at("active"));
}

/// Returns one layer of each type in f64, with enlarged initial weights.
std::vector<std::pair<std::string, std::unique_ptr<Module>>> one_of_each() {
  std::vector<std::pair<std::string, std::unique_ptr<Module>>> layers;
  for (const char* text :
       {R"({"layer": "gated-heads", "rotary": true})",
        R"({"layer": "differential", "kv_heads": 1, "rotary": true})",
        R"({"layer": "differential", "window": 3})",
        R"({"layer": "sinks", "sinks": 2, "window": 3, "kv_heads": 1, "rotary": true})",
        R"({"layer": "sinks", "sinks": 0, "window": 1})", R"({"layer": "sinks", "sinks": 3})",
        R"({"layer": "linear"})", R"({"layer": "lstm"})", R"({"layer": "gla"})",
        R"({"layer": "mamba2", "expand": 1, "state": 3})", R"({"layer": "gated-deltanet"})",
        R"({"layer": "latent", "latent": 3})",
        R"({"layer": "latent", "latent": 0, "rotary": true, "window": 4})",
        R"({"layer": "switchhead", "experts": 3, "active": 2, "rotary": true})"}) {
    Json given = Json::parse(text);
    given["width"] = 8, given["heads"] = 2;
    auto layer = make(given);
    initialise(*layer, 1, DType::f64);
    walk(*layer, [](const std::string&, Parameter& p) { p.set(p.value() * 20.0 + 0.1); });
    layers.emplace_back(text, std::move(layer));
  }
  return layers;
}

double largest_difference(const Tensor& a, const Tensor& b) { return amax(abs(a - b)).item(); }

/// Returns a layer's result for x and a padding mask, and the gradients of x and of all parameters.
std::vector<Tensor> with_gradients(Module& layer, const Tensor& x, const Tensor& mask,
                                   const Tensor& dy) {
  Pass pass;
  pass.padding = mask;
  Tape tape;
  tape.watch(x);
  const Tensor y = layer(x, pass);
  BOOST_TEST(pass.hides_padding);
  const Gradients gradients = tape.backward(y, dy);
  std::vector<Tensor> all = {y, gradients[x]};
  walk(layer, [&](const std::string&, Parameter& p) { all.push_back(gradients[p.value()]); });
  return all;
}

void expect_near(const Tensor& x, const Tensor& expected) {
  BOOST_TEST(largest_difference(x, expected) <= 1e-12 * std::max(1.0, amax(abs(expected)).item()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(layers_match_their_papers) {
  each_golden_case("zoo", [](GoldenCase& c) {
    const auto layer = make(c.options);
    initialise(*layer, 1, c.dtype);
    auto state = c.group("state.");
    walk(*layer, [&](const std::string& path, Parameter& p) {
      BOOST_TEST_REQUIRE(state.count(path) == 1u, path);
      p.set(state.at(path));
    });
    const Tensor x = c.get("x");
    Pass pass;
    Tape tape;
    tape.watch(x);
    const Tensor y = (*layer)(x, pass);
    c.expect("y", y);
    const Gradients gradients = tape.backward(y, c.get("dy"));
    c.expect("d.x", gradients[x]);
    walk(*layer, [&](const std::string& path, Parameter& p) {
      c.expect("d." + path, gradients[p.value()]);
    });
  });
}

BOOST_AUTO_TEST_CASE(cached_decoding_equals_one_pass) {
  const Tensor x = random_normal({2, 9, 8}, {1}, DType::f64);
  for (const auto& [name, layer] : one_of_each()) {
    Pass whole;
    const Tensor all = (*layer)(x, whole);
    Cache cache;
    std::vector<Tensor> parts;
    for (Index at : {0, 4, 5, 7, 8}) {  // several first, then one, two, and one at a time
      const Index end = at == 0 ? 4 : at == 5 ? 7 : at + 1;
      Pass pass;
      pass.cache = &cache;
      parts.push_back((*layer)(slice(x, 1, at, end), pass));
      cache.length += end - at;
    }
    BOOST_TEST(largest_difference(concat(parts, 1), all) < 1e-12, name);
  }
}

/// A padded batch gives the values and gradients of its sequences.
BOOST_AUTO_TEST_CASE(padding_has_no_effect) {
  constexpr Index few = 5, many = 70, rest = many - few;  // `many` is more than any chunk
  const auto drawn = [](Index time, std::uint64_t seed) {
    return random_normal({1, time, 8}, {seed}, DType::f64);
  };
  const Tensor a = drawn(few, 1), b = drawn(many, 2), noise = drawn(rest, 3);
  const Tensor da = drawn(few, 4), db = drawn(many, 5);
  const Tensor shown = ones({1, few}, DType::i32);
  for (const auto& [name, layer] : one_of_each()) BOOST_TEST_CONTEXT(name) {
      const auto of_a = with_gradients(*layer, a, {}, da), of_b = with_gradients(*layer, b, {}, db);
      const Tensor mask = concat({pad(shown, 1, 0, rest), ones({1, many}, DType::i32)}, 0);
      const auto both = with_gradients(*layer, concat({concat({a, noise}, 1), b}, 0), mask,
                                       concat({pad(da, 1, 0, rest), db}, 0));
      const Tensor y = slice(slice(both[0], 0, 0, 1), 1, 0, few);
      expect_near(concat({y, slice(both[0], 0, 1, 2)}, 1), concat({of_a[0], of_b[0]}, 1));
      expect_near(both[1], concat({pad(of_a[1], 1, 0, rest), of_b[1]}, 0));
      for (std::size_t i = 2; i < both.size(); ++i) expect_near(both[i], of_a[i] + of_b[i]);
      if (name.find("sinks") != std::string::npos) continue;  // sees the first positions
      const auto after = with_gradients(*layer, concat({noise, a}, 1), pad(shown, 1, rest, 0),
                                        pad(da, 1, rest, 0));
      expect_near(slice(after[0], 1, rest, many), of_a[0]);
      BOOST_TEST(std::isfinite(sum(after[0]).item()));
      expect_near(after[1], pad(of_a[1], 1, rest, 0));
      for (std::size_t i = 2; i < after.size(); ++i) expect_near(after[i], of_a[i]);
    }
}

BOOST_AUTO_TEST_CASE(capturing_weights_has_no_effect_and_they_sum_to_1) {
  const Tensor x = random_normal({2, 9, 8}, {1}, DType::f64);
  for (const auto& [name, layer] : one_of_each()) {
    Pass plain, looking;
    std::vector<AttentionWeights> all;
    collect_weights(looking, all);
    BOOST_TEST(largest_difference((*layer)(x, looking), (*layer)(x, plain)) < 1e-12, name);
    const bool recurrent =
        std::regex_search(name, std::regex("\"(linear|lstm|gla|mamba2|gated-deltanet)\""));
    BOOST_TEST_REQUIRE(all.size() == (recurrent ? 0u : 1u), name);
    if (recurrent) continue;
    const Tensor& weights = all[0].weights;
    const Index maps = name.find("differential") != std::string::npos ? 4 : 2;
    BOOST_TEST(weights.shape() == (Shape{2, maps, 9, 9}), name);
    BOOST_TEST(largest_difference(sum(weights, {-1}), ones({2, maps, 9}, DType::f64)) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(cache_sizes) {
  AttentionLayerOptions o;
  o.width = 16, o.heads = 2;
  const auto held = [](Module& layer) {  // number of values in the cache after 40 tokens
    initialise(layer, 1);
    Cache cache;
    for (; cache.length < 40; cache.length += 8) {
      Pass pass;
      pass.cache = &cache;
      layer(random_normal({1, 8, 16}, {1}), pass);
    }
    Index numbers = 0;
    for (const auto& [key, kept] : cache.layers) {
      if (const auto* sums = std::any_cast<Tensor>(&kept)) numbers += sums->size();
      if (const auto* all = std::any_cast<KeyValueCache>(&kept))
        numbers += all->keys.all().size() + all->values.all().size();
    }
    return numbers;
  };
  MultiHeadAttention standard(o);
  BOOST_TEST(held(standard) == 40 * 2 * 16);
  zoo::LinearAttention linear(o);
  BOOST_TEST(held(linear) == 2 * 8 * 9);  // heads, d, d + 1
  zoo::LSTM lstm(o);
  BOOST_TEST(held(lstm) == 2 * 16);  // h and c
  zoo::GatedLinearAttention gla(o);
  BOOST_TEST(held(gla) == 2 * 4 * 8);  // heads, d, e
  zoo::Mamba2 mamba(o, 2, 5);
  BOOST_TEST(held(mamba) == 2 * 5 * 16 + 3 * (32 + 10));  // and three inputs of the convolution
  zoo::GatedDeltaNet delta(o);
  BOOST_TEST(held(delta) == 2 * 8 * 8 + 3 * 48);
  zoo::Latent latent(o, 6);
  BOOST_TEST(held(latent) == 40 * 6);
  o.window = 5;
  zoo::Sinks sinks(o, 3);
  BOOST_TEST(held(sinks) == (3 + 5 - 1) * 2 * 16);
  o.window = 0, o.position = RotaryPositions{};
  zoo::Latent turned(o, 6);
  BOOST_TEST(held(turned) == 40 * (6 + 4));
}

BOOST_AUTO_TEST_CASE(sinks_accept_weights_of_standard_attention) {
  AttentionLayerOptions o;
  o.width = 8, o.heads = 2, o.causal = true;
  MultiHeadAttention plain(o);
  o.window = 20;
  zoo::Sinks sinks(o, 2);
  initialise(plain, 1, DType::f64);
  initialise(sinks, 1, DType::f64);
  const Tensor x = random_normal({2, 12, 8}, {1}, DType::f64);
  Pass pass;
  BOOST_TEST(largest_difference(plain(x, pass), sinks(x, pass)) < 1e-15);
}

BOOST_AUTO_TEST_CASE(dropout_depends_on_the_example_not_on_its_batch) {
  const Tensor x = random_normal({2, 9, 8}, {1}, DType::f64);
  AttentionLayerOptions o;
  o.width = 8, o.heads = 2, o.window = 2, o.dropout = 0.4;
  zoo::Sinks layer(o, 1);
  initialise(layer, 1, DType::f64);
  Pass both = Pass::training(1, 0), second = Pass::training(1, 0, 1), kept;
  const Tensor y = layer(x, both);
  BOOST_TEST(largest_difference(slice(y, 0, 1, 2), layer(slice(x, 0, 1, 2), second)) < 1e-15);
  BOOST_TEST(largest_difference(y, layer(x, kept)) > 1e-4);
}

BOOST_AUTO_TEST_CASE(only_active_experts_are_used) {
  AttentionLayerOptions o;
  o.width = 8, o.heads = 2;
  zoo::SwitchHead layer(o, 5, 3);
  initialise(layer, 1, DType::f64);
  Pass pass;
  const Tensor gates =
      layer.gates(layer.value_router, random_normal({2, 7, 8}, {1}, DType::f64), pass);
  const Tensor used = sum(cast(less(zeros({}, DType::f64), gates), DType::f64), {-1});
  for (double n : used.values()) BOOST_TEST(n == 3);
  layer.value_router.weight.set(zeros(layer.value_router.weight.shape, DType::f64));
  const Tensor equal = layer.gates(layer.value_router, ones({1, 1, 8}, DType::f64), pass);
  expect_equal(equal,
               {0.5, 0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 0, 0});  // of equal gates, the first are active
}

BOOST_AUTO_TEST_CASE(invalid_options_are_refused) {
  AttentionLayerOptions o;
  o.width = 6, o.heads = 2;
  EXPECT_ERROR(ValueError, zoo::Differential(o, 0.8),
               "differential attention: width is 6, expected a multiple of 4 (twice the 2 heads)");
  o.width = 8, o.position = AlibiPositions{};
  EXPECT_ERROR(
      ValueError, zoo::Sinks(o, 4),
      "sinks: of the position schemes that act inside attention, only rotary is supported");
  o.position = Positions();
  EXPECT_ERROR(ValueError, zoo::Sinks(o, -1),
               "sinks: the number of first tokens must be at least 0, got -1");
  EXPECT_ERROR(ValueError, zoo::SwitchHead(o, 2, 3),
               "switchhead: the number of active experts must be from 1 to the number of "
               "experts, got 3 of 2");
  o.kv_heads = 1;
  EXPECT_ERROR(ValueError, zoo::SwitchHead(o, 2, 1),
               "switchhead requires --kv-heads equal to --heads, got 1 and 2");
}

BOOST_AUTO_TEST_CASE(hooks_run_at_the_hook_points) {
  ModelOptions o = small_options(7, 6, 2);
  o.dropout = 0.2;
  o.attention = [](const AttentionLayerOptions& layer) {
    return std::make_unique<zoo::GatedHeads>(layer);
  };
  const GPT model(o);
  const Tensor ids = tensor({0, 4, 3, 4, 0, 5, 1, 6, 6, 1, 5, 0}, {2, 6}, DType::i32);
  expect_hooks_preserve_bits(model, ids, false);
  expect_gradients_reach_hooks(model, ids, false);
}

BOOST_AUTO_TEST_CASE(read_only_patterns_cannot_be_replaced) {
  AttentionLayerOptions o;
  o.width = 8;
  o.heads = 2;
  zoo::Differential layer(o, 0.8);
  initialise(layer, 1, DType::f64);
  Pass pass = Pass::evaluation();
  pass.hook_patterns = true;
  pass.hook = [](const HookPoint&, const Tensor& w) { return w * 2; };
  EXPECT_ERROR(Error, layer(random_normal({1, 3, 8}, RandomKey{1}, DType::f64), pass),
               "hook at pattern of : the attention weights of this layer can't be replaced");
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../core/runtime/memory.hpp"
#include "../../nn/attention/presets.hpp"
#include "../../nn/gpt.hpp"
#include "../../parts/checks/check.hpp"
#include "../shared/build.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(attention_layer)

namespace {

struct Draws {
  explicit Draws(std::uint64_t seed) : random(RandomKey{seed}), seed(1000 * seed) {}
  Index below(Index n) { return random.below(n); }
  bool coin() { return below(2) == 1; }
  Tensor normal(const Shape& shape) { return normal_sample(shape, ++seed); }

  Random random;
  std::uint64_t seed;
};

/// Returns random options for self-attention on inputs of width 6.
AttentionLayerOptions any_options(Draws& draws) {
  AttentionLayerOptions o;
  o.width = 6;
  o.kv_heads = 1 + draws.below(2), o.heads = o.kv_heads * (1 + draws.below(2));
  o.head_width = 2 * (1 + draws.below(2));
  o.value_width = draws.coin() ? o.head_width : 1 + draws.below(4);
  o.out_width = 1 + draws.below(6);
  o.fused = draws.coin();
  o.in_bias = draws.coin(), o.out_bias = draws.coin();
  o.pre_norm = draws.coin(), o.qk_norm = draws.below(3) == 0;
  o.bias_kv = draws.below(3) == 0, o.zero_kv = draws.below(3) == 0;
  o.causal = draws.coin();
  if (draws.below(3) == 0) o.window = 1 + draws.below(3);
  if (draws.below(3) == 0) o.scale = 0.7;
  if (draws.coin()) o.dropout = 0.2, o.out_dropout = 0.1;
  o.temperature = static_cast<Temperature>(draws.below(5));
  const Index kind = draws.below(5);
  const RelativePositions relative{draws.below(3), draws.coin()};
  const Positions positions[] = {Positions(), RotaryPositions{}, AlibiPositions{}, relative,
                                 T5Positions{4, 6}};
  o.position = positions[kind];
  return o;
}

MultiHeadAttention made(const AttentionLayerOptions& options, std::uint64_t seed = 1,
                        DType dtype = DType::f64) {
  MultiHeadAttention layer(options);
  initialise(layer, seed, dtype);
  for (Parameter* p : parameters(layer))  // like after training: no zeros, no ones
    p->set(p->value() + 0.3 * cast(normal_sample(p->shape, ++seed), dtype));
  return layer;
}

Tensor run(const MultiHeadAttention& layer, const Tensor& x, const AttentionMasks& masks = {}) {
  Pass pass = Pass::evaluation();
  return layer(x, x, x, pass, masks);
}

/// Returns x with its rows along axis 1 in this order.
Tensor reordered(const Tensor& x, const std::vector<Index>& order) {
  std::vector<Tensor> rows;
  for (Index i : order) rows.push_back(slice(x, 1, i, i + 1));
  return concat(rows, 1);
}
std::vector<Index> shuffled(Index n, Draws& draws) {
  std::vector<Index> order;
  for (Index i = 0; i < n; ++i) order.insert(order.begin() + draws.below(i + 1), i);
  return order;
}
std::vector<Index> without(Index n, Index left_out) {
  std::vector<Index> order;
  for (Index i = 0; i < n; ++i)
    if (i != left_out) order.push_back(i);
  return order;
}

/// A layer of any sizes, without positions, and inputs for it.
struct Setting {
  explicit Setting(std::uint64_t seed) : draws(seed) {
    const auto size = [&] { return 1 + draws.below(5); };
    heads = 1 + draws.below(3);
    batch = 1 + draws.below(2), m = 2 + draws.below(5), n = 2 + draws.below(5);
    width = size(), c_k = size(), c_v = size();
    cross = presets::general(width, c_k, c_v, size(), size(), size(), heads);
    self = presets::general(width, width, width, size(), size(), size(), heads);
    self.fused = draws.coin();
    q = draws.normal({batch, m, width}), k = draws.normal({batch, n, c_k});
    v = draws.normal({batch, n, c_v}), x = draws.normal({batch, n, width});
  }
  Draws draws;
  Index heads, batch, m, n, width, c_k, c_v;
  AttentionLayerOptions cross, self;
  Tensor q, k, v, x;
};

template <class F>
void for_all(F f) {
  for (std::uint64_t seed = 1; seed <= repeats(60); ++seed) {
    Setting setting(seed);
    BOOST_TEST_CONTEXT("seed " << seed) f(setting);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(gradients_of_random_layers) {
  for (std::uint64_t seed = 1; seed <= repeats(150); ++seed) {
    Draws draws(seed);
    const AttentionLayerOptions options = any_options(draws);
    LayerEntry entry{"random", "", [&] { return std::make_unique<MultiHeadAttention>(options); },
                     normal_sample({2, 1 + draws.below(4), 6}, seed)};
    if (seed % 5 > 0) entry.first_only = "it takes ten times as long";
    entry.step = 2e-4;  // the norm of two numbers near 0 is steep
    const CheckReport report = check_layer(entry);
    BOOST_TEST(report.passed(), "seed " << seed << ": " << to_string(report.worst()));
  }
}

// ---- properties of attention

BOOST_AUTO_TEST_CASE(deleting_a_query_deletes_its_output) {
  for_all([](Setting& s) {
    const MultiHeadAttention layer = made(s.cross);
    Pass pass;
    const auto rest = without(s.m, s.draws.below(s.m));
    expect_equal(layer(reordered(s.q, rest), s.k, s.v, pass),
                 reordered(layer(s.q, s.k, s.v, pass), rest), 1e-13);
  });
}

BOOST_AUTO_TEST_CASE(keys_and_values_have_no_order) {
  for_all([](Setting& s) {
    const MultiHeadAttention layer = made(s.cross);
    Pass pass;
    const auto order = shuffled(s.n, s.draws);
    expect_equal(layer(s.q, reordered(s.k, order), reordered(s.v, order), pass),
                 layer(s.q, s.k, s.v, pass), 1e-12);
  });
}

BOOST_AUTO_TEST_CASE(permuting_queries_permutes_outputs) {
  for_all([](Setting& s) {
    const MultiHeadAttention layer = made(s.cross);
    Pass pass;
    const auto order = shuffled(s.m, s.draws);
    expect_equal(layer(reordered(s.q, order), s.k, s.v, pass),
                 reordered(layer(s.q, s.k, s.v, pass), order), 1e-13);
  });
}

BOOST_AUTO_TEST_CASE(self_attention_is_equivariant) {
  for_all([](Setting& s) {
    const MultiHeadAttention layer = made(s.self);
    const auto order = shuffled(s.n, s.draws);
    expect_equal(run(layer, reordered(s.x, order)), reordered(run(layer, s.x), order), 1e-12);
  });
}

BOOST_AUTO_TEST_CASE(minus_infinity_makes_a_key_and_its_value_not_matter) {
  for_all([&](Setting& s) {
    const MultiHeadAttention layer = made(s.cross);
    Pass pass;
    const Index hidden = s.draws.below(s.n);
    std::vector<double> mask(static_cast<std::size_t>(s.n), 0.5);
    mask[static_cast<std::size_t>(hidden)] = -infinity;
    const AttentionMasks masks{tensor(mask, DType::f64), {}};
    const Tensor y = layer(s.q, s.k, s.v, pass, masks);
    for (double poison : {1e9, infinity, std::nan("")}) {
      const auto poisoned = [&](const Tensor& x) {
        std::vector<Tensor> rows;
        for (Index i = 0; i < s.n; ++i)
          rows.push_back(i == hidden ? full({s.batch, 1, x.dim(2)}, poison, DType::f64)
                                     : slice(x, 1, i, i + 1));
        return concat(rows, 1);
      };
      // Finite values use the same matmuls, so results are bitwise identical. Others use a slower
      // path.
      expect_equal(layer(s.q, poisoned(s.k), poisoned(s.v), pass, masks), y,
                   std::isfinite(poison) ? 0 : 1e-14);
    }
  });
}

BOOST_AUTO_TEST_CASE(masking_a_key_for_all_is_deleting_it) {
  for_all([](Setting& s) {
    const MultiHeadAttention layer = made(s.cross);
    Pass pass;
    const Index hidden = s.draws.below(s.n);
    Tensor may = ones({s.batch, s.n}, DType::i32);
    for (Index b = 0; b < s.batch; ++b) may.mutable_data<std::int32_t>()[b * s.n + hidden] = 0;
    const auto rest = without(s.n, hidden);
    expect_equal(layer(s.q, s.k, s.v, pass, {{}, may}),
                 layer(s.q, reordered(s.k, rest), reordered(s.v, rest), pass), 1e-12);
  });
}

BOOST_AUTO_TEST_CASE(masking_an_input_for_all_others_is_deleting_it) {
  for_all([](Setting& s) {
    const MultiHeadAttention layer = made(s.self);
    const Index hidden = s.draws.below(s.n);
    Tensor may = ones({s.n, s.n}, DType::i32);
    for (Index i = 0; i < s.n; ++i)
      if (i != hidden) may.mutable_data<std::int32_t>()[i * s.n + hidden] = 0;
    const auto rest = without(s.n, hidden);
    expect_equal(reordered(run(layer, s.x, {may, {}}), rest), run(layer, reordered(s.x, rest)),
                 1e-12);
  });
}

BOOST_AUTO_TEST_CASE(one_set_of_weights_runs_on_any_length) {
  Draws draws(1);
  for (std::uint64_t seed = 1; seed <= repeats(30); ++seed) {
    AttentionLayerOptions options = any_options(draws);
    options.causal = true;
    const MultiHeadAttention layer = made(options);
    const Tensor x = draws.normal({2, 9, 6});
    const Tensor whole = run(layer, x);
    for (Index time : {1, 4})  // causal: later tokens don't change earlier outputs
      expect_equal(run(layer, slice(x, 1, 0, time)), slice(whole, 1, 0, time), 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(an_initial_temperature_is_bitwise_identical) {
  const Tensor x = normal_sample({2, 5, 8}, 1);
  const auto output = [&](Temperature temperature) {
    AttentionLayerOptions options = presets::gpt2(8, 2);
    options.temperature = temperature;
    MultiHeadAttention layer(options);
    initialise(layer, 1, DType::f64);
    for (Parameter* p : parameters(
             layer))  // set explicitly, because initial values depend on the parameter's number
      if (p->shape.rank() == 2) p->set(normal_sample(p->shape, 2));
    return run(layer, x);
  };
  const Tensor plain = output(Temperature::none);
  for (Temperature temperature : {Temperature::layer, Temperature::head})
    expect_equal(output(temperature), plain, 0);
}

BOOST_AUTO_TEST_CASE(a_query_that_sees_nothing_gets_zeros_and_gives_none) {
  MultiHeadAttention layer = made(presets::torch(8, 2));
  const Tensor x = normal_sample({1, 4, 8}, 1);
  Tensor may = ones({4, 4}, DType::i32);
  std::fill_n(may.mutable_data<std::int32_t>() + 4, 4, 0);  // the mask of the second query
  std::vector<Tensor> outputs, gradients;
  for (bool look : {false, true}) {
    Tape tape;
    tape.watch(x);
    Pass pass = Pass::training(1, 0);
    std::vector<AttentionWeights> all;
    if (look) collect_weights(pass, all);
    outputs.push_back(layer(x, x, x, pass, {may, {}}));
    gradients.push_back(tape.backward(sum(slice(outputs.back(), 1, 1, 2)))[x]);
    if (look) expect_equal(slice(all[0].weights, 2, 1, 2), zeros({1, 2, 1, 4}, DType::f64));
  }
  expect_equal(slice(outputs[0], 1, 1, 2), reshape(layer.out->bias.value(), {1, 1, 8}), 0);
  expect_equal(gradients[0], zeros({1, 4, 8}, DType::f64));
  expect_equal(outputs[1], outputs[0]);
  expect_equal(gradients[1], gradients[0]);
}

BOOST_AUTO_TEST_CASE(the_definitions_are_special_cases) {
  const Index n = 4, m = 3, d = 2, e = 5;
  const Tensor q = normal_sample({1, 1, m, d}, 1), k = normal_sample({1, 1, n, d}, 2),
               v = normal_sample({1, 1, n, e}, 3), b = normal_sample({m, n}, 4);
  // Attention, with its weights, and masked: softmax((q k^T + b) / sqrt d) v.
  AttentionOptions how;
  how.mask = b;
  how.mask_before_scale = true;
  Tensor weights;
  how.weights = &weights;
  const Tensor y = attention(q, k, v, how);
  const Tensor by_hand = softmax((matmul(q, transpose(k)) + b) * (1 / std::sqrt(2.0)));
  expect_equal(weights, by_hand, 1e-14);
  expect_equal(y, matmul(by_hand, v), 1e-14);
  // Multi-head attention is the sum over heads, each with its slices of the projections.
  const MultiHeadAttention layer = made(presets::general(6, 5, 4, 2, 3, 7, 2));
  const Tensor x = normal_sample({1, m, 6}, 5), y_in = normal_sample({1, n, 5}, 6),
               z = normal_sample({1, n, 4}, 7);
  Pass pass;
  Tensor total = layer.out->bias.value();
  for (Index h = 0; h < 2; ++h) {
    const auto part = [&](const Linear& l, const Tensor& in, Index width) {
      const Tensor p = linear(in, slice(l.weight.value(), 0, h * width, (h + 1) * width),
                              slice(l.bias.value(), 0, h * width, (h + 1) * width));
      return reshape(p, Shape{1, 1, in.dim(1), width});
    };
    const Tensor one = tapehead::attention(part(*layer.projection.query, x, 2),
                                           part(*layer.projection.key, y_in, 2),
                                           part(*layer.projection.value, z, 3));
    total = total + linear(reshape(one, Shape{1, m, 3}),
                           slice(layer.out->weight.value(), 1, 3 * h, 3 * h + 3));
  }
  expect_equal(layer(x, y_in, z, pass), total, 1e-13);
}

// ---- presets

BOOST_AUTO_TEST_CASE(presets_have_the_parameters_that_they_should) {
  const auto count = [](const AttentionLayerOptions& options) {
    MultiHeadAttention layer(options);
    return count_parameters(layer);
  };
  BOOST_TEST(count(presets::transformer(768, 12)) == 2359296);
  BOOST_TEST(count(presets::transformer(12288, 96)) == 603979776);  // counting allocates no memory
  BOOST_TEST(count(presets::gpt2(768, 12)) == 4 * 768 * 768 + 4 * 768);
  BOOST_TEST(count(presets::single_head(64, 16)) == 64 * (2 * 16 + 64) + 2 * 16 + 64);
  BOOST_TEST(count(presets::wide_heads(64, 32, 4)) == 64 * 3 * 128 + 3 * 128 + 128 * 64 + 64);
  BOOST_TEST(count(presets::general(5, 6, 7, 2, 3, 4, 2)) ==
             (5 + 6) * 4 + 7 * 6 + 4 + 4 + 6 + 6 * 4 + 4);
  presets::TorchOptions torch;
  BOOST_TEST(count(presets::torch(16, 4)) == 4 * 16 * 16 + 4 * 16);
  torch.kdim = 5, torch.vdim = 7, torch.add_bias_kv = true;
  BOOST_TEST(count(presets::torch(16, 4, torch)) == 16 * (16 + 5 + 7 + 16) + 4 * 16 + 2 * 16);
  BOOST_TEST(count(presets::vit(64, 4, 16)) == 2 * 64 + 3 * 64 * 64 + 64 * 64 + 64);
  BOOST_TEST(count(presets::vit(64, 1, 64)) == 2 * 64 + 3 * 64 * 64);  // no output projection
  BOOST_TEST(count(presets::grouped(64, 8, 2)) == 64 * (64 + 2 * 16) + 64 * 64);
  BOOST_TEST(count(presets::relative(64, 4, 8)) == 4 * 64 * 64 + 4 * 64 + 2 * 17 * 16);
}

BOOST_AUTO_TEST_CASE(wrong_options_are_named) {
  const auto make = [](auto change) {
    return [=] {
      AttentionLayerOptions options = presets::gpt2(8, 2);
      change(options);
      MultiHeadAttention layer(options);
    };
  };
  expect_error<ValueError>(make([](auto& o) { o.heads = 3; }),
                           "attention: 3 heads don't divide width 8");
  expect_error<ValueError>(make([](auto& o) { o.heads = 0; }),
                           "attention: width is 8 and heads is 0, expected at least 1");
  expect_error<ValueError>(make([](auto& o) { o.kv_heads = 3; }),
                           "attention: kv_heads is 3, expected a divisor of heads, 2");
  expect_error<ValueError>(
      make([](auto& o) { o.key_input = 5; }),
      "attention: a fused projection needs inputs of the same width, got 8, 5 and 8");
  expect_error<ValueError>(
      make([](auto& o) { o.project_out = false, o.value_width = 3; }),
      "attention: without an output projection the output width must be 2 heads times 3, got 8");
  expect_error<ValueError>(make([](auto& o) { o.dropout = 1; }),
                           "attention: dropout is 1, expected a number in [0, 1)");
  expect_error<ValueError>(
      make([](auto& o) { o.position = LearnedPositions{}; }),
      "attention: learned and sinusoidal positions belong to the model's input, not to attention");
  expect_error<ValueError>(make([](auto& o) { o.position = RotaryPositions{}, o.head_width = 3; }),
                           "attention: rotary positions need an even head width, got 3");
}

BOOST_AUTO_TEST_CASE(torch_weights_are_checked_before_they_are_taken) {
  MultiHeadAttention layer = made(presets::torch(4, 2));
  const Tensor before = layer.projection.qkv->weight.value();
  std::map<std::string, Tensor> state = {{"in_proj_weight", normal_sample({12, 4}, 1)},
                                         {"in_proj_bias", normal_sample({12}, 2)},
                                         {"out_proj.weight", normal_sample({4, 4}, 3)}};
  expect_error<ValueError>([&] { load_torch(layer, state); },
                           "load_torch: 'out_proj.bias' is missing");
  state["out_proj.bias"] = zeros({3});
  expect_error<ValueError>([&] { load_torch(layer, state); },
                           "load_torch: 'out_proj.bias' is (3), expected (4)");
  BOOST_TEST(layer.projection.qkv->weight.value().id() == before.id());
  state["out_proj.bias"] = zeros({4});
  load_torch(layer, state);
  expect_equal(layer.projection.qkv->weight.value(), state["in_proj_weight"]);
  state["in_proj_weight"] = zeros({3, 4, 4});
  expect_error<ValueError>([&] { load_torch(layer, state); },
                           "load_torch: 'in_proj_weight' is (3, 4, 4), expected (12, 4)");
  state["in_proj_weight"] = zeros({12, 4});
  state["bias_k"] = zeros({1, 1, 4});
  expect_error<ValueError>([&] { load_torch(layer, state); },
                           "load_torch: this layer has no parameter for 'bias_k'");
}

BOOST_AUTO_TEST_CASE(torch_weights_fit_no_other_layer) {
  MultiHeadAttention layer = made(presets::single_head(4, 2));
  expect_error<ValueError>([&] { load_torch(layer, {}); },
                           "load_torch: the layer wasn't made from presets::torch");
}

// ---- tied keys and values

/// Copies the weights of `tied` to `separate`, which has value projections, too.
void copy_weights(MultiHeadAttention& tied, MultiHeadAttention& separate) {
  std::map<std::string, Tensor> values;
  for (const Parameter* p : parameters(tied)) values[p->path] = p->value();
  for (Parameter* p : parameters(separate)) {
    std::string name = p->path;
    if (name.rfind("value.", 0) == 0) name.replace(0, 5, "key");
    Tensor x = values.at(name);
    if (name.rfind("qkv.", 0) == 0) {
      const Index keys = tied.options.heads * tied.options.head_width;
      x = concat({x, slice(x, 0, keys, x.dim(0))}, 0);
    }
    p->set(x * 1.0);  // a tensor of its own
  }
}

BOOST_AUTO_TEST_CASE(tied_keys_and_values_are_two_equal_projections) {
  for (std::uint64_t seed = 1; seed <= repeats(60); ++seed) BOOST_TEST_CONTEXT("seed " << seed) {
      Draws draws(seed);
      AttentionLayerOptions o = any_options(draws);
      o.value_width = o.head_width, o.bias_kv = false, o.tied_kv = true;
      MultiHeadAttention tied = made(o, seed);
      o.tied_kv = false;
      MultiHeadAttention separate = made(o, seed);
      copy_weights(tied, separate);
      const Index values = o.kv_heads * o.head_width * (o.width + (o.in_bias ? 1 : 0));
      BOOST_TEST(count_parameters(tied) + values == count_parameters(separate));

      const Tensor x = draws.normal({2, 4, 6}), y = draws.normal({2, 4, 6});
      const std::array<Tensor, 3> inputs[] = {{x, x, x}, {x, y, y}, {x, y, x}};
      for (const auto& [q, k, v] : inputs) {
        std::map<std::string, Tensor> gradients[2];
        std::vector<Tensor> results;
        for (MultiHeadAttention* layer : {&tied, &separate}) {
          Tape tape;
          Pass pass = Pass::training(1, 2);
          results.push_back((*layer)(q, k, v, pass));
          const Gradients all = tape.backward(sum(results.back() * results.back()));
          for (const Parameter* p : parameters(*layer))
            gradients[results.size() - 1][p->path] = all[p->value()];
        }
        expect_equal(results[0], results[1], 1e-12);
        for (const auto& [path, gradient] : gradients[0]) {
          Tensor expected = gradients[1].at(path);
          if (path.rfind("key.", 0) == 0)
            expected = expected + gradients[1].at("value" + path.substr(3));
          if (path.rfind("qkv.", 0) == 0) {
            const Index first = o.heads * o.head_width, end = gradient.dim(0);
            expected =
                concat({slice(expected, 0, 0, first),
                        slice(expected, 0, first, end) + slice(expected, 0, end, expected.dim(0))},
                       0);
          }
          expect_equal(gradient, expected, 1e-11, path);
        }
      }
    }
}

BOOST_AUTO_TEST_CASE(tied_keys_and_values_are_cached_once) {
  AttentionLayerOptions o = presets::gpt2(8, 2);
  o.tied_kv = o.qk_norm = true, o.position = RotaryPositions{};
  const MultiHeadAttention layer = made(o);
  const Tensor x = normal_sample({2, 5, 8}, 1), whole = run(layer, x);
  Cache cache;
  for (Index t = 0; t < 5; ++t) {
    Pass pass;
    pass.cache = &cache;
    expect_equal(layer(slice(x, 1, t, t + 1), pass), slice(whole, 1, t, t + 1), 1e-12);
  }
  const auto& kept = cache.state<KeyValueCache>(&layer.projection);
  BOOST_TEST(kept.keys.time() == 5);
  BOOST_TEST(kept.values.time() == 0);
}

BOOST_AUTO_TEST_CASE(tied_keys_and_values_need_equal_sizes) {
  AttentionLayerOptions o;
  o.width = 8, o.heads = 2, o.tied_kv = true;
  o.value_width = 3;
  EXPECT_ERROR(ValueError, MultiHeadAttention(o),
               "attention: tied_kv needs keys and values of the same widths, got inputs of 8 and "
               "8, and heads of 4 and 3");
  o.value_width = 0, o.bias_kv = true;
  EXPECT_ERROR(ValueError, MultiHeadAttention(o),
               "attention: tied_kv and bias_kv can't be combined");
  o.bias_kv = false;
  MultiHeadAttention layer(o);
  EXPECT_ERROR(ValueError, load_torch(layer, {}),
               "load_torch: the layer wasn't made from presets::torch");
}

// ---- the cache

BOOST_AUTO_TEST_CASE(logits_with_a_cache_are_identical) {
  const std::pair<const char*, Positions> kinds[] = {{"none", Positions()},
                                                     {"learned", LearnedPositions{}},
                                                     {"sinusoidal", SinusoidalPositions{}},
                                                     {"rotary", RotaryPositions{}},
                                                     {"alibi", AlibiPositions{}},
                                                     {"relative", RelativePositions{3}},
                                                     {"t5", T5Positions{}}};
  for (const auto& [name, position] : kinds)
    for (Index kv_heads : {4, 2, 1}) {
      ModelOptions options;
      options.vocabulary = 11, options.context = 24, options.width = 32, options.heads = 4;
      options.kv_heads = kv_heads, options.position = position;
      options.temperature = kv_heads == 2 ? Temperature::head : Temperature::none;
      options.qk_norm = kv_heads == 1;
      GPT model(options);
      for (Parameter* p : parameters(model))
        p->set(p->value() + 0.1 * cast(normal_sample(p->shape, 5), DType::f32));
      std::vector<double> symbols;
      Random random(RandomKey{3});
      for (int i = 0; i < 2 * 24; ++i) symbols.push_back(static_cast<double>(random.below(11)));
      const Tensor ids = tensor(symbols, {2, 24}, DType::i32);
      Pass whole;
      const Tensor expected = model(ids, whole);  // (2, 24, 11)
      Cache cache;
      Index at = 0;
      for (Index count :
           {7, 1, 1, 1, 9, 1, 4}) {  // reads several tokens, then single ones, then several again
        Pass pass;
        pass.cache = &cache;
        expect_equal(model(slice(ids, 1, at, at + count), pass), slice(expected, 1, at, at + count),
                     1e-5,
                     fmt::format("position {}, {} kv heads, symbols {} to {}", name, kv_heads, at,
                                 at + count));
        at += count;
        BOOST_TEST(cache.length == at);
      }
      Pass pass;
      pass.cache = &cache;
      expect_error<ShapeError>([&] { model(slice(ids, 1, 0, 1), pass); },
                               "embedding: ids (2, 1) after 24 earlier tokens, expected (batch, "
                               "time) with at most 24 tokens in all");
    }
}

// ---- memory

/// Returns the peak memory of forward and backward over `time` positions.
double peak_bytes(const AttentionLayerOptions& options, Index time) {
  const MultiHeadAttention layer = made(options, 1, DType::f32);
  const Tensor x = cast(normal_sample({1, time, options.width}, 1), DType::f32);
  const auto step = [&] {
    Tape tape;
    tape.watch(x);
    Pass pass = Pass::training(1, 0);
    tape.backward(sum(layer(x, pass)));
  };
  step();
  const std::size_t before = memory_use().live;
  reset_memory_peak();
  step();
  return static_cast<double>(memory_use().peak - before);
}

BOOST_AUTO_TEST_CASE(memory_grows_linearly_with_the_sequence) {
  const Index time = under_sanitizers ? 512 : 1024;
  const Positions kinds[] = {Positions(), RelativePositions{}, T5Positions{}};
  for (const Positions& position : kinds) {
    AttentionLayerOptions options = presets::gpt2(8, 2);
    options.causal = !position.as<RelativePositions>();
    options.kv_heads = 1, options.position = position, options.dropout = 0.1;
    options.temperature = Temperature::head;
    const double once = peak_bytes(options, time), twice = peak_bytes(options, 2 * time);
    BOOST_TEST(twice < 2.2 * once,
               "position " << &position - kinds << ": " << once << " then " << twice);
    BOOST_TEST(once <
               static_cast<double>(time * time) * sizeof(float));  // less than one head's weights
  }
}

BOOST_AUTO_TEST_SUITE_END()

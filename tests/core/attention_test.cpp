#include "../../core/checks/inputs.hpp"
#include "../../core/ops/attention_plan.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(attention)

namespace {

/// A combination of options and its inputs: q, k, v, then every differentiable tensor of the
/// options.
struct Combination {
  AttentionOptions options;
  std::vector<Tensor> inputs;
  std::vector<Tensor AttentionOptions::*> fields;  // the option of each input after the first three
  Index heads = 1, kv_heads = 1;
  std::string what;

  AttentionOptions with(const std::vector<Tensor>& x) const {
    AttentionOptions all = options;
    for (std::size_t i = 0; i < fields.size(); ++i) all.*fields[i] = x[3 + i];
    return all;
  }
  Tensor kernel(const std::vector<Tensor>& x) const {
    return tapehead::attention(x[0], x[1], x[2], with(x));
  }
  Tensor decomposition(const std::vector<Tensor>& x) const {
    return attention_decomposition(x[0], x[1], x[2], with(x));
  }
};

/// The ranges of sizes for random combinations.
struct Ranges {
  Index queries, keys, width;
};

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(RandomKey{seed}), seed_(1000 * seed) {}

  Combination combination(const Ranges& ranges) {
    Combination c;
    const Index batch = 1 + below(2), queries = 1 + below(ranges.queries);
    c.kv_heads = 1 + below(2), c.heads = c.kv_heads * (1 + below(3));
    const Index keys = coin() ? queries : 1 + below(ranges.keys);
    const Index d = 1 + below(ranges.width), e = 1 + below(ranges.width);
    auto& o = c.options;
    o.extra = coin() ? 0 : below(3);
    o.causal = coin(), o.hide_self = below(4) == 0, o.mask_before_scale = coin();
    o.window = below(3) == 0 ? 1 + below(keys) : 0;
    c.inputs = {normal({batch, c.heads, queries, d}),
                normal({batch, c.kv_heads, o.extra + keys, d}),
                normal({batch, c.kv_heads, o.extra + keys, e})};
    const std::vector<Shape> mask_shapes = {{queries, keys},
                                            {batch, queries, keys},
                                            {batch * c.heads, queries, keys},
                                            {batch, c.heads, queries, keys},
                                            {1, c.heads, 1, keys},
                                            {batch, 1, queries, 1},
                                            {keys}};
    mask(c, &AttentionOptions::mask, mask_shapes[below(7)]);
    mask(c, &AttentionOptions::key_mask, {batch, keys});
    const Index reach = below(4);
    if (below(3) == 0) add(c, &AttentionOptions::relative_keys, normal({2 * reach + 1, d}));
    if (below(3) == 0) add(c, &AttentionOptions::relative_values, normal({2 * reach + 1, e}));
    if (below(3) == 0)
      add(c, &AttentionOptions::bias, normal({coin() ? 1 : c.heads, queries + keys - 1}));
    const auto scalars = [&] { return coin() ? Shape{} : Shape{c.heads}; };
    if (below(3) == 0) add(c, &AttentionOptions::scale, normal(scalars()));
    if (coin()) add(c, &AttentionOptions::temperature, normal(scalars()));
    if (coin()) o.dropout = 0.4, o.key = {seed_, Draw::dropout, 3, 1, 5};
    c.what = fmt::format(
        "batch {}, {} heads over {}, {} queries, {} + {} keys, d {}, e {}, causal {}, window {}, "
        "hide self {}, mask {}, key mask {}, before scale {}, bias {}, relative {} {}, scale {}, "
        "temperature {}, "
        "dropout {}",
        batch, c.heads, c.kv_heads, queries, o.extra, keys, d, e, o.causal, o.window, o.hide_self,
        name(o.mask), name(o.key_mask), o.mask_before_scale, name(o.bias), name(o.relative_keys),
        name(o.relative_values), name(o.scale), name(o.temperature), o.dropout);
    return c;
  }
  Index below(Index n) { return random_.below(n); }
  bool coin() { return below(2) == 1; }
  Tensor normal(const Shape& shape) { return normal_sample(shape, ++seed_); }

 private:
  static std::string name(const Tensor& x) {
    return x ? fmt::format("{} {}", x.dtype(), x.shape()) : "none";
  }
  void add(Combination& c, Tensor AttentionOptions::*field, const Tensor& value) {
    c.options.*field = value;
    c.fields.push_back(field);
    c.inputs.push_back(value);
  }
  /// Sets no mask, a boolean mask, a float mask with some minus infinities, or a differentiable
  /// one.
  void mask(Combination& c, Tensor AttentionOptions::*field, const Shape& shape) {
    const Index kind = below(4);
    const Tensor may = uniform_sample(shape, 0, 1, ++seed_) < 0.7;
    if (kind == 1) c.options.*field = may;
    if (kind == 2) c.options.*field = where(may, normal(shape), scalar(-infinity, DType::f64));
    if (kind == 3) add(c, field, normal(shape));
  }

  Random random_;
  std::uint64_t seed_;
};

struct Result {
  Tensor y;
  std::vector<Tensor> gradients;
};
template <class F>
Result differentiate(const F& f, const std::vector<Tensor>& inputs) {
  Tape tape;
  for (const Tensor& x : inputs) tape.watch(x);
  Result result;
  result.y = f(inputs);
  const Tensor dy = cast(normal_sample(result.y.shape(), 7), result.y.dtype());
  const Gradients gradients = tape.backward(result.y, dy);
  for (const Tensor& x : inputs) result.gradients.push_back(gradients[x]);
  return result;
}

void expect_decomposition(const Combination& c, double tolerance) {
  const Result kernel = differentiate([&](const auto& x) { return c.kernel(x); }, c.inputs);
  const Result decomposition =
      differentiate([&](const auto& x) { return c.decomposition(x); }, c.inputs);
  expect_equal(kernel.y, decomposition.y, tolerance, c.what);
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    expect_equal(kernel.gradients[i], decomposition.gradients[i], 10 * tolerance,
                 fmt::format("gradient of input {}, {}", i, c.what));
}

/// (batch, heads, time, d) -> (batch, time, heads * d)
Tensor side_by_side(const Tensor& x) {
  return reshape(permute(x, {0, 2, 1, 3}), Shape{x.dim(0), x.dim(2), x.dim(1) * x.dim(3)});
}

}  // namespace

BOOST_AUTO_TEST_CASE(gradients_of_random_combinations_agree_with_differences) {
  constexpr int combinations = 360;
  Index seen_nothing = 0;
  for (int i = 0; i < combinations; ++i) {
    Draws draws(static_cast<std::uint64_t>(i) + 1);
    const Combination c = draws.combination({4, 5, 3});
    GradcheckOptions options;
    options.full = 0, options.each = 64, options.directions = 6;
    const auto f = [&](const std::vector<Tensor>& x) { return c.kernel(x); };
    const GradcheckResult result = gradcheck(f, c.inputs, options);
    BOOST_TEST(result.passed, c.what << ": " << to_string(result));
    AttentionOptions undropped = c.options;
    undropped.dropout = 0;
    Tensor weights;
    undropped.weights = &weights;
    tapehead::attention(c.inputs[0], c.inputs[1], c.inputs[2], undropped);
    for (double sum : tapehead::sum(weights, {3}).values()) {
      BOOST_TEST((std::abs(sum - 1) < 1e-12 || sum == 0), c.what);
      seen_nothing += sum == 0;
    }
  }
  BOOST_TEST(seen_nothing > 50);  // some queries may attend to no key
}

BOOST_AUTO_TEST_CASE(the_kernel_is_its_decomposition) {
  for (std::uint64_t i = 0; i < 360; ++i)
    expect_decomposition(Draws(1000 + i).combination({5, 6, 4}), 1e-12);
  for (std::uint64_t i = 0; i < 12; ++i)  // several blocks of queries and tiles of keys
    expect_decomposition(Draws(2000 + i).combination({80, 1200, 4}), 1e-12);
}

BOOST_AUTO_TEST_CASE(a_gradient_can_be_differentiated_again) {
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Combination c = Draws(3000 + i).combination({3, 4, 2});
    GradcheckOptions options;
    options.full = 0, options.each = 0, options.directions = 4;
    const auto f = [&](const std::vector<Tensor>& x) { return c.kernel(x); };
    const GradcheckResult result = gradcheck_second(f, c.inputs, options);
    BOOST_TEST(result.passed, c.what << ": " << to_string(result));
  }
}

BOOST_AUTO_TEST_CASE(concatenated_heads_give_the_same_result) {
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Combination c = Draws(4000 + i).combination({40, 6, 4});
    const Tensor y = c.kernel(c.inputs);
    std::vector<Tensor> joined = c.inputs;
    for (std::size_t part = 0; part < 3; ++part) joined[part] = side_by_side(joined[part]);
    const auto f = [&](const std::vector<Tensor>& x) {
      return multi_head_attention(x[0], x[1], x[2], c.heads, c.kv_heads, c.with(x));
    };
    const Result side = differentiate(f, joined);
    expect_equal(side.y, side_by_side(y), 0, c.what);
    if (c.inputs[1].shape() != c.inputs[2].shape() || c.inputs[0].dim(2) != c.inputs[1].dim(2))
      continue;
    std::vector<Tensor> one = joined;
    const auto self = [&](const std::vector<Tensor>& x) {
      return self_attention(concat({x[0], x[1], x[2]}, 2), c.heads, c.kv_heads, c.with(x));
    };
    const Result together = differentiate(self, one);
    expect_equal(together.y, side.y, 0, c.what);
    for (std::size_t part = 0; part < one.size(); ++part)
      expect_equal(together.gradients[part], side.gradients[part], 0, c.what);
  }
}

BOOST_AUTO_TEST_CASE(single_precision_is_as_close_as_it_can_be) {
  for (std::uint64_t i = 0; i < 60; ++i) {
    Combination c = Draws(5000 + i).combination({40, 600, 8});
    const Result exact = differentiate([&](const auto& x) { return c.kernel(x); }, c.inputs);
    for (Tensor& x : c.inputs) x = cast(x, DType::f32);
    for (Tensor* x : {&c.options.mask, &c.options.key_mask})
      if (*x && x->is_float()) *x = cast(*x, DType::f32);
    const Result rounded = differentiate([&](const auto& x) { return c.kernel(x); }, c.inputs);
    expect_equal(cast(rounded.y, DType::f64), exact.y, 2e-5, c.what);
  }
}

/// The gradients of a learned scale and temperature are sums in which large scores cancel out.
BOOST_AUTO_TEST_CASE(gradients_of_a_learned_factor_keep_their_digits_at_large_scores) {
  for (const double spread : {1., 10., 100., 1e3, 1e4}) {
    for (auto field : {&AttentionOptions::temperature, &AttentionOptions::scale}) {
      double kernel = 0, decomposition = 0;  // root of the sum of squared errors (L2)
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto normal = [&](const Shape& shape, std::uint64_t part) {
          return random_normal(shape, {100 * seed + part}, DType::f64);
        };
        const bool scale = field == &AttentionOptions::scale;
        Combination c;
        c.heads = c.kv_heads = 2;
        c.options.causal = true;
        c.inputs = {normal({1, 2, 40, 16}, 1) * (scale ? 1 : spread), normal({1, 2, 40, 16}, 2),
                    normal({1, 2, 40, 16}, 3), full({2}, scale ? spread / 4 : 0.3, DType::f64)};
        c.fields = {field};
        const auto in_f32 = [&] {
          std::vector<Tensor> inputs;
          for (const Tensor& x : c.inputs) inputs.push_back(cast(x, DType::f32));
          return inputs;
        }();
        std::vector<Tensor> same;  // exact in f32, so that all errors come from the computation
        for (const Tensor& x : in_f32) same.push_back(cast(x, DType::f64));
        const auto gradient = [&](const auto& f, const std::vector<Tensor>& inputs) {
          return differentiate(f, inputs).gradients[3];
        };
        const auto by_kernel = [&](const auto& x) { return c.kernel(x); };
        const auto by_decomposition = [&](const auto& x) { return c.decomposition(x); };
        const Tensor exact = gradient(by_decomposition, same);
        for (Index head = 0; head < 2; ++head) {
          const double right = exact(head);
          kernel += std::pow(gradient(by_kernel, in_f32)(head) - right, 2);
          decomposition += std::pow(gradient(by_decomposition, in_f32)(head) - right, 2);
        }
      }
      BOOST_TEST(std::sqrt(kernel) <= 2 * std::sqrt(decomposition), "scores of " << spread);
    }
  }
}

/// Results are bitwise identical for any hidden elements, because these must not be used at all.
BOOST_AUTO_TEST_CASE(hidden_keys_and_values_may_be_anything) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  int tried = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Combination c = Draws(6000 + i).combination({5, 6, 3});
    c.options.mask_before_scale = c.options.mask_before_scale && !c.options.mask;
    const Tensor &q = c.inputs[0], &k = c.inputs[1], &v = c.inputs[2];
    const Index batch = q.dim(0), keys = k.dim(2) - c.options.extra;
    if (keys < 1) continue;
    // Hides the first key that isn't an extra key from all queries.
    Tensor may = ones({batch, keys}, DType::i32);
    for (Index b = 0; b < batch; ++b) may.mutable_data<std::int32_t>()[b * keys] = 0;
    c.options.key_mask = may;
    for (std::size_t f = 0; f < c.fields.size(); ++f)
      if (c.fields[f] == &AttentionOptions::key_mask) {
        c.inputs[3 + f] = may;  // replaces the random mask
      }
    const auto poisoned = [&](const Tensor& x, double with) {
      std::vector<double> values = x.values();
      const Index width = x.dim(3);
      for (Index head = 0; head < batch * c.kv_heads; ++head)
        for (Index l = 0; l < width; ++l)
          values[(head * x.dim(2) + c.options.extra) * width + l] = with;
      return tensor(values, x.shape(), DType::f64);
    };
    const auto run = [&](const std::vector<Tensor>& inputs) {
      Tape tape;
      tape.watch(inputs[0]);
      const Tensor y = c.kernel(inputs);
      return std::make_pair(y, tape.backward(y, normal_sample(y.shape(), 3))[inputs[0]]);
    };
    const auto [clean, dq] = run(c.inputs);
    for (double poison : {nan, infinity, 1e300}) {
      std::vector<Tensor> inputs = c.inputs;
      inputs[1] = poisoned(k, poison), inputs[2] = poisoned(v, poison);
      const auto [y, dq_now] = run(inputs);
      expect_equal(y, clean, 1e-15, c.what);
      expect_equal(dq_now, dq, 1e-12, c.what);
      ++tried;
    }
  }
  BOOST_TEST(tried > 300);
}

BOOST_AUTO_TEST_CASE(a_hidden_value_may_be_nan_in_every_lane_of_a_register) {
  for (DType type : {DType::f32, DType::f64}) {
    const Shape shape{1, 1, 3, 32};
    const Tensor q = cast(normal_sample(shape, 1), type), k = cast(normal_sample(shape, 2), type);
    const Tensor rest = cast(normal_sample({1, 1, 2, 32}, 3), type);
    const auto with = [&](double first) {
      AttentionOptions options;
      options.key_mask = cast(tensor({0, 1, 1}, {1, 3}), DType::i32);
      return tapehead::attention(q, k, concat({full({1, 1, 1, 32}, first, type), rest}, 2),
                                 options);
    };
    BOOST_TEST(with(std::numeric_limits<double>::quiet_NaN()).values() == with(0).values(),
               per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()

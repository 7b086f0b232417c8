// Compares every op with its definition in tests/core/reference, for the samples of its gradient
// checks and for special values.
#include "reference/reference.hpp"
#include "../../parts/checks/samples/samples.hpp"
#include "../shared/support.hpp"

#include <cmath>
#include <limits>
#include <set>

using namespace tapehead;
using tapehead::reference::definition_of;

BOOST_AUTO_TEST_SUITE(reference)

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Tensor in_type(const Tensor& x, DType dtype) {
  return x.is_float() ? tensor(x.values(), x.shape(), dtype) : x;
}
double tolerance(DType dtype) { return dtype == DType::f32 ? 2e-6 : 2e-14; }

/// Checks shape, type and numbers; errors are relative to `floor` for small numbers. NaN must be
/// where the definition has NaN.
void expect_alike(const Tensor& y, const Tensor& defined, double floor, const std::string& what) {
  BOOST_TEST_CONTEXT(what << " in " << to_string(y.dtype())) {
    BOOST_TEST_REQUIRE(to_string(y.shape()) == to_string(defined.shape()));
    BOOST_TEST_REQUIRE(to_string(y.dtype()) == to_string(defined.dtype()));
    for (Index i = 0; i < y.size(); ++i) {
      const bool close = (std::isnan(y(i)) && std::isnan(defined(i))) ||
                         relative_error(y(i), defined(i), floor) <= tolerance(y.dtype());
      BOOST_TEST_REQUIRE(close, fmt::format("element {} is {:.17g}, and by its definition {:.17g}",
                                            i, y(i), defined(i)));
    }
  }
}

/// Returns the largest magnitude, but at least 1, which determines the rounding error of sums.
double scale_of(const Tensor& x) {
  double scale = 1;
  for (const double value : x.values())
    if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
  return scale;
}

/// Checks that an op and its definition agree on these arguments, in f32 and f64.
void expect_defined(const std::string& op, const OpArguments& given, const std::string& what = "",
                    double floor = 1) {
  for (const DType dtype : {DType::f64, DType::f32}) {
    OpArguments arguments = given;
    for (Tensor& x : arguments.tensors)
      if (x) x = in_type(x, dtype);
    expect_alike((*find_op(op))(arguments), definition_of(op)(arguments), floor, op + ", " + what);
  }
}

}  // namespace

// ---- all ops

BOOST_AUTO_TEST_CASE(definitions_take_the_arguments_of_their_ops) {
  for (const Op& op : ops()) BOOST_TEST_CONTEXT(op.name) {
      const Op& definition = definition_of(op.name);
      BOOST_TEST_REQUIRE(definition.arguments.size() == op.arguments.size());
      for (std::size_t i = 0; i < op.arguments.size(); ++i) {
        const OpArgument &mine = op.arguments[i], &other = definition.arguments[i];
        BOOST_TEST((mine.kind == other.kind), mine.name);
        const std::set<std::string> words(other.words.begin(), other.words.end());
        BOOST_TEST(words.size() == mine.words.size(), mine.name);
      }
    }
}

BOOST_AUTO_TEST_CASE(every_op_agrees_with_its_definition_over_its_samples) {
  const std::set<std::string> called_below = {"equal",  "less",    "less_equal", "argmax",
                                              "arange", "one_hot", "tril_mask",  "triu_mask"};
  for (const Op& op : ops()) {
    BOOST_TEST(samples_of(op.name).empty() == (called_below.count(op.name) > 0), op.name);
    for (const OpSample& sample : samples_of(op.name)) {
      const OpArguments arguments{sample.tensors, sample.options};
      const double floor = scale_of(definition_of(op.name)(arguments));
      expect_defined(op.name, arguments, sample.what, floor);
    }
  }
}

BOOST_AUTO_TEST_CASE(ops_without_a_gradient_agree_with_their_definitions) {
  const Tensor a = tensor({1, 2, 3, 4}, {4, 1}), b = tensor({2, 3, 3});
  for (const char* const op : {"equal", "less", "less_equal"}) expect_defined(op, {{a, b}});
  const Tensor ids = tensor({2, 0, 1, 2}, {2, 2}, DType::i32);
  expect_defined("one_hot", {{ids}, {{"classes", 4}}});
  for (const int n : {0, 5}) expect_defined("arange", {{}, {{"n", n}}});
  for (const DType dtype : {DType::f32, DType::f64, DType::i32}) {
    expect_equal(arange(5, dtype), cast(definition_of("arange")({{}, {{"n", 5}}}), dtype));
    expect_equal(one_hot(ids, 4, dtype),
                 cast(definition_of("one_hot")({{ids}, {{"classes", 4}}}), dtype));
  }
  for (const int diagonal : {-2, 0, 1, 9})
    for (const char* const op : {"tril_mask", "triu_mask"})
      expect_defined(op, {{}, {{"rows", 3}, {"columns", 4}, {"diagonal", diagonal}}});
}

BOOST_AUTO_TEST_CASE(whole_numbers_agree_with_their_definitions) {
  const Tensor a = tensor({7, -3, 0, 2147483}, {4, 1}, DType::i32),
               b = tensor({-2, 0, 1}, DType::i32);
  for (const char* const op : {"add", "sub", "mul", "maximum", "minimum"})
    expect_defined(op, {{a, b}});
}

// ---- special values

namespace {

/// Returns zeros of both signs, the smallest numbers of both types, infinities and NaN.
Tensor special() {
  return tensor({0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-45, -1e-45, 5e-324, 1e-38, 1e30, -1e30,
                 infinity, -infinity, nan},
                DType::f64);
}

}  // namespace

BOOST_AUTO_TEST_CASE(functions_of_special_values_agree_with_their_definitions) {
  using Options = std::vector<Attribute>;
  const auto check = [](const char* op, const Tensor& of = special(), const Options& options = {}) {
    expect_defined(op, {{of}, options}, "special values");
    expect_defined(op, {{tensor({0.75})}, options}, "one element");
    expect_defined(op, {{scalar(-0.25)}, options}, "rank 0");
    expect_defined(op, {{zeros({0, 3})}, options}, "no elements");
  };
  for (const char* const op : {"neg", "exp", "log", "log1p", "sqrt", "abs", "erf", "tanh",
                               "sigmoid", "relu", "silu", "softplus", "gelu"})
    check(op);
  for (const char* const op : {"sin", "cos"}) check(op, clamp(special(), -1e3, 1e3));
  check("clamp", special(), {{"low", -1.0}, {"high", 2.0}});
  check("cast", special(), {{"type", "f64"}});
  check("gelu", special(), {{"form", "erf"}});
  expect_defined("masked_fill", {{special(), special() < 0}, {{"value", infinity}}});
}

BOOST_AUTO_TEST_CASE(pairs_of_special_values_agree_with_their_definitions) {
  const Tensor column = reshape(special(), {-1, 1});
  for (const char* const op :
       {"add", "sub", "mul", "div", "pow", "maximum", "minimum", "equal", "less", "less_equal"}) {
    expect_defined(op, {{column, special()}});
    expect_defined(op, {{zeros({0, 3}), zeros({3})}});
    expect_defined(op, {{zeros({2, 1, 0}), zeros({3, 1})}});
  }
  expect_defined("where", {{column < special(), column, special()}});
}

BOOST_AUTO_TEST_CASE(rows_of_special_values_agree_with_their_definitions) {
  using Options = std::vector<Attribute>;
  using List = Attribute::List;
  const Tensor rows = tensor({1,         2,         3,  -infinity, -infinity, -infinity,  //
                              -infinity, 0,         1,  infinity,  0,         1,          //
                              infinity,  -infinity, 2,  nan,       1,         infinity,   //
                              infinity,  infinity,  -1, 1,         nan,       -infinity},
                             {8, 3}, DType::f64);
  const auto check = [&](const char* op, const Options& options = {}) {
    expect_defined(op, {{rows}, options});
    expect_defined(op, {{tensor({5, -infinity, nan}, {3, 1})}, options});
  };
  const auto check_empty = [&](const char* op, const Options& options = {}) {
    check(op, options);
    expect_defined(op, {{zeros({0, 3})}, options});
    expect_defined(op, {{zeros({3, 0})}, options});
  };
  check_empty("sum", {{"axes", List{-1}}});
  check("mean", {{"axes", List{0}}});
  check_empty("mean", {{"axes", List{-1}}, {"keep", true}});
  check("amax", {{"axes", List{1}}});
  check("amax", {{"axes", List{0}}});
  check_empty("var", {{"axes", List{-1}}});
  check("var", {{"axes", List{-1}}, {"correction", 3}});
  check_empty("sum_to", {{"shape", List{1}}});
  check_empty("cumsum");
  check_empty("cumsum", {{"axis", 0}, {"back", true}});
  check("argmax");
  check("argmax", {{"axis", 0}, {"keep", true}});
  check("top_k", {{"k", 1}});
  check("top_k", {{"k", 1}, {"part", "ids"}});
  for (const char* const op : {"softmax", "log_softmax", "logsumexp"}) check_empty(op);
  check_empty("logsumexp", {{"keep", true}});
}

// ---- cases without a sample of a gradient check

BOOST_AUTO_TEST_CASE(every_option_of_attention_agrees_with_its_definition) {
  // batch 2, 4 heads, 2 key-value heads, 3 queries, 5 keys and 2 extra keys, widths 4 and 3
  const auto drawn = [](const Shape& shape, std::uint64_t seed) {
    return normal_sample(shape, seed);
  };
  const Tensor q = drawn({2, 4, 3, 4}, 1), k = drawn({2, 2, 7, 4}, 2), v = drawn({2, 2, 7, 3}, 3);
  const Tensor boolean = drawn({3, 5}, 4) < 0.5,
               padding = tensor({1, 1, 1, 0, 0, 1, 1, 1, 1, 0}, {2, 5}, DType::i32);
  const Tensor added = where(boolean, drawn({8, 3, 5}, 5), scalar(-infinity, DType::f64));
  using Options = AttentionOptions;
  const std::vector<std::function<void(Options&, DType)>> options = {
      [](Options& o, DType) { o.causal = true; },
      [](Options& o, DType) { o.hide_self = true; },
      [](Options& o, DType) { o.window = 3; },
      [&](Options& o, DType) { o.mask = boolean; },
      [&](Options& o, DType dtype) { o.mask = in_type(added, dtype); },
      [&](Options& o, DType dtype) { o.mask = in_type(added, dtype), o.mask_before_scale = true; },
      [&](Options& o, DType) { o.key_mask = padding; },
      [&](Options& o, DType dtype) {
        o.key_mask = in_type(drawn({2, 5}, 6), dtype);
      },
      [&](Options& o, DType dtype) {
        o.bias = in_type(drawn({4, 7}, 7), dtype);
      },
      [&](Options& o, DType dtype) {
        o.relative_keys = in_type(drawn({5, 4}, 8), dtype);
      },
      [&](Options& o, DType dtype) {
        o.relative_values = in_type(drawn({5, 3}, 9), dtype);
      },
      [&](Options& o, DType dtype) {
        o.scale = in_type(tensor({0.5, -1, 2, 0}), dtype);
      },
      [&](Options& o, DType dtype) { o.temperature = in_type(scalar(0.7), dtype); },
      [&](Options& o, DType) {
        o.dropout = 0.3, o.key = {5, Draw::dropout, 2, 1, 3};
      }};
  const auto compare = [&](const Options& with, const Tensor& keys, const std::string& what) {
    const DType dtype = keys.dtype();
    const Tensor queries = in_type(q, dtype), values = in_type(v, dtype);
    Options own = with;
    Tensor weights;
    own.weights = &weights;
    const Tensor y = attention(queries, keys, values, own);
    const auto defined = tapehead::reference::attention_with_weights(queries, keys, values, with);
    expect_alike(y, defined.y, 1, what);
    expect_alike(weights, defined.weights, 1, "the weights of " + what);
  };
  for (const DType dtype : {DType::f64, DType::f32}) {
    Options all;
    all.extra = 2;
    for (std::size_t i = 0; i < options.size(); ++i) {
      Options one;
      one.extra = 2;
      options[i](one, dtype);
      compare(one, in_type(k, dtype), fmt::format("option {}", i));
      options[i](all, dtype);
      compare(all, in_type(k, dtype), fmt::format("options 0 to {}", i));
    }
  }
}

BOOST_AUTO_TEST_CASE(hidden_keys_may_be_nan) {
  const Tensor q = normal_sample({1, 1, 2, 2}, 1);
  const Tensor k = tensor({1, 2, nan, nan}, {1, 1, 2, 2}, DType::f64);
  AttentionOptions options;
  options.key_mask = tensor({1, 0}, {1, 2}, DType::i32);
  const Tensor y = attention(q, k, k, options);
  expect_equal(y, {1, 2, 1, 2});
  expect_equal(y, tapehead::reference::attention_with_weights(q, k, k, options).y);
}

BOOST_AUTO_TEST_CASE(options_of_self_attention_agree_with_its_definition) {
  const Tensor qkv = normal_sample({2, 3, 16}, 1);
  AttentionOptions options;
  options.mask = uniform_sample({2, 3, 3}, 0, 1, 2) < 0.6;
  options.temperature = tensor({0.2, -0.3, 0.1, 0.4}, DType::f64);
  options.dropout = 0.3;
  options.key = {5, Draw::dropout, 2, 1, 3};
  expect_alike(self_attention(qkv, 4, 2, options),
               tapehead::reference::self_attention_with(qkv, 4, 2, options), 1, "self_attention");
}

BOOST_AUTO_TEST_CASE(layers_of_special_sizes_agree_with_their_definitions) {
  expect_defined("gather_rows", {{ones({3, 2}), zeros({0, 2}, DType::i32)}});
  expect_defined("matmul", {{zeros({2, 0}), zeros({0, 3})}});
  expect_defined("dropout", {{ones({2, 3})}, {{"p", 1.0}, {"seed", 3}}});
  expect_defined("dropout", {{ones({3, 67})}, {{"p", 0.25}, {"seed", 3}}});
  expect_defined("cross_entropy", {{ones({2, 3}), tensor({-1, -1}, DType::i32)}});
}

BOOST_AUTO_TEST_SUITE_END()

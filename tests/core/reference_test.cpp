// Every op against its definition in tests/core/reference: over the samples of its gradient checks,
// and where the values are special.
#include "reference/reference.hpp"
#include "../../core/op_table.hpp"
#include "../../parts/checks/samples/samples.hpp"
#include "../shared/build.hpp"
#include "../shared/support.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <regex>
#include <set>
#include <sstream>

namespace tapehead {
/// What the samples of an op compute by the definitions; see reference_samples.cpp.
std::vector<Function> definitions_of(const std::string& op);
}  // namespace tapehead

using namespace tapehead;
using reference::Value;

BOOST_AUTO_TEST_SUITE(reference)

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Tensor in_type(const Tensor& x, DType dtype) {
  return x.is_float() ? tensor(x.values(), x.shape(), dtype) : x;
}
double tolerance(DType dtype) { return dtype == DType::f32 ? 2e-6 : 2e-14; }

/// Requires the same shape, type and numbers, relative to `floor` for small ones. NaN is required
/// where the definition gives NaN.
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

/// 1, or the largest number where that is more: what sums are exact to.
double scale_of(const Tensor& x) {
  double scale = 1;
  for (const double value : x.values())
    if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
  return scale;
}

/// f, a call of an op, of the same tensors in both types: by the op, and by its definition.
template <class F, class... Tensors>
void expect_defined(const std::string& what, const F& f, const Tensors&... x) {
  for (const DType dtype : {DType::f64, DType::f32})
    expect_alike(f(in_type(x, dtype)...), f(Value(in_type(x, dtype))...), 1, what);
}

/// As core/ops.hpp and its reference declare them: the name and the parameters of each op, but for
/// the precision of products, which a definition doesn't round.
std::set<std::string> declared(const std::string& path, const std::string& type) {
  std::ifstream file(source_dir + path);
  std::stringstream text;
  text << file.rdbuf();
  std::string code = std::regex_replace(text.str(), std::regex("//[^\n]*"), "");
  code = std::regex_replace(code, std::regex("\\s+"), " ");
  code = std::regex_replace(code, std::regex(", Precision precision = Precision::f32"), "");
  code = std::regex_replace(code, std::regex("\\b" + type + "\\b"), "T");
  const std::regex op("\\b(((std::vector<)?T>?|TopK) \\w+\\((?:[^;{]|\\{\\})*\\));");
  std::set<std::string> all;
  for (std::sregex_iterator match(code.begin(), code.end(), op), end; match != end; ++match)
    all.insert((*match)[1]);
  return all;
}

}  // namespace

// ---- all ops

BOOST_AUTO_TEST_CASE(every_op_is_declared_as_its_definition_is) {
  std::set<std::string> ops = declared("/core/ops.hpp", "Tensor");
  ops.erase("T add(const T& a, T&& b)");  // the same, in b's memory
  BOOST_TEST(ops.size() > 60);
  BOOST_TEST(ops == declared("/tests/core/reference/reference.hpp", "Value"),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_op_agrees_with_its_definition_over_its_samples) {
  const std::set<std::string> called_below = {"equal",  "less",    "less_equal", "argmax",
                                              "arange", "one_hot", "tril_mask",  "triu_mask"};
  for (const OpRow& op : op_table()) {
    const auto& samples = samples::samples_of(op.name);
    const std::vector<Function> definitions = definitions_of(op.name);
    BOOST_TEST_REQUIRE(samples.size() == definitions.size(), op.name);
    BOOST_TEST(samples.empty() == (called_below.count(op.name) > 0), op.name);
    for (std::size_t i = 0; i < samples.size(); ++i)
      for (const DType dtype : {DType::f64, DType::f32}) {
        std::vector<Tensor> inputs;
        for (const Tensor& x : samples[i].inputs) inputs.push_back(in_type(x, dtype));
        const std::string what = op.name + ", " + samples[i].what;
        try {
          const Tensor y = samples[i].f(inputs);
          const Tensor defined = definitions[i](inputs);
          expect_alike(y, defined, scale_of(defined), what);
        } catch (const TypeError&) {  // the sample has caught a constant in f64
          BOOST_TEST(to_string(dtype) == "f32", what);
        }
      }
  }
}

BOOST_AUTO_TEST_CASE(ops_without_a_gradient_agree_with_their_definitions) {
  const Tensor a = tensor({1, 2, 3, 4}, {4, 1}), b = tensor({2, 3, 3});
  expect_defined(
      "equal", [](auto x, auto y) { return equal(x, y); }, a, b);
  expect_defined(
      "less", [](auto x, auto y) { return less(x, y); }, a, b);
  expect_defined(
      "less_equal", [](auto x, auto y) { return less_equal(x, y); }, a, b);
  const Tensor ids = tensor({2, 0, 1, 2}, {2, 2}, DType::i32);
  for (const DType dtype : {DType::f32, DType::f64, DType::i32}) {
    expect_equal(arange(5, dtype), tapehead::reference::arange(5, dtype));
    expect_equal(one_hot(ids, 4, dtype), tapehead::reference::one_hot(ids, 4, dtype));
  }
  expect_equal(arange(0), tapehead::reference::arange(0));
  for (const Index diagonal : {-2, 0, 1, 9}) {
    expect_equal(tril_mask(3, 4, diagonal), tapehead::reference::tril_mask(3, 4, diagonal));
    expect_equal(triu_mask(4, 3, diagonal), tapehead::reference::triu_mask(4, 3, diagonal));
  }
}

BOOST_AUTO_TEST_CASE(whole_numbers_agree_with_their_definitions) {
  const Tensor a = tensor({7, -3, 0, 2147483645}, {4, 1}, DType::i32),
               b = tensor({-2, 0, 1}, DType::i32);
  const Value left = a, right = b;
  expect_equal(a + minimum(b, a), left + minimum(right, left));
  expect_equal(maximum(a, b) - b, maximum(left, right) - right);
  expect_equal(slice(a, 0, 0, 3) * b, slice(left, 0, 0, 3) * right);
}

// ---- special values

namespace {

/// Zeros of both signs, the smallest numbers of both types, infinities and NaN.
Tensor special() {
  return tensor({0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-45, -1e-45, 5e-324, 1e-38, 1e30, -1e30,
                 infinity, -infinity, nan},
                DType::f64);
}

template <class F>
void expect_defined_at_special_values(const std::string& op, const F& f) {
  expect_defined(op + " of special values", f, special());
  expect_defined(op + " of one element", f, tensor({0.75}));
  expect_defined(op + " of rank 0", f, scalar(-0.25));
  expect_defined(op + " of no elements", f, zeros({0, 3}));
}

}  // namespace

BOOST_AUTO_TEST_CASE(functions_of_special_values_agree_with_their_definitions) {
  const auto check = [](const char* op, auto f) { expect_defined_at_special_values(op, f); };
  check("neg", [](auto x) { return neg(x); });
  check("exp", [](auto x) { return exp(x); });
  check("log", [](auto x) { return log(x); });
  check("log1p", [](auto x) { return log1p(x); });
  check("sqrt", [](auto x) { return sqrt(x); });
  check("abs", [](auto x) { return abs(x); });
  check("sin", [](auto x) { return sin(clamp(x, -1e3, 1e3)); });
  check("cos", [](auto x) { return cos(clamp(x, -1e3, 1e3)); });
  check("erf", [](auto x) { return erf(x); });
  check("clamp", [](auto x) { return clamp(x, -1, 2); });
  check("masked_fill", [](auto x) { return masked_fill(x, x < 0, infinity); });
  check("cast", [](auto x) { return cast(x, DType::f64); });
  check("tanh", [](auto x) { return tanh(x); });
  check("sigmoid", [](auto x) { return sigmoid(x); });
  check("relu", [](auto x) { return relu(x); });
  check("silu", [](auto x) { return silu(x); });
  check("softplus", [](auto x) { return softplus(x); });
  check("gelu", [](auto x) { return gelu(x); });
  check("gelu by erf", [](auto x) { return gelu(x, Gelu::erf); });
}

BOOST_AUTO_TEST_CASE(pairs_of_special_values_agree_with_their_definitions) {
  const auto check = [](const char* op, auto f) {
    expect_defined(op, f, reshape(special(), {-1, 1}), special());
    expect_defined(op, f, zeros({0, 3}), zeros({3}));
    expect_defined(op, f, zeros({2, 1, 0}), zeros({3, 1}));
  };
  check("add", [](auto a, auto b) { return a + b; });
  check("sub", [](auto a, auto b) { return a - b; });
  check("mul", [](auto a, auto b) { return a * b; });
  check("div", [](auto a, auto b) { return a / b; });
  check("pow", [](auto a, auto b) { return pow(a, b); });
  check("maximum", [](auto a, auto b) { return maximum(a, b); });
  check("minimum", [](auto a, auto b) { return minimum(a, b); });
  check("equal", [](auto a, auto b) { return equal(a, b); });
  check("less", [](auto a, auto b) { return less(a, b); });
  check("less_equal", [](auto a, auto b) { return less_equal(a, b); });
  check("where", [](auto a, auto b) { return where(a < b, a, b); });
}

BOOST_AUTO_TEST_CASE(rows_of_special_values_agree_with_their_definitions) {
  const Tensor rows = tensor({1,         2,         3,  -infinity, -infinity, -infinity,  //
                              -infinity, 0,         1,  infinity,  0,         1,          //
                              infinity,  -infinity, 2,  nan,       1,         infinity,   //
                              infinity,  infinity,  -1, 1,         nan,       -infinity},
                             {8, 3}, DType::f64);
  const auto check = [&](const char* op, auto f) {
    expect_defined(op, f, rows);
    expect_defined(op, f, tensor({5, -infinity, nan}, {3, 1}));
  };
  const auto check_empty = [&](const char* op, auto f) {
    check(op, f);
    expect_defined(op, f, zeros({0, 3}));
    expect_defined(op, f, zeros({3, 0}));
  };
  check_empty("sum", [](auto x) { return sum(x, {-1}); });
  check("mean", [](auto x) { return mean(x, {0}); });
  check_empty("mean", [](auto x) { return mean(x, {-1}, true); });
  check("amax", [](auto x) { return amax(x, {1}); });
  check("amax", [](auto x) { return amax(x, {0}); });
  check_empty("var", [](auto x) { return var(x, {-1}); });
  check("var", [](auto x) { return var(x, {-1}, false, 3); });
  check_empty("sum_to", [](auto x) { return sum_to(x, {1}); });
  check_empty("cumsum", [](auto x) { return cumsum(x); });
  check_empty("cumsum", [](auto x) { return cumsum(x, 0, true); });
  check("argmax", [](auto x) { return argmax(x); });
  check("argmax", [](auto x) { return argmax(x, 0, true); });
  check("top_k", [](auto x) { return top_k(x, 1).values; });
  check("top_k", [](auto x) { return top_k(x, 1).ids; });
  check_empty("softmax", [](auto x) { return softmax(x); });
  check_empty("log_softmax", [](auto x) { return log_softmax(x); });
  check_empty("logsumexp", [](auto x) { return logsumexp(x); });
  check_empty("logsumexp", [](auto x) { return logsumexp(x, -1, true); });
}

// ---- what no gradient check has a sample of

BOOST_AUTO_TEST_CASE(every_option_of_attention_agrees_with_its_definition) {
  // batch 2, 4 heads over 2, 3 queries, 5 keys and 2 extra ones, widths 4 and 3
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

BOOST_AUTO_TEST_CASE(what_no_query_sees_may_be_not_a_number_in_both) {
  const Tensor q = normal_sample({1, 1, 2, 2}, 1);
  const Tensor k = tensor({1, 2, nan, nan}, {1, 1, 2, 2}, DType::f64);
  AttentionOptions options;
  options.key_mask = tensor({1, 0}, {1, 2}, DType::i32);
  const Tensor y = attention(q, k, k, options);
  expect_equal(y, {1, 2, 1, 2});
  expect_equal(y, tapehead::reference::attention(q, k, k, options));
}

BOOST_AUTO_TEST_CASE(layers_of_special_sizes_agree_with_their_definitions) {
  expect_defined(
      "gather_rows",
      [](auto x) {
        return gather_rows(x, decltype(x)(zeros({0, 2}, DType::i32)));
      },
      ones({3, 2}));
  expect_defined(
      "matmul", [](auto a, auto b) { return matmul(a, b); }, zeros({2, 0}), zeros({0, 3}));
  expect_defined(
      "dropout", [](auto x) { return dropout(x, 1, RandomKey{3}); }, ones({2, 3}));
  expect_defined(
      "dropout", [](auto x) { return dropout(x, 0.25, RandomKey{3}); }, ones({3, 67}));
  const Tensor targets = tensor({-1, -1}, DType::i32);
  expect_defined(
      "cross_entropy", [&](auto x) { return cross_entropy(x, decltype(x)(targets)); },
      ones({2, 3}));
}

BOOST_AUTO_TEST_SUITE_END()

// Runs over the table of ops and their samples: adding an op adds a row, and with it these tests.
#include "../../core/op_table.hpp"
#include "../../parts/checks/check.hpp"
#include "../shared/build.hpp"
#include "../shared/support.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(ops)

namespace {

/// The functions that core/ops.hpp declares, in its order, overloads once; each with the family
/// under whose heading it stands.
struct Declared {
  std::vector<std::string> ops, families;
};
Declared declared_ops() {
  std::ifstream header(source_dir + std::string("/core/ops.hpp"));
  const std::regex heading("// ---- (\\w+).*"), op("(Tensor|std::vector<Tensor>|TopK) (\\w+)\\(.*");
  Declared declared;
  std::string family;
  std::smatch match;
  for (std::string line; std::getline(header, line);) {
    if (std::regex_match(line, match, heading)) family = match[1];
    if (!std::regex_match(line, match, op)) continue;
    if (!declared.ops.empty() && declared.ops.back() == match[2]) continue;
    declared.ops.push_back(match[2]);
    declared.families.push_back(family);
  }
  return declared;
}

/// The text of all tests of values, in tests/core/ops.
std::string value_tests() {
  std::ostringstream text;
  for (const auto& file :
       std::filesystem::directory_iterator(source_dir + std::string("/tests/core/ops")))
    text << std::ifstream(file.path()).rdbuf();
  return text.str();
}

Tensor in_type(const Tensor& x, DType dtype) { return tensor(x.values(), x.shape(), dtype); }

/// The value of f, and the gradient of each input for a random cotangent.
std::vector<Tensor> value_and_gradients(const Function& f, const std::vector<Tensor>& inputs) {
  Tape tape;
  for (const Tensor& x : inputs) tape.watch(x);
  const Tensor y = f(inputs);
  tape.watch(y);
  const Tensor dy = in_type(normal_sample(y.shape(), 1), y.dtype());
  const Gradients gradients = tape.backward(y, dy, {false, false, true});
  std::vector<Tensor> all{y};
  for (const Tensor& x : inputs) all.push_back(gradients[x]);
  return all;
}

/// The same computation in f32 and in f64, from the same numbers. False where f takes f64 alone.
bool compare_types(const OpSample& sample) {
  std::vector<Tensor> narrow, wide;
  for (const Tensor& x : sample.inputs) {
    narrow.push_back(in_type(x, DType::f32));
    wide.push_back(in_type(narrow.back(), DType::f64));
  }
  std::vector<Tensor> in_f32;
  try {
    in_f32 = value_and_gradients(sample.f, narrow);
  } catch (const TypeError&) {  // it has caught a constant in f64
    return false;
  }
  const std::vector<Tensor> in_f64 = value_and_gradients(sample.f, wide);
  for (std::size_t i = 0; i < in_f32.size(); ++i) {
    BOOST_TEST_REQUIRE(to_string(in_f32[i].shape()) == to_string(in_f64[i].shape()));
    double scale = 1;
    for (const double value : in_f64[i].values()) scale = std::max(scale, std::abs(value));
    for (Index k = 0; k < in_f32[i].size(); ++k)
      BOOST_TEST_REQUIRE(relative_error(in_f32[i](k), in_f64[i](k), scale) <= 2e-5,
                         sample.what << ": " << (i == 0 ? "value" : "gradient") << " element " << k
                                     << " is " << in_f32[i](k) << " in f32 and " << in_f64[i](k)
                                     << " in f64");
  }
  return true;
}

}  // namespace

// ---- the table

BOOST_AUTO_TEST_CASE(every_op_has_its_row_and_every_row_its_op) {
  const Declared declared = declared_ops();
  BOOST_TEST(declared.ops.size() > 50);
  std::vector<std::string> rows;
  for (const OpRow& row : op_table()) rows.push_back(row.name);
  for (const std::string& op : declared.ops)
    BOOST_TEST(std::count(rows.begin(), rows.end(), op) == 1,
               op << ": declared in core/ops.hpp, it has "
                  << std::count(rows.begin(), rows.end(), op) << " rows");
  for (const OpRow& row : op_table()) {
    const auto found = std::find(declared.ops.begin(), declared.ops.end(), row.name);
    BOOST_TEST((found != declared.ops.end()), row.name << " is not declared in core/ops.hpp");
    if (found == declared.ops.end()) continue;
    const auto& family = declared.families[found - declared.ops.begin()];
    BOOST_TEST(row.family == family, row.name << " is of the family " << family);
  }
  BOOST_TEST(rows == declared.ops, "the rows stand in another order than the functions");
}

BOOST_AUTO_TEST_CASE(every_row_is_complete) {
  const std::string tests = value_tests();
  for (const OpRow& row : op_table()) BOOST_TEST_CONTEXT(row.name) {
      BOOST_TEST(!row.formula.empty());
      BOOST_TEST(row.gradient.empty() == samples_of(row.name).empty(),
                 "a gradient and its samples go together");
      const std::size_t begin = tests.find("TEST_CASE(" + row.name + "_values)");
      BOOST_TEST(
          (begin != std::string::npos && tests.find("expect", begin) < tests.find("\n}", begin)),
          "no value is pinned in tests/core/ops");
    }
}

BOOST_AUTO_TEST_CASE(samples_are_the_same_at_every_call) {
  expect_equal(normal_sample({3, 4}, 5), normal_sample({3, 4}, 5));
  BOOST_TEST(normal_sample({9}, 5).values() != normal_sample({9}, 6).values());
  for (const double value : nonzero_sample({1000}, 1, 0.25).values())
    BOOST_TEST_REQUIRE(std::abs(value) >= 0.25);
  for (const double value : uniform_sample({1000}, -1, 3, 1).values())
    BOOST_TEST_REQUIRE((value >= -1 && value < 3));
}

// ---- the samples

BOOST_AUTO_TEST_CASE(gradients_and_their_gradients_agree_with_differences_and_decomposition) {
  for (const OpRow& row : op_table())
    for (const Check& each : check(row.name, samples_of(row.name)).checks)
      BOOST_TEST(each.result.passed, row.name << ", " << to_string(each));
}

BOOST_AUTO_TEST_CASE(f32_computes_what_f64_does) {
  for (const OpRow& row : op_table()) BOOST_TEST_CONTEXT(row.name) {
      int compared = 0;
      for (const OpSample& sample : samples_of(row.name)) compared += compare_types(sample) ? 1 : 0;
      BOOST_TEST((compared > 0 || samples_of(row.name).empty()), "no sample runs in f32");
    }
}

BOOST_AUTO_TEST_CASE(a_null_tensor_is_refused_by_the_ops_name) {
  for (const OpRow& row : op_table())
    for (const OpSample& sample : samples_of(row.name))
      for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
        if (sample.what == std::string("powers of 2")) continue;  // it reads its input itself
        std::vector<Tensor> inputs = sample.inputs;
        inputs[i] = {};
        try {
          sample.f(inputs);  // it may be optional
        } catch (const Error& error) {
          const std::string text = error.what();
          BOOST_TEST(text.find("a null tensor was read") == std::string::npos,
                     row.name << ", " << sample.what << ", input " << i << ": " << text);
        }
      }
}

BOOST_AUTO_TEST_CASE(values_do_not_depend_on_being_recorded) {
  for (const OpRow& row : op_table())
    for (const OpSample& sample : samples_of(row.name)) {
      const Tensor alone = sample.f(sample.inputs);
      Tape tape;
      for (const Tensor& x : sample.inputs) tape.watch(x);
      expect_equal(sample.f(sample.inputs), alone, 0, row.name + ", " + sample.what);
    }
}

// ---- element-wise functions against the C++ library

namespace {

struct Reference {
  const char* name;
  Tensor (*op)(const Tensor&);
  double (*exact)(double);
  double low, high;  // of the arguments
  double f32 = 2e-7, f64 = 5e-16;
};

double exact_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
/// x times its share, with the limit 0 at minus infinity.
double part(double x, double share) { return share == 0 ? 0 : x * share; }
double exact_silu(double x) { return part(x, exact_sigmoid(x)); }
double exact_gelu(double x) { return part(x, 0.5 * std::erfc(-x / std::sqrt(2.0))); }
double exact_gelu_tanh(double x) {  // (1 + tanh(u)) / 2 = sigmoid(2 u), which doesn't cancel
  constexpr double pi = 3.14159265358979323846;
  return part(x, exact_sigmoid(2 * std::sqrt(2 / pi) * (x + 0.044715 * x * x * x)));
}

const std::vector<Reference> references = {
    {"exp", exp, std::exp, -80, 80},
    {"log", log, std::log, 1e-30, 1e30},
    {"log", log, std::log, 0.5, 2},
    {"sqrt", sqrt, std::sqrt, 0, 1e30},
    {"abs", abs, std::fabs, -5, 5},
    {"sin", sin, std::sin, -50, 50},
    {"cos", cos, std::cos, -50, 50},
    {"erf", erf, std::erf, -6, 6},
    {"tanh", tanh, std::tanh, -20, 20},
    {"tanh", tanh, std::tanh, -1e-3, 1e-3},
    {"sigmoid", sigmoid, exact_sigmoid, -80, 80},
    {"relu", relu, [](double x) { return x < 0 ? 0 : x; }, -5, 5},
    {"silu", silu, exact_silu, -30, 30},
    {"gelu", [](const Tensor& x) { return gelu(x, Gelu::erf); }, exact_gelu, -5, 8, 3e-6,
     2e-14},  // far left, 1 + erf(x) cancels
    {"gelu", [](const Tensor& x) { return gelu(x); }, exact_gelu_tanh, -5, 8, 3e-6, 2e-14},
};

/// Compares y = op(x) with the exact values; below `floor` absolutely.
void compare_with(const Reference& reference, const Tensor& x, double floor) {
  const Tensor y = reference.op(x);
  const double tolerance = x.dtype() == DType::f32 ? reference.f32 : reference.f64;
  for (Index i = 0; i < x.size(); ++i) {
    const double exact = reference.exact(x(i));
    if (std::isnan(exact) && std::isnan(y(i))) continue;
    const double error = relative_error(y(i), exact, floor);
    BOOST_TEST(error <= tolerance,
               fmt::format("{} of {:.9g} in {} is {:.17g}, and exactly {:.17g}: {:.1e} off",
                           reference.name, x(i), x.dtype(), y(i), exact, error));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(element_wise_functions_agree_with_the_library_s) {
  for (const Reference& reference : references)
    for (const DType dtype : {DType::f32, DType::f64})
      compare_with(reference,
                   in_type(uniform_sample({1003}, reference.low, reference.high, 1), dtype), 1e-30);
}

BOOST_AUTO_TEST_CASE(element_wise_functions_agree_at_the_edges) {
  const double infinity = HUGE_VAL;
  const Tensor edges = tensor({0.0, -0.0, 1e-30, -1e-30, 1e-4, -1e-4, 1, -1, 9.5, -9.5, 80, -80,
                               1e3, -1e3, 1e10, -1e10, infinity, -infinity, std::nan("")},
                              DType::f64);
  for (const Reference& reference : references) {
    compare_with(reference, edges, 1e-290);
    compare_with(reference, in_type(edges, DType::f32), 1e-30);
  }
}

BOOST_AUTO_TEST_CASE(a_sum_takes_the_memory_of_an_operand_that_nobody_else_holds) {
  const auto where = [](const Tensor& x) { return x.data<float>(); };
  const Tensor a = ones({3, 100});
  Tensor given = full({3, 100}, 2);
  const float* const memory = where(given);
  Tensor y = a + std::move(given);
  given = {};
  BOOST_TEST(where(y) == memory);
  BOOST_TEST(y(299) == 3);
  const Tensor held = y;
  BOOST_TEST(where(a + std::move(y)) != memory);
  BOOST_TEST(held(0) == 3);
  BOOST_TEST((a + full({3, 1}, 2)).shape() == a.shape());  // and not that of a smaller one
  Tape tape;
  tape.watch(a);
  Tensor branch = a * 2.0;
  const Tensor sum_of_both = a + std::move(branch);
  BOOST_TEST(tape.backward(sum(sum_of_both * sum_of_both))[a](0) == 18);
}

BOOST_AUTO_TEST_SUITE_END()

// Tests of all ops with their samples. A new op is tested automatically.
#include "../../core/derivatives.hpp"
#include "../../core/recording.hpp"
#include "../../parts/checks/check.hpp"
#include "../shared/build.hpp"
#include "../shared/support.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(ops)

namespace {

/// The functions that core/ops.hpp declares, in its order, with their families. Overloads are
/// listed once.
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

bool has_argument(const Op& op, const std::string& name) {
  return std::any_of(op.arguments.begin(), op.arguments.end(),
                     [&](const OpArgument& argument) { return argument.name == name; });
}

/// Returns the text of a parameter's default in core/ops.hpp, or an empty string.
std::string declared_default(const std::string& header, const std::string& op,
                             const std::string& parameter) {
  const std::regex declaration("\\n(Tensor|TopK) " + op + "\\(([^;]*)\\);");
  const std::regex value("\\b" + parameter + " = (\\w+::)?([^,]+)");
  for (std::sregex_iterator at(header.begin(), header.end(), declaration), end; at != end; ++at) {
    const std::string parameters = (*at)[2];
    if (std::smatch match; std::regex_search(parameters, match, value)) return match[2];
  }
  return "";
}

/// Returns the text of all value tests in tests/core/ops.
std::string value_tests() {
  std::ostringstream text;
  for (const auto& file :
       std::filesystem::directory_iterator(source_dir + std::string("/tests/core/ops")))
    text << std::ifstream(file.path()).rdbuf();
  return text.str();
}

Tensor in_type(const Tensor& x, DType dtype) { return tensor(x.values(), x.shape(), dtype); }

/// Converts all float arguments to another type. A tensor that is given twice stays the same
/// tensor.
OpSample in_type(const OpSample& sample, DType dtype) {
  OpSample converted = sample;
  std::map<std::uint64_t, Tensor> by_id;
  for (Tensor& x : converted.tensors) {
    if (!x || !x.is_float()) continue;
    Tensor& same = by_id[x.id()];
    if (!same) same = in_type(x, dtype);
    x = same;
  }
  return converted;
}
/// Returns the value, and the gradient of each input for a random cotangent.
std::vector<Tensor> value_and_gradients(const Op& op, const OpSample& sample) {
  const SampleCall call = make_call(op, sample);
  const Tensor y = call.f(call.inputs);
  const Tensor dy = in_type(normal_sample(y.shape(), 1), y.dtype());
  std::vector<Tensor> all = vjp(call.f, call.inputs, dy, Unused::zeros).second;
  all.insert(all.begin(), y);
  return all;
}

/// Compares the computation in f32 and f64, from the same numbers.
void compare_types(const Op& op, const OpSample& sample) {
  const OpSample narrow = in_type(sample, DType::f32);
  const std::vector<Tensor> in_f32 = value_and_gradients(op, narrow);
  const std::vector<Tensor> in_f64 = value_and_gradients(op, in_type(narrow, DType::f64));
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
}

/// Calls f(op, sample) for all samples of all ops.
template <class F>
void for_all_samples(const F& f) {
  for (const Op& op : tapehead::ops())
    for (const OpSample& sample : samples_of(op.name))
      BOOST_TEST_CONTEXT(op.name << ", " << sample.what) { f(op, sample); }
}

}  // namespace

// ---- the list of ops

BOOST_AUTO_TEST_CASE(every_declared_op_has_a_descriptor) {
  const Declared declared = declared_ops();
  BOOST_TEST(declared.ops.size() > 50);
  std::vector<std::string> listed, families;
  for (const Op& op : tapehead::ops()) {
    listed.push_back(op.name);
    families.push_back(op.family);
  }
  BOOST_TEST(listed == declared.ops, boost::test_tools::per_element());
  BOOST_TEST(families == declared.families, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_descriptor_is_complete) {
  const std::string tests = value_tests();
  for (const Op& op : tapehead::ops()) BOOST_TEST_CONTEXT(op.name) {
      BOOST_TEST(!op.formula.empty());
      BOOST_TEST(op.gradients.empty() == samples_of(op.name).empty(),
                 "a gradient and its samples go together");
      const std::size_t begin = tests.find("TEST_CASE(" + op.name + "_values)");
      BOOST_TEST(
          (begin != std::string::npos && tests.find("expect", begin) < tests.find("\n}", begin)),
          "no value is pinned in tests/core/ops");
    }
}

BOOST_AUTO_TEST_CASE(descriptors_have_the_defaults_of_the_functions) {
  std::ostringstream header;
  header << std::ifstream(source_dir + std::string("/core/ops.hpp")).rdbuf();
  int compared = 0;
  for (const Op& op : tapehead::ops())
    for (const OpArgument& argument : op.arguments) {
      const std::string declared = declared_default(header.str(), op.name, argument.name);
      if (argument.is_tensor() || declared.empty()) continue;
      BOOST_TEST(argument.default_text == declared, op.name << ", " << argument.name);
      ++compared;
    }
  BOOST_TEST(compared > 15);
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

BOOST_AUTO_TEST_CASE(samples_use_the_arguments_of_their_op) {
  for_all_samples([](const Op& op, const OpSample& sample) {
    BOOST_TEST(sample.tensors.size() >= op.required_tensors());
    BOOST_TEST((op.is_variadic() || sample.tensors.size() <= op.tensors()));
    for (const Attribute& option : sample.options) BOOST_TEST(has_argument(op, option.name));
    for (const std::size_t fixed : sample.constants)
      BOOST_TEST(sample.tensors.at(fixed).is_float());
  });
}

BOOST_AUTO_TEST_CASE(gradients_and_their_gradients_agree_with_differences_and_decomposition) {
  for (const Op& op : tapehead::ops())
    for (const Check& each : check(op, samples_of(op.name)).checks)
      BOOST_TEST(each.result.passed, op.name << ", " << to_string(each));
}

BOOST_AUTO_TEST_CASE(fused_ops_are_compared_with_their_decompositions) {
  std::set<std::string> fused;
  for_all_samples([&](const Op& op, const OpSample& sample) {
    if (make_call(op, sample).decomposition) fused.insert(op.name);
  });
  const std::set<std::string> expected = {"silu",
                                          "gelu",
                                          "layer_norm",
                                          "rms_norm",
                                          "cross_entropy",
                                          "attention",
                                          "multi_head_attention",
                                          "self_attention",
                                          "lstm",
                                          "solve_unit_lower"};
  BOOST_TEST(fused == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(f32_computes_what_f64_does) { for_all_samples(compare_types); }

BOOST_AUTO_TEST_CASE(a_null_tensor_is_refused_by_the_ops_name) {
  for_all_samples([](const Op& op, const OpSample& sample) {
    for (std::size_t i = 0; i < sample.tensors.size(); ++i) {
      OpArguments arguments{sample.tensors, sample.options};
      arguments.tensors[i] = {};
      try {
        op(arguments);  // the tensor may be optional
      } catch (const Error& error) {
        const std::string text = error.what();
        BOOST_TEST(text.find("a null tensor was read") == std::string::npos,
                   "tensor " << i << ": " << text);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(values_do_not_depend_on_being_recorded) {
  for_all_samples([](const Op& op, const OpSample& sample) {
    const SampleCall call = make_call(op, sample);
    const Tensor alone = call.f(call.inputs);
    Tape tape;
    for (const Tensor& x : call.inputs) tape.watch(x);
    expect_equal(call.f(call.inputs), alone, 0, op.name + ", " + sample.what);
  });
}

BOOST_AUTO_TEST_CASE(ops_record_attributes_that_their_descriptors_declare) {
  std::set<std::string> recorded;
  for_all_samples([&](const Op& op, const OpSample& sample) {
    const Tape tape;
    const TapeRecording recording(0);
    op({sample.tensors, sample.options});
    for (const RecordedStep& step : recording.steps())
      for (const Attribute& attribute : step.attributes) {
        const Op* const of = find_op(step.op);
        BOOST_TEST_REQUIRE(of, step.op);
        BOOST_TEST(has_argument(*of, attribute.name),
                   of->name << " has no argument " << attribute.name);
        recorded.insert(of->name);
      }
  });
  BOOST_TEST(recorded.size() > 20);
}

// ---- element-wise functions compared with the C++ library

namespace {

struct Reference {
  const char* name;
  Tensor (*op)(const Tensor&);
  double (*exact)(double);
  double low, high;  // range of the arguments
  double f32 = 2e-7, f64 = 5e-16;
};

double exact_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
/// Returns x times `share`, with the limit 0 at minus infinity.
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

/// Compares y = op(x) with the exact values; the error is absolute below `floor`.
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

BOOST_AUTO_TEST_CASE(element_wise_functions_agree_with_the_c_library) {
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
  BOOST_TEST((a + full({3, 1}, 2)).shape() ==
             a.shape());  // doesn't reuse the memory of a smaller operand
  Tape tape;
  tape.watch(a);
  Tensor branch = a * 2.0;
  const Tensor sum_of_both = a + std::move(branch);
  BOOST_TEST(tape.backward(sum(sum_of_both * sum_of_both))[a](0) == 18);
}

BOOST_AUTO_TEST_SUITE_END()

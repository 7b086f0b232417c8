#include "../../../cli/commands/load_run.hpp"
#include "../../../cli/extensions.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../parts.hpp"
#include "../explanation.hpp"
#include "../pass.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(explain_run)

namespace {

/// A folder with a run of two blocks as the working folder.
struct Fixture : InScratch {
  const std::string run = scratch.file("run");
  Fixture() {
    done(
        "train reverse --arch gpt --length 4 --symbols 5 --width 8 --heads 2 --layers 2 --steps 20 "
        "--eval-every 0 --out " +
        run);
  }
};

double rms(const json& values) {
  double square = 0;
  for (const double v : values) square += v * v;
  return std::sqrt(square / static_cast<double>(values.size()));
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(gradients_are_sums_of_contributions, Fixture) {
  const json document = json_of("explain " + run + " --example 2 --json");
  const json& steps = document["steps"];
  BOOST_TEST(steps.size() > 100u);
  BOOST_TEST(document["question"].get<std::string>().size() > 0u);
  int sums = 0;
  for (std::size_t at = 0; at + 1 < steps.size(); ++at) {
    if (steps[at].count("gradient") == 0) continue;
    std::vector<double> total(steps[at]["value"].size());
    bool comparable = true;
    for (std::size_t user = at + 1; user < steps.size(); ++user) {
      if (steps[user].count("sent") == 0) continue;
      for (std::size_t i = 0; i < steps[user]["inputs"].size(); ++i) {
        const json& sent = steps[user]["sent"][i];
        if (steps[user]["inputs"][i] != at || sent.is_null()) continue;
        comparable =
            comparable && sent.size() == total.size();  // a broadcast gradient is summed first
        for (std::size_t k = 0; comparable && k < total.size(); ++k)
          total[k] += sent[k].get<double>();
      }
    }
    if (!comparable) continue;
    ++sums;
    for (std::size_t k = 0; k < total.size(); ++k)
      BOOST_TEST(std::abs(total[k] - steps[at]["gradient"][k].get<double>()) <=
                     1e-12 * (1 + rms(steps[at]["gradient"])),
                 steps[at]["path"] << " " << k);
  }
  BOOST_TEST(sums > 60);
}

BOOST_FIXTURE_TEST_CASE(names_modules_ops_and_parameters, Fixture) {
  const Output output = done("explain " + run);
  BOOST_TEST(missing(output.text, {"       blocks.0.attention.qkv\n", "  weight ", "softmax",
                                   "(1, 2, 7, 7)", "       blocks.1.mlp", "       loss\n",
                                   "Read values downwards and gradients upwards"}) == "");
  expect_plain(output.text);
}

BOOST_FIXTURE_TEST_CASE(elements_are_explained_term_by_term, Fixture) {
  const Output matmul =
      done("explain " + run + " --element 'blocks.1.attention.out/linear[0,6,3]'");
  BOOST_TEST(missing(matmul.text, {"linear: y = x W^T + b", "blocks.1.attention.out.weight[3, ",
                                   "blocks.1.attention.out.bias[3]", "its gradient = "}) == "");
  const Output weight = done("explain " + run + " --element 'blocks.0.attention.qkv.weight[0,1]'");
  BOOST_TEST(missing(weight.text,
                     {"a parameter", "the sum of", "blocks.0.attention.qkv/linear[0, "}) == "");
}

/// The terms of a matmul add up to its result, and the terms of a gradient to the gradient.
BOOST_FIXTURE_TEST_CASE(backward_gives_derivatives_of_one_element, Fixture) {
  LoadedRun loaded = load_run(run, make_registry());
  const ExplainedPass pass = explain_pass(loaded, loaded.task->held_out_example(1));
  const std::size_t at = pass.find("blocks.0.attention/softmax");
  const ExplainedStep& softmax = pass.steps[at];
  const Tensor& scores = pass.steps[softmax.inputs[0]].value;
  std::vector<double> first(softmax.value.size());
  first[scores.dim(-1) + 1] = 1;  // query 1, key 1
  const Tensor slopes = pass.vjp(at, tensor(first, softmax.value.shape(), DType::f64))[0];
  const double y = softmax.value(scores.dim(-1) + 1), other = softmax.value(scores.dim(-1));
  BOOST_TEST(slopes(scores.dim(-1) + 1) == y * (1 - y), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(slopes(scores.dim(-1)) == -y * other, boost::test_tools::tolerance(1e-12));
}

BOOST_FIXTURE_TEST_CASE(the_loss_equals_the_evaluation_loss, Fixture) {
  const json document = json_of("explain " + run + " --example 0 --json");
  const json& last = document["steps"].back();
  BOOST_TEST(last["value"][0].get<double>() == document["loss"].get<double>());
  BOOST_TEST(last["gradient"] == json({1.0}));
}

BOOST_FIXTURE_TEST_CASE(completes_a_prompt, Fixture) {
  const Output output = done("explain " + run + " --prompt '4 3 2 1'");
  BOOST_TEST(output.text.find("4 3 2 1 -> ") == 0u);
  const Output whole = done("explain " + run + " --prompt '4 3 2 1 1 2 3 4'");
  BOOST_TEST(whole.text.find("4 3 2 1 -> 1 2 3 4, loss ") == 0u, whole.text);
}

/// A learned vector per position, as a parameter of the model itself.
struct Vectors : PositionScheme {
  Vectors(Index length, Index width) : all({length, width}, Init::normal(0.02), true) {}
  Tensor add(const Tensor& x, const Tensor&, Index first, Pass&) const override {
    return x + slice(all, 0, first, first + x.dim(1));
  }
  void visit(Visitor& v) override { v("all", all); }
  Parameter all;  // (length, width)
};

BOOST_FIXTURE_TEST_CASE(a_parameter_of_the_model_itself_has_no_module, InScratch) {
  Registry registry = make_registry();
  registry.position({"vectors", "one for each", [](ModelOptions& model, const OwnValues&) {
                       model.position = [](const ModelOptions& o, Index length) {
                         return std::make_unique<Vectors>(length, o.width);
                       };
                     }});
  const std::string run = scratch.file("run");
  done("train copy --length 3 --width 8 --position vectors --steps 1 --eval-every 0 --out " + run,
       registry);
  const Output text = done("explain " + run + " --example 0", registry);
  BOOST_TEST(missing(text.text, {"  all ", "(5, 8)"}) == "", text.text);
  for (const ExplainFormat& format : registry.extensions<ExplainFormat>()) {
    const std::string file = scratch.file("x." + format.ending);
    done("explain " + run + " --example 0 --out " + file, registry);
    BOOST_TEST(missing(contents(file), {" all"}) == "", format.ending);
  }
}

BOOST_FIXTURE_TEST_CASE(invalid_options_for_runs_are_refused, Fixture) {
  expect_refused("explain " + run + " --element 'blocks.0.attention/softmx[0]'",
                 "unknown step 'blocks.0.attention/softmx'; did you mean "
                 "'blocks.0.attention/softmax'?");
  expect_refused("explain " + run + " --element 'blocks.0.attention/softmax[0,0,9,0]'",
                 "--element blocks.0.attention/softmax[0,0,9,0]: the step has shape "
                 "(1, 2, 7, 7); write an element as blocks.0.attention/softmax[0, 0, 0, 0]");
  expect_refused("explain " + run + " x=2", "explain: a run takes no values, got 'x=2'");
  expect_refused("explain " + run + " --example 1 --prompt '1 2 3 4'",
                 "explain: --prompt or --example, not both");
  expect_refused("explain " + run + " --tape", "explain: --tape needs an expression, not a run");
  expect_refused(
      "explain x^2 x=3 --example 1",
      "explain: --prompt, --example, --element and --data need a run, but 'x^2' isn't a folder");
}

BOOST_AUTO_TEST_SUITE_END()

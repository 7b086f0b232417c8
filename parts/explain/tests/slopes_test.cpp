// Checks each Jacobian entry on a page against the op's backward function with a one-hot gradient.
#include "../slopes.hpp"
#include "../../../cli/commands/load_run.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../parts.hpp"
#include "../explanation.hpp"
#include "../pass.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(slopes)

namespace {

Explanation explained(const std::string& text,
                      const std::vector<std::pair<std::string, std::string>>& values) {
  Variables variables;
  for (const auto& [name, value] : values)
    variables.emplace_back(name, parse_value(name, value, variables.size() + 1));
  return tapehead::explain(text, parse_expression(text, variables), {});
}

/// Returns the dense Jacobian (results, inputs).
std::vector<double> dense(const Slopes& slopes, Index results, Index inputs) {
  std::vector<double> all(results * inputs);
  for (std::size_t i = 0; i < slopes.slopes.size(); ++i)
    all[static_cast<Index>(slopes.results[i]) * inputs + static_cast<Index>(slopes.inputs[i])] +=
        slopes.slopes[i];
  return all;
}

/// Compares the Jacobians of every step with the backward function. Returns how many inputs have a
/// Jacobian of each form.
std::map<Slopes::Kind, int> compared(const Explained& explained, Index most = 300) {
  std::map<Slopes::Kind, int> kinds;
  for (std::size_t step = 0; step < explained.steps.size(); ++step) {
    const ExplainedStep& at = explained.steps[step];
    if (at.op.empty() || !at.gradient) continue;
    const std::vector<Slopes> found = slopes_of(explained, step);
    for (std::size_t i = 0; i < at.sent.size(); ++i) {
      if (!at.sent[i]) continue;
      ++kinds[found[i].kind];
      BOOST_TEST((found[i].kind != Slopes::Kind::unknown), at.name << " " << i);
      if (found[i].kind == Slopes::Kind::product || at.value.size() > most) continue;
      const Tensor& input = explained.steps[at.inputs[i]].value;
      const std::vector<double> slopes = dense(found[i], at.value.size(), input.size());
      for (Index k = 0; k < at.value.size(); ++k) {
        const Tensor sent = explained.vjp(step, one_hot_like(at.value, k))[i];
        const std::vector<double> expected =
            sent ? sum_to(sent, input.shape()).values() : std::vector<double>(input.size());
        for (Index j = 0; j < input.size(); ++j)
          if (std::abs(slopes[k * input.size() + j] - expected[j]) > 1e-9 * std::abs(expected[j]))
            BOOST_TEST_REQUIRE(slopes[k * input.size() + j] == expected[j],
                               at.name << " " << i << " at " << k << ", " << j);
      }
    }
  }
  return kinds;
}

}  // namespace

BOOST_AUTO_TEST_CASE(match_the_backward_functions) {
  const std::string x = "[0.7, -1.2, 0.4; 1.9, 0.35, -0.8]";
  for (const std::string text : {"x*x + x",
                                 "exp(x) * y",
                                 "x / y",
                                 "softmax(x)",
                                 "softmax(x, axis=0)",
                                 "log_softmax(x)",
                                 "logsumexp(x)",
                                 "layer_norm(x, y, y)",
                                 "rms_norm(x, y)",
                                 "x @ x.T",
                                 "sum(x, axes=[0])",
                                 "mean(x) * y",
                                 "amax(x, axes=[1])",
                                 "var(x)",
                                 "permute(x, [1, 0]) @ x",
                                 "slice(x, 1, 1, 3)",
                                 "concat(x, x*x)",
                                 "stack(x, x)",
                                 "pad(x, 0, 1, 2)",
                                 "gather_rows(x, [1, 0, 1])",
                                 "scatter_rows(x, [2, 2], 4)",
                                 "gather(x, [1, 0; 2, 2])",
                                 "cumsum(x)",
                                 "top_k(x, 2)",
                                 "softplus(x)",
                                 "cross_entropy(x, [2, 0], none)",
                                 "linear(x, x, [1, 2])",
                                 "cross_entropy(x, [2, 0])",
                                 "mse(x, x*x)",
                                 "attention(x, x, x*x)",
                                 "attention(x, x, x*x, causal)",
                                 "broadcast_to(y, [2, 2, 3])",
                                 "relu(x) - y",
                                 "rotary(reshape(x, [1, 3, 2]), 1)",
                                 "where([1, 0, 1], x, y)",
                                 "cast(x, f32)"})
    BOOST_TEST_CONTEXT(text) {
      const bool takes_y = text.find('y') != std::string::npos &&
                           text.find("y(") == std::string::npos &&
                           text.find("cross_entropy") == std::string::npos;
      std::vector<std::pair<std::string, std::string>> values = {{"x", x}};
      if (text[0] == 'b') values.clear();
      if (takes_y && text.find("rotary") == std::string::npos)
        values.emplace_back("y", "[1, 2, 3]");
      compared(explained(text, values));
    }
}

BOOST_AUTO_TEST_CASE(are_sparse_for_large_tensors) {
  using Kind = Slopes::Kind;
  const auto kinds = [](const std::string& text) {
    return compared(explained(text, {{"x", "randn(64, 48)"}}), 0);
  };
  BOOST_TEST((kinds("exp(x)") == std::map<Kind, int>{{Kind::pairs, 1}}));
  BOOST_TEST((kinds("x.T") == std::map<Kind, int>{{Kind::pairs, 1}}));
  BOOST_TEST((kinds("x @ x.T") == std::map<Kind, int>{{Kind::pairs, 1}, {Kind::product, 2}}));
  const Explanation row = explained("sum(exp(x), axes=[1])", {{"x", "randn(64, 48)"}});
  BOOST_TEST(slopes_of(row, 2)[0].slopes.size() == 64u * 48);
  const Explanation wide = explained("softmax(x)", {{"x", "randn(20, 40)"}});
  const Slopes slopes = slopes_of(wide, 1)[0];
  BOOST_TEST((slopes.kind == Kind::pairs));
  BOOST_TEST(slopes.slopes.size() == 20u * 40 * 40);
  const Explanation huge = explained("softmax(x)", {{"x", "randn(64, 64)"}});
  BOOST_TEST((slopes_of(huge, 1)[0].kind == Kind::unknown));
}

BOOST_AUTO_TEST_CASE(at_an_infinite_derivative) {
  const Explanation root = explained("sqrt(x)", {{"x", "[0, 4]"}});
  const Slopes slopes = slopes_of(root, 1)[0];
  BOOST_TEST(dense(slopes, 2, 2) == (std::vector<double>{infinity, 0, 0, 0.25}), per_element());
}

BOOST_FIXTURE_TEST_CASE(are_known_for_all_ops_of_a_model, Elsewhere) {
  done("train induction --length 8 --symbols 6 --width 8 --steps 10 --eval-every 0 --out run");
  LoadedRun run = load_run("run", make_registry());
  const ExplainedPass pass = explain_pass(run, run.task->held_out_example(0));
  BOOST_TEST(compared(pass).size() == 2u);
}

/// The Jacobian of the whole norm is computed from its formula.
BOOST_FIXTURE_TEST_CASE(a_norm_has_the_jacobian_of_its_ops, Elsewhere) {
  done(
      "train reverse --arch gpt --length 4 --symbols 5 --width 8 --heads 2 --layers 1 --steps 5 "
      "--eval-every 0 --out run");
  LoadedRun run = load_run("run", make_registry());
  const ExplainedPass pass = explain_pass(run, run.task->held_out_example(0));
  BOOST_TEST(pass.norms.size() == 3u);
  const ModuleJacobian jacobian = jacobian_of(pass, "blocks.0.attention_norm");
  BOOST_TEST_REQUIRE(jacobian.width == 8);
  const std::vector<double> x = pass.steps[jacobian.from].value.values(),
                            gain = pass.steps[pass.find("blocks.0.attention_norm.gain")]
                                       .value.values();
  const double* row = x.data() + jacobian.row * 8;
  double mean = 0, variance = 1e-5;
  for (int i = 0; i < 8; ++i) mean += row[i] / 8;
  for (int i = 0; i < 8; ++i) variance += (row[i] - mean) * (row[i] - mean) / 8;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      const double ni = (row[i] - mean) / std::sqrt(variance),
                   nj = (row[j] - mean) / std::sqrt(variance);
      const double expected = gain[i] * ((i == j) - 1. / 8 - ni * nj / 8) / std::sqrt(variance);
      BOOST_TEST(std::abs(jacobian.slopes[i * 8 + j] - expected) <=
                 1e-9 * (1 + std::abs(expected)));
    }
}

BOOST_AUTO_TEST_SUITE_END()

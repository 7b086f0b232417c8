// Checks that a layer that reads the batch's named tensors computes the same in all commands that
// inspect models.
#include "../../../core/ops.hpp"
#include "../../../nn/layers.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(from_batch, Elsewhere)

namespace {

/// A layer whose output is nearly zero unless the batch has the prompt's length as a named tensor.
struct Told : Module {
  explicit Told(const HeadOptions& o) : out(o.width, o.width) {}
  Tensor forward(const Tensor& x, Pass& pass) const override {  // (batch, time, width) -> same
    const Tensor question = pass.from_batch("question");        // i32 (batch)
    if (!question) return out(x, pass) * 1e-3;
    return out(x, pass) * cast(reshape(question, {-1, 1, 1}), x.dtype());
  }
  void visit(Visitor& v) override { v("out", out); }
  Linear out;
};

Registry with_told() {
  Registry registry = make_registry();
  registry.attention("told",
                     [](const AttentionLayerOptions& o) { return std::make_unique<Told>(o); });
  return registry;
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_experiments_see_the_same_model) {
  const Registry registry = with_told();
  done(
      "train reverse --arch gpt --attention told --length 4 --symbols 5 --layers 2 --width 16 "
      "--steps 60 "
      "--batch 16 --out run",
      registry);
  const auto parsed_of = [&](const std::string& line) {
    return json::parse(done(line + " --json", registry).text);
  };
  const double loss = parsed_of("eval run")["loss"];
  const json ablated = parsed_of("inspect ablate run");
  BOOST_TEST(has(ablated["notes"].dump(), fmt::format("loss {:.4f}", loss)), ablated["notes"]);
  const json explained = parsed_of("explain run --example 0");
  const json gradients = parsed_of("inspect gradients run --example 0");
  BOOST_TEST(
      has(gradients["notes"].dump(), fmt::format("Loss {:.4g},", explained["loss"].get<double>())),
      gradients["notes"]);
}

BOOST_AUTO_TEST_SUITE_END()

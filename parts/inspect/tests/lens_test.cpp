#include "../lens.hpp"
#include "../../../core/ops.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../tests/shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(lens)

namespace {

/// An attention layer without heads.
struct Halved : Module {
  Tensor forward(const Tensor& x, Pass&) const override { return x * 0.5; }
  void visit(Visitor&) override {}
};

constexpr int none = -1;

/// Returns a model with changed biases and gains.
std::unique_ptr<TaskModel> used(const ModelOptions& options) {
  auto model = opinionated_model(options);
  double next = 1;
  for (Parameter* parameter : parameters(*model->module)) {
    if (parameter->shape.rank() != 1) continue;
    std::vector<double> values;
    for (Index i = 0; i < parameter->shape.size(); ++i)
      values.push_back(0.5 + std::fmod(next *= 1.7, 1));
    parameter->set(tensor(values, parameter->shape, parameter->dtype));
    next = std::fmod(next, 10) + 1;
  }
  return model;
}

const GPT& gpt(const std::unique_ptr<TaskModel>& model) {
  return require_residual_gpt(*model, "inspect lens");
}

Tensor some_ids() { return tensor({3, 1, 4, 1, 5, 2}, {1, 6}, DType::i32); }

std::vector<ModelOptions> kinds() {
  const ModelOptions plain = small_options(7, 6, 2);
  std::vector<ModelOptions> all(7, plain);
  all[1].norm = make_rms_norm;
  all[1].position = RotaryPositions{};
  all[2].tied = false;
  all[2].position = SinusoidalPositions{};
  all[3].norm = nullptr;
  all[3].mlp = nullptr;
  all[4].kv_heads = 1;
  all[4].head_width = 6;
  all[4].biases = false;
  all[4].mlp = StandardMLP{Activation::swiglu};
  all[5].attention = [](const AttentionLayerOptions&) { return std::make_unique<Halved>(); };
  all[6].recompute = true;
  all[6].dtype = DType::f64;
  return all;
}

std::vector<std::string> names(const Attribution& found) {
  std::vector<std::string> all;
  for (const auto& term : found.terms) all.push_back(term.name);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(terms_add_up_to_the_logit) {
  for (const ModelOptions& options : kinds()) {
    const auto model = used(options);
    Pass pass = Pass::evaluation();
    const Tensor logits = (*model->module)(some_ids(), pass);  // (1, 6, 7)
    for (Index position : {0, 3, 5}) {
      for (int token : {0, 6}) {
        for (int against : {none, 2}) {
          const Attribution found = attribute(gpt(model), {some_ids()}, position, token, against);
          const double logit =
              logits(position * 7 + token) - (against == none ? 0 : logits(position * 7 + against));
          BOOST_TEST(std::abs(found.logit - logit) <= 1e-12 * std::max(1.0, std::abs(logit)));
          BOOST_TEST(std::abs(found.sum() - logit) <= 1e-5 * std::max(1.0, std::abs(logit)));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(terms_are_contributions_of_components) {
  // With a constant scale, ablating a component removes exactly its term. Without a norm, the term
  // is the effect of the ablation.
  ModelOptions options = small_options(7, 6, 1);
  options.norm = nullptr;
  options.mlp = nullptr;
  const auto model = used(options);
  const Attribution found = attribute(gpt(model), {some_ids()}, 4, 1);
  const std::vector<std::string> expected = {"token", "position", "layer 0 head 0",
                                             "layer 0 head 1", "layer 0 attention's bias"};
  BOOST_TEST(names(found) == expected, per_element());
  for (Index head : {0, 1}) {
    Pass pass = Pass::evaluation();
    pass.hook = [&](const HookPoint& point, const Tensor& x) {
      if (point.name != std::string("heads")) return x;
      return x * concat({full({4}, head != 0 ? 1 : 0), full({4}, head != 1 ? 1 : 0)}, 0);
    };
    const Tensor without = (*model->module)(some_ids(), pass);
    BOOST_TEST(std::abs(found.logit - without(4 * 7 + 1) - found.terms[2 + head].value) < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(attention_without_heads_is_one_term) {
  const auto model = used(kinds()[5]);
  const std::vector<std::string> found = names(attribute(gpt(model), {some_ids()}, 0, 0));
  const std::vector<std::string> expected = {
      "token",       "position",        "layer 0 attention", "layer 0 MLP", "layer 1 attention",
      "layer 1 MLP", "last norm's bias"};
  BOOST_TEST(found == expected, per_element());
}

BOOST_AUTO_TEST_CASE(the_last_row_of_the_lens_is_the_prediction) {
  for (const ModelOptions& options : kinds()) {
    const auto model = used(options);
    const Tensor targets = tensor({-1, -1, -1, 1, 6, 0}, {1, 6}, DType::i32);
    const auto rows = logit_lens(gpt(model), {some_ids(), targets});
    BOOST_TEST_REQUIRE(rows.size() == 3u);
    Pass pass = Pass::evaluation();
    const Tensor p = softmax(cast((*model->module)(some_ids(), pass), DType::f64));  // (1, 6, 7)
    for (const auto& row : rows) BOOST_TEST(row.size() == 6u);
    for (Index time = 0; time < 6; ++time) {
      const LensCell& cell = rows[2][time];
      for (Index token = 0; token < 7; ++token) BOOST_TEST(p(time * 7 + token) <= cell.probability);
      BOOST_TEST(cell.probability == p(time * 7 + cell.token));
      if (time < 3)
        BOOST_TEST(std::isnan(cell.right));
      else
        BOOST_TEST(cell.right == p(time * 7 + static_cast<Index>(targets(time))));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_first_row_of_the_lens_reads_the_embedding) {
  // Without norm and positions, logits are dot products of embeddings.
  ModelOptions options = small_options(7, 6, 1);
  options.norm = nullptr;
  options.position = RotaryPositions{};
  const auto model = used(options);
  const Tensor table = gpt(model).embedding.tokens.weight.value();
  const Tensor p = softmax(cast(linear(table, table), DType::f64));  // (7, 7)
  const auto rows = logit_lens(gpt(model), {some_ids(), full({1, 6}, 0, DType::i32)});
  for (Index time = 0; time < 6; ++time)
    BOOST_TEST(std::abs(rows[0][time].right - p(static_cast<Index>(some_ids()(time)) * 7)) < 1e-6);
}

BOOST_AUTO_TEST_CASE(unsupported_models_are_refused) {
  const auto encoder = make_model("encoder", small_options(7, 6));
  EXPECT_ERROR(UsageError, require_residual_gpt(*encoder, "inspect lens"),
               "inspect lens needs --arch gpt, but the run has --arch encoder");
  ModelOptions options = small_options(7, 6);
  options.residual = false;
  const auto without = make_model("gpt", options);
  EXPECT_ERROR(UsageError, require_residual_gpt(*without, "inspect lens"),
               "inspect lens needs a residual stream, but the run was trained with "
               "--residual false");
  options = small_options(7, 6);
  options.norm = [](const ModelOptions& o) { return std::make_unique<Linear>(o.width, o.width); };
  const auto own = make_model("gpt", options);
  EXPECT_ERROR(UsageError, attribute(gpt(own), {some_ids()}, 0, 0),
               "attribution supports layer norm and RMS norm, but the run has a custom norm");
  const auto model = used(small_options(7, 6));
  EXPECT_ERROR(ValueError, attribute(gpt(model), {some_ids()}, 6, 0),
               "attribution: position 6 is out of range 0 to 5");
  EXPECT_ERROR(ValueError, attribute(gpt(model), {some_ids()}, 0, 7),
               "attribution: token 7 or -1 is out of range 0 to 6");
}

BOOST_AUTO_TEST_SUITE_END()

// Diagnostics in the metrics, compared with known figures.
#include "../../train/watch/diagnostics.hpp"
#include "../shared/toy_model.hpp"
#include "../shared/toy_training.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(diagnostics)

namespace {

/// The model and task of a configuration.
struct Made {
  explicit Made(TrainConfig config)
      : task(make_task(config, registry())), model(make_model(config, *task, registry())) {}
  std::unique_ptr<Task> task;
  std::unique_ptr<TaskModel> model;
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_ratio_of_an_update) {
  ToyModel model(3);  // weight (2, 3), scale (), empty (0, 3)
  const WeightSnapshot before(model);
  BOOST_TEST(to_text(before.update_ratio()) == R"({"weight":0.0})");
  float* x = model.weight.change<float>();
  for (int i = 0; i < 6; ++i) x[i] = 3.03f;
  BOOST_TEST(std::abs(before.update_ratio()["weight"].number() - 0.01) < 1e-6);
  ToyModel zero(0);
  const WeightSnapshot nothing(zero);
  zero.weight.change<float>()[0] = 1;
  BOOST_TEST(nothing.update_ratio().is_null());  // no ratio relative to zero
}

BOOST_AUTO_TEST_CASE(weights_that_are_compared_are_those_of_products) {
  Made made(validated(small_config(), registry()));
  const WeightSnapshot before(*made.model->module);
  std::vector<std::string> names;
  const Json ratios = before.update_ratio();
  for (const auto& [name, ratio] : ratios.members()) names.push_back(name);
  const std::vector<std::string> expected = {"tokens.weight",
                                             "positions.weight",
                                             "blocks.0.attention.qkv.weight",
                                             "blocks.0.attention.out.weight",
                                             "blocks.0.mlp.in.weight",
                                             "blocks.0.mlp.out.weight"};
  BOOST_TEST(names == expected, per_element());
}

BOOST_AUTO_TEST_CASE(the_entropy_of_heads_that_look_evenly) {
  // With zero queries, attention is uniform over the k visible keys: entropy ln k.
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) {
    Made made(validated(small_config(arch), registry()));
    for (Parameter* p : parameters(*made.model->module)) {
      if (p->path.find("attention") == std::string::npos &&
          p->path.find("cross") == std::string::npos)
        continue;
      if (p->path.find("qkv.weight") == std::string::npos &&
          p->path.find("query.weight") == std::string::npos)
        continue;
      float* x = p->change<float>();
      for (Index i = 0; i < p->shape.size(); ++i) x[i] = 0;
    }
    const auto found = attention_entropy(*made.model, *made.task);
    BOOST_TEST(found.members().size() == (std::string(arch) == "encoder-decoder" ? 3u : 1u));
    for (const auto& [module, heads] : found.members()) {
      BOOST_TEST(heads.items().size() == 2u);
      BOOST_TEST(heads.items()[0].number() == heads.items()[1].number());
      if (std::string(arch) != "gpt") continue;
      double expected =
          0;  // 7 positions: 4 prompt tokens, and the completion without its last token
      for (int keys = 1; keys <= 7; ++keys) expected += std::log(keys) / 7;
      BOOST_TEST(std::abs(heads.items()[0].number() - expected) < 1e-6, module);
    }
    if (std::string(arch) == "encoder")
      BOOST_TEST(std::abs(found.members()[0].value.items()[0].number() - std::log(4)) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(nothing_of_what_is_not_there) {
  TrainConfig config = small_config();
  config.model.temperature = Temperature::none;
  Made made(validated(config, registry()));
  BOOST_TEST(learned_scales(*made.model->module).is_null());
}

BOOST_AUTO_TEST_SUITE_END()

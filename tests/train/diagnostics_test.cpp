// What metrics tell of a model besides its loss, against figures that are plain by themselves.
#include "../../train/watch/diagnostics.hpp"
#include "../../nn/encoder.hpp"
#include "../../nn/gpt.hpp"
#include "../../nn/vision/vit.hpp"
#include "../../nn/zoo/differential.hpp"
#include "../../nn/zoo/gated_heads.hpp"
#include "../../nn/zoo/latent.hpp"
#include "../../nn/zoo/linear_attention.hpp"
#include "../../nn/zoo/sinks.hpp"
#include "../../nn/zoo/switch_head.hpp"
#include "../../train/watch/flops.hpp"
#include "../shared/toy_model.hpp"
#include "../shared/toy_training.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(diagnostics)

namespace {

/// A model of a configuration, and its task.
struct Made {
  explicit Made(TrainConfig config)
      : task(make_task(config, registry())), model(make_model(config, *task, registry())) {}
  std::unique_ptr<Task> task;
  std::unique_ptr<TaskModel> model;
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_ratio_of_an_update) {
  ToyModel model(3);  // weight (2, 3), scale (), empty (0, 3)
  const WeightsBefore before(model);
  BOOST_TEST(to_text(before.update_ratio()) == R"({"weight":0.0})");
  float* x = model.weight.change<float>();
  for (int i = 0; i < 6; ++i) x[i] = 3.03f;
  BOOST_TEST(std::abs(before.update_ratio()["weight"].number() - 0.01) < 1e-6);
  ToyModel zero(0);
  const WeightsBefore nothing(zero);
  zero.weight.change<float>()[0] = 1;
  BOOST_TEST(nothing.update_ratio().is_null());  // no ratio to nothing
}

BOOST_AUTO_TEST_CASE(weights_that_are_compared_are_those_of_products) {
  Made made(validated(small_config(), registry()));
  const WeightsBefore before(*made.model->module);
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
  // With queries of zero a head looks evenly at the k keys that it sees: ln k.
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
      double expected = 0;  // 7 positions: 4 tokens, and their answer but for its last
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

BOOST_AUTO_TEST_CASE(operations_of_a_gpt) {
  ModelOptions options;
  options.vocabulary = 16, options.context = 32, options.layers = 2, options.heads = 4;
  options.width = 64;
  GPT model(options);
  // 6 a weight and token, and for each layer and token 6 x time x width of causal attention.
  const double weights = 2 * 12 * 64 * 64 + 16 * 64, attention = 6.0 * 2 * 32 * 64;
  BOOST_TEST(step_flops(model, options, 1024) == 1024 * (6 * weights + attention));
}

BOOST_AUTO_TEST_CASE(operations_of_the_others) {
  Made encoder(validated(small_config("encoder"), registry()));  // 4 positions, width 8, 4 tokens
  // All of attention, and a head of its own: 4 classes.
  const double read = 6 * (12 * 64 + 8 * 4) + 12.0 * 4 * 8;
  BOOST_TEST(step_flops(*encoder.model->module, encoder.model->options, 10) == 10 * read);

  Made both(validated(small_config("encoder-decoder"), registry()));
  const ModelOptions& o = both.model->options;
  const auto s = static_cast<double>(o.source), t = static_cast<double>(o.context);
  // A block's cross-attention makes keys and values of the source.
  const double linear =
      6 * (s * (12 + 2) * 64 + t * (14 * 64 + 8 * static_cast<double>(o.vocabulary)));
  const double attention = 12 * 8 * (s * s + t * t / 2 + t * s);
  BOOST_TEST(std::abs(step_flops(*both.model->module, o, o.source + o.context) -
                      (linear + attention)) < 1e-6);
}

BOOST_AUTO_TEST_CASE(operations_of_a_head_of_its_own_and_of_one_for_the_sequence) {
  ModelOptions options;
  options.vocabulary = 16, options.context = 32, options.layers = 1, options.width = 64;
  GPT tied(options);
  options.tied = false;
  GPT untied(options);
  BOOST_TEST(step_flops(untied, options, 32) == step_flops(tied, options, 32));

  options.classes = 5;
  const auto whole = step_flops(*std::make_unique<Encoder>(options), options, 32);
  options.pooled = true;
  const auto pooled = step_flops(*std::make_unique<Encoder>(options), options, 32);
  BOOST_TEST(whole - pooled == 6.0 * 31 * 64 * 5);

  options.patches.image = {8, 8, 1, 2, 3}, options.patches.class_token = true;  // 4 and 1 tokens
  ViT vit(options);
  const double read = 4 * 16 * 64 + 5 * 12 * 64 * 64 + 64 * 3, attention = 2 * 5 * 5 * 64;
  options.context = 64;  // an example's tokens are its pixels
  BOOST_TEST(step_flops(vit, options, 64) == 6 * (read + attention));
}

// Of one example, all products of queries and keys, and of weights and values.
BOOST_AUTO_TEST_CASE(operations_of_attention_of_each_kind) {
  ModelOptions options;
  options.vocabulary = 16, options.context = 100, options.layers = 1, options.width = 64;
  const auto of = [&](const ModelOptions& o, double weights) {
    GPT model(o);
    return step_flops(model, o, 100) - 600 * (weights + 8 * 64 * 64 + 16 * 64);
  };
  const double square = 4 * 64 * 64;
  BOOST_TEST(of(options, square) == 6 * 100 * 50 * 2 * 64);
  options.window = 10;  // each sees 10, but for the first ones
  BOOST_TEST(of(options, square) == 6 * 10 * 95 * 2 * 64);

  const auto with = [&](auto make) {
    ModelOptions o = options;
    o.attention = [=](const ModelOptions& own) -> std::unique_ptr<Module> {
      return make(self_attention_options(own));
    };
    return o;
  };
  using Options = AttentionLayerOptions;
  const auto sinks = [](const Options& o) { return std::make_unique<zoo::Sinks>(o, 3); };
  BOOST_TEST(of(with(sinks), square) == 6 * (10 * 95 + 3 * 100) * 2 * 64);
  options.window = 0;
  // Two maps, over values that are twice as wide as keys.
  const auto differential = [](const Options& o) { return std::make_unique<zoo::Differential>(o); };
  BOOST_TEST(of(with(differential), square) == 6 * 5000 * 2 * 4 * (8 + 16));
  // Each head sees a latent vector of 32.
  const auto latent = [](const Options& o) { return std::make_unique<zoo::Latent>(o); };
  BOOST_TEST(of(with(latent), 2 * 64 * 64 + 3 * 64 * 32) == 6 * 5000 * 4 * (32 + 32));
  // Keys of a chunk of 64, then sums of 16 x 17.
  const auto linear = [](const Options& o) { return std::make_unique<zoo::LinearAttention>(o); };
  BOOST_TEST(of(with(linear), square) == 6 * 100 * 4 * (64 * (16 + 17) + 2 * 16 * 17));
  const auto gated = [](const Options& o) { return std::make_unique<zoo::GatedHeads>(o); };
  BOOST_TEST(of(with(gated), 5 * 64 * 64) == 6 * 5000 * 2 * 64);
  // Values and outputs of four experts a head, which two routers choose.
  const auto mixture = [](const Options& o) { return std::make_unique<zoo::SwitchHead>(o); };
  BOOST_TEST(of(with(mixture), 10 * 64 * 64 + 2 * 64 * 16) == 6 * 5000 * 2 * 64);
}

BOOST_AUTO_TEST_SUITE_END()

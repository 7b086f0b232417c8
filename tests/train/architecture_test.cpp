#include "../../nn/encoder_decoder.hpp"
#include "../../optim/optimizers.hpp"
#include "../../parts/parts.hpp"
#include "../../train/config/options.hpp"
#include "../../train/config/validate.hpp"
#include "../../train/trainer.hpp"
#include "../shared/small_models.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(architecture)

namespace {

Tensor ids(const std::vector<double>& values, Index rows) {
  return tensor(values, {rows, static_cast<Index>(values.size()) / rows}, DType::i32);
}

/// A task to find the largest of several tokens. The completion is one token.
class Largest : public BareTask {
 public:
  explicit Largest(Index length) : length_(length) {}
  Index vocabulary() const override { return 6; }
  Index context() const override { return length_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    Random random({seed, Draw::test, static_cast<std::uint32_t>(step), 0,
                   static_cast<std::uint32_t>(number)});
    Example example{{}, length_};
    for (Index i = 0; i < length_; ++i) example.tokens.push_back(random.below(6));
    example.tokens.push_back(*std::max_element(example.tokens.begin(), example.tokens.end()));
    return example;
  }
  Index held_out_size() const override { return 100; }
  Example held_out_example(Index number) const override { return training_example(1, 0, number); }

 private:
  Index length_;
};

TrainConfig encoder_config() {
  TrainConfig config;
  config.arch = "encoder";
  config.model.layers = 1, config.model.heads = 2, config.model.width = 16;
  return config;
}

const std::vector<Example> examples = {{{1, 2, 3, 5, 6, 7}, 3}, {{4, 8}, 1}};

}  // namespace

BOOST_AUTO_TEST_CASE(each_kind_by_its_name) {
  ModelOptions options = small_options(9, 4);
  options.source = 3;
  BOOST_TEST(dynamic_cast<GPT*>(make_model("gpt", options)->module.get()));
  BOOST_TEST(dynamic_cast<Encoder*>(make_model("encoder", options)->module.get()));
  BOOST_TEST(dynamic_cast<EncoderDecoder*>(make_model("encoder-decoder", options)->module.get()));
  for (const std::string& arch : Registry().architectures().names())
    BOOST_TEST(make_model(arch, options)->arch == arch);
  EXPECT_ERROR(UsageError, make_model("transformer", options),
               "unknown --arch 'transformer'; expected gpt, encoder or encoder-decoder");
}

BOOST_AUTO_TEST_CASE(a_gpt_predicts_the_next_token) {
  const Batch batch = make_model("gpt", small_options(9, 4))->batch(examples);
  expect_equal(batch.inputs, ids({1, 2, 3, 5, 6, 4, 0, 0, 0, 0}, 2));
  expect_equal(batch.targets, ids({-1, -1, 5, 6, 7, 8, -1, -1, -1, -1}, 2));
}

BOOST_AUTO_TEST_CASE(an_encoder_predicts_a_token_for_each) {
  const auto model = make_model("encoder", small_options(9, 4));
  const Batch batch = model->batch(examples);
  expect_equal(batch.inputs, ids({1, 2, 3, 4, -1, -1}, 2));
  expect_equal(batch.targets, ids({5, 6, 7, 8, -1, -1}, 2));
  EXPECT_ERROR(
      ValueError, model->batch({{{1, 2, 3}, 2}}),
      "encoder: completion of 1 token for a prompt of 2, expected 2; other completions need "
      "--arch gpt or encoder-decoder");
  EXPECT_ERROR(ValueError, model->batch({{{1, 2, 3, 4, 5, 6}, 5}}),
               "encoder: prompt of 5 tokens, expected 1 to 4");
  EXPECT_ERROR(ValueError, model->batch({{{1}, 0}}),
               "encoder: prompt of 0 tokens, expected 1 to 4");
}

BOOST_AUTO_TEST_CASE(a_pooled_encoder_predicts_one_for_all) {
  ModelOptions options = small_options(9, 4);
  options.pooled = true;
  const auto model = make_model("encoder", options);
  const Batch batch = model->batch({{{1, 2, 3, 7}, 3}, {{4, 8}, 1}});
  expect_equal(batch.inputs, ids({1, 2, 3, 4, -1, -1}, 2));
  expect_equal(batch.targets, tensor({7, 8}, DType::i32));
  EXPECT_ERROR(
      ValueError, model->batch(examples),
      "encoder: completion of 3 tokens for a prompt of 3, expected 1; other completions need "
      "--arch gpt or encoder-decoder");
}

BOOST_AUTO_TEST_CASE(an_encoder_decoder_writes_after_the_last_of_the_question) {
  ModelOptions options = small_options(9, 4);
  options.source = 4;
  options.context = 3;
  const auto model = make_model("encoder-decoder", options);
  const Batch batch = model->batch(examples);
  expect_equal(batch.inputs, ids({1, 2, 3, -1, 3, 5, 6,  //
                                  4, -1, -1, -1, 4, 0, 0},
                                 2));
  expect_equal(batch.targets, ids({5, 6, 7, 8, -1, -1}, 2));
  EXPECT_ERROR(ValueError, model->batch({{{1, 2, 3, 4, 5}, 1}}),
               "encoder-decoder: completion of 4 tokens, expected 1 to 3");
  EXPECT_ERROR(ValueError, model->batch({{{1, 2, 3, 4, 5, 6}, 5}}),
               "encoder-decoder: prompt of 5 tokens, expected 1 to 4");
}

BOOST_AUTO_TEST_CASE(prompts_are_decoded_in_a_batch) {
  ModelOptions options = small_options(9, 4);
  options.source = 3;
  for (const std::string& arch : Registry().architectures().names()) BOOST_TEST_CONTEXT(arch) {
      const auto model = make_model(arch, options);
      const std::vector<std::vector<int>> questions = {{1, 2}, {3, 4}, {8, 0}};
      const auto all = model->decode(questions);
      std::vector<std::unique_ptr<Decoding>> each;
      for (const auto& question : questions) each.push_back(model->decode({question}));
      std::vector<int> said;
      for (int place = 0; place < 2; ++place) {
        const Tensor logits = all->next(said);  // (3, 9)
        for (std::size_t i = 0; i < 3; ++i) {
          const auto own = said.empty() ? said : std::vector<int>{said[i]};
          const Index row = i;
          expect_equal(slice(logits, 0, row, row + 1), each[i]->next(own), 1e-5);
        }
        said = {5, 6, 7};
      }
      EXPECT_ERROR(
          ValueError, model->decode({{1, 2}, {3}}),
          "decode: prompts of 2 and 1 tokens, expected the same length for all, at least 1");
      EXPECT_ERROR(
          ValueError, model->decode({{}}),
          "decode: prompts of 0 and 0 tokens, expected the same length for all, at least 1");
    }
}

// Prompts of one token don't need pooling.
BOOST_AUTO_TEST_CASE(completion_lengths_decide_whether_an_encoder_is_pooled) {
  const Registry registry = Registry::standard();
  const TrainConfig config = encoder_config();
  BOOST_TEST(make_model(config, Largest(5), registry)->options.pooled);
  BOOST_TEST(!make_model(config, Largest(1), registry)->options.pooled);
  const auto reverse = registry.find_task("reverse").make({});
  const auto model = make_model(config, *reverse, registry);
  BOOST_TEST(!model->options.pooled);
  BOOST_TEST(model->options.context == 16);
  BOOST_TEST(model->longest_question() == 16);
}

BOOST_AUTO_TEST_CASE(a_pooled_encoder_learns) {
  const Largest task(5);
  const TrainConfig config = encoder_config();
  const auto model = make_model(config, task, Registry::standard());
  AdamW adam(*model->module, {0.01});
  for (Index step = 0; step < 150; ++step) {
    std::vector<Example> some;
    for (Index i = 0; i < 32; ++i) some.push_back(task.training_example(0, step, i));
    training_step(*model->module, adam, model->batch(some), 0, step, 2, 1);
  }
  const Evaluation result = evaluate(*model, task, 100);
  BOOST_TEST(result.exact_match > 0.9);
  Index right = 0;
  SampleOptions greedy;
  greedy.temperature = 0, greedy.tokens = 10;
  for (Index number = 0; number < 100; ++number) {
    const auto tokens = task.held_out_example(number).tokens;
    right += generate(*model, {tokens.begin(), tokens.end() - 1}, greedy) == tokens;
  }
  BOOST_TEST(result.exact_match == static_cast<double>(right) / 100);
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../train/step/step.hpp"
#include "../../core/numerics.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../nn/gpt.hpp"
#include "../../optim/optimizers.hpp"
#include "../../train/step/cost.hpp"
#include "../shared/small_models.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(step)

namespace {

ModelOptions options_of(double dropout) {
  ModelOptions options = small_options(6, 7, 2);
  options.dropout = dropout;
  return options;
}

/// Returns eight sequences. The first have short completions, the last have long ones.
Batch eight_rows() {
  return uneven_batch(8, [](Index row) { return 7 - row / 2; });
}

}  // namespace

BOOST_AUTO_TEST_CASE(shards_add_up_to_the_batch) {
  ModelOptions options = options_of(0.2);  // a row's dropout doesn't depend on its shard
  options.dtype = DType::f64;
  GPT model(options);
  const Batch batch = eight_rows();
  StepResult whole;
  const Gradients expected = sharded_gradients(model, batch, 3, 9, 1, whole);

  Tape tape;
  Pass pass = Pass::training(3, 9);
  const Tensor loss = cross_entropy(model(batch.inputs, pass), batch.targets);  // a mean
  BOOST_TEST(whole.loss == loss.item(), boost::test_tools::tolerance(1e-12));
  const Gradients plain = tape.backward(loss);

  for (Index shards : {2, 4, 8}) {
    StepResult result;
    const Gradients gradients = sharded_gradients(model, batch, 3, 9, shards, result);
    BOOST_TEST(result.loss == whole.loss, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(result.tokens == 8 * 7);
    for (const Parameter* parameter : parameters(model)) {
      const Tensor& x = parameter->value();
      expect_equal(gradients[x], expected[x], 1e-12, parameter->path);
      expect_equal(gradients[x], plain[x], 1e-12, parameter->path);
    }
  }
}

BOOST_AUTO_TEST_CASE(logits_only_at_targets_have_the_same_gradients) {
  ModelOptions options = small_options(pinned::large_vocabulary, 7, 2);
  options.dtype = DType::f64;
  for (const bool tied : {true, false}) {
    options.tied = tied;
    GPT model(options);
    Batch batch = eight_rows();
    for (const Index most : {0, 1, 3, 7}) {  // targets per row
      auto* target = batch.targets.mutable_data<std::int32_t>();
      for (Index i = 0; i < batch.targets.size(); ++i) target[i] = i % 7 < most ? 900 + i : -1;
      Pass pass = Pass::training(3, 9);
      const auto [logits, targets] = predictions_at_targets(model, batch, pass);
      const bool is_short = most == 1 || most == 3;
      const Shape all{8, 7, pinned::large_vocabulary}, few{8 * most, pinned::large_vocabulary};
      BOOST_TEST(logits.shape() == (is_short ? few : all));
      BOOST_TEST(!pass.targets);
      if (most == 0) continue;

      Tape tape;
      Pass same = Pass::training(3, 9);
      const Tensor loss = cross_entropy(model(batch.inputs, same), batch.targets);
      const Gradients expected = tape.backward(loss);
      for (const Index shards : {1, 4}) {
        StepResult result;
        const Gradients gradients = sharded_gradients(model, batch, 3, 9, shards, result);
        BOOST_TEST(result.loss == loss.item(), boost::test_tools::tolerance(1e-12));
        for (const Parameter* parameter : parameters(model))
          expect_equal(gradients[parameter->value()], expected[parameter->value()], 1e-12,
                       parameter->path);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(padding_that_a_shard_leaves_out_changes_nothing) {
  ModelOptions options = options_of(0.3);  // dropout of a weight doesn't depend on the row's length
  options.dtype = DType::f64;
  GPT model(options);
  const Batch batch = make_batch(
      {{{1, 2, 3, 4, 5, 0, 1, 2}, 1}, {{5, 4, 3, 2, 1}, 1}, {{0, 3, 4}, 1}, {{2, 2}, 1}});
  Batch padded = batch;
  padded.lengths.clear();
  StepResult whole;
  const Gradients expected = sharded_gradients(model, padded, 3, 9, 4, whole);
  for (Index shards : {1, 2, 4}) {
    StepResult result;
    const Gradients gradients = sharded_gradients(model, batch, 3, 9, shards, result);
    BOOST_TEST(result.loss == whole.loss, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(result.tokens == 7 + 4 + 2 + 1);
    for (const Parameter* parameter : parameters(model))
      expect_equal(gradients[parameter->value()], expected[parameter->value()], 1e-12,
                   parameter->path);
  }
}

BOOST_AUTO_TEST_CASE(results_are_bitwise_identical_for_any_threads) {
  const Batch batch = eight_rows();
  std::vector<std::vector<double>> expected;
  for (int count : {1, 2, 3, 5, 16}) {
    set_threads(count);
    GPT model(options_of(0.1));
    AdamW adam(model);
    std::vector<std::vector<double>> seen;
    for (Index i = 0; i < 5; ++i) {
      const StepResult result = training_step(model, adam, batch, 0, i, 4, 1);
      seen.push_back({result.loss, result.norm});
    }
    for (const Parameter* parameter : parameters(model))
      seen.push_back(parameter->value().values());
    if (expected.empty()) expected = seen;
    BOOST_TEST((seen == expected));
  }
  set_threads(1);
}

BOOST_AUTO_TEST_CASE(a_step_decreases_the_loss) {
  GPT model(options_of(0));
  AdamW adam(model);
  const Batch batch = eight_rows();
  const double first = training_step(model, adam, batch, 0, 0, 2, 1).loss;
  double last = first;
  for (Index i = 1; i < 50; ++i) last = training_step(model, adam, batch, 0, i, 2, 1).loss;
  BOOST_TEST(last < first - 0.2);
}

BOOST_AUTO_TEST_CASE(nothing_asked) {
  GPT model(options_of(0));
  AdamW adam(model);
  Batch batch = eight_rows();
  batch.targets = full(batch.targets.shape(), -1, DType::i32);
  const StepResult result = training_step(model, adam, batch, 0, 0, 2, 1);
  BOOST_TEST(result.loss == 0);
  BOOST_TEST(result.norm == 0);
}

BOOST_AUTO_TEST_CASE(shards_that_do_not_fit) {
  GPT model(options_of(0));
  StepResult result;
  for (Index shards : {-2, 0, 3, 16})
    EXPECT_ERROR(
        ValueError, sharded_gradients(model, eight_rows(), 0, 0, shards, result),
        fmt::format("{} shards, expected a power of two that divides the batch size 8", shards));
}

BOOST_AUTO_TEST_CASE(a_batch_without_tensors) {
  GPT model(options_of(0));
  StepResult result;
  Batch batch;
  EXPECT_ERROR(ValueError, sharded_gradients(model, batch, 0, 0, 1, result),
               "the batch has no inputs");
  batch.inputs = eight_rows().inputs;
  EXPECT_ERROR(ValueError, sharded_gradients(model, batch, 0, 0, 1, result),
               "the batch has no targets");
}

BOOST_AUTO_TEST_CASE(default_shards_divide_the_batch) {
  for (const Index parameters : {1 << 10, 1 << 20, 1 << 30}) {
    BOOST_TEST(default_shards(64, 256, parameters) == 4);
    BOOST_TEST(default_shards(12, 256, parameters) == 4);
    BOOST_TEST(default_shards(6, 256, parameters) == 2);
    BOOST_TEST(default_shards(1, 256, parameters) == 1);
    BOOST_TEST(default_shards(7, 256, parameters) == 1);
  }
}

BOOST_AUTO_TEST_CASE(default_shards_have_work_for_their_weights) {
  BOOST_TEST(default_shards(4, 1, 1 << 18) == 4);
  BOOST_TEST(default_shards(4, 255, (1 << 18) + 1) == 2);
  BOOST_TEST(default_shards(4, 256, (1 << 18) + 1) == 4);
  BOOST_TEST(default_shards(4, 1, 1 << 22) == 2);
  BOOST_TEST(default_shards(4, 127, (1 << 22) + 1) == 1);
  BOOST_TEST(default_shards(4, 128, (1 << 22) + 1) == 2);
}

BOOST_AUTO_TEST_SUITE_END()

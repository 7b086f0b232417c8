#include "../../train/step/per_example.hpp"
#include "../../core/ops.hpp"
#include "../../nn/gpt.hpp"
#include "../../optim/clip.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(per_example)

namespace {

GPT small_model() {
  ModelOptions options;
  options.vocabulary = 5, options.context = 4, options.layers = 1, options.width = 8;
  options.heads = 2, options.dtype = DType::f64;
  return GPT(options);
}

/// Two sequences. The second has one target less, and padding.
const Batch batch{tensor({1, 2, 3, 4, 0, 2, 1, 0}, {2, 4}, DType::i32),
                  tensor({2, 3, 4, 0, 2, 1, -1, -1}, {2, 4}, DType::i32),
                  {4, 2}};

}  // namespace

BOOST_AUTO_TEST_CASE(per_example_gradients_equal_single_example_gradients) {
  const GPT model = small_model();
  const std::vector<Gradients> all = per_example_gradients(model, batch);
  const std::vector<double> norms = per_example_norms(model, batch);
  BOOST_TEST_REQUIRE(all.size() == 2u);
  Tape tape;
  const Tensor loss = evaluation_loss(model, batch);
  const Gradients whole = tape.backward(loss);
  for (const Parameter* p : parameters(model)) {
    // the two examples have 4 and 2 of the 6 targets
    const Tensor& x = p->value();
    expect_equal((all[0][x] * 4.0 + all[1][x] * 2.0) / 6.0, whole[x], 1e-12, p->path);
  }
  for (std::size_t i = 0; i < 2; ++i) BOOST_TEST(norms[i] == global_norm(all[i]));
}

BOOST_AUTO_TEST_CASE(any_loss_can_be_used) {
  const GPT model = small_model();
  const BatchLoss squares = [](const Module& module, const Batch& one) {
    Pass pass;
    const Tensor logits = module(one.inputs, pass);
    return sum(logits * logits);
  };
  const std::vector<Gradients> all = per_example_gradients(model, batch, squares);
  Tape tape;
  const Gradients second = tape.backward(squares(model, batch.rows(1, 2)));
  for (const Parameter* p : parameters(model))
    expect_equal(all[1][p->value()], second[p->value()], 0, p->path);
}

BOOST_AUTO_TEST_CASE(an_old_value_of_a_parameter_is_refused) {
  GPT model = small_model();
  Parameter& weight = *parameters(model)[0];
  const Tensor old = weight.value();
  weight.set(old * 2.0);
  const std::vector<Gradients> all = per_example_gradients(model, batch);
  EXPECT_ERROR(TapeError, all[0][old],
               "gradient: a tensor of shape (5, 8) was not watched by the tape; call "
               "tape.watch(x) before it is used");
}

BOOST_AUTO_TEST_SUITE_END()

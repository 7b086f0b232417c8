#include "../weight_gradients.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/tasks.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(weight_gradients)

namespace {

Batch example() {
  return {tensor({3, 1, 4, 1, 5}, {1, 5}, DType::i32),
          tensor({-1, -1, 1, 5, 2}, {1, 5}, DType::i32)};
}

const GPT& gpt(const std::unique_ptr<TaskModel>& model) {
  return require_residual_gpt(*model, "inspect gradients");
}

Tensor loss_of(const Module& model, const Batch& batch) {
  Pass pass = Pass::evaluation();
  return cross_entropy(model(batch.inputs, pass), batch.targets);
}

const WeightGradient& named(const ExampleGradients& found, const std::string& name) {
  for (const WeightGradient& one : found.weights)
    if (one.name == name) return one;
  throw Error("no weight {}", name);
}

ModelOptions swiglu() {
  ModelOptions options = small_options(7, 6, 2);
  options.mlp = StandardMLP{Activation::swiglu};
  options.kv_heads = 1;
  options.tied = false;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(outer_products_add_up_to_the_gradient) {
  for (ModelOptions options : {small_options(7, 6, 2), swiglu()}) {
    for (bool recompute : {false, true}) {
      options.recompute = recompute;
      const auto model = opinionated_model(options);
      Tape tape;
      for (Parameter* p : parameters(*model->module)) tape.watch(*p);
      const Gradients gradients = tape.backward(loss_of(*model->module, example()));
      const ExampleGradients found = example_gradients(gpt(model), example());
      // Each layer has queries, keys, values, output, and two or three weights of the MLP.
      BOOST_TEST(found.weights.size() ==
                 (options.mlp.target<StandardMLP>()->activation == Activation::swiglu ? 14u : 12u));
      for (const WeightGradient& one : found.weights) {
        BOOST_TEST_CONTEXT(one.name) {
          expect_equal(matmul(transpose(one.dy), one.x), one.gradient, 1e-5);
          BOOST_TEST(one.stream_input.shape() == (Shape{5, 8}));
          BOOST_TEST(one.stream_update.shape() == (Shape{5, 8}));
        }
      }
      walk(*model->module, [&](const std::string& path, const Parameter& p) {
        if (path == "blocks.1.mlp.out.weight")
          expect_equal(named(found, path).gradient, gradients[p.value()], 1e-6);
        if (path != "blocks.0.attention.qkv.weight") return;
        const Tensor parts =
            concat({named(found, path + " (q)").gradient, named(found, path + " (k)").gradient,
                    named(found, path + " (v)").gradient},
                   0);
        expect_equal(parts, gradients[p.value()], 1e-6);
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(each_use_of_a_shared_weight_has_a_gradient) {
  ModelOptions options = small_options(7, 6, 3);
  options.share_layers = 1, options.tied_kv = true;
  const auto model = opinionated_model(options);
  Tape tape;
  const Gradients gradients = tape.backward(loss_of(*model->module, example()));
  const ExampleGradients found = example_gradients(gpt(model), example());
  BOOST_TEST(found.weights.size() == 3 * 5u);
  for (const char* const name : {"mlp.in.weight", "attention.qkv.weight (kv)"}) {
    Tensor sum;
    for (int layer = 0; layer < 3; ++layer) {
      const WeightGradient& one = named(found, fmt::format("blocks.{}.{}", layer, name));
      expect_equal(matmul(transpose(one.dy), one.x), one.gradient, 1e-5);
      sum = sum ? sum + one.gradient : one.gradient;
    }
    walk(*model->module, [&](const std::string& path, const Parameter& p) {
      if (path == "blocks.0.mlp.in.weight" && name == std::string("mlp.in.weight"))
        expect_equal(sum, gradients[p.value()], 1e-5);
      if (path == "blocks.0.attention.qkv.weight" && name != std::string("mlp.in.weight"))
        expect_equal(sum, slice(gradients[p.value()], 0, 8, 16), 1e-5);
    });
  }
}

BOOST_AUTO_TEST_CASE(factors_are_given_where_a_map_meets_the_stream) {
  const auto model = opinionated_model(small_options(7, 6, 2));
  const ExampleGradients found = example_gradients(gpt(model), example());
  const auto& mlp = dynamic_cast<const MLP&>(*gpt(model).blocks[1].mlp);
  const WeightGradient& in = named(found, "blocks.1.mlp.in.weight");
  expect_equal(in.stream_input, in.x);
  expect_equal(in.stream_update, -matmul(in.dy, mlp.in.weight.value()), 1e-6);
  const WeightGradient& out = named(found, "blocks.1.mlp.out.weight");
  expect_equal(out.stream_input, linear(out.x, mlp.out.weight.value()), 1e-6);
  expect_equal(out.stream_update, -out.dy);
}

BOOST_AUTO_TEST_CASE(a_step_of_the_last_map_favours_the_target) {
  // A step's update at the last position raises the target's logit and lowers the logit of the
  // previously most likely token.
  const auto model = opinionated_model(small_options(7, 6, 2, DType::f64));
  Batch one = example();
  one.targets = tensor({-1, -1, -1, -1, 2}, {1, 5}, DType::i32);
  const ExampleGradients found = example_gradients(gpt(model), one);
  const Tensor sent = named(found, "blocks.1.mlp.out.weight").stream_update;
  const Tensor speaks = Readout(gpt(model), "test").products(sent);  // (5, 7)
  Pass pass = Pass::evaluation();
  const Tensor logits = (*model->module)(one.inputs, pass);  // (1, 5, 7)
  Index likeliest = 0;
  for (Index token = 1; token < 7; ++token)
    if (token != 2 && logits(4 * 7 + token) > logits(4 * 7 + likeliest)) likeliest = token;
  BOOST_TEST(speaks(4 * 7 + 2) > 0);
  BOOST_TEST(speaks(4 * 7 + 2) > speaks(4 * 7 + likeliest));
}

BOOST_AUTO_TEST_CASE(token_costs_are_first_order_effects) {
  const auto model = opinionated_model(small_options(7, 6, 2, DType::f64));
  const ExampleGradients found = example_gradients(gpt(model), example());
  const Tensor table = gpt(model).embedding.tokens.weight.value();
  for (Index place = 0; place < 5; ++place) {
    const Tensor row =
        gather_rows(table, slice(reshape(example().inputs, {5}), 0, place, place + 1));
    const auto loss_at = [&](double grown) {
      Pass pass = Pass::evaluation();
      pass.hook = [&](const HookPoint& point, const Tensor& x) {
        if (point.name != std::string("in") || point.module != std::string("blocks.0")) return x;
        return x + pad(reshape((mean(table, {0}) - row) * grown, {1, 1, 8}), 1, place, 4 - place);
      };
      return cross_entropy((*model->module)(example().inputs, pass), example().targets).item();
    };
    const double step = 1e-5, slope = (loss_at(step) - loss_at(-step)) / (2 * step);
    BOOST_TEST(std::abs(found.costs[place] - slope) < 1e-6);
    BOOST_TEST(found.norms[place] > 0);
  }
  BOOST_TEST(found.loss == loss_of(*model->module, example()).item());
}

BOOST_AUTO_TEST_CASE(norms_of_single_examples_are_sorted) {
  const auto task = standard_task("copy", "length=4 symbols=4");
  for (const char* arch : {"gpt", "encoder"}) {
    const auto model = opinionated_model(small_options(task->vocabulary(), 9), arch);
    double last = 0;
    const auto norms = gradient_norms(*model, *task, 3, [&](double fraction) { last = fraction; });
    BOOST_TEST(last == 1);
    BOOST_TEST(norms.size() == 3u);
    for (std::size_t i = 0; i < norms.size(); ++i) {
      if (i > 0) BOOST_TEST(norms[i - 1].norm >= norms[i].norm);
      Tape tape;
      for (Parameter* p : parameters(*model->module)) tape.watch(*p);
      const Tensor loss =
          loss_of(*model->module, model->batch({task->held_out_example(norms[i].example)}));
      const Gradients gradients = tape.backward(loss);
      double squares = 0;
      for (Parameter* p : parameters(*model->module))
        for (double g : gradients[*p].values()) squares += g * g;
      BOOST_TEST(std::abs(norms[i].norm - std::sqrt(squares)) <= 1e-5 * norms[i].norm);
      BOOST_TEST(norms[i].loss == loss.item());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

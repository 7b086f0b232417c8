// Custom losses of tasks, models and layers, and the loss that an optimizer sees.
#include "../../core/derivatives.hpp"
#include "../../nn/gpt.hpp"
#include "../../nn/recompute.hpp"
#include "../../optim/optimizers.hpp"
#include "../../parts/checks/check.hpp"
#include "../../train/data/numbers.hpp"
#include "../../train/evaluate.hpp"
#include "../../train/learner.hpp"
#include "../../train/model/parts.hpp"
#include "../shared/small_models.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(loss)

namespace {

/// A model y = w x for numbers, with an auxiliary loss if it has a weight.
struct Scaling : Module {
  explicit Scaling(double added_ = 0) : added(added_) {}
  Tensor forward(const Tensor& x, Pass& pass) const override {
    const Tensor y = x * weight;
    if (added > 0) pass.add_loss("size", mean(y * y), added);
    return y;
  }
  void visit(Visitor& v) override { v("weight", weight); }

  double added;
  Parameter weight{{3}, Init::normal(1), false};
};

struct Numbers : NumberTask {
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    Random random = example_random(seed, step, number);
    return {{}, 0, {}, {random.normal(), random.normal(), random.normal()}, {random.normal()}};
  }
  Index held_out_size() const override { return 40; }
  Example held_out_example(Index number) const override { return training_example(9, 0, number); }
  std::optional<Loss> loss(const TaskModel& model) const override {
    return Loss{"squared error", "of one", [&model](const Batch& batch, Pass& pass) {
                  const Tensor y = sum((*model.module)(batch.inputs, pass), {1}, true);
                  return mse(y, batch.targets);
                }};
  }
};

Registry with_numbers() {
  Registry registry = Registry::standard();
  registry.number_model("scaling", "w x", [](const ModelOptions& o, const Task*) {
    auto made = std::make_unique<Scaling>(0.5);
    finish_construction(*made, o);
    return made;
  });
  registry.task({"numbers",
                 "",
                 "",
                 "",
                 recipe("--arch scaling --batch 8 --steps 4"),
                 {},
                 {},
                 "",
                 {"scaling"},
                 [](const auto&) { return std::make_unique<Numbers>(); }});
  return registry;
}

Batch of_numbers(Index rows) {
  return number_batch(training_examples(Numbers(), 1, 0, rows), DType::f64);
}

/// Returns the mean square of a module's output.
Loss square_of(const Module& module) {
  return {"square", "", [&](const Batch& rows, Pass& pass) {
            const Tensor y = module(rows.inputs, pass);
            return mean(y * y);
          }};
}

}  // namespace

BOOST_AUTO_TEST_CASE(custom_losses_of_shards_add_up) {
  Scaling model;
  initialise(model, 1, DType::f64);
  const Batch batch = of_numbers(8);
  const Loss own = square_of(model);
  StepOptions options;
  options.loss = &own;
  const Tensor y = batch.inputs * model.weight.value();
  for (const auto& [parts, shards] : {std::pair<Index, Index>(1, 1), {1, 4}, {2, 2}, {8, 1}}) {
    options.accumulate = parts;
    StepResult result;
    const Gradients gradients = sharded_gradients(model, batch, 0, 0, shards, result, options);
    BOOST_TEST(result.loss == mean(y * y).item(), boost::test_tools::tolerance(1e-14));
    expect_equal(gradients[model.weight.value()], sum(y * batch.inputs, {0}) * (2.0 / 24), 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(rows_count_as_the_loss_says) {
  Scaling model;
  initialise(model, 1, DType::f64);
  const Batch batch = of_numbers(4);
  // The last row has the weight of the other rows together.
  Loss own = square_of(model);
  const double last = batch.inputs(9);
  own.count = [=](const Batch& rows) {
    double count = 0;
    for (Index i = 0; i < rows.inputs.dim(0); ++i) count += rows.inputs(3 * i) == last ? 3 : 1;
    return count;
  };
  StepOptions options;
  options.loss = &own;
  StepResult result;
  sharded_gradients(model, batch, 0, 0, 4, result, options);
  const Tensor y = batch.inputs * model.weight.value(), each = mean(y * y, {1});
  BOOST_TEST(result.loss == (each(0) + each(1) + each(2) + 3 * each(3)) / 6,
             boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(a_loss_is_one_number) {
  Scaling model;
  initialise(model, 1);
  Loss own{"wide", "", [&](const Batch& rows, Pass& pass) { return model(rows.inputs, pass); }};
  StepOptions options;
  options.loss = &own;
  const Batch batch = number_batch(training_examples(Numbers(), 1, 0, 2));
  StepResult result;
  EXPECT_ERROR(ShapeError, sharded_gradients(model, batch, 0, 0, 1, result, options),
               "loss 'wide' returned f32 (2, 3), expected one number");
  Pass pass;
  own.of = [](const Batch&, Pass&) { return Tensor(); };
  EXPECT_ERROR(ShapeError, sharded_gradients(model, batch, 0, 0, 1, result, options),
               "loss 'wide' returned no tensor, expected one number");
  EXPECT_ERROR(ShapeError, own(batch, pass), "loss 'wide' returned no tensor, expected one number");
  EXPECT_ERROR(ShapeError, pass.add_loss("wide", ones({2}), 1),
               "add_loss: 'wide' is f32 (2), expected one number");
  EXPECT_ERROR(ValueError, pass.add_loss("wide", ones({}), infinity),
               "add_loss: the weight of 'wide' is inf, expected a finite number");
}

BOOST_AUTO_TEST_CASE(losses_that_layers_add_are_minimized) {
  Scaling model(0.25), plain;
  initialise(model, 1, DType::f64);
  initialise(plain, 1, DType::f64);
  const Batch batch = of_numbers(8);
  const Loss own = square_of(model), other = square_of(plain);
  StepOptions options;
  options.loss = &own;
  StepResult result, less;
  const Gradients with = sharded_gradients(model, batch, 0, 0, 4, result, options);
  options.loss = &other;
  const Gradients without = sharded_gradients(plain, batch, 0, 0, 4, less, options);
  BOOST_TEST(result.loss == 1.25 * less.loss, boost::test_tools::tolerance(1e-14));
  expect_equal(with[model.weight.value()], without[plain.weight.value()] * 1.25, 1e-14);
}

BOOST_AUTO_TEST_CASE(activation_checkpointing_keeps_added_losses) {
  Scaling model(0.25);
  initialise(model, 1, DType::f64);
  const Tensor x = of_numbers(5).inputs;
  const auto gradient = [&](bool again) {
    Tape tape;
    Pass pass = Pass::training(1, 0);
    const auto f = [&](const std::vector<Tensor>& in, Pass& own) { return model(in[0], own); };
    const Tensor y = again ? recompute({x}, {&model.weight}, pass, f) : f({x}, pass);
    BOOST_TEST_REQUIRE(pass.added.size() == 1u);
    return tape.backward(pass.with_added_losses(sum(y)))[model.weight.value()];
  };
  expect_equal(gradient(true), gradient(false));
}

BOOST_AUTO_TEST_CASE(a_check_of_gradients_sees_what_a_layer_adds) {
  LayerEntry entry{"scaling", "", [] { return std::make_unique<Scaling>(0.25); },
                   of_numbers(4).inputs};
  BOOST_TEST(check_layer(entry).passed());
  struct Wrong : Scaling {
    Tensor forward(const Tensor& x, Pass& pass) const override {
      pass.add_loss("size", mean(x * Tensor(weight).detached()), 1);
      return x * weight;
    }
  };
  entry.make = [] { return std::make_unique<Wrong>(); };
  BOOST_TEST(!check_layer(entry).passed());
}

BOOST_AUTO_TEST_CASE(a_run_of_numbers_is_measured_by_its_own_loss) {
  const Registry registry = with_numbers();
  TrainConfig config = registry.find_task("numbers").recipe;
  Learner learner(make_plan(validated(config, registry), registry), registry, true);
  BOOST_TEST_REQUIRE(bool(learner.loss));
  const StepResult first = learner.step(0);
  BOOST_TEST(std::isfinite(first.loss));
  const Evaluation found = learner.evaluate(40);
  const Batch all = learner.model->batch(held_out_examples(*learner.task, 0, 40));
  Pass pass = Pass::evaluation();
  BOOST_TEST(found.loss == learner.loss->of(all, pass).item(), boost::test_tools::tolerance(1e-6));
  BOOST_TEST(found.metrics.at("size") == pass.added[0].x.item(),
             boost::test_tools::tolerance(1e-6));
  BOOST_TEST(found.loss_name == "squared error");
  BOOST_TEST(found.unit == "of one");
  BOOST_TEST(found.positions.empty());
}

BOOST_AUTO_TEST_CASE(errors_name_the_loss) {
  const Registry registry = Registry::standard();
  TrainConfig copy = registry.find_task("copy").recipe;
  copy = validated(copy, registry);
  const auto task = make_task(copy, registry);
  const auto model = make_model(copy, *task, registry);
  const Metric bad{"bad", "", [](const Tensor&, const Tensor&) -> double {
                     throw std::runtime_error("the batch is empty");
                   }};
  EXPECT_ERROR(ValueError, evaluate(*model, *task, 1, false, {}, {bad}),
               "metric 'bad' failed: the batch is empty");
  Registry mine = Registry::standard();
  bool ready = true;  // true during registration, which tries the function
  mine.norm({"late", "", [&](ModelOptions&, const OwnValues&) {
               if (!ready) throw std::runtime_error("not ready");
             }});
  ready = false;
  copy.norm = "late";
  EXPECT_ERROR(Error, model_options(copy, mine), "--norm late: its function failed: not ready");
}

BOOST_AUTO_TEST_CASE(numbers_of_a_batch_are_as_many_each) {
  EXPECT_ERROR(ValueError, number_batch({{{}, 0, {}, {1, 2}}, {{}, 0, {}, {1}}}),
               "batch: examples of 2 numbers and 1, expected the same size for all");
  const Batch batch = number_batch({{{}, 0, {}, {1, 2}}, {{}, 0, {}, {3, 4}}});
  expect_equal(batch.inputs, tensor({1, 2, 3, 4}, {2, 2}));
  BOOST_TEST(!batch.targets);
}

BOOST_AUTO_TEST_CASE(a_batch_names_its_questions) {
  const Batch batch = make_batch({{{1, 2, 3, 4}, 2}, {{1, 2, 3}, 1}});
  expect_equal(batch.named.at("question"), tensor({2, 1}, {2}, DType::i32));
  expect_equal(batch.rows(1, 2).named.at("question"), tensor({1}, {1}, DType::i32));
}

// ---- the loss that an optimizer sees

namespace {

/// An optimizer that calls all functions of StepLoss and changes nothing.
struct Asking : Optimizer {
  using Optimizer::Optimizer;
  void apply(const Gradients& gradients, const StepLoss& step) override {
    value = step.value;
    again = step.again();
    first = gradients[trained()[0]->value()];
    second = again.second[trained()[0]->value()];
    std::vector<Tensor> v;
    for (const Parameter* p : trained()) v.push_back(random_normal(p->shape, {3}, p->dtype));
    product = flatten(step.hvp(v));
    direction = v;
  }
  std::vector<State> state() override { return {}; }

  double value = 0;
  std::pair<double, Gradients> again;
  Tensor first, second, product;
  std::vector<Tensor> direction;
};

}  // namespace

BOOST_AUTO_TEST_CASE(step_loss_recomputes_the_loss) {
  ModelOptions options = small_options(6, 7, 1);
  options.dropout = 0.2;
  options.dtype = DType::f64;
  GPT model(options);
  const Batch batch = uneven_batch(8, [](Index row) { return 7 - row / 2; });
  Asking asking(model);
  StepOptions how;
  how.accumulate = 2;
  const StepResult result = training_step(model, asking, batch, 3, 5, 2, 1, how);
  BOOST_TEST(asking.value == result.loss);
  BOOST_TEST(asking.again.first == result.loss);
  expect_equal(asking.second, asking.first);

  const Function whole = [&](const std::vector<Tensor>&) {
    Pass pass = Pass::training(3, 5);
    return cross_entropy(model(batch.inputs, pass), batch.targets);
  };
  const std::vector<Tensor> x = values(parameters(static_cast<const Module&>(model)));
  const Tensor expected = flatten(hvp(whole, x, asking.direction, Unused::zeros).second);
  expect_equal(asking.product, expected, 1e-12);
}

BOOST_AUTO_TEST_CASE(an_optimizer_has_an_update_or_an_apply) {
  struct Neither : Optimizer {
    using Optimizer::Optimizer;
    std::vector<State> state() override { return {}; }
  };
  Scaling model;
  initialise(model, 1);
  Neither neither(model);
  Tape tape;
  const Gradients gradients = tape.backward(sum(model.weight * 2.0));
  EXPECT_ERROR(Error, neither.step(gradients), "an optimizer must override update or apply");
}

BOOST_AUTO_TEST_CASE(a_module_is_called_with_other_values) {
  const Linear layer(3, 2);
  Linear other(3, 2);
  initialise(const_cast<Linear&>(layer), 1);
  initialise(other, 2);
  const Tensor x = random_normal({4, 3}, {1});
  Pass pass;
  expect_equal(functional_call(layer, {other.weight.value(), other.bias.value()}, x, pass),
               other(x, pass));
  const Tensor w = other.weight.value().detached(), b = other.bias.value();
  Tape tape;
  tape.watch(w);
  const Gradients gradients = tape.backward(sum(functional_call(layer, {w, b}, x, pass)));
  expect_equal(gradients[w], broadcast_to(sum(x, {0}, true), {2, 3}), 1e-6);
  BOOST_TEST(!gradients.contains(layer.weight.value()));
  EXPECT_ERROR(ValueError, functional_call(layer, {w}, x, pass),
               "functional_call: got 1 value, but the module has 2 parameters");
  EXPECT_ERROR(ShapeError, functional_call(layer, {b, w}, x, pass),
               "functional_call: parameter 'weight' is (2, 3), but its value is (2)");
}

BOOST_AUTO_TEST_CASE(other_values_are_those_of_what_is_recomputed) {
  Scaling model;
  initialise(model, 1, DType::f64);
  const Tensor x = of_numbers(5).inputs, w = random_normal({3}, {7}, DType::f64);
  struct Again : Module {
    explicit Again(Scaling& inner_) : inner(inner_) {}
    Tensor forward(const Tensor& in, Pass& pass) const override {
      const auto f = [&](const std::vector<Tensor>& all, Pass& own) {
        const Tensor y = inner(all[0], own);
        return y * y;
      };
      return recompute({in}, {&inner.weight}, pass, f);
    }
    void visit(Visitor& v) override { inner.visit(v); }
    Scaling& inner;
  };
  const Again again(model);
  Tape tape;
  tape.watch(w);
  Pass pass;
  const Gradients gradients = tape.backward(sum(functional_call(again, {w}, x, pass)));
  expect_equal(gradients[w], sum(x * x, {0}) * w * 2.0, 1e-14);
}

BOOST_AUTO_TEST_SUITE_END()

// Infinities placed in data, weights and ops, and how they are reported.
#include "../../train/step/not_finite.hpp"
#include "../../nn/gpt.hpp"
#include "../../optim/optimizers.hpp"
#include "../../parts/parts.hpp"
#include "../shared/json.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(not_finite, InScratch)

namespace {

/// A layer that applies a function to its input.
struct Filter : Module {
  using Function = std::function<Tensor(const Tensor&)>;
  explicit Filter(Function f) : function(std::move(f)) {}
  Tensor forward(const Tensor& x, Pass&) const override { return function(x); }
  void visit(Visitor&) override {}

  Function function;
};

/// A model (rows, 2) -> logits (rows, 2).
struct Net : Module {
  explicit Net(Filter::Function f) : first(2, 2), middle(std::move(f)) {
    initialise(*this, 0);
    const std::vector<double> identity = {1, 0, 0, 1};
    first.weight.set(tensor(identity, {2, 2}));
  }
  Tensor forward(const Tensor& x, Pass& pass) const override {
    return middle(first(x, pass), pass);
  }
  void visit(Visitor& v) override { v("first", first), v("middle", middle); }

  Linear first;
  Filter middle;
};

/// Returns eight rows, two in each of four shards. Rows of shard 2 have `value`, the others zeros.
Batch batch_with(double value) {
  std::vector<double> x(16, 0.0);
  for (std::size_t i = 8; i < 12; ++i) x[i] = value;
  return {tensor(x, {8, 2}), tensor({0, 1, 0, 1, 0, 1, 0, 1}, DType::i32)};
}

std::string cause(Net& net, const Batch& batch) { return explain_non_finite(net, batch, 0, 0, 4); }

}  // namespace

BOOST_AUTO_TEST_CASE(an_op_that_makes_an_infinity) {
  Net net([](const Tensor& x) { return exp(x * 1000); });
  BOOST_TEST(cause(net, batch_with(1)) == "exp in middle made inf from finite inputs, in shard 2");
}

BOOST_AUTO_TEST_CASE(an_op_that_makes_what_is_no_number) {
  Net net([](const Tensor& x) { return log(x * -1); });
  const std::string text = cause(net, batch_with(1));
  // The cause is log(0), earlier in the step.
  BOOST_TEST(text == "log in middle made inf from finite inputs, in shard 0");
  Net root([](const Tensor& x) { return pow(x * -1, 0.5); });
  BOOST_TEST(cause(root, batch_with(1)) == "pow in middle made nan from finite inputs, in shard 2");
}

BOOST_AUTO_TEST_CASE(a_gradient_that_makes_it) {
  // At zero, the square root has a value but no derivative.
  Net net([](const Tensor& x) { return sqrt(x); });
  BOOST_TEST(cause(net, batch_with(1)) ==
             "the gradient of sqrt in middle made inf from finite inputs, in shard 0");
}

BOOST_AUTO_TEST_CASE(data) {
  Net net([](const Tensor& x) { return x; });
  BOOST_TEST(cause(net, batch_with(infinity)) ==
             "the inputs contain inf, first read by linear in first, in shard 2");
  BOOST_TEST(cause(net, batch_with(std::nan(""))) ==
             "the inputs contain nan, first read by linear in first, in shard 2");
}

BOOST_AUTO_TEST_CASE(a_weight) {
  Net net([](const Tensor& x) { return x; });
  net.first.weight.change<float>()[3] = -infinity;
  BOOST_TEST(cause(net, batch_with(1)) ==
             "parameter first.weight contained inf before the step, first read by linear in first, "
             "in shard 0");
}

BOOST_AUTO_TEST_CASE(a_mask_is_not_blamed) {
  const Tensor mask = tensor({0, -infinity});
  Net net([=](const Tensor& x) { return exp(softmax(x + mask) * x * 1000); });
  BOOST_TEST(cause(net, batch_with(1)) == "exp in middle made inf from finite inputs, in shard 2");
  Net blind([=](const Tensor& x) { return x * mask; });
  BOOST_TEST(cause(blind, batch_with(1)) == "mul in middle read inf in a constant, in shard 0");
}

BOOST_AUTO_TEST_CASE(overflow_in_the_sum_of_gradients) {
  // Each shard's gradient is below the largest float, but the sum of four isn't.
  Net net([](const Tensor& x) { return x * 3e38; });
  Batch batch = batch_with(0);
  batch.targets = tensor({0, 0, 0, 0, 0, 0, 0, 0}, DType::i32);
  net.first.bias.set(tensor({0, 0}));
  const std::string text = cause(net, batch);
  BOOST_TEST(text == "the gradient is finite, but its sum of squares isn't");
}

BOOST_AUTO_TEST_CASE(a_step_that_is_not_finite_changes_nothing) {
  Net net([](const Tensor& x) { return exp(x * 1000); });
  AdamW adam(net, {});
  const Tensor before = net.first.weight.value();
  const StepResult bad = training_step(net, adam, batch_with(1), 0, 0, 4, 1);
  BOOST_TEST(!bad.is_finite());
  BOOST_TEST(adam.steps == 0);
  expect_equal(net.first.weight.value(), before);
  const StepResult good = training_step(net, adam, batch_with(0.01), 0, 0, 4, 1);
  BOOST_TEST(good.is_finite());
  BOOST_TEST(adam.steps == 1);
}

// ---- kernels of a model

namespace {

ModelOptions small() {
  ModelOptions options;
  options.vocabulary = 5, options.context = 6, options.layers = 2, options.heads = 2;
  options.width = 8;
  return options;
}
Batch ids() {
  return {tensor({0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1}, {2, 6}, DType::i32),
          tensor({1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2}, {2, 6}, DType::i32)};
}
void scale(Parameter& parameter, float factor) {
  float* x = parameter.change<float>();
  for (Index i = 0; i < parameter.shape.size(); ++i) x[i] *= factor;
}

}  // namespace

BOOST_AUTO_TEST_CASE(non_finite_kernel_inputs) {
  for (const bool recompute : {false, true}) {
    ModelOptions options = small();
    options.recompute = recompute;
    GPT model(options);
    auto& attention = dynamic_cast<MultiHeadAttention&>(*model.blocks[1].attention);
    scale(attention.projection.qkv->weight,
          1e25f);  // the weights and matmuls are finite, but the scores aren't
    BOOST_TEST(explain_non_finite(model, ids(), 0, 0, 1) ==
               "self_attention in blocks.1.attention made nan from finite inputs, in shard 0");
  }
}

BOOST_AUTO_TEST_CASE(each_weight_of_a_model) {
  GPT model(small());
  for (Parameter* p : parameters(model)) {
    const Tensor good = p->value();
    p->change<float>()[0] = infinity;
    const std::string text = explain_non_finite(model, ids(), 0, 0, 1);
    const std::string begin =
        fmt::format("parameter {} contained inf before the step, first read by ", p->path);
    BOOST_TEST(text.substr(0, begin.size()) == begin);
    // Each parameter is read by its own module; the model slices the position table itself.
    const std::string owner = p->path.substr(0, p->path.rfind('.'));
    if (owner != "positions")
      BOOST_TEST((text.find(" in " + owner + ", in shard") != std::string::npos), text);
    p->set(good);
  }
}

BOOST_AUTO_TEST_CASE(finite_training_reports_nothing) {
  // No layer has infinite intermediate results while its final results are finite.
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) {
    const TrainConfig config = validated(small_config(arch), registry());
    TrainConfig named = config;
    const auto task = make_task(named, registry());
    const auto model = make_model(named, *task, registry());
    std::vector<Example> examples;
    for (Index i = 0; i < config.batch; ++i) examples.push_back(task->training_example(0, 0, i));
    std::vector<FiniteCheck> checks(4);
    StepOptions options;
    for (FiniteCheck& check : checks) options.listeners.push_back(&check);
    StepResult result;
    sharded_gradients(*model->module, model->batch(examples), 0, 0, 4, result, options);
    for (const FiniteCheck& check : checks)
      for (const bool of_loss : {false, true}) BOOST_TEST(!check.cause(of_loss).has_value());
  }
}

// ---- training

namespace {

/// Attention that returns an infinity at one training step.
struct Cursed : Module {
  explicit Cursed(Index step_) : step(step_) {}
  Tensor forward(const Tensor& x, Pass& pass) const override {
    const bool now = pass.train && pass.key.step == static_cast<std::uint32_t>(step);
    return now ? exp(x * 1e4 + 1e4) : x * 0.5;
  }
  void visit(Visitor&) override {}

  Index step;
};

Registry cursed_at(Index step) {
  Registry mine = make_registry();
  mine.attention("cursed",
                 [=](const AttentionLayerOptions&) { return std::make_unique<Cursed>(step); });
  return mine;
}
TrainConfig cursed_config() {
  TrainConfig config = small_config();
  config.attention = "cursed";
  config.model.temperature = Temperature::none;
  return config;
}
struct Notices : Listener {
  using Listener::Listener;
  void noticed(Index step, const std::string& message) override {
    all.push_back(fmt::format("{}: {}", step, message));
  }
  std::vector<std::string> all;
};

}  // namespace

BOOST_AUTO_TEST_CASE(ends_a_training_and_keeps_the_checkpoint) {
  Notices heard;
  EXPECT_ERROR(DivergedError, run(cursed_config(), scratch.file("run"), heard, cursed_at(7)),
               "step 8: loss nan, gradient norm nan: exp in blocks.0.attention made inf from "
               "finite inputs, in shard 0; the checkpoint of step 5 is kept; try a smaller --lr or "
               "--clip, or --skip-bad-steps true");
  BOOST_TEST(heard.steps.back() == 7);
  TrainConfig config = cursed_config();
  const Registry mine = cursed_at(7);
  const auto task = make_task(config, mine);
  const auto model = make_model(config, *task, mine);
  BOOST_TEST(RunFolder::open(scratch.file("run")).load(*model->module, nullptr) == 5);
}

BOOST_AUTO_TEST_CASE(leaves_out_a_step) {
  TrainConfig config = cursed_config();
  config.skip_bad_steps = true;
  config.average = 0.9;
  Notices heard;
  const Registry mine = cursed_at(7);
  const TrainOutcome outcome = run(config, scratch.file("whole"), heard, mine);
  BOOST_TEST(outcome.skipped == 1);
  BOOST_TEST(outcome.steps == 12);
  const std::string why = "exp in blocks.0.attention made inf from finite inputs, in shard 0";
  const std::vector<std::string> expected = {"8: skipped: " + why};
  BOOST_TEST(heard.all == expected, per_element());
  const auto lines = metrics(scratch.file("whole"));
  BOOST_TEST(lines[7]["skipped"] == why);
  BOOST_TEST(lines[7]["loss"].is_null());
  BOOST_TEST(!lines[7].contains("update_ratio"));
  BOOST_TEST(lines[8].contains("update_ratio"));

  // An interruption changes nothing.
  for (const Index stop : {7, 8, 9}) {
    const std::string path = scratch.file(fmt::format("{}", stop));
    Notices first(stop), second;
    run(config, path, first, mine);
    BOOST_TEST(run(config, path, second, mine).skipped == 1);
    BOOST_TEST(result(path) == result(scratch.file("whole")), per_element());
  }
}

BOOST_AUTO_TEST_CASE(an_update_that_makes_an_infinity) {
  TrainConfig config = small_config();
  config.eval_every = 1;
  config.warmup = 0;
  config.optimizer = "sgd";
  config.own.texts["weight-decay"] = "0";
  config.clip = 0;
  config.lr = 1e300, config.schedule = "constant";
  for (const bool skip : {false, true}) {
    config.skip_bad_steps = skip;
    Notices heard;
    std::string text;
    try {
      run(config, scratch.file(skip ? "skip" : "run"), heard);
    } catch (const Error& error) {
      text = error.what();
    }
    const std::string begin = "step 1: the update made ";
    BOOST_TEST(text.substr(0, begin.size()) == begin);
    BOOST_TEST(has(text, "; no checkpoint was saved; try a smaller --lr"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../core/runtime/processors.hpp"
#include "../../parts/parts.hpp"
#include "../../train/learner.hpp"
#include "../shared/json.hpp"
#include "../shared/toy_training.hpp"

#include <cmath>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(trainer, InScratch)

BOOST_AUTO_TEST_CASE(default_configurations_are_valid) {
  for (const TaskEntry& entry : registry().tasks()) {
    const TrainConfig config = validated(entry.recipe, registry());
    BOOST_TEST(config.task_options.size() == entry.options.size());
    BOOST_TEST(validated(config, registry()).shards == config.shards);
  }
}

BOOST_AUTO_TEST_CASE(checked_names_the_option) {
  using C = TrainConfig;
  expect_refusal("unknown task 'cpoy'; did you mean 'copy'?", [](C& c) { c.task = "cpoy"; });
  expect_refusal("unknown option '--symbol'; did you mean '--symbols'?",
                 [](C& c) { c.task_options["symbol"] = "3"; });
  expect_refusal("unknown --arch 'gtp'; did you mean 'gpt'?", "--arch gtp");
  expect_refusal("copy supports only --arch gpt, got --arch encoder", "--arch encoder");
  expect_refusal("translate supports only --arch encoder-decoder or gpt, got --arch encoder",
                 [](C& c) { c.task = "translate", c.task_options = {}, c.arch = "encoder"; });
  expect_refusal("--layers must be at least 1, not 0", "--layers 0");
  expect_refusal("--layers must be at most 1024, not 5000", "--layers 5000");
  expect_refusal("--heads must be at least 1, not -1", "--heads -1");
  expect_refusal("--heads 3 doesn't divide --width 64", "--heads 3 --width 64");
  expect_refusal("--width must be at least 1, not 0", "--width 0");
  expect_refusal("--kv-heads must be at least 0, not -1", "--kv-heads -1");
  expect_refusal("--kv-heads must be at most --heads 2, not 4", "--kv-heads 4");
  expect_refusal("--kv-heads 3 doesn't divide --heads 4", "--heads 4 --kv-heads 3");
  expect_refusal("unknown --position 'rotray'; did you mean 'rotary'?", "--position rotray");
  expect_refusal("--position rotary needs an even head width, but --width 6 / --heads 2 is 3",
                 "--position rotary --width 6");
  expect_refusal("--reach must be at least 0, not -1", "--position relative --reach -1");
  expect_refusal("unknown --attention 'standart'; did you mean 'standard'?",
                 "--attention standart");
  expect_refusal("unknown --attention-temperature 'heads'; did you mean 'head'?",
                 "--attention-temperature heads");
  expect_refusal("--dropout must be at least 0 and below 1, not 1", "--dropout 1");
  expect_refusal("--dropout must be at least 0 and below 1, not nan", "--dropout nan");
  expect_refusal("unknown --dtype 'float'; expected f32, f64 or bf16", "--dtype float");
  expect_refusal("unknown --optimizer 'adam'; did you mean 'adamw'?", "--optimizer adam");
  expect_refusal("--lr must be above 0, not 0", "--lr 0");
  expect_refusal("--lr must be finite and above 0, not inf", "--lr inf");
  expect_refusal("--min-lr must be at least 0, not -0.1", "--min-lr -0.1");
  expect_refusal("--min-lr must be at most --lr 0.1, not 0.5", "--lr 0.1 --min-lr 0.5");
  expect_refusal("--warmup must be at least 0, not -1", "--warmup -1");
  expect_refusal("--weight-decay must be at least 0, not -1", "--weight-decay -1");
  expect_refusal("--beta1 must be at least 0 and below 1, not 1", "--beta1 1");
  expect_refusal("--beta2 must be at least 0 and below 1, not -0.5", "--beta2 -0.5");
  expect_refusal("--clip must be at least 0, not -1", "--clip -1");
  expect_refusal("--batch must be at least 1, not 0", "--batch 0");
  expect_refusal("--steps must be at least 1, not 0", "--steps 0");
  expect_refusal("--steps must be at most 4294967295, not 4294967296", "--steps 4294967296");
  expect_refusal("--eval-every must be at least 0, not -5", "--eval-every -5");
  expect_refusal("--threads must be at least 0, not -2", "--threads -2");
  expect_refusal("--shards must be at least 0, not -1", "--shards -1");
  for (Index shards : {3, 128})
    expect_refusal(
        fmt::format("--shards {}: must be a power of two that divides --batch 64", shards),
        fmt::format("--shards {} --batch 64", shards));
}

BOOST_AUTO_TEST_CASE(the_model_has_the_configured_options) {
  TrainConfig config = small_config();
  config.dtype = "f64";
  config.model.temperature = Temperature::layer;
  config.position = "relative";
  config.own.texts["reach"] = "3";
  config.model.kv_heads = 1;
  config.model.qk_norm = true;
  const auto task = make_task(config, registry());
  const auto model = make_model(config, *task, registry());
  BOOST_TEST(model->arch == "gpt");
  BOOST_TEST(model->options.vocabulary == 4);
  BOOST_TEST(model->options.context == 7);
  const auto& gpt = dynamic_cast<GPT&>(*model->module);
  BOOST_TEST(gpt.blocks.size() == 1u);
  BOOST_TEST((gpt.embedding.tokens.weight.value().dtype() == DType::f64));
  BOOST_TEST(!gpt.embedding.positions);
  const auto& attention = dynamic_cast<MultiHeadAttention&>(*gpt.blocks[0].attention);
  BOOST_TEST((attention.temperature.shape == Shape{}));
  std::map<std::string, Shape> shapes;
  walk(attention, [&](const std::string& path, const Parameter& p) { shapes[path] = p.shape; });
  BOOST_TEST((shapes["relative_keys"] == Shape{7, 4}));
  BOOST_TEST(attention.options.kv_heads == 1);
  BOOST_TEST(attention.projection.query_norm.has_value());
  BOOST_TEST(attention.options.dropout == 0.1);

  config.optimizer = "sgd";
  BOOST_TEST(registry().optimizers().make("sgd").make(config, *model->module)->state().size() >
             0u);  // the momentum of sgd, set by --beta1
}

BOOST_AUTO_TEST_CASE(custom_attention) {
  Registry mine = registry();
  mine.attention("wide", [](const AttentionLayerOptions& options) {
    return std::make_unique<Linear>(options.width, options.width);
  });
  TrainConfig config = small_config();
  config.attention = "wide";
  EXPECT_ERROR(UsageError, validated(config, mine),
               "--attention-temperature has no effect with --attention wide; remove it, or use "
               "--attention standard or gated-heads");
  config = without_unused(config, {}, mine);
  const auto task = make_task(config, mine);
  const auto model = make_model(validated(config, mine), *task, mine);
  BOOST_TEST(dynamic_cast<Linear*>(dynamic_cast<GPT&>(*model->module).blocks[0].attention.get()));

  // An encoder accepts attention that isn't causal, unlike a gpt.
  config = small_config("encoder");
  config.attention = "wide", config.model.temperature = Temperature::none;
  validated(config, mine);
  mine.attention({"ahead",
                  "sees all",
                  [](ModelOptions& model, const OwnValues&) {
                    model.attention = [](const AttentionLayerOptions& o) {
                      return std::make_unique<Linear>(o.width, o.width);
                    };
                    model.attention.causal = false;
                  },
                  {"heads"}});
  config.attention = "ahead";
  validated(config, mine);
  config.arch = "gpt";
  EXPECT_ERROR(UsageError, validated(config, mine),
               "--attention ahead isn't causal, which --arch gpt requires; use --arch encoder");
  config.arch = "encoder-decoder";
  EXPECT_ERROR(UsageError, validated(config, mine),
               "--attention ahead works only with --arch gpt or encoder; with --arch "
               "encoder-decoder, use --attention standard");
}

BOOST_AUTO_TEST_CASE(what_is_written) {
  Listener listener;
  const TrainOutcome outcome = run(small_config(), scratch.file("run"), listener);
  BOOST_TEST(outcome.steps == 12);
  BOOST_TEST(!outcome.interrupted);
  BOOST_TEST(outcome.evaluation.examples == 40);
  BOOST_TEST(outcome.seconds > 0);

  BOOST_TEST(listener.first == 0);
  BOOST_TEST(listener.width == 8);
  BOOST_TEST(Learner(make_plan(listener.config, registry()), registry(), true).shards == 4);
  const std::vector<Index> evaluations = {5, 10, 12};
  BOOST_TEST(listener.evaluations == evaluations, per_element());
  BOOST_TEST(listener.steps.size() == 12u);

  const auto lines = metrics(scratch.file("run"));
  BOOST_TEST_REQUIRE(lines.size() == 12u);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const json& line = lines[i];
    BOOST_TEST(line["step"] == i + 1);
    BOOST_TEST(line["loss"].get<double>() == listener.losses[i]);
    BOOST_TEST(line["lr"].get<double>() == listener.lrs[i]);
    BOOST_TEST(line["grad_norm"].get<double>() > 0);
    const bool evaluated = i + 1 == 5 || i + 1 == 10 || i + 1 == 12;
    BOOST_TEST(line.contains("val_loss") == evaluated);
    BOOST_TEST(line.contains("exact_match") == evaluated);
    BOOST_TEST(line["attention_scale"].size() == 1u);                                  // layers
    BOOST_TEST(line["attention_scale"]["blocks.0.attention"]["scores"].size() == 2u);  // heads
    BOOST_TEST(line["time"]["seconds"].get<double>() > 0);
    BOOST_TEST(line["time"]["tokens_per_second"].get<double>() > 0);
  }
  BOOST_TEST(lines.back()["val_loss"].get<double>() == outcome.evaluation.loss);
  BOOST_TEST(RunFolder::open(scratch.file("run")).has_checkpoint());
}

BOOST_AUTO_TEST_CASE(reports_follow_the_configuration) {
  TrainConfig config = small_config();
  config.model.temperature = Temperature::none;
  config.steps = 250;  // a line every 3 steps
  config.eval_every = 0;
  config.batch = 2;
  Listener listener;
  run(config, scratch.file("run"), listener);
  const auto lines = metrics(scratch.file("run"));
  BOOST_TEST(lines.size() == 84u);
  BOOST_TEST(lines[1]["step"] == 6);
  BOOST_TEST(lines.back()["step"] == 250);
  BOOST_TEST(!lines[0].contains("attention_scale"));
  BOOST_TEST(listener.evaluations.size() == 1u);
}

BOOST_AUTO_TEST_CASE(results_are_bitwise_identical_for_any_threads) {
  for (const std::string& arch : registry().architectures().names()) BOOST_TEST_CONTEXT(arch) {
      const Scratch scratch;
      std::vector<std::string> expected;
      for (Index count : {1, 2, 4}) {
        TrainConfig config = small_config(arch);
        config.threads = count;
        const std::string path = scratch.file(fmt::format("{}", count));
        struct : Listener {
          void stepped(Index step, double lr, const StepResult& result) override {
            Listener::stepped(step, lr, result);
            most = std::max<Index>(most, threads());
          }
          Index most = 0;
        } listener;
        run(config, path, listener);
        BOOST_TEST(listener.most == std::min<Index>(count, processors()));
        BOOST_TEST(threads() == 1);  // unchanged after the run
        if (expected.empty()) expected = result(path);
        BOOST_TEST(result(path) == expected, per_element());
      }
    }
}

BOOST_AUTO_TEST_CASE(activation_checkpointing_is_bitwise_identical) {
  for (const std::string& arch : registry().architectures().names()) {
    const Scratch scratch;
    TrainConfig config = small_config(arch);
    config.model.dropout = 0.1;
    Listener plain, again;
    run(config, scratch.file("plain"), plain);
    config.model.recompute = true;
    run(config, scratch.file("again"), again);
    BOOST_TEST(result(scratch.file("again")) == result(scratch.file("plain")), arch);
  }
}

BOOST_AUTO_TEST_CASE(bf16_rounds_and_repeats) {
  TrainConfig config = small_config();
  config.model.width = 64, config.batch = 64, config.steps = 3;
  Listener exact, rounded, again;
  run(config, scratch.file("exact"), exact);
  config.dtype = "bf16";
  run(config, scratch.file("rounded"), rounded);
  config.threads = 2;
  run(config, scratch.file("again"), again);
  set_threads(1);
  BOOST_TEST(result(scratch.file("again")) == result(scratch.file("rounded")));
  BOOST_TEST(rounded.losses != exact.losses);
  BOOST_TEST(relative_error(rounded.losses.back(), exact.losses.back(), 1) < 0.01);
}

BOOST_AUTO_TEST_CASE(every_optimizer_learns_in_bf16_what_it_does_in_f32) {
  if (under_sanitizers) return;  // would take a minute; gemm's suite covers these matmuls
  for (const std::string& name : registry().optimizers().names()) {
    BOOST_TEST_CONTEXT(name) {
      TrainConfig config = registry().find_task("majority").recipe;
      config.model.width = 128, config.model.heads = 4;  // rounded to bf16
      config.model.layers = 1;
      config.optimizer = name;
      config.lr = name == "sgd" ? 0.1 : name == "muon" ? 0.02 : name == "lion" ? 0.0003 : 0.001;
      config.batch = 32, config.steps = 30, config.warmup = 5;
      const auto trained = [&](const std::string& dtype) {
        config.dtype = dtype;
        Listener listener;
        return run(config, scratch.file(name + dtype), listener).evaluation.loss;
      };
      const double exact = trained("f32"), rounded = trained("bf16");
      BOOST_TEST(exact < 0.3);
      BOOST_TEST(rounded != exact);
      BOOST_TEST(std::abs(rounded - exact) < 5e-3);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_interruption_is_bitwise_identical) {
  for (const std::string& arch : registry().architectures().names())
    BOOST_TEST_CONTEXT(arch) expect_repeatable(small_config(arch));
}

// The checkpoint is saved before the evaluation, which a resumed run does first.
BOOST_AUTO_TEST_CASE(an_interrupted_evaluation_runs_at_resume) {
  for (const Index last : {5, 12}) {
    const std::string path = scratch.file(fmt::format("{}", last));
    Listener whole, listener(last), again;
    run(small_config(), path + "-whole", whole);
    const TrainOutcome stopped = run(small_config(), path, listener);
    BOOST_TEST(stopped.interrupted);
    BOOST_TEST(stopped.steps == last);
    BOOST_TEST(RunFolder::open(path).last_step() == last);
    BOOST_TEST(RunFolder::open(path).last_record().line.rfind("{\"step\":", 0) == 0u);
    BOOST_TEST(metrics(path).back()["step"] == last);
    BOOST_TEST(!metrics(path).back().contains("val_loss"));
    BOOST_TEST(!run(small_config(), path, again).interrupted);
    BOOST_TEST(again.evaluations.front() == last);
    BOOST_TEST(result(path) == result(path + "-whole"), per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_signal_ends_an_evaluation) {
  struct Interrupted : Listener {
    void evaluating(Index, double) override { stop = true; }
  } listener;
  const TrainOutcome outcome = run(small_config(), scratch.file("run"), listener);
  BOOST_TEST(outcome.interrupted);
  BOOST_TEST(outcome.steps == 5);
  BOOST_TEST(listener.evaluations.empty());
}

BOOST_AUTO_TEST_CASE(evaluations_may_be_of_fewer_examples) {
  TrainConfig config = small_config();
  config.eval_examples = 7;
  Listener listener;
  BOOST_TEST(run(config, scratch.file("run"), listener).evaluation.examples == 7);
}

// ---- errors that would occur after the last step are found before the first

namespace {

struct Twins : Module {
  Twins() : one({2}, Init::constant(1), false), other({2}, Init::constant(1), false) {}
  Tensor forward(const Tensor& x, Pass&) const override { return x; }
  void visit(Visitor& v) override { v("twin", one), v("twin", other); }
  Parameter one, other;
};

/// An optimizer that gives two state tensors the same name.
struct OneName : Optimizer {
  explicit OneName(Module& model)
      : Optimizer(parameters(model)), first(zeros({1})), second(first) {}
  std::vector<State> state() override { return {{"sum", &first}, {"sum", &second}}; }
  void update(std::size_t, const Tensor&, double) override {}
  Tensor first, second;
};

/// Copies tokens, with an invalid token in one validation example.
struct WrongToken : Task {
  explicit WrongToken(std::unique_ptr<Task> copy_) : copy(std::move(copy_)) {}
  Index vocabulary() const override { return copy->vocabulary(); }
  Index context() const override { return copy->context(); }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    return copy->training_example(seed, step, number);
  }
  Index held_out_size() const override { return copy->held_out_size(); }
  Example held_out_example(Index number) const override {
    Example example = copy->held_out_example(number);
    if (number == 900) example.tokens.back() = 4;
    return example;
  }
  bool has_answers() const override { return true; }
  std::string show(const std::vector<int>& tokens) const override { return copy->show(tokens); }
  std::vector<int> parse(const std::string& text) const override { return copy->parse(text); }
  std::unique_ptr<Task> copy;
};

}  // namespace

BOOST_AUTO_TEST_CASE(names_tokens_and_metrics_are_checked_before_the_first_step) {
  const auto refused = [&](const Registry& known, const std::function<void(TrainConfig&)>& choose,
                           const std::string& message) {
    TrainConfig config = small_config();
    choose(config);
    Listener listener;
    expect_error<ValueError>([&] { run(config, scratch.file("run"), listener, known); }, message);
    BOOST_TEST(listener.steps.empty());
    std::filesystem::remove_all(scratch.file("run"));
  };
  Registry own = make_registry();
  own.attention("twins", [](const AttentionLayerOptions&) { return std::make_unique<Twins>(); });
  own.optimizer({"one-name", "", {[](const TrainConfig&, Module& model) {
                   return std::make_unique<OneName>(model);
                 }}});
  TaskEntry wrong = own.find_task("copy");
  wrong.name = "wrong";
  wrong.make = [copy = wrong.make](const TaskOptions& options) {
    return std::make_unique<WrongToken>(copy(options));
  };
  own.task(wrong);
  refused(
      own, [](TrainConfig& c) { c.attention = "twins", c.model.temperature = Temperature::none; },
      "checkpoint: two tensors are named \"blocks.0.attention.twin\"; names must be unique");
  refused(
      own, [](TrainConfig& c) { c.optimizer = "one-name"; },
      "checkpoint: two tensors are named \"sum\"; names must be unique");
  refused(
      own, [](TrainConfig& c) { c.task = "wrong"; },
      "task 'wrong': validation example 900: token 4 at position 7 is not below the vocabulary "
      "size 4");
  own.metric({"odd", "", [](const Tensor&, const Tensor&) -> double {
                throw ValueError("the result is not a number");
              }});
  refused(
      own, [](TrainConfig&) {}, "metric 'odd' failed: the result is not a number");
}

// If an evaluation fails later, no step is lost.
BOOST_AUTO_TEST_CASE(weights_are_saved_before_evaluation) {
  Registry own = make_registry();
  int called = 0;
  own.metric({"late", "", [&](const Tensor&, const Tensor&) -> double {
                if (++called > 100) throw ValueError("the result is not a number");
                return 0;
              }});
  Listener listener;
  EXPECT_ERROR(ValueError, run(small_config(), scratch.file("run"), listener, own),
               "metric 'late' failed: the result is not a number");
  BOOST_TEST(RunFolder::open(scratch.file("run")).last_step() == 5);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_done_is_evaluated) {
  Listener first, second;
  const TrainOutcome outcome = run(small_config(), scratch.file("run"), first);
  const auto before = result(scratch.file("run"));
  const TrainOutcome again = run(small_config(), scratch.file("run"), second);
  BOOST_TEST(again.steps == 12);
  BOOST_TEST(second.steps.empty());
  BOOST_TEST(again.evaluation.loss == outcome.evaluation.loss);
  BOOST_TEST(result(scratch.file("run")) == before, per_element());
}

BOOST_AUTO_TEST_CASE(a_loss_that_is_not_finite_ends_training) {
  TrainConfig config = small_config();
  config.eval_every = 1;
  config.warmup = 0;
  config.optimizer = "sgd";
  config.lr = 1e30;
  Listener listener;
  try {
    run(config, scratch.file("run"), listener);
    BOOST_ERROR("training went on");
  } catch (const Error& error) {
    const std::string text = error.what();
    BOOST_TEST(text.find("step ") == 0u);
    BOOST_TEST(has(text, " in shard "));
    BOOST_TEST(has(text, "; the checkpoint of step "));
    BOOST_TEST(has(text, "; try a smaller --lr or --clip"));
  }
  // Completed work stays intact.
  const auto lines = metrics(scratch.file("run"));
  BOOST_TEST(lines.size() == listener.steps.size());
  const auto task = make_task(config, registry());
  const auto model = make_model(config, *task, registry());
  if (!lines.empty())
    BOOST_TEST(RunFolder::open(scratch.file("run")).load(*model->module, nullptr) ==
               lines.back()["step"]);
}

BOOST_AUTO_TEST_CASE(text_is_recorded_with_its_characters) {
  TrainConfig config = small_config();
  config.task = "text";
  config.task_options = {{"data", scratch.write("x", "a rose is a rose is a rose is a rose")},
                         {"context", "8"}};
  config = validated(config, registry());
  BOOST_TEST(config.task_options.at("characters") == "");
  make_task(config, registry());
  BOOST_TEST(config.task_options.at("characters") == " aeiors");
  Listener listener;
  run(config, scratch.file("run"), listener);
  BOOST_TEST(listener.config.task_options.at("characters") == " aeiors");
  BOOST_TEST(!metrics(scratch.file("run")).back().contains("exact_match"));

  std::filesystem::remove(scratch.file("x"));
  const auto task = make_task(config, registry());
  const auto model = make_model(config, *task, registry());
  BOOST_TEST(RunFolder::open(scratch.file("run")).load(*model->module, nullptr) == 12);
  SampleOptions options;
  options.tokens = 3;
  BOOST_TEST(task->show(generate(*model, task->parse("rose"), options)).size() == 7u);
}

BOOST_AUTO_TEST_SUITE_END()

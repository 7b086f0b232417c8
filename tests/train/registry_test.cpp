#include "../../optim/optimizers.hpp"
#include "../../parts/checks/check.hpp"
#include "../../parts/parts.hpp"
#include "../shared/option_rows.hpp"
#include "../shared/support.hpp"

#include <fmt/ranges.h>

#include <algorithm>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(registry)

namespace {

struct Doubling : Module {
  Tensor forward(const Tensor& x, Pass&) const override { return x + x; }
  void visit(Visitor&) override {}
};

struct Times {
  Index a = 2;
  void options(Fields& f) { f("times", a, 1, 9, "factor"); }
};
struct Times2 : Times {
  void options(Fields& f) { f("times-2", a, 1, 9, "factor"); }
};
struct Times3 : Times {
  void options(Fields& f) { f("times-3", a, 1, 9, "factor"); }
};

template <class Options>
struct Scaled : Module {
  Scaled(const HeadOptions&, const Options& options) : times(options.a) {}
  Scaled(const ModelOptions&, const Options& options, const Init&, const Init&)
      : times(options.a) {}
  Tensor forward(const Tensor& x, Pass&) const override { return x * double(times); }
  void visit(Visitor&) override {}
  Index times;
};

struct Plain : SGD {
  Plain(const TrainConfig& config, Module& model)
      : SGD(model, {config.lr}), times(config.own.as<Times>().a) {}
  Index times;
};

struct Large : AdamW {
  static Index moments(const Parameter&) { return 7; }
  Large(const TrainConfig& config, Module& model) : AdamW(model, {config.lr}) {}
};

}  // namespace

BOOST_AUTO_TEST_CASE(standard_has_tasks_that_can_be_made) {
  const Registry registry = make_registry();
  for (const TaskEntry& entry : registry.tasks()) {
    BOOST_TEST(entry.recipe.task == entry.name);
    for (const std::string& text : {entry.name, entry.summary, entry.teaches, entry.expected})
      BOOST_TEST(!text.empty());
    for (const Option& option : entry.options) BOOST_TEST(!option.help.empty());
    const auto& kinds = entry.architectures;
    BOOST_TEST(std::count(kinds.begin(), kinds.end(), entry.recipe.arch) == 1);
  }
  BOOST_TEST(registry.find_task("copy").make({})->vocabulary() == 16);
  BOOST_TEST(registry.attentions().names().front() == "standard");
}

BOOST_AUTO_TEST_CASE(unknown_names) {
  Registry registry = make_registry();
  registry.attention("own",
                     [](const AttentionLayerOptions&) { return std::make_unique<Doubling>(); });
  EXPECT_ERROR(UsageError, registry.find_task("coppy"),
               "unknown task 'coppy'; did you mean 'copy'?");
  EXPECT_ERROR(UsageError, registry.find_task("Text"), "unknown task 'Text'; did you mean 'text'?");
  std::vector<std::string> all;
  for (const TaskEntry& entry : registry.tasks()) all.push_back(entry.name);
  for (const char* name : {"frobnicate", ""})
    EXPECT_ERROR(UsageError, registry.find_task(name),
                 fmt::format("unknown task '{}'; expected {}", name, alternatives(all)));
  EXPECT_ERROR(UsageError, registry.attentions().find("standrad"),
               "unknown --attention 'standrad'; did you mean 'standard'?");
  EXPECT_ERROR(UsageError, registry.attentions().find("sparse"),
               fmt::format("unknown --attention 'sparse'; expected {}",
                           alternatives(registry.attentions().names())));
}

BOOST_AUTO_TEST_CASE(nearest_name) {
  const std::vector<std::string> options = {"heads", "width", "layers", "lr"};
  BOOST_TEST(nearest("heads", options) == "heads");
  BOOST_TEST(nearest("hedas", options) == "heads");     // two letters swapped
  BOOST_TEST(nearest("head", options) == "heads");      // one letter missing
  BOOST_TEST(nearest("layerss", options) == "layers");  // one letter too many
  BOOST_TEST(nearest("with", options) == "width");
  BOOST_TEST(nearest("Ir", options) == "lr");
  BOOST_TEST(nearest("xyz", options) == "");
  BOOST_TEST(nearest("", options) == "");
  BOOST_TEST(nearest("heads", {}) == "");
  const std::vector<std::string> tasks = {"reverse-string", "grokking", "reverse", "odd", "oddly"};
  BOOST_TEST(nearest("grok", tasks) == "grokking");
  BOOST_TEST(nearest("--grok", {"--grokking"}) == "--grokking");
  BOOST_TEST(nearest("rev", tasks) == "reverse");  // with which the other one begins
  BOOST_TEST(nearest("re", tasks) == "");          // too short
  BOOST_TEST(nearest("--o", {"--out-folder"}) == "");
  BOOST_TEST(nearest("gro", {"grokking", "growing"}) == "");
  // immediately, without comparing every letter
  BOOST_TEST(nearest(std::string(10'000'000, 'h'), options) == "");
}

BOOST_AUTO_TEST_CASE(options_are_completed) {
  const std::vector<Option> options = {{"length", "", "16"}, {"symbols", "", "10"}};
  const TaskOptions expected = {{"length", "3"}, {"symbols", "10"}};
  BOOST_TEST((completed({{"length", "3"}}, options) == expected));
  EXPECT_ERROR(UsageError, completed({{"simbols", "3"}}, options),
               "unknown option '--simbols'; did you mean '--symbols'?");
  EXPECT_ERROR(UsageError, completed({{"x", "3"}}, {}), "unknown option '--x'; there are none");
}

BOOST_AUTO_TEST_CASE(a_program_adds_its_own) {
  Registry registry = make_registry();
  TaskEntry task = registry.find_task("copy");
  task.name = "mine";
  registry.task(task);
  BOOST_TEST(registry.find_task("mine").recipe.task == "mine");

  registry.attention("doubling",
                     [](const AttentionLayerOptions&) { return std::make_unique<Doubling>(); });
  ModelOptions options;
  Pass pass;
  registry.attentions().make("doubling")(options, {});
  const auto layer = options.attention.make({});
  BOOST_TEST((*layer)(scalar(2), pass).item() == 4);
  BOOST_TEST(registry.layers().back().name == "doubling");
  BOOST_TEST(check_layer(registry.layers().back()).passed());
}

BOOST_AUTO_TEST_CASE(a_maker_that_returns_null_is_named) {
  Registry registry = make_registry();
  TaskEntry task = registry.find_task("copy");
  task.name = "mine";
  task.make = [](const TaskOptions&) { return nullptr; };
  registry.task(task);
  EXPECT_ERROR(ValueError, registry.find_task("mine").make({}),
               "mine: its factory function returned null");
  LayerEntry layer = registry.layers().front();
  layer.name = "nothing";
  layer.make = [] { return nullptr; };
  registry.layer(layer);
  EXPECT_ERROR(ValueError, registry.layers().back().make(),
               "nothing: its factory function returned null");
  ModelOptions options;
  options.attention = [](const AttentionLayerOptions&) { return nullptr; };
  EXPECT_ERROR(ValueError, Block(options), "attention: its factory function returned null");
}

BOOST_AUTO_TEST_CASE(names_are_given_once) {
  Registry registry = make_registry();
  EXPECT_ERROR(ValueError, registry.task(registry.find_task("copy")),
               "registry: task 'copy' is already registered");
  EXPECT_ERROR(ValueError, registry.layer(registry.layers().front()),
               "registry: layer 'Linear' is already registered");
  EXPECT_ERROR(
      ValueError,
      registry.attention("standard",
                         [](const AttentionLayerOptions&) { return std::make_unique<Doubling>(); }),
      "registry: attention 'standard' is already registered");
}

BOOST_AUTO_TEST_CASE(options_of_commands_and_runs_are_taken) {
  Registry registry = make_registry();
  registry.command_option("mine-alone");
  const std::size_t tasks = registry.tasks().size();
  const auto refused = [&](const std::string& name, const std::string& reason) {
    TaskEntry task = registry.find_task("copy");
    task.name = "mine";
    task.options = {{name, "", ""}};
    EXPECT_ERROR(ValueError, registry.task(task), "registry: task 'mine': " + reason);
    const ModelPart part{"mine", "", [](ModelOptions&, const OwnValues&) {}, {}, a_flag(name)};
    EXPECT_ERROR(ValueError, registry.mlp(part), "registry: mlp 'mine': " + reason);
  };
  const auto taken = [](const std::string& which, const std::string& first) {
    return fmt::format("option names already in use: {}; use a prefix, as in --my-{}", which,
                       first);
  };
  for (const std::string name : {"json", "resume", "config", "help", "dry-run", "preset", "change",
                                 "repair", "profile", "mine-alone"})
    refused(name, taken("--" + name + " (train or sweep)", name));
  refused("steps", taken("--steps (every run)", "steps"));
  refused("experts", taken("--experts (attention 'switchhead')", "experts"));
  refused("momentum",
          taken("--momentum (optimizer 'muon')", "momentum"));  // only this optimizer reads it
  TaskEntry twice = registry.find_task("copy");
  twice.name = "mine";
  twice.options = {{"depth", "", ""}, {"depth", "", ""}};
  EXPECT_ERROR(ValueError, registry.task(twice),
               "registry: task 'mine': two options have the name --depth");
  BOOST_TEST(registry.tasks().size() == tasks);

  struct Many {
    Index a = 1, b = 1, c = 1, d = 1;
    void options(Fields& f) {
      f("steps", a, 1, 2, ""), f("mine-only", b, 1, 2, "");
      f("length", c, 1, 2, ""), f("jobs", d, 1, 2, "");
    }
  };
  EXPECT_ERROR(ValueError, (registry.norm<Scaled<Many>, Many>("many", "")),  // all errors at once
               "registry: norm 'many': option names already in use: --steps (every run); "
               "--length (task 'copy'); --jobs (train or sweep); use a prefix, as in --my-steps");
}

BOOST_AUTO_TEST_CASE(a_layer_is_made_with_its_options) {
  Registry registry = make_registry();
  registry.attention<Scaled<Times>, Times>("scaled-attention", "");
  registry.norm<Scaled<Times2>, Times2>("scaled-norm", "");
  registry.mlp<Scaled<Times3>, Times3>("scaled-mlp", "");
  OwnValues own;
  own.texts = {{"times", "3"}, {"times-2", "4"}, {"times-3", "5"}};
  ModelOptions o;
  Pass pass;
  registry.attentions().make("scaled-attention")(o, own);
  registry.norms().make("scaled-norm")(o, own);
  registry.mlps().make("scaled-mlp")(o, own);
  BOOST_TEST((*o.attention.make({}))(scalar(2), pass).item() == 6);
  BOOST_TEST((*o.norm(o))(scalar(2), pass).item() == 8);
  BOOST_TEST((*o.mlp(o, Init::normal(1), Init::normal(1)))(scalar(2), pass).item() == 10);
  BOOST_TEST(
      (registry.attentions().find("scaled-attention").reads == std::vector<std::string>{"heads"}));
  BOOST_TEST(registry.norms().find("scaled-norm").options.size() == 1);
}

BOOST_AUTO_TEST_CASE(an_optimizer_declares_its_moments) {
  Registry registry = make_registry();
  registry.optimizer<Plain, Times>("plain", "");
  registry.optimizer<Large>("large", "");
  const Parameter p(Shape{2}, Init::constant(0), false);
  const MakeOptimizer &plain = registry.optimizers().make("plain"),
                      &large = registry.optimizers().make("large");
  BOOST_TEST(plain.moments(p) == 1);
  BOOST_TEST(large.moments(p) == 7);
  BOOST_TEST(registry.optimizers().find("large").all_read().empty());
  TrainConfig config;
  config.own.texts["times"] = "9";
  Linear model(2, 2);
  initialise(model, 0);
  BOOST_TEST(static_cast<Plain&>(*plain.make(config, model)).times == 9);
}

BOOST_AUTO_TEST_SUITE_END()

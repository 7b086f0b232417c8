#include "../../parts/parts.hpp"
#include "../../train/gradchecks/check.hpp"
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

}  // namespace

BOOST_AUTO_TEST_CASE(standard_has_tasks_that_can_be_made) {
  const Registry registry = everything();
  for (const TaskEntry& entry : registry.tasks()) {
    BOOST_TEST(entry.recipe.task == entry.name);
    for (const std::string& text : {entry.name, entry.summary, entry.teaches, entry.expected})
      BOOST_TEST(!text.empty());
    for (const TaskOption& option : entry.options) BOOST_TEST(!option.help.empty());
    const auto& kinds = entry.architectures;
    BOOST_TEST(std::count(kinds.begin(), kinds.end(), entry.recipe.arch) == 1);
  }
  BOOST_TEST(registry.find_task("copy").make({})->vocabulary() == 16);
  BOOST_TEST(registry.attentions().names().front() == "standard");
}

BOOST_AUTO_TEST_CASE(unknown_names) {
  Registry registry = everything();
  registry.attention("own", [](const ModelOptions&) { return std::make_unique<Doubling>(); });
  EXPECT_ERROR(UsageError, registry.find_task("coppy"),
               "unknown task 'coppy'; did you mean 'copy'?");
  EXPECT_ERROR(UsageError, registry.find_task("Text"), "unknown task 'Text'; did you mean 'text'?");
  std::vector<std::string> all;
  for (const TaskEntry& entry : registry.tasks()) all.push_back(entry.name);
  for (const char* name : {"frobnicate", ""})
    EXPECT_ERROR(UsageError, registry.find_task(name),
                 fmt::format("unknown task '{}'; there are {}", name, fmt::join(all, ", ")));
  EXPECT_ERROR(UsageError, registry.attentions().find("standrad"),
               "unknown --attention 'standrad'; did you mean 'standard'?");
  EXPECT_ERROR(UsageError, registry.attentions().find("sparse"),
               fmt::format("unknown --attention 'sparse'; there are {}",
                           fmt::join(registry.attentions().names(), ", ")));
}

BOOST_AUTO_TEST_CASE(nearest_name) {
  const std::vector<std::string> options = {"heads", "width", "layers", "lr"};
  BOOST_TEST(nearest("heads", options) == "heads");
  BOOST_TEST(nearest("hedas", options) == "heads");     // two letters exchanged
  BOOST_TEST(nearest("head", options) == "heads");      // one left out
  BOOST_TEST(nearest("layerss", options) == "layers");  // one too many
  BOOST_TEST(nearest("with", options) == "width");
  BOOST_TEST(nearest("Ir", options) == "lr");
  BOOST_TEST(nearest("xyz", options) == "");
  BOOST_TEST(nearest("", options) == "");
  BOOST_TEST(nearest("heads", {}) == "");
  // at once, not after a look at each letter
  BOOST_TEST(nearest(std::string(10'000'000, 'h'), options) == "");
}

BOOST_AUTO_TEST_CASE(options_are_completed) {
  const std::vector<TaskOption> options = {{"length", "", "16"}, {"symbols", "", "10"}};
  const TaskOptions expected = {{"length", "3"}, {"symbols", "10"}};
  BOOST_TEST((completed({{"length", "3"}}, options) == expected));
  EXPECT_ERROR(UsageError, completed({{"simbols", "3"}}, options),
               "unknown option '--simbols'; did you mean '--symbols'?");
  EXPECT_ERROR(UsageError, completed({{"x", "3"}}, {}), "unknown option '--x'; there are none");
}

BOOST_AUTO_TEST_CASE(a_program_adds_its_own) {
  Registry registry = everything();
  TaskEntry task = registry.find_task("copy");
  task.name = "mine";
  registry.task(task);
  BOOST_TEST(registry.find_task("mine").recipe.task == "mine");

  registry.attention("doubling", [](const ModelOptions&) { return std::make_unique<Doubling>(); });
  ModelOptions options;
  Pass pass;
  registry.attentions().make("doubling")(options, {});
  const auto layer = options.attention(options);
  BOOST_TEST((*layer)(scalar(2), pass).item() == 4);
  BOOST_TEST(registry.layers().back().name == "doubling");
  BOOST_TEST(check_layer(registry.layers().back()).passed());
}

BOOST_AUTO_TEST_CASE(a_maker_that_returns_null_is_named) {
  Registry registry = everything();
  TaskEntry task = registry.find_task("copy");
  task.name = "mine";
  task.make = [](const TaskOptions&) { return nullptr; };
  registry.task(task);
  EXPECT_ERROR(ValueError, registry.find_task("mine").make({}),
               "mine: what should make it returned null");
  LayerEntry layer = registry.layers().front();
  layer.name = "nothing";
  layer.make = [] { return nullptr; };
  registry.layer(layer);
  EXPECT_ERROR(ValueError, registry.layers().back().make(),
               "nothing: what should make it returned null");
  ModelOptions options;
  options.attention = [](const ModelOptions&) { return nullptr; };
  EXPECT_ERROR(ValueError, Block(options), "attention: what should make it returned null");
}

BOOST_AUTO_TEST_CASE(names_are_given_once) {
  Registry registry = everything();
  EXPECT_ERROR(ValueError, registry.task(registry.find_task("copy")),
               "registry: task 'copy' is there already");
  EXPECT_ERROR(ValueError, registry.layer(registry.layers().front()),
               "registry: layer 'Linear' is there already");
  EXPECT_ERROR(ValueError,
               registry.attention("standard",
                                  [](const ModelOptions&) { return std::make_unique<Doubling>(); }),
               "registry: attention 'standard' is there already");
}

BOOST_AUTO_TEST_CASE(options_of_commands_and_runs_are_taken) {
  Registry registry = everything();
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
  for (const std::string name : {"grid", "seeds", "json", "resume", "config", "help", "dry-run",
                                 "preset", "change", "repair", "profile", "mine-alone"})
    refused(name, "--" + name + " is an option of train or sweep; choose another name");
  refused("steps", "there is an option --steps already, of every run");
  TaskEntry twice = registry.find_task("copy");
  twice.name = "mine";
  twice.options = {{"depth", "", ""}, {"depth", "", ""}};
  EXPECT_ERROR(ValueError, registry.task(twice),
               "registry: task 'mine': it has two options --depth");
  BOOST_TEST(registry.tasks().size() == tasks);
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../cli/options/config_file.hpp"
#include "../../train/trainer.hpp"
#include "../shared/command.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(preset)

namespace {

/// Writes a text of the minimum length.
std::string small_text(const Scratch& scratch) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "to be or not to be, " + std::to_string(i);
  return scratch.write("small.txt", text);
}

TrainConfig preset_of(const TaskEntry& entry, const Preset& preset) {
  TrainConfig config = default_config(entry);
  apply(preset.settings, all_options(entry, registry()), config);
  return resolved(config, preset.settings, registry());
}

}  // namespace

BOOST_AUTO_TEST_CASE(presets_are_valid) {
  int all = 0;
  for (const TaskEntry& entry : registry().tasks())
    for (const Preset& preset : entry.presets) {
      BOOST_TEST(!preset.summary.empty());
      BOOST_TEST(to_toml(preset_of(entry, preset), registry()) !=
                 to_toml(validated(default_config(entry), registry()), registry()));
      ++all;
    }
  BOOST_TEST(all > 0);
}

BOOST_AUTO_TEST_CASE(fast_preset_is_no_larger_than_the_default) {
  const Scratch scratch;
  const TaskEntry& entry = registry().find_task("text");
  TrainConfig recipe = default_config(entry), fast = preset_of(entry, find_preset(entry, "fast"));
  const auto count = [&](TrainConfig& config) {
    config.task_options["data"] = small_text(scratch);
    const auto task = make_task(config, registry());
    return static_cast<double>(count_parameters(*make_model(config, *task, registry())->module));
  };
  BOOST_TEST(count(fast) <= count(recipe));
  BOOST_TEST(fast.batch == recipe.batch);
  BOOST_TEST(fast.task_options.at("context") == recipe.task_options.at("context"));
}

BOOST_AUTO_TEST_CASE(given_options_override_the_preset_and_all_are_recorded) {
  const Scratch scratch;
  const std::string run = scratch.file("run");
  const Output output =
      command({"train",     "text", "--preset", "fast", "--data",     small_text(scratch),
               "--context", "8",    "--width",  "8",    "--heads",    "2",
               "--layers",  "1",    "--steps",  "2",    "--momentum", "0.5",
               "--out",     run});
  BOOST_TEST(output.status == 0, output.errors);
  const std::string text = RunFolder::open(run).read_config();
  BOOST_TEST(!has(text, "preset"));
  const TrainConfig config = config_from_toml(text, "config.toml", registry());
  BOOST_TEST(config.optimizer == "muon");
  BOOST_TEST(config.norm == "rms");
  BOOST_TEST(config.own.texts.at("momentum") == "0.5");
  BOOST_TEST(config.steps == 2);
}

BOOST_AUTO_TEST_CASE(help_lists_presets) {
  const Output help = command({"train", "text", "--help"});
  BOOST_TEST(has(help.text, "--preset NAME"));
  BOOST_TEST(has(help.text, "--preset fast: "));
}

BOOST_AUTO_TEST_CASE(invalid_presets_are_refused) {
  const auto refused = [](std::vector<std::string> words, const std::string& text) {
    const Output output = command(std::move(words));
    BOOST_TEST(output.status == 2);
    BOOST_TEST(has(output.errors, text), output.errors);
  };
  refused({"train", "text", "--preset", "fats"},
          "unknown --preset of text 'fats'; did you mean 'fast'?");
  refused({"train", "copy", "--preset", "fast"}, "unknown --preset of copy 'fast'; there are none");
  refused({"train", "text", "--preset", ""}, "unknown --preset of text ''; expected fast or best");
  const Scratch scratch;
  const std::string config = scratch.write("config.toml", "task = \"text\"\n");
  refused({"train", "text", "--preset", "fast", "--config", config},
          "--preset and --config can't be combined; remove one");
}

BOOST_AUTO_TEST_SUITE_END()

// All architectures, from command-line options to generated completions.
#include "../../cli/attention/heads.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../train/config/choices.hpp"
#include "../shared/few_held_out.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"
#include "../shared/toy_training.hpp"

#include <algorithm>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(kinds, Elsewhere)

BOOST_AUTO_TEST_CASE(every_choice_can_be_trained) {
  for (const std::string& arch : registry().find_task("reverse").architectures)
    for (const std::string& position : registry().positions().names())
      for (const auto& [temperature, how] : temperature_names)
        BOOST_TEST_CONTEXT(arch << ' ' << position << ' ' << temperature) {
          TrainConfig config = registry().find_task("reverse").recipe;
          config.arch = arch;
          config.task_options = {{"length", "4"}, {"symbols", "4"}};
          config.model.heads = 2, config.model.width = 8, config.model.dropout = 0.1;
          config.position = position;
          config.model.temperature = how;
          config = validated(config, registry());
          const auto task = make_task(config, registry());
          const auto model = make_model(config, *task, registry());
          const auto optimizer =
              registry().optimizers().make(config.optimizer).make(config, *model->module);
          optimizer->lr = 0.01;
          std::vector<Example> examples;
          for (Index i = 0; i < 8; ++i) examples.push_back(task->training_example(0, 0, i));
          const Batch batch = model->batch(examples);
          const auto step = [&](Index i) {
            return training_step(*model->module, *optimizer, batch, 0, i, 2, 1).loss;
          };
          const double first = step(0);
          for (Index i = 1; i < 20; ++i) step(i);
          BOOST_TEST(step(20) < first - 0.05);
        }
}

BOOST_AUTO_TEST_CASE(every_architecture_trains_evaluates_and_generates) {
  const std::tuple<std::string, std::string, std::string> all[] = {
      {"encoder", "reverse", "0 1 2 3"},
      {"gpt", "reverse", "0 1 2 3"},
      {"encoder-decoder", "reverse", "0 1 2 3"},
      {"gpt", "translate", "two hundred and one"},
      {"encoder-decoder", "translate", "two hundred and one"}};
  for (const auto& [arch, task, prompt] : all) {
    BOOST_TEST_CONTEXT(arch << ' ' << task) {
      const Elsewhere elsewhere;
      const Output trained = done(
          "train " + task + " --arch " + arch +
              " --layers 1 --heads 2 --kv-heads 1 --width 8 --position t5 --qk-norm true --batch 8 "
              "--attention-temperature qkv --steps 6 --eval-every 3 --out run" +
              (task == "reverse" ? " --length 4 --symbols 4" : ""),
          few_held_out());
      std::string headline = trained.text.substr(0, trained.text.find("parameters"));
      std::replace(headline.begin(), headline.end(), '\n', ' ');
      BOOST_TEST(has(headline, fmt::format("· {} 1 layer, 2 heads, width 8 ·", arch)));
      const json measured = json_of("eval run --json", few_held_out());
      BOOST_TEST(measured["examples"] == 40);
      BOOST_TEST(has(trained.text, fmt::format("{:.4f}", measured["loss"].get<double>())));
      const Output sampled = done("sample run --examples 2", few_held_out());
      BOOST_TEST(has(sampled.text, "  out  "));
      const Output asked = done("sample run --prompt '" + prompt + "'", few_held_out());
      BOOST_TEST(asked.text.rfind("  in   " + prompt + "\n  out  ", 0) == 0);
      done("train --resume run", few_held_out());
      expect_refused(
          "train --resume run --position rotary",
          "--position rotary: the run was trained with t5; to change it, add --change position");
    }
  }
}

BOOST_AUTO_TEST_CASE(reverse_looks_along_the_anti_diagonal) {
  const Output output = done("train reverse --length 6 --batch 32 --eval-every 0 --out run");
  BOOST_TEST(has(output.text, "exact match 100.00 % of 1,000 validation examples"));
  const LoadedRun trained = load_run("run", registry());
  const std::vector<HeadReading> heads = read_heads(*trained.model, *trained.task);
  BOOST_TEST_REQUIRE(heads.size() == 1u);
  BOOST_TEST_REQUIRE(heads[0].patterns.size() == 1u);
  BOOST_TEST(heads[0].patterns[0].name == "anti-diagonal");
  BOOST_TEST(heads[0].patterns[0].weight > 0.9);
}

BOOST_AUTO_TEST_SUITE_END()

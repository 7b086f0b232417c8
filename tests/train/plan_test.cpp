#include "../../train/plan.hpp"
#include "../../cli/commands/commands.hpp"
#include "../../cli/extensions.hpp"
#include "../../core/runtime/memory.hpp"
#include "../../core/runtime/processors.hpp"
#include "../../train/files/files.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(plan, Elsewhere)

namespace {

const MemoryLimit small_machine{2e9, "this machine has"};

void check(const std::string& options, const MemoryLimit& limit = small_machine) {
  const TaskEntry& entry = registry().find_task("copy");
  TrainConfig config = default_config(entry);
  apply(parse_settings(options), all_options(entry, registry()), config);
  config.threads = 1;  // makes the plan independent of the machine
  config = validated(config, registry());
  check_memory(make_plan(config, registry()), registry(), limit);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_that_exceeds_memory_is_refused_with_figures) {
  check("--width 1024 --layers 4 --batch 8");
  const std::size_t before = memory_use().live;
  reset_memory_peak();
  const std::pair<const char*, const char*> cases[] = {
      {"--width 4096 --layers 24",
       "--layers 24 --width 4096 --batch 64 needs 135 GB: 19.3 for weights, 38.7 for adamw, 77.4 "
       "for the gradients and activations of a step; this machine has 2 GB; --accumulate 2 --width "
       "512 would fit"},
      {"--width 1024 --layers 4 --batch 1024",
       "--layers 4 --width 1024 --batch 1024 needs 3.39 GB: 0.202 for weights, 0.403 for adamw, "
       "2.78 for the gradients and activations of a step; this machine has 2 GB; --accumulate 4 "
       "would fit"},
      {"--width 1024 --layers 16 --batch 4096",
       "--layers 16 --width 1024 --batch 4096 needs 38.5 GB: 0.806 for weights, 1.61 for adamw, "
       "36.1 for the gradients and activations of a step; this machine has 2 GB; --accumulate 32 "
       "--width 512 would fit"},
      {"--width 1025 --heads 1 --layers 64 --batch 3",
       "--layers 64 --width 1025 --batch 3 needs 16.2 GB: 3.23 for weights, 6.46 for adamw, 6.46 "
       "for the gradients and activations of a step; this machine has 2 GB; --layers 4 would fit"},
      {"--width 1024 --layers 8 --average 0.9 --optimizer lion",
       "--layers 8 --width 1024 --batch 64 needs 2.84 GB: 0.403 for weights, 0.403 for lion, 0.403 "
       "for EMA weights, 1.63 for the gradients and activations of a step; this machine has 2 GB; "
       "--width 512 would fit"},
      {"--width 64 --heads 64 --layers 8 --length 1024 --batch 1",
       "--layers 8 --width 64 --batch 1 needs 8.59 GB: 8.59 for the attention weights of an "
       "evaluation; this machine has 2 GB; --layers 1 would fit"}};
  for (const auto& each : cases) EXPECT_ERROR(UsageError, check(each.first), each.second);
  EXPECT_ERROR(
      UsageError, check("--width 64", {1e4, "ulimit -v allows"}),
      "--layers 1 --width 64 --batch 64 needs 0.00371 GB: 0.000212 for weights, 0.000425 for "
      "adamw, 0.00308 for the gradients and activations of a step; ulimit -v allows 1e-05 GB");
  BOOST_TEST(memory_use().peak - before < 1u << 20);
}

BOOST_AUTO_TEST_CASE(a_dry_run_of_any_size_is_answered) {
  const Output output =
      command("train copy --width 65536 --layers 1024 --heads 64 --batch 1048576 --dry-run");
  BOOST_TEST(output.status == 2);
  BOOST_TEST(
      missing(output.text,
              {"copy · length 16 · vocabulary 16 · gpt 1024 layers, 64 heads, width 65536 ·\n",
               "parameters  52,777,433,759,744\n", "weights     211.1 TB\n",
               "FLOP and 3 evaluations, too large to be timed\n"}) == "");
  BOOST_TEST(has(output.errors, "tapehead: --layers 1024 --width 65536 --batch 1048576 needs "));
  BOOST_TEST(std::filesystem::is_empty("."));
}

BOOST_AUTO_TEST_CASE(a_limit_of_the_shell_counts) {
  if (under_sanitizers) return;  // sanitizers reserve more address space
  const Output model = shell(
      "ulimit -v 2000000; $TAPEHEAD train copy --width 1024 --layers 12 --out run; echo $?; ls");
  BOOST_TEST(model.text == "2\n");
  BOOST_TEST(missing(model.errors, {"tapehead: --layers 12 --width 1024 --batch 64 needs ",
                                    "; ulimit -v allows 2.05 GB; --width 512 would fit\n"}) == "");
  const Output text =
      shell("truncate -s 400G data.txt; $TAPEHEAD train text --data data.txt; echo $?");
  BOOST_TEST(text.text == "1\n");
  BOOST_TEST(
      has(text.errors, "tapehead: data.txt: 429 GB of text take up to 859 GB of memory, but "));
}

BOOST_AUTO_TEST_CASE(small_work_gets_one_thread_unless_more_are_asked_for) {
  const auto threads = [](const std::string& options) {
    const TaskEntry& entry = registry().find_task("copy");
    TrainConfig config = default_config(entry);
    apply(parse_settings(options), all_options(entry, registry()), config);
    config = validated(config, registry());
    return make_plan(config, registry()).layout.threads;
  };
  BOOST_TEST(threads("--width 16 --batch 16 --length 4") == 1);
  BOOST_TEST(threads("--width 256 --layers 4") == processors());
  BOOST_TEST(threads("--width 16 --batch 16 --length 4 --threads 2") == std::min(2, processors()));
  BOOST_TEST(threads("--threads 1000") == processors());
}

// A damaged checkpoint must be reported before the weights are initialized, which takes long for
// such a large model.
BOOST_AUTO_TEST_CASE(a_checkpoint_is_checked_before_weights_are_drawn) {
  done("train copy --length 4 --width 8 --heads 2 --layers 1 --steps 1 --out run");
  std::string config = read_file("run/config.toml");
  config.replace(config.find("width = 8"), 9, "width = 65536");
  config.replace(config.find("layers = 1"), 10, "layers = 1000");
  write_file("run/config.toml", config);
  Words lines = {"eval run", "sample run --prompt 0123"};
  for (const CommandEntry& entry : all_commands(make_registry()))
    if (!entry.recommended.empty()) lines.push_back(entry.name + " run");
  BOOST_TEST(lines.size() >= 4u);
  for (const std::string& line : lines) {
    const Output output = command(line);
    BOOST_TEST(output.status == 1);
    BOOST_TEST(has(output.errors, "but the model has f32 (65536)"), output.errors);
  }
}

BOOST_AUTO_TEST_SUITE_END()

// Checks that each option of `train` has an effect, and that an invalid value gives an error.
#include "../../train/config/options.hpp"
#include "../../parts/parts.hpp"
#include "../../train/files/files.hpp"
#include "../shared/command.hpp"
#include "../shared/few_held_out.hpp"
#include "../shared/folders.hpp"
#include "../shared/option_rows.hpp"
#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(options)

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr auto weights = Changes::weights, metrics = Changes::metrics, folder = Changes::folder,
               nothing = Changes::nothing;
const Settings muon = {{"optimizer", "muon"}};
const TrainRows ours(
    {
        {"arch", "encoder", weights, {}, "gtp", "unknown --arch 'gtp'; did you mean 'gpt'?"},
        {"layers", "2", weights, {}, "0", "--layers must be at least 1, not 0"},
        {"share-layers",
         "1",
         weights,
         {{"layers", "2"}},
         "3",
         "--share-layers must be at most --layers 2, not 3"},
        {"heads", "1", weights, {}, "3", "--heads 3 doesn't divide --width 8"},
        {"kv-heads", "1", weights, {}, "3", "--kv-heads must be at most --heads 2, not 3"},
        {"head-width", "3", weights, {}, "-1", "--head-width must be at least 0, not -1"},
        {"width", "16", weights, {}, "x", "--width: expected a whole number, got 'x'"},
        {"position", "rotary", weights, {}, "near", "unknown --position 'near'; expected none, "},
        {"reach",
         "1",
         weights,
         {{"position", "relative"}},
         "-1",
         "--reach must be at least 0, not -1"},
        {"random-positions",
         "64",
         weights,
         {},
         "-1",
         "--random-positions must be at least 0, not -1"},
        {"rotary-base",
         "3",
         weights,
         {{"position", "rotary"}},
         "1",
         "--rotary-base must be above 1, not 1"},
        {"attention-temperature",
         "head",
         weights,
         {},
         "heads",
         "unknown --attention-temperature 'heads'; did you mean 'head'?"},
        {"attention-scale", "one", weights, {}, "two", "unknown --attention-scale 'two'; "},
        {"window", "2", weights, {}, "-1", "--window must be at least 0, not -1"},
        {"hide-self", "true", weights, {}, "yes", "--hide-self: expected true or false, got 'yes'"},
        {"tied-kv", "true", weights, {}, "yes", "--tied-kv: expected true or false, got 'yes'"},
        {"qk-norm", "true", weights, {}, "yes", "--qk-norm: expected true or false, got 'yes'"},
        {"convolution", "2", weights, {}, "-1", "--convolution must be at least 0, not -1"},
        {"norm", "rms", weights, {}, "batch", "unknown --norm 'batch'; "},
        {"norm-epsilon", "0.1", weights, {}, "0", "--norm-epsilon must be above 0, not 0"},
        {"tied-head", "false", weights, {}, "no", "--tied-head: expected true or false, got 'no'"},
        {"mlp", "relu2", weights, {}, "gelo", "unknown --mlp 'gelo'; did you mean 'gelu'?"},
        {"mlp-width", "3", weights, {}, "-1", "--mlp-width must be at least 0, not -1"},
        {"biases", "false", weights, {}, "0", "--biases: expected true or false, got '0'"},
        {"residual", "false", weights, {}, "0", "--residual: expected true or false, got '0'"},
        {"init-std", "0.1", weights, {}, "0", "--init-std must be above 0, not 0"},
        {"zero-out", "true", weights, {}, "", "--zero-out: expected true or false, got ''"},
        {"dropout", "0.5", weights, {}, "1", "--dropout must be at least 0 and below 1, not 1"},
        {"dtype", "f64", weights, {}, "f16", "unknown --dtype 'f16'; "},
        {"optimizer",
         "lion",
         weights,
         {},
         "adam",
         "unknown --optimizer 'adam'; did you mean 'adamw'?"},
        {"momentum", "0.5", weights, muon, "1", "--momentum must be at least 0 and below 1, not 1"},
        {"adam-lr", "0.1", weights, muon, "-1", "--adam-lr must be at least 0, not -1"},
        {"adam-eps", "0.1", weights, muon, "0", "--adam-eps must be above 0, not 0"},
        {"eps", "0.1", weights, {}, "0", "--eps must be above 0, not 0"},
        {"lr", "0.01", weights, {}, "0", "--lr must be above 0, not 0"},
        {"min-lr", "0", weights, {}, "9", "--min-lr must be at most --lr 0.001, not 9"},
        {"warmup", "3", weights, {}, "-1", "--warmup must be at least 0, not -1"},
        {"schedule", "linear", weights, {}, "line", "unknown --schedule 'line'; "},
        {"decay",
         "0.9",
         weights,
         {{"schedule", "wsd"}},
         "1",
         "--decay must be at least 0 and below 1, not 1"},
        {"weight-decay", "0.5", weights, {}, "-1", "--weight-decay must be at least 0, not -1"},
        {"beta1", "0.5", weights, {}, "1", "--beta1 must be at least 0 and below 1, not 1"},
        {"beta2", "0.5", weights, {}, "nan", "--beta2 must be at least 0 and below 1, not nan"},
        {"clip",
         "0.01",
         weights,
         {{"optimizer", "sgd"}},
         "-1",
         "--clip must be at least 0, not -1"},
        {"smoothing", "0.3", weights, {}, "1", "--smoothing must be at least 0 and below 1, not 1"},
        {"average", "0.9", weights, {}, "2", "--average must be at least 0 and below 1, not 2"},
        {"batch", "16", weights, {}, "0", "--batch must be at least 1, not 0"},
        {"fixed-batch", "true", weights, {}, "1", "--fixed-batch: expected true or false, got '1'"},
        {"accumulate", "2", weights, {}, "3", "--accumulate 3 doesn't divide --batch 8"},
        {"steps", "5", weights, {}, "0", "--steps must be at least 1, not 0"},
        {"until", "loss=100", weights, {}, "soon", "--until: expected "},
        {"patience", "1", metrics, {}, "-1", "--patience must be at least 0, not -1"},
        {"freeze", "tokens*", weights, {}, "nothing*", "--freeze nothing*"},
        {"seed", "1", weights, {}, "-1", "--seed: expected a whole number of 0 or more, got '-1'"},
        {"skip-bad-steps",
         "true",
         nothing,
         {},
         "1",
         "--skip-bad-steps: expected true or false, got '1'"},
        {"eval-every", "1", metrics, {}, "-1", "--eval-every must be at least 0, not -1"},
        {"eval-examples", "5", metrics, {}, "-1", "--eval-examples must be at least 0, not -1"},
        {"shards",
         "8",
         weights,
         {},
         "3",
         "--shards 3: must be a power of two that divides --batch 8"},
        {"keep", "4", folder, {{"eval-every", "1"}}, "0", "--keep must be at least 1, not 0"},
        {"tensorboard", "true", folder, {}, "2", "--tensorboard: expected true or false, got '2'"},
        {"log-every", "3", metrics, {}, "-1", "--log-every must be at least 0, not -1"},
        {"csv", "true", folder, {}, "2", "--csv: expected true or false, got '2'"},
        {"histograms", "true", metrics, {}, "2", "--histograms: expected true or false, got '2'"},
        {"recompute", "true", nothing, {}, "on", "--recompute: expected true or false, got 'on'"},
        {"threads", "2", nothing, {}, "-1", "--threads must be at least 0, not -1"},
    },
    {{"layers", "1024"},
     {"heads", "1024"},
     {"width", "65536"},
     {"reach", "65536"},
     {"random-positions", "65536"},
     {"warmup", "4294967295"},
     {"batch", "1048576"},
     {"steps", "4294967295"},
     {"eval-every", "4294967295"},
     {"log-every", "4294967295"},
     {"keep", "4294967295"},
     {"threads", "1024"},
     {"head-width", "65536"},
     {"mlp-width", "1048576"},
     {"convolution", "1024"}});
const TestedElsewhere others({{"help", "cli"},
                              {"out", "run_folder"},
                              {"resume", "cli"},
                              {"dry-run", "dry_run"},
                              {"name", "labels"},
                              {"note", "labels"},
                              {"tag", "labels"},
                              {"prompt", "progress"},
                              {"repair", "resumed_config"},
                              {"config", "config_file"},
                              {"preset", "preset"},
                              {"init", "fine_tuning"},
                              {"init-only", "fine_tuning"},
                              {"init-missing", "fine_tuning"},
                              {"change", "change"},
                              {"profile", "profile"},
                              {"attention", "own_attention"}});

Words trained(const Settings& settings, const std::string& out) {
  Words words = {"train",        "reverse", "--length", "4",    "--symbols", "4",
                 "--arch",       "gpt",     "--layers", "1",    "--heads",   "2",
                 "--width",      "8",       "--batch",  "8",    "--steps",   "4",
                 "--eval-every", "2",       "--warmup", "1",    "--lr",      "0.001",
                 "--norm",       "layer",   "--mlp",    "gelu", "--threads", "1",
                 "--position",   "learned", "--out",    out};
  for (const auto& [name, value] : settings) {
    const auto given = std::find(words.begin(), words.end(), "--" + name);
    if (given == words.end()) {
      words.push_back("--" + name);
      words.push_back(value);
    } else {
      given[1] = value;
    }
  }
  return words;
}

/// The output of a run, without times.
struct Written {
  explicit Written(const Settings& settings, const std::string& out) {
    const Output output = command(trained(settings, out), few_held_out());
    BOOST_TEST_REQUIRE(output.status == 0, output.errors);
    weights = contents(out + "/model.safetensors");
    metrics = std::regex_replace(contents(out + "/metrics.jsonl"),
                                 std::regex(R"(,"time":\{[^}]*\})"), "");
    std::uint64_t header = 0;  // size of the header, which records all options
    std::memcpy(&header, weights.data(), sizeof header);
    weights = weights.substr(sizeof header + header);
    for (const auto& entry : fs::directory_iterator(out))
      folder.insert(entry.path().filename().string());
    fs::remove_all(out);
  }
  std::string weights, metrics;
  Names folder;
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_options_are_tested) {
  // options of the task itself; the task's suite tests them
  std::vector<std::string> known = {"length", "lengths", "symbols", "index-hints"};
  for (const TrainRow& row : option_rows().train) known.push_back(row.name);
  for (const auto& [name, suite] : option_rows().elsewhere) known.push_back(name);
  const auto names = options_in(command("train reverse --help all").text);
  BOOST_TEST(names.size() > 45u);
  for (const std::string& name : names)
    BOOST_TEST(std::count(known.begin(), known.end(), name) == 1, "--" << name);
  for (const std::string& name : known)
    BOOST_TEST(std::count(names.begin(), names.end(), name) == 1, "--" << name);
}

BOOST_AUTO_TEST_CASE(options_of_commands_are_reserved) {
  const Registry registry = make_registry();
  std::set<std::string> known;
  for (const Option& option : all_options(registry.find_task("reverse"), registry))
    known.insert(option.name);
  for (const char* line : {"train reverse --help all", "sweep reverse --help all"})
    for (const std::string& name : options_in(command(line).text))
      BOOST_TEST((known.count(name) > 0 || registry.has_command_option(name)), line << " " << name);
}

BOOST_AUTO_TEST_CASE(each_option_has_an_effect) {
  const Elsewhere empty_folder;
  std::map<Settings, Written> known;  // most rows share the same base run
  for (const TrainRow& row : option_rows().train) {
    BOOST_TEST_CONTEXT("--" << row.name << " " << row.value) {
      Settings settings = row.beside;
      if (known.count(settings) == 0) known.emplace(settings, Written(settings, "before"));
      const Written& before = known.at(settings);
      settings.emplace_back(row.name, row.value);
      const Written after(settings, "after");
      BOOST_TEST((before.weights != after.weights) == (row.changes == Changes::weights));
      if (row.changes == Changes::weights) continue;
      BOOST_TEST((before.metrics != after.metrics) == (row.changes == Changes::metrics));
      if (row.changes == Changes::metrics) continue;
      BOOST_TEST((before.folder != after.folder) == (row.changes == Changes::folder));
    }
  }
}

BOOST_AUTO_TEST_CASE(each_option_refuses_invalid_values) {
  const Elsewhere empty_folder;
  for (const TrainRow& row : option_rows().train) {
    BOOST_TEST_CONTEXT("--" << row.name << " " << row.wrong) {
      Settings settings = row.beside;
      settings.emplace_back(row.name, row.wrong);
      const Output output = command(trained(settings, "run"));
      BOOST_TEST(output.status == 2);
      BOOST_TEST(output.text == "");
      const std::string begin = "tapehead: " + row.error;
      BOOST_TEST(output.errors.substr(0, begin.size()) == begin);
      BOOST_TEST(std::count(output.errors.begin(), output.errors.end(), '\n') == 1);
      BOOST_TEST(!fs::exists("run"));
    }
  }
}

BOOST_AUTO_TEST_CASE(counts_have_an_upper_limit) {
  const std::string most = std::to_string(std::numeric_limits<Index>::max());
  std::map<std::string, std::string> found;
  for (const Option& option : common_options(make_registry())) {
    TrainConfig config;
    if (option.kind != "N" || option.name == "seed") continue;
    const std::string error = error_text(typeid(UsageError), [&] {
      option.set(config, most);
      if (option.check) option.check(config);
    });
    const std::string start = "--" + option.name + " must be at most ", end = ", not " + most;
    if (error.rfind(start, 0) == 0)
      found[option.name] = error.substr(start.size(), error.size() - start.size() - end.size());
  }
  BOOST_TEST((found == option_rows().largest));
}

BOOST_AUTO_TEST_CASE(numbers_are_finite) {
  TrainConfig config;
  const auto& options = common_options(make_registry());
  for (const std::string name : {"lr", "clip"}) {
    const Option& option = find_option(options, name, "");
    option.set(config, "inf");
    EXPECT_ERROR(UsageError, option.check(config),
                 "--" + name + " must be finite and " + (name == "lr" ? "above 0" : "at least 0") +
                     ", not inf");
  }
}

BOOST_AUTO_TEST_CASE(recipe_parses_options_and_values) {
  for (const std::string text :
       {"layers 2", "--layers", "--layers 2 --heads", "--layers 2 heads 1"})
    EXPECT_ERROR(ValueError, recipe(text), "settings: expected '--name value', got '" + text + "'");
  BOOST_TEST(recipe("").model.layers == TrainConfig().model.layers);
}

BOOST_AUTO_TEST_CASE(task_options_are_empty_until_given) {
  const Registry registry = make_registry();
  TrainConfig config;
  const Option& length =
      find_option(all_options(registry.find_task("copy"), registry), "length", "copy");
  BOOST_TEST(length.get(config) == "");
  length.set(config, "8");
  BOOST_TEST(length.get(config) == "8");
}

BOOST_AUTO_TEST_CASE(each_task_option_changes_the_examples) {
  const Scratch scratch;
  const Registry registry = make_registry();
  const auto examples = [](const Task& task) {
    std::vector<std::vector<int>> all;
    for (Index i = 0; i < 20; ++i) all.push_back(task.training_example(0, 0, i).tokens);
    return all;
  };
  const auto change = [](const std::string& name) {
    if (name == "chosen" || name == "digits") return -1;
    return name == "length" ? 2 : 1;  // keeps the parity that the task requires
  };
  for (const TaskEntry& entry : registry.tasks()) {
    TaskOptions options;
    for (const Option& own : entry.options) {
      options[own.name] = own.default_value;
      if (own.name == "data") options[own.name] = data_for(entry.name, scratch, "a");
    }
    const auto before = examples(*entry.make(options));
    for (const Option& own : entry.options) {
      BOOST_TEST_CONTEXT(entry.name << " --" << own.name) {
        TaskOptions changed = options;
        const auto other = other_values().find(own.name);
        if (own.name == "data")
          changed[own.name] = data_for(entry.name, scratch, "b", true);
        else if (other == other_values().end())
          changed[own.name] = std::to_string(std::stol(own.default_value) + change(own.name));
        else if (other->second.empty())
          continue;
        else
          changed[own.name] = other->second;
        if (own.name == "context" && own.default_value == "0") changed[own.name] = "40";
        const auto task = entry.make(changed), plain = entry.make(options);
        const bool seen = examples(*task) != before || task->context() != plain->context() ||
                          task->held_out_size() != plain->held_out_size();
        BOOST_TEST(seen);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

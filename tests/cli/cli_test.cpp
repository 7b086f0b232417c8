#include "../../cli/extensions.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../core/checks/inputs.hpp"
#include "../../core/kernels/kernels.hpp"
#include "../../core/runtime/processors.hpp"
#include "../../parts/parts.hpp"
#include "../../train/files/files.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

#include <algorithm>
#include <filesystem>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(cli, Elsewhere)

namespace {

namespace fs = std::filesystem;

/// A run that takes no time: `train copy` with these options.
const std::string tiny =
    "train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 --steps 12 "
    "--eval-every 5";
void expect_status(const Output& output, int status) {
  BOOST_TEST(output.status == status, output.text << output.errors);
}

/// A layer whose gradient is twice the correct one.
struct WrongLayer : Module {
  Tensor forward(const Tensor& x, Pass&) const override {
    Tensor y;
    {
      const Pause pause;
      y = x * 3.0;
    }
    return record("wrong", y, {x}, [](const Tensor& dy) { return Grads{dy * 6.0}; });
  }
  void visit(Visitor&) override {}
};

struct KinkedLayer : Module {
  Tensor forward(const Tensor& x, Pass&) const override { return abs(x); }
  void visit(Visitor&) override {}
};
struct RandomLayer : Module {
  Tensor forward(const Tensor& x, Pass&) const override { return dropout(x, 0.5, {++calls}); }
  void visit(Visitor&) override {}
  mutable std::uint64_t calls = 0;
};

}  // namespace

// ---- help

BOOST_AUTO_TEST_CASE(without_a_command_help_lists_the_commands) {
  const Output output = done("");
  BOOST_TEST(output.text == command("--help").text);
  BOOST_TEST(missing(output.text, {"train", "eval", "sample", "attention", "explain", "compare",
                                   "gradcheck", "check", "tasks", "ops", "layers", "bench"}) == "");
}

BOOST_AUTO_TEST_CASE(help_fits_a_terminal) {
  for (const std::string line : {"", "train", "train copy", "train reverse", "train translate",
                                 "train text", "eval", "sample", "attention", "explain", "compare",
                                 "gradcheck", "check", "tasks", "ops", "layers", "bench"}) {
    const Output output = done(line + " --help");
    expect_plain(output.text);
    BOOST_TEST(has(output.text, "usage: tapehead"));
    BOOST_TEST(output.errors == "");
  }
}

BOOST_AUTO_TEST_CASE(help_is_also_a_command) {
  BOOST_TEST(done("help").text == done("--help").text);
  for (const std::string line : {"train", "train copy", "eval"})
    BOOST_TEST(done("help " + line).text == done(line + " --help").text);
  BOOST_TEST(done("help train").text != done("--help").text);
}

BOOST_AUTO_TEST_CASE(help_of_a_task_shows_its_defaults) {
  const Output output = command("train text --help");
  BOOST_TEST(missing(output.text, {"--batch N", "[12]", "--context", "[64]"}) == "");
  // The help lists only the architectures that the task supports.
  BOOST_TEST(has(output.text, "--arch gpt "));
  BOOST_TEST(has(command("train --help", Registry::standard()).text,
                 "--arch gpt|encoder|encoder-decoder "));
  BOOST_TEST(has(command("train translate --help").text, "--arch encoder-decoder|gpt "));
  // Without a task, the help shows the defaults that all tasks share.
  const std::string general = command("train --help").text;
  BOOST_TEST(missing(general, {"seed of all random numbers [0]", "by task]", "\n  copy  ",
                               "tapehead train TASK --help"}) == "");
}

BOOST_AUTO_TEST_CASE(help_groups_the_commands) {
  const std::string help = done("--help").text;
  std::size_t at = 0;
  for (const std::string group :
       {"Train (example: tapehead train copy)\n  train ", "\nEvaluate (example: tapehead eval ",
        "\nInspect (", "\nCheck (", "\nManage (", "\nLearn ("}) {
    BOOST_TEST(help.find(group, at) != std::string::npos, group);
    at = help.find(group, at);
  }
  BOOST_TEST(!has(help, "Other"));
  Registry registry = make_registry();
  registry.extend(
      CommandEntry{"mine", [](const Command& app, Session&) { app.add("mine", "my"); }});
  BOOST_TEST(has(done("--help", registry).text, "\nOther\n  mine        my\n"));
}

BOOST_AUTO_TEST_CASE(help_of_a_task_shows_the_most_used_options) {
  const std::vector<std::string> most = options_in(done("train copy --help").text);
  const std::vector<std::string> all = options_in(done("train copy --help all").text);
  BOOST_TEST(most.size() < 30u);
  BOOST_TEST(all.size() > 45u);
  for (const std::string& name : most) BOOST_TEST(std::count(all.begin(), all.end(), name) > 0);
  const auto listed = [&](const char* name) { return std::count(most.begin(), most.end(), name); };
  for (const char* name : {"length", "symbols", "lr", "out", "resume", "dry-run"})
    BOOST_TEST(listed(name) > 0, name);  // a line of text may also start with the name
  for (const char* name : {"reach", "adam-lr", "shards", "repair"}) BOOST_TEST(!listed(name), name);
  for (const std::string line : {"train copy", "train"}) {
    BOOST_TEST(has(done(line + " --help").text, "\nThese are the most used options."));
    BOOST_TEST(!has(done(line + " --help").text, "--shards"));
    BOOST_TEST(has(done(line + " --help all").text, "\n  --shards N"));
    BOOST_TEST(done(line + " --help=all").text == done(line + " --help all").text);
  }
  BOOST_TEST(done("help train copy all").text == done("train copy --help all").text);
  BOOST_TEST(done("sweep copy --help").text != done("sweep copy --help all").text);
}

/// The help without a task.
BOOST_AUTO_TEST_CASE(help_lists_the_options_that_all_tasks_share) {
  const std::string sweep = done("sweep --help").text;
  for (const std::string option :
       {"--grid OPTION=A,B", "--seeds N", "--halving N", "--read FOLDER"})
    BOOST_TEST(has(sweep, "\n  " + option), option);
  BOOST_TEST(sweep.find("--format") == sweep.rfind("--format"));
  BOOST_TEST(sweep.find("--help") == sweep.rfind("--help"));
  BOOST_TEST(!has(sweep, "--width"));
  BOOST_TEST(has(done("man sweep").text, "grid"));
}

BOOST_AUTO_TEST_CASE(words_are_not_cut_in_40_columns) {
  const Elsewhere elsewhere;
  done("train copy --length 4 --width 8 --heads 2 --layers 1 --steps 2 --out run");
  for (const std::string line :
       {"--help", "train copy --help", "sweep copy --help all", "tasks", "ops", "layers",
        "eval run", "eval run --examples 4", "gradcheck softmax MLP", "gradcheck exp --steps",
        "check Linear GPT", "explain 'x*y + exp(x)' x=1 y=2", "compare 'x*y' 'y*x' x=1 y=2",
        "sample run", "attention run", "sweep copy --grid lr=1e-3,1e-2 --width 8 --steps 2"}) {
    const Output output = shell("COLUMNS=40 $TAPEHEAD " + line);
    for (const std::string& shown : lines_of(output.text))
      BOOST_TEST(display_width(shown) <= 40, line << ": " << shown);
  }
}

// ---- wrong usage

BOOST_AUTO_TEST_CASE(model_no_better_than_chance_is_reported) {
  const Elsewhere elsewhere;
  const std::string small =
      "train copy --length 4 --symbols 4 --width 16 --layers 1 --eval-examples 64 --warmup 0 "
      "--min-lr 0 ";
  const std::string chance = "chance level: the loss ";
  BOOST_TEST(has(done(small + "--steps 5 --lr 1e-6 --out a").text, chance));
  BOOST_TEST(!has(done(small + "--steps 200 --lr 1e-2 --out b").text, chance));
}

BOOST_AUTO_TEST_CASE(counts_of_one_are_singular) {
  const Elsewhere elsewhere;
  std::ofstream("a.txt") << "a";
  expect_refused("train text --data a.txt",
                 "a.txt: 1 character, but --context 64 needs at least 73", 1);
  BOOST_TEST(has(done("train copy --steps 1 --warmup 0 --dry-run").text,
                 "1 step and 1 evaluation in about "));
  BOOST_TEST(has(done("train copy --steps 2 --eval-every 1 --warmup 0 --dry-run").text,
                 "2 steps and 2 evaluations in about "));
}

BOOST_AUTO_TEST_CASE(warmup_over_all_steps_gives_a_warning) {
  const auto text = [](const std::string& more) {
    return done("train copy --length 4 --symbols 4 --width 8 --dry-run " + more).text;
  };
  BOOST_TEST(has(text("--steps 30 --warmup 30"),
                 "--warmup 30 of 30 steps: the learning rate never reaches --lr 0.003\n"));
  BOOST_TEST(!has(text("--steps 30 --warmup 29"), "--warmup"));
  BOOST_TEST(has(text("--steps 1"), "--warmup 20 of 1 step: the learning rate"));
}

BOOST_AUTO_TEST_CASE(unknown_names_get_a_suggestion) {
  expect_refused("trian", "unknown command 'trian'; did you mean 'train'?");
  expect_refused("train coppy", "unknown task 'coppy'; did you mean 'copy'?");
  expect_refused("train copy --hedas 8", "unknown option --hedas; did you mean --heads?");
  for (const auto& [elsewhere, ours] : {std::pair("--learning-rate", "lr"),
                                        {"--batch_size", "batch"},
                                        {"--epochs", "steps"},
                                        {"--n_layer", "layers"}})
    expect_refused(fmt::format("train copy {} 8", elsewhere),
                   fmt::format("unknown option {}; did you mean --{}?", elsewhere, ours));
  expect_refused("train copy --context 8", "unknown option --context; did you mean --length?");
  expect_refused("train text --length 8", "unknown option --length; did you mean --context?");
  expect_refused("train text --index-hints 9",
                 "unknown option --index-hints; text doesn't have it, but these tasks do: copy, "
                 "reverse, sort, add, parity");
  BOOST_TEST(has(command("train text --lengths 1..20").errors,
                 "but these tasks do: copy, reverse, sort, add, induction and "));
  expect_refused("train copy --prime 31",
                 "unknown option --prime; copy doesn't have it, but these tasks do: modular");
  expect_refused("sample runs/a --device cuda",
                 "unknown option --device; Tapehead computes on the CPU, and has no GPU backend");
  expect_refused("train copy --hedas=8", "unknown option --hedas; did you mean --heads?");
  expect_refused("train copy --lenght 8", "unknown option --lenght; did you mean --length?");
  expect_refused("eval --jsno", "unknown option --jsno; did you mean --json?");
  expect_refused("train copy --optimizer adam",
                 "unknown --optimizer 'adam'; did you mean 'adamw'?");
  expect_refused("train copy --attention standrad",
                 "unknown --attention 'standrad'; did you mean 'standard'?");
  expect_refused("gradcheck tahn", "unknown op or layer 'tahn'; did you mean 'tanh'?");
  expect_refused("gradcheck linaer", "unknown op or layer 'linaer'; did you mean 'linear'?");
}

BOOST_AUTO_TEST_CASE(errors_show_the_accepted_values) {
  const auto refused = [](const std::string& options, const std::string& message) {
    expect_refused("train copy " + options, message);
  };
  for (const std::string four : {"4", "4e0", "0.4e1", "4.0"})
    BOOST_TEST(has(done(tiny + " --heads " + four + " --out " + four).text, "4 heads"), four);
  refused("--heads four", "--heads: expected a whole number, got 'four'");
  refused("--heads 4.5", "--heads: expected a whole number, got '4.5'");
  refused("--heads ''", "--heads: expected a whole number, got ''");
  refused("--heads 99999999999999999999",
          "--heads: expected a whole number, got '99999999999999999999'");
  refused("--lr fast", "--lr: expected a number, got 'fast'");
  refused("--seed -1", "--seed: expected a whole number of 0 or more, got '-1'");
  refused("--lr", "--lr needs a value; see tapehead train copy --help");
  refused("--heads 3", "--heads 3 doesn't divide --width 64");
  refused("--dropout 1", "--dropout must be at least 0 and below 1, not 1");
  refused("--arch encoder", "copy supports only --arch gpt, got --arch encoder");
  refused("--qk-norm yes", "--qk-norm: expected true or false, got 'yes'");
}

/// Returns the config.toml of a run that was trained with these options.
std::string config_with(const std::string& task, const std::string& words) {
  std::filesystem::remove_all("flag");
  done("train " + task + " --steps 1 --batch 2 --width 8 --out flag " + words);
  return contents("flag/config.toml");
}

BOOST_AUTO_TEST_CASE(boolean_option_is_a_flag) {
  for (const auto& [words, expected] : {std::pair("--qk-norm", "true"),
                                        {"--qk-norm true", "true"},
                                        {"--qk-norm=false", "false"},
                                        {"--no-qk-norm", "false"},
                                        {"--qk-norm --no-qk-norm", "false"},
                                        {"--no-qk-norm --qk-norm", "true"},
                                        {"--no-qk-norm --qk-norm true --heads 1", "true"}})
    BOOST_TEST(has(config_with("copy", words), fmt::format("\nqk-norm = {}\n", expected)), words);
  BOOST_TEST(has(config_with("add", "--padded"), "\npadded = true\n"));
  BOOST_TEST(has(config_with("add", "--padded --no-padded"), "\npadded = false\n"));
  BOOST_TEST(has(config_with("--no-biases copy", ""), "\nbiases = false\n"));
  expect_refused("train copy --no-qk-norm true", "copy: unexpected 'true'");
  BOOST_TEST(has(done("train copy --help all").text, "--[no-]qk-norm"));
}

BOOST_AUTO_TEST_CASE(options_have_aliases) {
  for (const auto& [words, expected] :
       std::map<std::string, std::string>{{"--ema 0.9", "average = 0.9"},
                                          {"--ema 0.9 --average 0.5", "average = 0.5"},
                                          {"--average 0.5 --ema=0.9", "average = 0.9"},
                                          {"--grad-accum 2", "accumulate = 2"},
                                          {"--early-stopping 3", "patience = 3"},
                                          {"--label-smoothing 0.1", "smoothing = 0.1"},
                                          {"--activation-checkpointing", "recompute = true"},
                                          {"--weight-tying false", "tied-head = false"},
                                          {"--no-weight-tying", "tied-head = false"},
                                          {"--no-weight-tying --tied-head", "tied-head = true"}})
    BOOST_TEST(has(config_with("copy", words), fmt::format("\n{}\n", expected)), words);
  BOOST_TEST(missing(done("train copy --help all").text,
                     {"--average P, --ema P", "--accumulate N, --grad-accum N",
                      "--[no-]tied-head, --[no-]weight-tying"}) == "");
  BOOST_TEST(has(done("train text --help").text, "--held-out FILE, --validation FILE"));
  expect_refused("train copy --emq 1", "unknown option --emq; did you mean --ema?");
  expect_refused("train copy --grad-acum 1",
                 "unknown option --grad-acum; did you mean --grad-accum?");
  write_file("ema.toml", "task = \"copy\"\nema = 0.9\n");
  expect_refused("train --config ema.toml",
                 "ema.toml:2: copy has no option --ema; did you mean --average?", 1);
}

BOOST_AUTO_TEST_CASE(option_value_may_be_empty) {
  expect_refused("train copy --heads= --layers 1", "--heads: expected a whole number, got ''");
  expect_refused("train copy --until= --dry-run --heads 3", "--heads 3 doesn't divide --width 64");
  expect_refused("eval x --json=", "eval evaluates one run; for several, add --lengths");
}

BOOST_AUTO_TEST_CASE(words_after_two_dashes_are_not_options) {
  const std::string expected = done("explain 'x*y' x=2 y=3").text;
  for (const char* words : {"-- 'x*y' x=2 y=3", "'x*y' -- x=2 y=3", "'x*y' x=2 y=3 --"})
    BOOST_TEST(done(std::string("explain ") + words).text == expected);
  BOOST_TEST(done("explain x=2 -- -x").text == done("explain -x x=2").text);
  expect_refused("eval -- -x", "-x: No such file or directory", 1);
  expect_refused("digest x --", "x: No such file or directory", 1);
}

BOOST_AUTO_TEST_CASE(missing_arguments_are_reported) {
  expect_refused("eval", "RUN is required; see tapehead eval --help");
  const Output no_task = command("train");
  BOOST_TEST(no_task.status == 2);
  BOOST_TEST(no_task.errors == "tapehead: train needs a task; start with: tapehead train copy\n");
  BOOST_TEST(missing(no_task.text, {"\n  copy  ", "\n  reverse  "}) == "");
  expect_refused("train text", "--data is required: the text file to train on");
  expect_refused("eval a b", "eval evaluates one run; for several, add --lengths");
}

BOOST_AUTO_TEST_CASE(usage_error_leaves_no_folder) {
  for (const char* wrong : {" --heads 3", " --length 0", " --hedas 4"})
    expect_status(command(tiny + wrong), 2);
  expect_status(command("train text --data none.txt"), 1);
  BOOST_TEST(fs::is_empty("."));
}

// ---- a run

BOOST_AUTO_TEST_CASE(trains_and_reports_progress) {
  const Output output = done(tiny);
  BOOST_TEST(output.errors == "");
  expect_plain(output.text);
  std::istringstream lines(output.text);
  std::string line;
  std::getline(lines, line);
  BOOST_TEST(line.rfind("copy · length 4 · vocabulary 4 · gpt 1 layer, 2 heads, width 8 · ", 0) ==
             0);
  BOOST_TEST(has(output.text, "· seed 0 ·"));
  std::vector<std::string> steps;
  while (std::getline(lines, line) && !has(line, "done in"))
    if (std::istringstream(line) >> line && line != "step") steps.push_back(line);
  BOOST_TEST(missing(output.text, {"exact match", " of 1,000 validation examples", "runs/copy-0\n",
                                   "see what it learned:  tapehead attention runs/copy-0\n"}) ==
             "");
  for (const char* name : {"config.toml", "metrics.jsonl", "model.safetensors"})
    BOOST_TEST(fs::exists(std::string("runs/copy-0/") + name), name);
}

BOOST_AUTO_TEST_CASE(paths_in_hints_are_quoted_for_a_shell) {
  const Output output = command({"train", "copy", "--layers", "1", "--width", "8", "--heads", "1",
                                 "--steps", "1", "--eval-every", "0", "--out", "my runs/it's"});
  BOOST_TEST(
      missing(output.text, {" · my runs/it's\n", "tapehead sample 'my runs/it'\\''s'\n"}) == "",
      output.errors);
  BOOST_TEST(command({"train", "copy", "--out", "my runs/it's"}).errors ==
             "tapehead: my runs/it's exists already; choose another --out, or continue it with "
             "--resume 'my runs/it'\\''s'\n");
}

BOOST_AUTO_TEST_CASE(each_run_has_its_own_folder) {
  done(tiny);
  BOOST_TEST(has(command(tiny).text, "runs/copy-1\n"));
  done(tiny + " --out deep/er/run");
  expect_refused(tiny + " --out deep/er/run",
                 "deep/er/run exists already; choose another --out, or continue it with --resume "
                 "deep/er/run",
                 1);
}

BOOST_AUTO_TEST_CASE(evaluates_a_run) {
  done(tiny);
  const Output output = done("eval runs/copy-0");
  expect_plain(output.text);
  std::string line = output.text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  BOOST_TEST(missing(line, {" of 1,000 validation examples, 16 different · loss ",
                            " · step 12 of runs/copy-0 "}) == "");
  const json document = json_of("eval runs/copy-0 --json");
  BOOST_TEST(document["step"] == 12);
  BOOST_TEST(document["examples"] == 1000);
  BOOST_TEST(document["task"] == "copy");
  BOOST_TEST(document["loss"].get<double>() > 0);
  BOOST_TEST(document["exact_match"].get<double>() < 1);
  expect_refused("eval runs/copy-0 --data x",
                 "--data has no effect: runs/copy-0 is a run of copy, which reads no data file; "
                 "remove --data");
}

BOOST_AUTO_TEST_CASE(samples_answers) {
  done(tiny);
  const Output output = done("sample runs/copy-0 --examples 3");
  expect_plain(output.text);
  BOOST_TEST(has(output.text, "  in   "));
  BOOST_TEST(has(output.text, "✗"));  // twelve steps are too few to learn the task
  BOOST_TEST(has(output.text, "^"));
  const Output prompted = command("sample runs/copy-0 --prompt '0 1 2 3'");
  BOOST_TEST(prompted.text.rfind("  in   0 1 2 3\n  out  ", 0) == 0);
  BOOST_TEST(command("sample runs/copy-0 --prompt '0 1 2 3'").text == prompted.text);
  expect_refused("sample runs/copy-0 --prompt '0 1 9'", "copy: '9' isn't one of the tokens 0 to 3");
  expect_refused("sample runs/copy-0 --prompt ''",
                 "copy expects 4 tokens, as in 0022; got 0 tokens");
  expect_refused("sample runs/copy-0 --examples 0", "--examples must be at least 1, not 0");
  expect_refused("sample runs/copy-0 --temperature -1",
                 "sample: --temperature must be at least 0, not -1");
}

BOOST_AUTO_TEST_CASE(shows_attention) {
  done(tiny);
  const Output output = done("attention runs/copy-0");
  expect_plain(output.text);
  BOOST_TEST(output.text.rfind("layer 0 head 0", 0) == 0);
  BOOST_TEST(has(output.text, "layer 0 head 1"));
  const Output one = command("attention runs/copy-0 --input '0 1 2 3' --head 1");
  BOOST_TEST(one.text.rfind("layer 0 head 1", 0) == 0);
  BOOST_TEST(has(one.text, "\n     0 1 2 3"));
  BOOST_TEST(!has(one.text, "head 0"));
  expect_refused("attention runs/copy-0 --layer 1",
                 "--layer 1: out of range; the model has layers 0 to 0");
  expect_refused("attention runs/copy-0 --input '0 1 2 3 0 1 2 3'",
                 "--input has 8 tokens; the model takes 1 to 7");
}

BOOST_AUTO_TEST_CASE(config_file_starts_another_run) {
  done(tiny);
  const std::string file = "runs/copy-0/config.toml";
  done("train --config " + file);
  BOOST_TEST(contents("runs/copy-1/model.safetensors") ==
             contents("runs/copy-0/model.safetensors"));
  // Options override the file, even if they come before --config.
  done("train copy --steps 3 --config " + file);
  done("train --steps 3 --config " + file);
  for (const char* run : {"eval runs/copy-2 --json", "eval runs/copy-3 --json"})
    BOOST_TEST(json_of(run)["step"] == 3);
  expect_refused("train text --config " + file,
                 "train text: the task in runs/copy-0/config.toml is copy");
}

BOOST_AUTO_TEST_CASE(config_file_options_without_effect_are_refused) {
  std::ofstream("mine.toml") << "task = 'copy'\nschedule = 'wsd'\ndecay = 0.5\nreach = 3\n";
  expect_refused("train --config mine.toml",
                 "mine.toml: --reach has no effect with --position learned; remove it, or use "
                 "--position relative",
                 1);
  expect_refused("train --config mine.toml --position relative",
                 "mine.toml: --reach has no effect with --position learned; remove it, or use "
                 "--position relative",
                 1);
  std::ofstream("mine.toml") << "task = 'copy'\nschedule = 'wsd'\ndecay = 0.5\nwidth = 8\n";
  // the `decay` option of the other schedule is dropped
  done("train --config mine.toml --schedule linear --steps 1 --out linear");
  BOOST_TEST(!has(contents("linear/config.toml"), "decay = 0.5"));
}

BOOST_AUTO_TEST_CASE(resuming_may_change_only_threads) {
  done(tiny);
  const std::string before = contents("runs/copy-0/model.safetensors");
  done("train --resume runs/copy-0 --threads 2");
  BOOST_TEST(contents("runs/copy-0/model.safetensors") == before);
  expect_refused("train --resume runs/copy-0 --lr 0.1",
                 "--lr 0.1: the run was trained with 0.003; to change it, add --change lr");
  expect_refused("train copy --length 5 --resume runs/copy-0",
                 "--length 5: the run was trained with 4; to change it, add --change length");
  expect_refused("train text --resume runs/copy-0", "train text: the task in runs/copy-0 is copy");
  done("train --resume runs/copy-0 --lr 0.003");
}

BOOST_AUTO_TEST_CASE(links_in_a_run_are_not_followed) {
  done(tiny);
  std::ofstream("mine") << "mine";
  fs::create_symlink("../../mine", "runs/copy-0/trace.json");
  done("train --resume runs/copy-0 --steps 14 --change steps --profile");
  BOOST_TEST((contents("mine") == "mine"));
  BOOST_TEST(!fs::is_symlink("runs/copy-0/trace.json"));
}

BOOST_AUTO_TEST_CASE(missing_and_damaged_runs_are_reported) {
  for (const std::string name : {"eval", "sample", "attention"})
    expect_refused(name + " runs/none", "runs/none: No such file or directory", 1);
  done(tiny);
  for (const std::string& name : names_in("runs/copy-0"))
    if (name.rfind("step-", 0) == 0)
      fs::resize_file("runs/copy-0/" + name + "/model.safetensors", 100);
  for (const std::string name : {"eval", "sample", "attention"}) {
    const Output output = command(name + " runs/copy-0");
    expect_status(output, 1);
    BOOST_TEST(output.text == "");
    BOOST_TEST(output.errors.rfind("tapehead: runs/copy-0/", 0) == 0, output.errors);
  }
  std::ofstream("runs/copy-0/config.toml") << "task = 'copy'\nheads = 5\n";
  expect_refused("eval runs/copy-0",
                 "runs/copy-0/config.toml: --heads 5 doesn't divide --width 64; fix it, or restore "
                 "it from the checkpoint with train --resume runs/copy-0 --repair",
                 1);
}

BOOST_AUTO_TEST_CASE(run_that_cannot_start_leaves_no_folder) {
  // The file size limit of 512 bytes leaves no room for config.toml.
  const std::string never = "trap '' XFSZ; ulimit -f 1; $TAPEHEAD " + tiny + " --out ";
  const std::string error = "/config.toml: File too large; no step was completed, and ";
  const Output output = shell(never + "runs/x");
  expect_status(output, 1);
  BOOST_TEST(output.errors == "tapehead: runs/x" + error + "runs/x is removed\n");
  BOOST_TEST(!fs::exists("runs"));
  fs::create_directories("mine");
  BOOST_TEST(shell(never + "mine").errors ==
             "tapehead: mine" + error + "mine is left without a run\n");
  BOOST_TEST(fs::is_empty("mine"));
}

BOOST_AUTO_TEST_CASE(run_that_fails_before_its_first_checkpoint_stays) {
  const Output output = command(tiny + " --lr 1e300 --clip 0 --warmup 0");
  expect_status(output, 1);
  BOOST_TEST(has(output.errors, "tapehead: step "));
  BOOST_TEST(has(output.errors, "; runs/copy-0 is kept, without a checkpoint\n"), output.errors);
  BOOST_TEST(fs::exists("runs/copy-0/config.toml"));
}

BOOST_AUTO_TEST_CASE(trains_on_a_text_and_continues_it) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "héllo wörld\n";
  std::ofstream("a.txt") << text;
  const std::string train =
      "train text --data a.txt --context 16 --layers 1 --heads 2 --width 8 --steps 4";
  const Output output = done(train);
  expect_plain(output.text);
  BOOST_TEST(missing(output.text, {"text · a.txt", "validation loss"}) == "");
  const Output sampled = done("sample runs/text-0 --prompt hé --tokens 20");
  BOOST_TEST(sampled.text.rfind("hé", 0) == 0);
  BOOST_TEST(characters(sampled.text).size() == 2 + 20 + 1);
  done("sample runs/text-0 --tokens 20");
  done("attention runs/text-0");
  expect_refused("sample runs/text-0 --prompt x",
                 "text: 'x' (U+0078) is not one of the model's 10 characters");
  // Without its text file, a run can generate. It can't be evaluated unless another text is given.
  fs::rename("a.txt", "b.txt");
  done("sample runs/text-0 --tokens 5");
  expect_refused(
      "eval runs/text-0",
      "a.txt: No such file or directory; if it has moved, pass its new path with --data FILE", 1);
  done("eval runs/text-0 --data b.txt");
}

// ---- lists and checks

BOOST_AUTO_TEST_CASE(list_commands_show_all_entries) {
  for (const std::string name : {"tasks", "ops", "layers"}) {
    const Output output = done(name);
    expect_plain(output.text);
    const json document = json_of(name + " --json");
    BOOST_TEST(!document.empty());
    for (const json& entry : document)
      BOOST_TEST(has(output.text, entry["name"].get<std::string>()));
  }
}

BOOST_AUTO_TEST_CASE(checks_gradients_by_name) {
  const Output output = done("gradcheck tanh LayerNorm");
  expect_plain(output.text);
  BOOST_TEST(output.text.rfind("tanh ", 0) == 0);
  BOOST_TEST(missing(output.text, {"\nLayerNorm  ", "all 2 agree with finite differences\n"}) ==
             "");
  const json document = json_of("gradcheck tanh --json");
  BOOST_TEST(document["passed"] == true);
  BOOST_TEST(document["checks"][0]["name"] == "tanh");
}

// The command reports randomness and kinks as such, and names the element.
BOOST_AUTO_TEST_CASE(randomness_and_kinks_in_layers_are_named) {
  Registry registry = make_registry();
  registry.layer({"kinked", "", [] { return std::make_unique<KinkedLayer>(); },
                  tensor({1, -1, 1e-7, 2}, {2, 2}, DType::f64)});
  registry.layer(
      {"random", "", [] { return std::make_unique<RandomLayer>(); }, normal_sample({2, 3}, 1)});
  const auto said = [&](const std::string& name) {
    const Output output = command("gradcheck --json " + name, registry);
    expect_status(output, 1);
    return json::parse(output.text)["checks"][0]["worst"].get<std::string>();
  };
  const std::string kinked = said("kinked"), random = said("random");
  BOOST_TEST(has(kinked, "; a kink within 2 steps of the input element 2, which is 1e-07"), kinked);
  BOOST_TEST(has(random, "; not deterministic: "), random);
  BOOST_TEST(has(random, " for the same inputs at output "), random);
}

BOOST_AUTO_TEST_CASE(wrong_gradient_fails) {
  Registry registry = make_registry();
  registry.layer({"wrong", "a wrong gradient", [] { return std::make_unique<WrongLayer>(); },
                  normal_sample({2, 3}, 1)});
  const Output output = command("gradcheck wrong", registry);
  expect_status(output, 1);
  BOOST_TEST(missing(output.text, {"FAILED", "backward"}) == "");
}

// ---- the program

BOOST_AUTO_TEST_CASE(program_matches_the_run_function) {
  BOOST_TEST(shell("$TAPEHEAD --version").text ==
             "tapehead 0.2.0 (" + instruction_set() + ", numerics 1)\n");
  expect_refused(shell("$TAPEHEAD trian"), "unknown command 'trian'; did you mean 'train'?");
}

BOOST_AUTO_TEST_CASE(program_starts_under_a_memory_limit) {
  if (under_sanitizers) return;  // sanitizers reserve the whole address space
  const Output version = shell("ulimit -v 100000; timeout 20 $TAPEHEAD --version");
  BOOST_TEST(version.status == 0, version.errors);
  if (processors() < 2) return;  // on one core, training makes no threads
  const Output run = shell(
      "ulimit -v 400000; ulimit -s 800000; $TAPEHEAD train copy --threads 2 --steps 1 --out r");
  expect_status(run, 1);
  BOOST_TEST(run.errors ==
             "tapehead: threads: requested 2, but the system only allows 1 (Resource temporarily "
             "unavailable); no step was completed, and r is removed\n");
}

BOOST_AUTO_TEST_CASE(unwritable_output_is_a_failure) {
  const Output output = shell("$TAPEHEAD ops --json >/dev/full");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.errors, "No space left on device"), output.errors);
}

BOOST_AUTO_TEST_CASE(interrupted_and_resumed_run_is_the_same) {
  const int steps = under_sanitizers ? 150 : 1500;
  const std::string train = fmt::format(
      "$TAPEHEAD train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 "
      "--steps {} --eval-every {} --seed 3",
      steps, steps / 3);
  expect_status(shell(train + " --out whole"), 0);
  for (const char* signal : {"INT", "TERM"}) {
    fs::remove_all("parts");
    fs::remove("text");  // so that the output of an earlier run isn't read instead
    const Output cut = shell(fmt::format(
        "{} --out parts >text & pid=$!; while ! grep -qs ' {} ' text; do sleep 0.02; done; "
        "kill -{} $pid; wait $pid; status=$?; cat text; exit $status",
        train, steps / 5, signal));
    expect_status(cut, 130);
    BOOST_TEST(missing(cut.text, {"to continue:  ", " train --resume parts\n"}) == "");
    const Output rest = shell("$TAPEHEAD train --resume parts --threads 1");
    expect_status(rest, 0);
    BOOST_TEST(has(rest.text, "resumed at step "));
    BOOST_TEST(contents("parts/model.safetensors") == contents("whole/model.safetensors"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

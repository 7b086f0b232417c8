// The configuration of a resumed run: unchanged, or with changes named by --change.
#include "../../train/files/files.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/runs/run_folder.hpp"
#include "../../train/safetensors/safetensors.hpp"
#include "../shared/command.hpp"
#include "../shared/few_held_out.hpp"
#include "../shared/folders.hpp"
#include "../shared/support.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(resumed_config)

namespace {

using Words = std::vector<std::string>;

const std::string toml = "runs/copy-0/config.toml";

/// A small run in runs/copy-0.
struct Run {
  Run() {
    const Output output =
        command({"train", "copy", "--length", "4", "--symbols", "4", "--layers", "1", "--heads",
                 "2", "--width", "8", "--batch", "8", "--steps", "12", "--eval-every", "5"});
    BOOST_TEST_REQUIRE(output.status == 0, output.errors);
  }
  Elsewhere elsewhere;
};

Output resume(Words more) {
  more.insert(more.begin(), {"train", "--resume", "runs/copy-0"});
  return command(more);
}
void expect_done(const Output& output) { BOOST_TEST(output.status == 0, output.errors); }

/// Expects that resuming is refused with one line and changes nothing.
void expect_refused(const Words& more, const std::string& message) {
  const std::string before = contents(toml), model = contents("runs/copy-0/model.safetensors");
  const Output output = resume(more);
  BOOST_TEST(output.status == 2);
  BOOST_TEST(output.text == "");
  BOOST_TEST(output.errors == "tapehead: " + message + "\n");
  BOOST_TEST(contents(toml) == before);
  BOOST_TEST((contents("runs/copy-0/model.safetensors") == model));
}

/// Edits config.toml as a user would.
void edit(const std::string& line, const std::string& other) { replace_in(toml, line, other); }

std::string trained() { return RunFolder::open("runs/copy-0").last_record().config; }

}  // namespace

BOOST_AUTO_TEST_CASE(option_with_an_older_name_can_be_changed) {
  const Elsewhere elsewhere;
  const Output output = command(
      "train copy --length 4 --symbols 4 --width 8 --batch 8 --steps 4 "
      "--optimizer sgd --beta1 0.8");
  BOOST_TEST_REQUIRE(output.status == 0, output.errors);
  BOOST_TEST(has(contents(toml), "momentum = 0.8\n"));
  replace_in(toml, "momentum = 0.8", "beta1 = 0.8");  // the name in earlier versions
  expect_refused(
      {"--beta1", "0.5"},
      "--momentum 0.5: the run was trained with 0.8; to change it, add --change momentum");
  expect_done(resume({"--beta1", "0.5", "--change", "beta1,steps", "--steps", "5"}));
  expect_done(
      resume({"--label-smoothing", "0.1", "--change", "label-smoothing,steps", "--steps", "6"}));
  BOOST_TEST(has(contents(toml), "momentum = 0.5\n"));
}

BOOST_AUTO_TEST_CASE(options_without_effect_on_the_result_may_change) {
  const Run run;
  const std::string before = contents("runs/copy-0/model.safetensors");
  expect_done(resume({"--threads", "2", "--recompute", "true", "--keep", "5", "--lr", "0.003"}));
  BOOST_TEST((contents("runs/copy-0/model.safetensors") == before));
}

BOOST_AUTO_TEST_CASE(other_changes_require_change) {
  const Run run;
  expect_refused({"--lr", "0.01"},
                 "--lr 0.01: the run was trained with 0.003; to change it, add --change lr");
  expect_refused({"--steps", "20", "--lr", "0.01"},
                 "--lr 0.01, --steps 20: the run was trained with 0.003, 12; to change them, add "
                 "--change lr,steps");
  expect_refused({"--steps", "20", "--lr", "0.01", "--change", "steps"},
                 "--lr 0.01: the run was trained with 0.003; to change it, add --change lr");
  expect_refused({"--until", "loss=1"},
                 "--until loss=1: the run was trained with ''; to change it, add --change until");
  expect_refused({"--out", "elsewhere"},
                 "--out elsewhere: the run is in runs/copy-0, and can't move; remove --out");
}

BOOST_AUTO_TEST_CASE(edited_config_is_detected) {
  const Run run;
  edit("lr = 0.003", "lr = 0.01");
  const std::string message =
      "--lr 0.01: the run was trained with 0.003; to change it, add --change lr";
  expect_refused({}, message);
  // the trained value, which config.toml records from now on
  expect_done(resume({"--lr", "0.003"}));
  edit("lr = 0.003", "lr = 0.01");
  edit("keep = 2", "keep = 7");
  expect_refused({}, message);
  edit("lr = 0.01", "lr = 0.003");
  expect_done(resume({}));
  edit("task = \"copy\"", "task = \"reverse\"");
  expect_refused(
      {}, "runs/copy-0: the task in config.toml is reverse, but the run was trained on copy");
}

BOOST_AUTO_TEST_CASE(change_is_applied_and_recorded) {
  const Run run;
  BOOST_TEST(has(trained(), "steps = 12\n"));
  expect_done(resume({"--steps", "20", "--lr", "0.01", "--change", "lr,steps"}));
  BOOST_TEST(has(contents(toml), "\nsteps = 20\n"));
  BOOST_TEST(has(contents(toml), "\nlr = 0.01\n"));
  BOOST_TEST(has(trained(), "steps = 20\n"));
  BOOST_TEST(has(trained(), "lr = 0.01\n"));
  BOOST_TEST(RunFolder::open("runs/copy-0").last_step() == 20);
  expect_done(resume({}));  // config.toml now records the changed value
  const auto last = nlohmann::json::parse(RunFolder::open("runs/copy-0").read_metrics().back());
  BOOST_TEST(last["step"] == 20);

  edit("steps = 20", "steps = 22");
  expect_done(resume({"--change", "steps"}));
  BOOST_TEST(RunFolder::open("runs/copy-0").last_step() == 22);
}

BOOST_AUTO_TEST_CASE(options_without_effect_on_the_result_are_not_recorded) {
  const Run run;
  const std::string text = trained();
  BOOST_TEST(text.rfind("task = \"copy\"\n", 0) == 0U);
  for (const char* name : {"threads", "recompute", "keep", "out"})
    BOOST_TEST(!has(text, fmt::format("\n{} = ", name)), name);
}

BOOST_AUTO_TEST_CASE(change_without_remaining_steps_is_refused) {
  const Run run;
  expect_refused({"--lr", "0.01", "--change", "lr"},
                 "--change lr: the run is complete, at step 12 of --steps 12; add --steps N "
                 "--change lr,steps");
  expect_refused({"--steps", "10", "--change", "steps"},
                 "--change steps: the run is complete, at step 12 of --steps 10; add --steps N "
                 "--change steps");
  expect_refused({"--steps", "20", "--until", "loss=100", "--change", "until,steps"},
                 "--change until,steps: the run reached --until loss=100 at step 12 and is "
                 "complete; add --until GOAL --change until,steps");
  expect_done(resume({"--steps", "20", "--until", "loss=0", "--change", "until,steps"}));
}

// ---- data files

namespace {

/// A run of 4 steps on the file a.txt.
struct OfText : Elsewhere {
  OfText() {
    write_file("a.txt", std::string(300, 'a') + "b");
    done(
        "train text --data a.txt --context 8 --layers 1 --heads 1 --width 8 --batch 8 --steps 4 "
        "--out run");
  }
  const std::string resume = "train --resume run --steps 6 --change steps";
  std::string recorded() const { return RunFolder::open("run").last_record().data; }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(changed_file_is_refused, OfText) {
  const std::string before = recorded();
  BOOST_TEST(before == "data " + digest_of_data("a.txt") + "\n");
  write_file("a.txt", std::string(300, 'b') + "a");
  tapehead::expect_refused(resume,
                           "a.txt has changed since the run was trained on it; restore it, or add "
                           "--change data to continue with the new data");
  BOOST_TEST(done("eval run").errors == "a.txt has changed since run was trained on it\n");
  BOOST_TEST(has(contents("run/config.toml"), "steps = 4\n"));
  done(resume + ",data");
  BOOST_TEST(recorded() == "data " + digest_of_data("a.txt") + "\n");
  BOOST_TEST(recorded() != before);
  BOOST_TEST(done("eval run").errors == "");
}

BOOST_FIXTURE_TEST_CASE(another_file_needs_no_task_on_the_command_line, OfText) {
  write_file("c.txt", std::string(300, 'b') + "a");
  tapehead::expect_refused(
      "train --resume run --data c.txt --steps 6 --change steps",
      "--data c.txt: the run was trained with a.txt; to change it, add --change data");
  done("train --resume run --data c.txt --steps 6 --change data,steps");
  BOOST_TEST(has(contents("run/config.toml"), "data = \"c.txt\"\n"));
  tapehead::expect_refused("train --resume run --length 3",
                           "text has no option --length; did you mean --context?");
}

BOOST_FIXTURE_TEST_CASE(run_without_recorded_data_can_be_resumed, OfText) {
  // A checkpoint as an earlier version wrote it.
  const std::string path = "run/step-4/model.safetensors";
  Safetensors contents = read_safetensors(path);
  contents.metadata.erase("data");
  write_safetensors(path, contents);
  write_file("a.txt", std::string(300, 'b') + "a");
  done(resume);
  BOOST_TEST(recorded() == "data " + digest_of_data("a.txt") + "\n");
}

BOOST_AUTO_TEST_CASE(unchangeable_names_are_refused) {
  const Run run;
  expect_refused({"--change", "lrr"}, "copy has no option --lrr; did you mean --lr?");
  expect_refused({"--change", "lr"},
                 "--change lr: the run was trained with --lr 0.003; add the new value as --lr X");
  expect_refused(
      {"--lr", "0.01", "--change", "lr,steps"},
      "--change steps: the run was trained with --steps 12; add the new value as --steps N");
  expect_refused({"--threads", "2", "--change", "threads"},
                 "--change threads: --threads doesn't affect the result; remove --change");
  const Output fresh = command({"train", "copy", "--change", "lr"});
  BOOST_TEST(fresh.status == 2);
  BOOST_TEST(fresh.errors == "tapehead: --change needs --resume RUN\n");
}

BOOST_AUTO_TEST_CASE(model_of_other_shapes_is_refused) {
  const Run run;
  const std::string file = "runs/copy-0/step-12/model.safetensors: ";
  expect_refused({"--width", "16", "--change", "width"},
                 "--change width: the checkpoint can't continue with the new value: " + file +
                     "\"blocks.0.attention.out.bias\" is f32 (8), but the model has f32 (16)");
  expect_refused({"--layers", "2", "--change", "layers"},
                 "--change layers: the checkpoint can't continue with the new value: " + file +
                     "\"blocks.1.attention.out.bias\" is missing, but the model has it");
  const Output output = resume({"--optimizer", "lion", "--change", "optimizer"});
  BOOST_TEST(output.status == 2);
  BOOST_TEST(output.errors.rfind("tapehead: --change optimizer: the checkpoint can't continue with "
                                 "the new value: runs/copy-0/step-12/optimizer.safetensors: ",
                                 0) == 0U,
             output.errors);
}

BOOST_AUTO_TEST_CASE(unreadable_checkpoint_changes_nothing) {
  const Run run;
  for (const char* step : {"5", "10", "12"})
    std::filesystem::remove(fmt::format("runs/copy-0/step-{}/optimizer.safetensors", step));
  const std::string before = contents(toml);
  const Output output = resume({"--steps", "20", "--change", "steps"});
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.errors,
                 "tapehead: runs/copy-0/step-12: damaged (optimizer.safetensors: No such file or "
                 "directory)"),
             output.errors);
  BOOST_TEST(contents(toml) == before);
}

BOOST_AUTO_TEST_CASE(before_the_first_checkpoint_config_toml_counts) {
  const Run run;
  for (const std::string& name : names_in("runs/copy-0"))
    if (name != "config.toml") std::filesystem::remove_all("runs/copy-0/" + name);
  const Output output = resume({"--steps", "15"});
  BOOST_TEST(
      output.errors ==
      "tapehead: --steps 15: the run was trained with 12; to change it, add --change steps\n");
  expect_done(resume({"--width", "16", "--change", "width"}));
  BOOST_TEST(has(trained(), "width = 16\n"));
}

// ---- --repair: continues a run with damaged text files

namespace {

/// A run of 12 steps, evaluated at steps 5, 10 and 12, that is resumed without further steps.
struct Repairable : Elsewhere {
  Repairable() {
    done(
        "train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 --steps 12 "
        "--eval-every 5 --out run",
        few_held_out());
  }
  Output repair() { return done("train --resume run --repair", few_held_out()); }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(repair_drops_damaged_lines_of_metrics, Repairable) {
  const std::string before = contents("run/metrics.jsonl");
  const std::string first = lines_of(before)[0] + "\n";
  const std::string damaged = first + "{\"step\":\n" + before.substr(first.size());
  std::ofstream("run/metrics.jsonl") << damaged;
  BOOST_TEST(command("train --resume run", few_held_out()).status == 1);
  BOOST_TEST(repair().errors ==
             "run/metrics.jsonl: dropped damaged lines: 1; the original file is saved as "
             "metrics.jsonl.damaged\n");
  BOOST_TEST(contents("run/metrics.jsonl") == before);
  BOOST_TEST(contents("run/metrics.jsonl.damaged") == damaged);
  BOOST_TEST(repair().errors == "");
}

BOOST_FIXTURE_TEST_CASE(repair_takes_the_options_of_the_checkpoint, Repairable) {
  const std::string before = contents("run/config.toml");
  const std::string note = "run/config.toml: restored with the options of the checkpoint";
  std::ofstream("run/config.toml") << "task = 'copy'\nwidth = 'wide'\n";
  tapehead::expect_refused(command("train --resume run", few_held_out()),
                           "run/config.toml:2: --width: expected a whole number, got 'wide'; fix "
                           "it, or restore it from the checkpoint with train --resume run --repair",
                           1);
  std::ofstream("run/config.toml") << "task = 'copy'\nwidth =\n";
  tapehead::expect_refused(command("train --resume run", few_held_out()),
                           "run/config.toml:2: expected a value; fix it, or restore it from the "
                           "checkpoint with train --resume run --repair",
                           1);
  BOOST_TEST(repair().errors == note + "; the damaged file is kept as config.toml.damaged\n");
  BOOST_TEST(contents("run/config.toml") == before);
  std::filesystem::remove("run/config.toml");
  BOOST_TEST(repair().errors == note + "\n");
  BOOST_TEST(contents("run/config.toml") == before);
}

BOOST_FIXTURE_TEST_CASE(repair_is_recommended_only_if_it_helps, Repairable) {
  std::ofstream("run/config.toml") << "task = 'copy'\nlayers = 0\n";
  tapehead::expect_refused("eval run",
                           "run/config.toml: --layers must be at least 1, not 0; fix it, or "
                           "restore it from the checkpoint with train --resume run --repair",
                           1);
  std::filesystem::create_directory("new");
  std::ofstream("new/config.toml") << "task = 'copy'\nwidth = 'wide'\n";
  tapehead::expect_refused("eval new",
                           "new/config.toml:2: --width: expected a whole number, got 'wide'", 1);
  std::filesystem::remove("run/config.toml");
  std::filesystem::create_directory("run/config.toml");
  tapehead::expect_refused("eval run", "run/config.toml: Is a directory", 1);
}

BOOST_FIXTURE_TEST_CASE(repair_requires_a_run, Repairable) {
  tapehead::expect_refused("train copy --repair", "--repair needs --resume RUN");
  tapehead::expect_refused("train --resume none --repair", "none: No such file or directory", 1);
  std::filesystem::create_directory("empty");
  tapehead::expect_refused("train --resume empty --repair",
                           "empty: not a run folder: it has no config.toml", 1);
}

BOOST_AUTO_TEST_CASE(resumed_run_uses_its_own_options) {
  const Run run;
  expect_refused({"--config", toml}, "--resume uses the run's own config.toml; remove --config");
  tapehead::expect_refused("train copy --resume runs/copy-0 --preset fast",
                           "--resume uses the run's own config.toml; remove --preset");
  expect_refused({"--out", "elsewhere"},
                 "--out elsewhere: the run is in runs/copy-0, and can't move; remove --out");
}

BOOST_AUTO_TEST_CASE(run_without_a_checkpoint_is_named) {
  const Run run;
  for (const auto& entry : std::filesystem::directory_iterator("runs/copy-0"))
    if (entry.path().filename() != "config.toml") std::filesystem::remove_all(entry.path());
  tapehead::expect_refused(
      "eval runs/copy-0",
      "runs/copy-0: no checkpoint has been saved yet; continue with train --resume runs/copy-0", 1);
}

BOOST_AUTO_TEST_CASE(changed_code_is_noted_until_the_run_is_trained) {
  const Run run;
  const std::string provenance = "runs/copy-0/provenance.jsonl";
  BOOST_TEST(resume({}).errors == "");
  replace_in(provenance, "\"version\":\"0.2.0\"", "\"version\":\"0.0.9\"");
  const std::string note =
      "runs/copy-0 was last trained by version 0.0.9, but this is version 0.2.0; both have "
      "numerics "
      "1\n";
  BOOST_TEST(done("train --resume runs/copy-0").errors == note);
  BOOST_TEST(done("train --resume runs/copy-0 --steps 14 --change steps").errors == note);
  BOOST_TEST(done("train --resume runs/copy-0").errors == "");
}

BOOST_AUTO_TEST_CASE(other_version_of_a_run_without_provenance_is_noted) {
  const Run run;
  std::filesystem::remove("runs/copy-0/provenance.jsonl");
  BOOST_TEST(resume({}).errors == "");
  replace_in(toml, "\nversion = \"0.2.0\"\n", "\nversion = \"0.0.9\"\n");
  const Output other = resume({});
  expect_done(other);
  BOOST_TEST(other.errors ==
             "runs/copy-0 was last trained by version 0.0.9, but this is version 0.2.0; results "
             "may differ\n");
  replace_in(toml, "version = \"0.0.9\"\n", "");
  BOOST_TEST(resume({}).errors == "");
}

BOOST_AUTO_TEST_SUITE_END()

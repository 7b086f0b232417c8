// Checks that a run folder changes only after the first successful step or evaluation, and that
// equal runs have equal folders.
#include "../../train/files/files.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"
#include "../shared/support.hpp"

#include <map>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(unchanged_run)

namespace {

namespace fs = std::filesystem;

/// Returns the contents of all files in a folder, and the targets of its links, by path.
std::map<std::string, std::string> snapshot(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.is_symlink())
      all[path] = fs::read_symlink(path).string();
    else if (entry.is_regular_file())
      all[path] = read_file(path);
  }
  return all;
}

/// A finished run of 4 steps on the file a.txt, with its metrics as CSV.
struct Finished : Elsewhere {
  Finished() {
    write_file("a.txt", std::string(300, 'a') + "b");
    write_file("unknown.txt", std::string(300, 'a') + "?");
    done(
        "train text --data a.txt --context 8 --layers 1 --heads 1 --width 8 --batch 8 --steps 4 "
        "--eval-every 2 --csv true --tensorboard true --out run");
    before = snapshot("run");
  }
  void expect_unchanged() const { BOOST_TEST((snapshot("run") == before)); }
  void expect_failed(const std::string& line, const std::string& why) const {
    const Output output = command(line);
    BOOST_TEST(output.status != 0);
    BOOST_TEST(has(output.errors, why), output.errors);
    expect_unchanged();
  }

  std::map<std::string, std::string> before;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(failed_change_leaves_the_run_unchanged, Finished) {
  const std::string resume = "train --resume run --steps 8 --keep 1 --name x --change steps,data";
  expect_failed(resume + " --data typo.txt",
                "typo.txt: No such file or directory; if it has moved, pass its new path with "
                "--data FILE; run is unchanged\n");
  expect_failed(resume + " --data unknown.txt",
                "'?' (U+003F) at character 301 is not one of the model's 2 characters");
  fs::rename("a.txt", "moved");
  expect_failed("train --resume run --steps 8 --change steps", "a.txt: No such file or directory");
  fs::rename("moved", "a.txt");
  done("train --resume run --steps 8 --keep 1 --name x --change steps");
  BOOST_TEST(has(read_file("run/config.toml"), "\nsteps = 8\n"));
  BOOST_TEST(has(read_file("run/labels.json"), "\"x\""));
}

BOOST_FIXTURE_TEST_CASE(config_of_a_failed_change_can_be_restored, Finished) {
  // An earlier version recorded changes before the first step and left such a config.toml.
  const auto spoil = [] {
    replace_in("run/config.toml", "data = \"a.txt\"", "data = \"typo.txt\"");
    replace_in("run/config.toml", "steps = 4", "steps = 8");
  };
  const std::string config = before.at("run/config.toml");
  spoil();
  BOOST_TEST(done("train --resume run --repair").errors ==
             "run/config.toml: restored with the options of the checkpoint (data = a.txt, not "
             "typo.txt; steps = 4, not 8); the old file is kept as config.toml.damaged\n");
  BOOST_TEST(read_file("run/config.toml") == config);
  spoil();
  done("train --resume run --data a.txt --steps 4");
  BOOST_TEST(read_file("run/config.toml") == config);
  done("eval run");
  spoil();
  done("train --resume run --data a.txt --steps 8 --change data,steps");
  BOOST_TEST(has(read_file("run/config.toml"), "data = \"a.txt\"\n"));
  done("eval run");
}

BOOST_FIXTURE_TEST_CASE(repair_keeps_the_named_changes, Finished) {
  replace_in("run/config.toml", "steps = 4", "steps = 8");
  BOOST_TEST(done("train --resume run --repair --change steps").errors == "");
  BOOST_TEST(has(read_file("run/config.toml"), "\nsteps = 8\n"));
}

BOOST_FIXTURE_TEST_CASE(lost_metrics_are_refused, Finished) {
  const std::string resume = "train --resume run --steps 8 --change steps";
  const std::string advice =
      "; restore the file, or continue without its lines: train --resume run --repair";
  const std::string lines = read_file("run/metrics.jsonl"), rows = read_file("run/metrics.csv");
  const auto refuses = [&](const std::string& why) {
    before = snapshot("run");
    expect_failed(resume, "run/metrics.jsonl: " + why + advice);
  };
  write_file("run/metrics.jsonl", "");
  refuses("empty, but the run has a checkpoint of step 4");
  fs::remove("run/metrics.jsonl");
  refuses("no line for step 1, but metrics.csv has one");
  write_file("run/metrics.jsonl", lines.substr(lines.find('\n') + 1));
  refuses("no line for step 1, but metrics.csv has one");
  BOOST_TEST(read_file("run/metrics.csv") == rows);

  write_file("run/metrics.jsonl", "");
  done(resume + " --repair");
  BOOST_TEST(read_file("run/metrics.csv.damaged") == rows);
  BOOST_TEST(lines_of(read_file("run/metrics.jsonl")).size() == 5U);  // the checkpoint has one
  done("train --resume run --steps 9 --change steps");
}

BOOST_FIXTURE_TEST_CASE(run_without_metrics_can_be_resumed, Finished) {
  for (const char* name : {"metrics.jsonl", "metrics.csv"}) fs::remove(std::string("run/") + name);
  done("train --resume run --steps 8 --change steps");
}

BOOST_FIXTURE_TEST_CASE(resuming_a_finished_run_repeats_no_samples, Finished) {
  done("train --resume run");
  BOOST_TEST(read_file("run/samples.jsonl") == before.at("run/samples.jsonl"));
}

/// Returns lines of metrics without their times.
std::string without_times(const std::string& lines) {
  std::string text;
  for (const std::string& line : lines_of(lines))
    text += line.substr(0, line.find(",\"time\":")) + '\n';
  return text;
}

BOOST_FIXTURE_TEST_CASE(equal_runs_differ_in_times_and_provenance_alone, Elsewhere) {
  train_tiny("--out a/run");
  const auto a = snapshot("a/run");
  train_tiny("--out b --name ''");
  auto b = snapshot("b");
  BOOST_TEST(a.size() == b.size());
  for (const auto& [path, bytes] : a) {
    const std::string name = path.substr(std::string("a/run").size()), other = b["b" + name];
    if (name == "/provenance.jsonl")
      BOOST_TEST(other != bytes);
    else if (name == "/metrics.jsonl")
      BOOST_TEST(without_times(other) == without_times(bytes));
    else
      BOOST_TEST((other == bytes), name);
  }
}

BOOST_AUTO_TEST_CASE(a_session_is_recorded_when_it_trains) {
  const Elsewhere elsewhere;
  const auto sessions = [](const char* member) {
    Words all;
    for (const std::string& line : lines_of(read_file("run/provenance.jsonl")))
      all.push_back(parsed(line)[member].dump());
    return all;
  };
  train_tiny("--out run");
  done("train --resume run --steps 6 --change steps");
  BOOST_TEST(sessions("step") == (Words{"0", "4"}), per_element());
  BOOST_TEST(sessions("command")[1] == "\"tapehead train --resume run --steps 6 --change steps\"");
  done("train --resume run");  // has no steps to train
  done("eval run");
  BOOST_TEST(sessions("step") == (Words{"0", "4"}), per_element());
  BOOST_TEST(command("train --resume run --steps 8 --change steps --lr -1").status == 2);
  BOOST_TEST(sessions("step") == (Words{"0", "4"}), per_element());
}

BOOST_AUTO_TEST_SUITE_END()

// Trackio's own reader reads what is written, where it is installed; else Python's sqlite3 asks
// what that reader asks.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/toy_run.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(trackio, Elsewhere)

namespace {

constexpr const char* reader = R"(
import json, os, sqlite3, sys
folder, project = sys.argv[1:3]
os.environ["TRACKIO_DIR"] = os.path.abspath(folder)
os.environ["HF_HUB_OFFLINE"] = "1"
try:
    from trackio.sqlite_storage import SQLiteStorage as storage
    runs = {name: [storage.get_logs(project, name), storage.get_run_config(project, name)]
            for name in storage.get_runs(project)}
except ImportError:
    database = sqlite3.connect(f"{folder}/{project}.db")
    runs = {}
    for name, _ in database.execute(
            "SELECT run_name, MIN(timestamp) AS t FROM metrics GROUP BY run_id ORDER BY t"):
        logs = [{**json.loads(metrics), "timestamp": time, "step": step}
                for time, step, metrics in database.execute(
                    "SELECT timestamp, step, metrics FROM metrics WHERE run_name = ? "
                    "ORDER BY timestamp, id", (name,))]
        config, = database.execute(
            "SELECT config FROM configs WHERE run_name = ?", (name,)).fetchone()
        runs[name] = [logs, json.loads(config)]
print(json.dumps(runs))
)";

/// The logs and the configuration of each run, as a reader finds them.
json read(const std::string& folder, const std::string& project) {
  std::ofstream("read.py") << reader;
  const Output output =
      shell("${TAPEHEAD_PYTHON:-python3} read.py " + folder + " " + project + " 2>&1");
  BOOST_TEST_REQUIRE(output.status == 0, output.text + output.errors);
  return parsed(output.text);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_reader_finds_all_numbers_and_options) {
  train_tiny("--out runs/a --name first --tag x,y");
  train_tiny("--out runs/more/b --lr 0.01");
  const Output output = done("runs --trackio tracked");
  BOOST_TEST(has(output.text, "tracked/runs.db: 2 runs"), output.text);
  const json found = read("tracked", "runs");
  BOOST_TEST_REQUIRE(found.size() == 2u);
  for (const std::string run : {"a", "more/b"}) BOOST_TEST_CONTEXT(run) {
      const json &logs = found[run][0], &config = found[run][1];
      const std::vector<std::string> lines = lines_of(contents("runs/" + run + "/metrics.jsonl"));
      BOOST_TEST_REQUIRE(logs.size() == lines.size());
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const json line = parsed(lines[i]);
        BOOST_TEST(logs[i]["step"] == line["step"]);
        BOOST_TEST(logs[i]["loss"] == line["loss"]);
        BOOST_TEST(logs[i]["time/seconds"] == line["time"]["seconds"]);
        BOOST_TEST(logs[i].value("val_loss", json()) == line.value("val_loss", json()));
        if (i > 0) BOOST_TEST(logs[i - 1]["timestamp"] <= logs[i]["timestamp"]);
      }
      BOOST_TEST(config["task"] == "reverse");
      BOOST_TEST(config["lr"] == (run == "a" ? 0.003 : 0.01));
      BOOST_TEST(config["optimizer"] == "adamw");
    }
  BOOST_TEST(found["a"][1]["tags"] == json::array({"x", "y"}));
}

BOOST_AUTO_TEST_CASE(written_again_it_replaces_these_runs_alone) {
  train_tiny("--out runs/a");
  train_tiny("--out runs/b");
  done("runs --trackio tracked");
  const std::size_t before = read("tracked", "runs")["b"][0].size();
  done("train --resume runs/b --steps 6 --change steps");
  done("runs --where run=b --trackio tracked");
  const json found = read("tracked", "runs");
  BOOST_TEST(found.size() == 2u);
  BOOST_TEST(found["b"][0].size() == before + 2);
  BOOST_TEST(found["b"][1]["steps"] == 6);
}

BOOST_AUTO_TEST_CASE(damaged_runs_are_left_out) {
  train_tiny("--out runs/a");
  train_tiny("--out runs/b");
  std::ofstream("runs/b/metrics.jsonl", std::ios::app) << "nothing\n";
  const Output output = command("runs --trackio tracked");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "tracked/runs.db: 1 of 2 runs; "), output.text);
  BOOST_TEST(has(output.errors, "runs/b/metrics.jsonl: line 5 is not a JSON object"),
             output.errors);
  BOOST_TEST(has(output.errors, "the run is left out"), output.errors);
  BOOST_TEST(read("tracked", "runs").size() == 1u);
}

BOOST_AUTO_TEST_CASE(runs_that_have_no_metrics_yet_are_named) {
  train_tiny("--out runs/a");
  { const RunFolder begun = make_run("runs/begun"); }
  const Output output = done("runs --trackio tracked");
  BOOST_TEST(has(output.text, "tracked/runs.db: 1 of 2 runs; "), output.text);
  BOOST_TEST(has(output.errors, "runs/begun: it has no metrics yet; the run is left out\n"),
             output.errors);
  BOOST_TEST(lines_of(output.errors).size() == 1u);
  BOOST_TEST(read("tracked", "runs").size() == 1u);
}

BOOST_AUTO_TEST_CASE(distributions_are_no_metrics) {
  train_tiny("--out runs/a --histograms true");
  done("runs --trackio tracked");
  for (const json& line : read("tracked", "runs")["a"][0])
    for (const auto& [name, value] : line.items()) BOOST_TEST(!has(name, "histograms"), name);
}

BOOST_AUTO_TEST_CASE(what_it_says_has_no_control_characters) {
  train_tiny("--out runs/a");
  const Output output = command(Words{"runs", "--trackio", "\u202e"});
  BOOST_TEST(output.status == 0);
  BOOST_TEST(!has(output.text, "\u202e"), output.text);
}

BOOST_AUTO_TEST_CASE(what_is_no_database_stays_as_it_is) {
  train_tiny("--out runs/a");
  std::filesystem::create_directory("tracked");
  std::ofstream("tracked/runs.db") << "a text that is no database, and long enough to be seen\n";
  const std::string before = contents("tracked/runs.db");
  expect_refused("runs --trackio tracked", "tracked/runs.db: file is not a database", 1);
  BOOST_TEST(contents("tracked/runs.db") == before);
}

BOOST_AUTO_TEST_SUITE_END()

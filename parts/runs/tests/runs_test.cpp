#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/toy_run.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(runs, Elsewhere)

namespace {

namespace fs = std::filesystem;

/// Returns the rows of `runs FOLDER --json`, by name.
std::map<std::string, json> rows(const std::string& words = "runs") {
  std::map<std::string, json> found;
  for (const json& row : json_of("runs " + words + " --json")) found[row["run"]] = row;
  return found;
}
/// Returns the names of the rows, in order.
Words names(const std::string& words) {
  Words found;
  for (const json& row : json_of("runs " + words + " --json")) found.push_back(row["run"]);
  return found;
}

std::vector<std::string> cells(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(shows_runs_and_what_differs_between_them) {
  train_tiny("--out runs/a-2");
  train_tiny("--out runs/a-10 --lr 0.01");
  train_tiny("--out runs/more/b --seed 3 --name third --tag x,y");
  const Output output = done("runs");
  const std::vector<std::string> lines = lines_of(output.text);
  BOOST_TEST_REQUIRE(lines.size() >= 6u);
  BOOST_TEST(cells(lines[0]) == (Words{"run", "name", "tags", "state", "lr", "seed", "last", "best",
                                       "step", "time"}),
             per_element());
  BOOST_TEST(has(output.text, "\nrun     digest"));  // the wide column has its own table below
  BOOST_TEST(lines[1].rfind("a-2 ", 0) == 0u);
  BOOST_TEST(lines[2].rfind("a-10 ", 0) == 0u);
  BOOST_TEST(lines[3].rfind("more/b ", 0) == 0u);
  BOOST_TEST(lines.back() == "3 runs");
  const auto found = rows();
  const json& b = found.at("more/b");
  BOOST_TEST(b["path"] == "runs/more/b");
  BOOST_TEST(b["state"] == "done");
  BOOST_TEST(b["task"] == "reverse");
  BOOST_TEST(b["step"] == 4);
  BOOST_TEST(b["steps"] == 4);
  BOOST_TEST(b["name"] == "third");
  BOOST_TEST(b["tags"] == json::array({"x", "y"}));
  BOOST_TEST(b["options"]["seed"] == "3");
  const std::string digest = done("digest runs/more/b").text.substr(0, 16);
  BOOST_TEST(b["digest"] == digest);
  const json evaluated = parsed(done("eval runs/more/b --json").text);
  BOOST_TEST(b["metrics"]["loss"] == evaluated["loss"]);
  BOOST_TEST(b["metrics"]["exact-match"] == evaluated["exact_match"]);
  for (const char* name : {"best-loss", "best-exact-match", "best-step", "train-loss", "time"})
    BOOST_TEST(b["metrics"].contains(name), name);
}

BOOST_AUTO_TEST_CASE(are_chosen_and_sorted_by_any_column) {
  train_tiny("--out runs/a --lr 0.01 --tag wide");
  train_tiny("--out runs/b --lr 0.1 --width 16 --note 'it was wide'");
  train_tiny("--out runs/c --lr 0.002 --optimizer sgd");
  const auto chosen = [](const std::string& conditions) { return names("runs " + conditions); };
  BOOST_TEST(chosen("--where 'lr>0.002'") == (Words{"a", "b"}), per_element());
  BOOST_TEST(chosen("--where 'lr>=0.002' --where 'width<=8'") == (Words{"a", "c"}), per_element());
  BOOST_TEST(chosen("--where lr=1e-2") == Words{"a"}, per_element());
  BOOST_TEST(chosen("--where 'lr<0.01'") == Words{"c"}, per_element());
  BOOST_TEST(chosen("--where optimizer=sgd") == Words{"c"}, per_element());
  BOOST_TEST(chosen("--where 'optimizer!=sgd'") == (Words{"a", "b"}), per_element());
  BOOST_TEST(chosen("--where note~wide") == Words{"b"}, per_element());
  BOOST_TEST(chosen("--where 'optimizer>b'") == Words{"c"}, per_element());
  BOOST_TEST(chosen("--where 'optimizer<=b'") == (Words{"a", "b"}), per_element());
  BOOST_TEST(chosen("--where 'task>a'") == (Words{"a", "b", "c"}), per_element());
  BOOST_TEST(chosen("--where 'run>=b' --where 'run<c1'") == (Words{"b", "c"}), per_element());
  BOOST_TEST(chosen("--where 'note<z'") == Words{"b"}, per_element());  // the others have no note
  BOOST_TEST(chosen("--where tags=wide") == Words{"a"}, per_element());
  // A run without a value in a column differs from any value and matches nothing else.
  BOOST_TEST(chosen("--where 'tags!=wide'") == (Words{"b", "c"}), per_element());
  BOOST_TEST(chosen("--where 'beta2>0'") == (Words{"a", "b"}), per_element());
  BOOST_TEST(chosen("--sort lr") == (Words{"c", "a", "b"}), per_element());
  BOOST_TEST(chosen("--sort -lr") == (Words{"b", "a", "c"}), per_element());
  BOOST_TEST(chosen("--where 'lr > 0.002' --where ' width<= 8 '") == Words{"a"}, per_element());
  BOOST_TEST(chosen("--where 'note ~ was wide '") == Words{"b"}, per_element());
  BOOST_TEST(chosen("--where tags") == Words{"a"}, per_element());
  BOOST_TEST(chosen("--where '!tags'") == (Words{"b", "c"}), per_element());
  BOOST_TEST(chosen("--where '! tags' --where beta2") == Words{"b"}, per_element());
  BOOST_TEST(chosen("--where until").empty());  // `until` is an option without a value
  BOOST_TEST(chosen("--sort width,lr") == (Words{"c", "a", "b"}), per_element());
  BOOST_TEST(chosen("--sort -width,lr") == (Words{"b", "c", "a"}), per_element());
  BOOST_TEST(chosen("--sort width --sort -lr") == (Words{"a", "c", "b"}), per_element());
  BOOST_TEST(chosen("--sort beta2").back() == "c");
  BOOST_TEST(chosen("--sort -beta2").back() == "c");
  const Words by_loss = chosen("--sort loss");
  const auto found = rows();
  for (std::size_t i = 1; i < by_loss.size(); ++i)
    BOOST_TEST(found.at(by_loss[i - 1])["metrics"]["loss"].get<double>() <=
               found.at(by_loss[i])["metrics"]["loss"].get<double>());
  const std::vector<std::string> lines = lines_of(done("runs --columns width,lr").text);
  BOOST_TEST(cells(lines[0]) == (Words{"run", "width", "lr"}), per_element());
  BOOST_TEST(cells(lines[2]) == (Words{"b", "16", "0.1"}), per_element());
  BOOST_TEST(has(done("runs --where width=16").text, "\n1 of 3 runs\n"));
  BOOST_TEST(done("runs --where width=99").text == "0 of 3 runs\n");
}

BOOST_AUTO_TEST_CASE(have_the_date_of_their_newest_file) {
  const std::time_t first = 1795800000;  // in 2026, far from a daylight saving change
  const auto text = [](std::time_t time) {
    char written[32];
    std::strftime(written, sizeof written, "%Y-%m-%d %H:%M", std::localtime(&time));
    return std::string(written);
  };
  // Set relative to now, since the epoch of the file clock is unspecified.
  const auto set = [](const std::string& path, std::time_t time) {
    fs::last_write_time(
        path, fs::file_time_type::clock::now() - std::chrono::seconds(std::time(nullptr) - time));
  };
  const auto date = [&](const std::string& run, std::time_t metrics, std::time_t checkpoint) {
    set(run + "/metrics.jsonl", metrics);
    set(run + "/checkpoint/model.safetensors", checkpoint);
  };
  train_tiny("--out runs/a");
  train_tiny("--out runs/b");
  train_tiny("--out runs/c");
  { const RunFolder begun = make_run("runs/begun"); }
  const std::time_t day = 24 * 60 * 60;
  date("runs/a", first, first - day);
  date("runs/b", first - 3 * day, first + 2 * day);
  date("runs/c", first + 10, first);  // same minute as a, or the next one
  const auto found = rows();
  BOOST_TEST(found.at("a")["date"] == text(first));
  BOOST_TEST(found.at("b")["date"] == text(first + 2 * day));
  BOOST_TEST(found.at("begun")["date"] == "");
  const auto chosen = [](const std::string& conditions) { return names("runs " + conditions); };
  BOOST_TEST(chosen("--sort -date") == (Words{"b", "c", "a", "begun"}), per_element());
  BOOST_TEST(chosen("--sort date") == (Words{"a", "c", "b", "begun"}), per_element());
  const std::string today = text(first).substr(0, 10);
  BOOST_TEST(chosen("--where 'date>" + today + "'") == Words{"b"}, per_element());
  BOOST_TEST(chosen("--where 'date >= " + today + "'") == (Words{"a", "b", "c"}), per_element());
  BOOST_TEST(chosen("--where date=" + today) == (Words{"a", "c"}), per_element());
  BOOST_TEST(chosen("--where 'date<=" + text(first) + "' --where run=a") == Words{"a"});
  BOOST_TEST(chosen("--where 'date<2026'").empty());
  BOOST_TEST(chosen("--where '!date'") == Words{"begun"}, per_element());
  BOOST_TEST(has(done("runs --columns date").text, "a      " + text(first)));
  BOOST_TEST(has(done("runs --csv --columns date").text, "\nbegun,\n"));
  expect_refused("runs --where 'date>yesterday'",
                 "--where 'date>yesterday': expected a date after >, such as 2026-11-28 or "
                 "'2026-11-28 03:12', got 'yesterday'");
  expect_refused("runs --where date=2026-1",
                 "--where 'date=2026-1': expected a date after =, such as 2026-11-28 or "
                 "'2026-11-28 03:12', got '2026-1'");
  for (const std::string date : {"2026-13-99", "2026-00", "2026-02-29", "2026-04-31", "2026-01-00",
                                 "2026-01-01 24", "2026-01-01 23:60"})
    expect_refused(command(Words{"runs", "--where", "date>" + date}),
                   "--where 'date>" + date +
                       "': expected a date after >, such as 2026-11-28 or '2026-11-28 03:12', got "
                       "'" +
                       date + "'");
  for (const std::string date : {"2026", "2024-02-29", "2026-12-31 23", "2026-12-31 23:59"})
    done("runs --where 'date>" + date + "'");
}

BOOST_AUTO_TEST_CASE(wrong_questions_are_refused) {
  train_tiny("--out runs/a");
  expect_refused("runs --where 'widht>64'",
                 "--where: no run has a column 'widht'; did you mean 'width'?");
  expect_refused("runs --sort -losss", "--sort: no run has a column 'losss'; did you mean 'loss'?");
  BOOST_TEST(has(command(Words{"runs", "--sort", ""}).errors, "--sort: no run has a column ''"));
  for (const std::string wrong : {"", " ", "!", "=8", "!=8", "wi!dth"})
    expect_refused(
        command(Words{"runs", "--where", wrong}),
        "--where: expected a condition such as 'width>64', 'task=copy' or 'note~wide', or "
        "the name of a column, got '" +
            wrong + "'");
  expect_refused("runs --where '!widht'",
                 "--where: no run has a column 'widht'; did you mean 'width'?");
  expect_refused("runs --sort loss,-losss",
                 "--sort: no run has a column 'losss'; did you mean 'loss'?");
  expect_refused("runs --where 'width>big'",
                 "--where 'width>big': expected a number after >, got 'big'");
  done("runs --where 'note>big'");  // a text column, even though no run has a value in it
  expect_refused("runs --where width==8", "--where 'width==8': use a single '='");
  expect_refused("runs none",
                 "none: No such file or directory; expected a folder that contains runs", 1);
  expect_refused("runs --json --csv", "runs: --json and --csv are mutually exclusive");
  expect_refused("runs --yes", "runs: --yes requires --clean");
  expect_refused("runs --tag x",
                 "runs: --name, --note, --tag and --untag work only with 'runs label RUN'");
  fs::create_directory("empty");
  BOOST_TEST(done("runs empty").text == "0 runs\n");
  BOOST_TEST(parsed(done("runs empty --json").text) == json::array());
}

BOOST_AUTO_TEST_CASE(each_state_is_a_row) {
  train_tiny("--out runs/done");
  for (const char* name :
       {"cut", "interrupted", "older", "task", "option", "goal", "patience", "metrics"})
    fs::copy("runs/done", std::string("runs/") + name,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  replace_in("runs/interrupted/config.toml", "\nsteps = 4", "\nsteps = 9");
  replace_in("runs/goal/config.toml", "\nsteps = 4", "\nsteps = 9");
  replace_in("runs/goal/config.toml", "until = \"\"", "until = \"loss=100\"");
  replace_in("runs/patience/config.toml", "\nsteps = 4", "\nsteps = 9");
  replace_in("runs/patience/metrics.jsonl", "\"step\":4,", "\"step\":4,\"patience_left\":0,");
  replace_in("runs/older/config.toml", "version = \"", "version = \"0.");
  replace_in("runs/task/config.toml", "task = \"reverse\"", "task = \"juggle\"");
  replace_in("runs/option/config.toml", "\nwidth", "\nbreadth");
  std::ofstream("runs/cut/config.toml") << "task = ";
  std::ofstream("runs/metrics/metrics.jsonl", std::ios::app) << "no line\n";
  // A line cut short by a crash is ignored.
  std::ofstream("runs/done/metrics.jsonl", std::ios::app) << "{\"step\": 5";
  fs::create_directories("runs/lost/step-3");
  fs::create_directories("runs/theirs");
  std::ofstream("runs/theirs/config.toml") << "[server]\nport = 80\n";
  const RunFolder held = make_run("runs/held");
  const Output diverged = command(
      "train reverse --length 4 --symbols 4 --layers 1 --heads 1 --width 8 --steps 40 "
      "--eval-every 1 --batch 4 --clip 0 --lr 1e30 --warmup 0 --out runs/diverged");
  BOOST_TEST(diverged.status == 1);

  const auto found = rows();
  const std::map<std::string, std::string> states = {
      {"done", "done"},     {"interrupted", "interrupted"},
      {"goal", "done"},     {"older", "done"},
      {"task", "foreign"},  {"option", "foreign"},
      {"cut", "damaged"},   {"metrics", "damaged"},
      {"lost", "damaged"},  {"theirs", "foreign"},
      {"held", "training"}, {"diverged", "diverged"},
      {"patience", "done"}};
  BOOST_TEST(found.size() == states.size());
  for (const auto& [name, state] : states) BOOST_TEST_CONTEXT(name) {
      BOOST_TEST_REQUIRE(found.count(name) == 1u);
      BOOST_TEST(found.at(name)["state"] == state, found.at(name).dump());
    }
  BOOST_TEST(found.at("done")["step"] == 4);
  const auto reason = [&](const char* name) -> std::string { return found.at(name)["reason"]; };
  BOOST_TEST(reason("task") == "unknown task 'juggle'");
  BOOST_TEST(reason("option") == "unknown option 'breadth'");
  BOOST_TEST(reason("cut") == "config.toml:1: expected a value");
  BOOST_TEST(reason("lost") == "config.toml is missing");
  BOOST_TEST(reason("theirs") == "config.toml doesn't belong to a run");
  BOOST_TEST(reason("metrics") ==
             "metrics.jsonl: a line isn't a JSON object with an integer \"step\"");
  BOOST_TEST(has(reason("diverged"), "step "), reason("diverged"));
  BOOST_TEST(has(diverged.errors, reason("diverged")), diverged.errors);
  const Output table = done("runs");
  BOOST_TEST(has(lines_of(table.text)[0], "version"));
  BOOST_TEST(has(table.text, "reason"));
}

BOOST_AUTO_TEST_CASE(whose_last_evaluation_is_not_finite_are_diverged) {
  train_tiny("--out runs/a");
  const std::string path = "runs/a/metrics.jsonl";
  std::string text = contents(path);
  const std::size_t at = text.rfind("\"val_loss\":") + 11;
  text.replace(at, text.find(',', at) - at, "null");
  std::ofstream(path) << text;
  BOOST_TEST(rows().at("a")["state"] == "diverged");
  BOOST_TEST(rows().at("a")["reason"] == "the validation loss at step 4 isn't finite");
}

BOOST_AUTO_TEST_CASE(that_go_on_are_not_diverged_any_more) {
  train_tiny("--out runs/a");
  std::ofstream("runs/a/diverged") << "step 5: the loss is nan\n";
  BOOST_TEST(rows().at("a")["state"] == "diverged");
  done("train --resume runs/a --steps 5 --change steps");
  BOOST_TEST(rows().at("a")["state"] == "done");
}

BOOST_AUTO_TEST_CASE(a_folder_that_can_not_be_read_is_a_row) {
  train_tiny("--out runs/a");
  train_tiny("--out runs/b");
  const Unreadable hidden("runs", "runs/b");
  const auto found = rows();
  BOOST_TEST(found.at("a")["state"] == "done");
  BOOST_TEST(found.at("b")["state"] == "damaged");
  BOOST_TEST(found.at("b")["reason"] == "Permission denied");
}

BOOST_AUTO_TEST_CASE(links_are_not_followed) {
  train_tiny("--out runs/a");
  fs::create_directory_symlink("..", "runs/up");
  fs::create_directory_symlink("a", "runs/again");
  BOOST_TEST(names("runs") == Words{"a"}, per_element());
  fs::create_directory_symlink("runs", "linked");  // only the listed folder may be a link
  BOOST_TEST(names("linked") == Words{"a"}, per_element());
  BOOST_TEST(names("runs/a") == Words{"runs/a"}, per_element());
}

BOOST_AUTO_TEST_CASE(as_comma_separated_values) {
  train_tiny("--out runs/a --note 'so, \"wide\"'");
  train_tiny("--out runs/b --lr 0.01");
  const std::vector<std::string> lines = lines_of(done("runs --csv").text);
  BOOST_TEST_REQUIRE(lines.size() == 3u);
  BOOST_TEST(lines[0] ==
             "run,name,tags,state,task,version,lr,loss,best-loss,exact-match,best-exact-match,step,"
             "time,digest,note,reason");
  BOOST_TEST(has(lines[1], ",\"so, \"\"wide\"\"\","), lines[1]);
  BOOST_TEST(std::count(lines[2].begin(), lines[2].end(), ',') == 15);
  BOOST_TEST(done("runs --csv --columns run,lr").text == "run,lr\na,0.003\nb,0.01\n");
}

BOOST_AUTO_TEST_CASE(provenance_has_columns) {
  train_tiny("--out runs/a");
  train_tiny("--out runs/older");
  fs::remove("runs/older/provenance.jsonl");
  std::ofstream("runs/a/provenance.jsonl")
      << R"({"step":0,"started":"2026-11-29T01:02:03Z","compiler":"GCC 1","commit":"12",)"
      << R"("command":"tapehead train","host":"one"})"
      << "\n"
      << R"({"step":2,"started":"2026-11-30T01:02:03Z","compiler":"GCC 1","commit":"34",)"
      << R"("command":"tapehead train --resume a","host":"two"})"
      << "\n";
  BOOST_TEST(done("runs --csv --columns run,started,numerics,compiler,commit,host,command").text ==
             "run,started,numerics,compiler,commit,host,command\n"
             "a,2026-11-29T01:02:03Z,1,GCC 1,\"12,34\",\"one,two\",tapehead train\n"
             "older,,,,,,\n");
  const auto found = rows();
  BOOST_TEST(found.at("a")["sessions"][1]["commit"] == "34");
  BOOST_TEST(found.at("older")["sessions"] == json::array());
  BOOST_TEST(names("--where 'started>2026-11-29' --where commit") == Words{"a"}, per_element());
  done("verify runs/older");
  done("compare runs/a runs/older");
}

BOOST_AUTO_TEST_CASE(are_labelled_later) {
  train_tiny("--out runs/a");
  done("runs label runs/a --name 'the first' --note 'why it was' --tag x,y");
  BOOST_TEST(done("runs label runs/a").text == "name  the first\nnote  why it was\ntags  x, y\n");
  done("runs label runs/a --name '' --untag x");
  const json labels = json_of("runs label runs/a --json");
  BOOST_TEST(labels == json({{"path", "runs/a"},
                             {"name", ""},
                             {"note", "why it was"},
                             {"tags", json::array({"y"})}}));
  expect_refused("runs label runs/a --untag x", "--untag x: the run has no such tag; it has y");
  expect_refused("runs label", "runs label: expected one or more runs");
  expect_refused("runs label runs/none --tag x", "runs/none: No such file or directory", 1);
  expect_refused("runs label runs/a --clean",
                 "runs label: only --name, --note, --tag, --untag and --json apply");
}

BOOST_AUTO_TEST_CASE(are_labelled_several_at_once) {
  train_tiny("--out runs/a --tag old");
  train_tiny("--out runs/b");
  BOOST_TEST(done("runs label runs/a runs/b --tag paper").text ==
             "run   runs/a\nname\nnote\ntags  old, paper\n\n"
             "run   runs/b\nname\nnote\ntags  paper\n");
  const json labels = json_of("runs label runs/a runs/b --json");
  BOOST_TEST_REQUIRE(labels.size() == 2u);
  BOOST_TEST(labels[0]["path"] == "runs/a");
  BOOST_TEST(labels[1]["tags"] == json::array({"paper"}));
  // If one run is refused, none is changed.
  expect_refused("runs label runs/a runs/b --untag old",
                 "runs/b: --untag old: the run has no such tag; it has paper");
  expect_refused("runs label runs/a runs/none --tag new", "runs/none: No such file or directory",
                 1);
  BOOST_TEST(rows().at("a")["tags"] == json::array({"old", "paper"}));
}

BOOST_AUTO_TEST_SUITE_END()

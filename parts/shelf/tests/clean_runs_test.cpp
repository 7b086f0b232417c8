#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/toy_run.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(clean_runs, Elsewhere)

namespace {

namespace fs = std::filesystem;

/// With checkpoints of the steps 2, 4, 6 and 8.
void train(const std::string& path) { train_tiny("--steps 8 --keep 9 --out " + path); }

Words paths(const json& document) {
  Words found;
  for (const json& one : document["litter"]) found.push_back(one["path"]);
  return found;
}

/// All names below a folder, links included.
Names all_below(const std::string& folder) {
  Names names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(entry.path().string());
  return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(checkpoints_before_the_last_that_are_not_the_best) {
  train("runs/a");
  const std::string best = fs::read_symlink("runs/a/best").string();
  const Names before = all_below("runs");
  const std::string digest = done("digest runs/a").text;
  Words expected;
  for (const char* step : {"step-6", "step-4", "step-2"})
    if (best != step) expected.push_back(std::string("runs/a/") + step);

  const json named = json_of("runs --clean --json");
  BOOST_TEST(paths(named) == expected, per_element());
  BOOST_TEST(named["removed"] == false);
  BOOST_TEST(all_below("runs") == before, per_element());
  const Output text = done("runs --clean");
  BOOST_TEST(has(text.text, "with --yes, they are removed"), text.text);
  BOOST_TEST(has(text.text, "step 8 is newer"), text.text);
  BOOST_TEST(all_below("runs") == before, per_element());

  BOOST_TEST(has(done("runs --clean --yes").text, "removed: "));
  for (const std::string& path : expected) BOOST_TEST(!fs::exists(path), path);
  BOOST_TEST(fs::exists("runs/a/step-8"));
  BOOST_TEST(fs::exists("runs/a/" + best));
  BOOST_TEST(done("digest runs/a").text == digest);
  BOOST_TEST(done("runs --clean --yes").text == "nothing to remove\n");
}

BOOST_AUTO_TEST_CASE(runs_without_a_checkpoint) {
  train("runs/whole");
  done("runs --clean --yes");
  { const RunFolder begun = make_run("runs/begun"); }
  fs::create_directory("runs/locked");
  std::ofstream("runs/locked/lock");
  fs::create_directories("runs/lost/step-3");
  std::ofstream("runs/lost/step-3/model.safetensors") << "half";
  const Names whole = all_below("runs/whole");
  const json named = json_of("runs --clean --json");
  BOOST_TEST(paths(named) == (Words{"runs/begun", "runs/locked", "runs/lost"}), per_element());
  BOOST_TEST(named["litter"][2]["bytes"] == 4);
  done("runs --clean --yes");
  expect_names("runs", {"whole"});
  BOOST_TEST(all_below("runs/whole") == whole, per_element());
}

BOOST_AUTO_TEST_CASE(only_of_runs_that_a_condition_chooses) {
  { const RunFolder a = make_run("runs/a"); }
  { const RunFolder b = make_run("runs/b"); }
  done("runs --clean --yes --where run=b");
  expect_names("runs", {"a"});
}

BOOST_AUTO_TEST_CASE(nothing_of_a_run_that_is_being_written) {
  const RunFolder held = make_run("runs/held");
  train("runs/going");
  const RunFolder going = RunFolder::resume("runs/going");
  const Names before = all_below("runs");
  BOOST_TEST(done("runs --clean --yes").text == "nothing to remove\n");
  BOOST_TEST(all_below("runs") == before, per_element());
}

BOOST_AUTO_TEST_CASE(nothing_that_no_run_has) {
  { const RunFolder with_notes = make_run("runs/notes"); }
  std::ofstream("runs/notes/thesis.tex") << "years of work";
  fs::create_directory("runs/theirs");
  std::ofstream("runs/theirs/config.toml") << "[server]\n";
  fs::create_directory("outside");
  std::ofstream("outside/config.toml") << "task = \"copy\"\n";
  { const RunFolder with_link = make_run("runs/linked"); }
  fs::create_directory_symlink("../../outside", "runs/linked/tensorboard");
  const json document = json_of("runs --clean --yes --json");
  BOOST_TEST(paths(document) == Words{"runs/linked"}, per_element());
  const std::string kept = document["kept"][0];
  BOOST_TEST(has(kept, "runs/notes: no checkpoint"), kept);
  BOOST_TEST(has(kept, "it stays, for thesis.tex is no file of a run"), kept);
  expect_names("runs", {"notes", "theirs"});
  expect_names("outside", {"config.toml"});
}

BOOST_AUTO_TEST_CASE(what_can_not_be_removed_is_said) {
  { const RunFolder a = make_run("runs/a"); }
  const ReadOnlyFolder refusing("runs");
  const Output output = command("runs --clean --yes");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "not removed: runs/a"), output.text);
  BOOST_TEST(fs::exists("runs/a/config.toml"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/toy_run.hpp"
#include "../../parts.hpp"
#include "../clean.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(clean_runs, Elsewhere)

namespace {

namespace fs = std::filesystem;

/// Trains a run with checkpoints at steps 2, 4, 6 and 8.
void train(const std::string& path) { train_tiny("--steps 8 --keep 9 --out " + path); }

Words paths(const json& document) {
  Words found;
  for (const json& one : document["unneeded"]) found.push_back(one["path"]);
  return found;
}

/// Returns the checkpoints before the last one, except the best, newest first.
Words older(const std::string& run) {
  const std::string best = fs::read_symlink(run + "/best").string();
  Words found;
  for (const char* step : {"step-6", "step-4", "step-2"})
    if (best != step) found.push_back(run + "/" + step);
  return found;
}

/// Returns all names below a folder, including links.
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
  const Words expected = older("runs/a");

  const json named = json_of("runs --clean --json");
  BOOST_TEST(paths(named) == expected, per_element());
  BOOST_TEST(named["removed"] == false);
  BOOST_TEST(all_below("runs") == before, per_element());
  const Output text = done("runs --clean");
  BOOST_TEST(has(text.text, "use --yes to remove them"), text.text);
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
  fs::create_directory("runs/killed");  // before Python's train wrote config.toml
  for (const char* name : {"lock", "data.jsonl", "validation.jsonl"})
    std::ofstream("runs/killed/" + std::string(name));
  fs::create_directories("runs/lost/step-3");
  std::ofstream("runs/lost/step-3/model.safetensors") << "half";
  const Names whole = all_below("runs/whole");
  const json named = json_of("runs --clean --json");
  BOOST_TEST(paths(named) == (Words{"runs/begun", "runs/killed", "runs/locked", "runs/lost"}),
             per_element());
  BOOST_TEST(named["unneeded"][3]["bytes"] == 4);
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
  BOOST_TEST(has(kept, "kept, since thesis.tex isn't a file of a run"), kept);
  expect_names("runs", {"notes", "theirs"});
  expect_names("outside", {"config.toml"});
}

BOOST_AUTO_TEST_CASE(nothing_that_no_run_has_at_any_depth) {
  train("runs/a");
  const Words checkpoints = older("runs/a");
  BOOST_TEST_REQUIRE(checkpoints.size() >= 2u);
  const std::string with_notes = checkpoints[0] + "/notes.txt";
  const std::string with_folder = checkpoints[1] + "/mine/.hidden";
  std::ofstream(with_notes) << "hi\n";
  fs::create_directory(checkpoints[1] + "/mine");
  std::ofstream(with_folder) << "hi\n";
  for (const char* run : {"runs/events", "runs/half", "runs/draft"}) {
    const RunFolder begun = make_run(run);
  }
  fs::create_directory("runs/events/tensorboard");
  std::ofstream("runs/events/tensorboard/mine.txt") << "hi\n";
  fs::create_directory("runs/half/step-3.damaged");
  std::ofstream("runs/half/step-3.damaged/model.safetensors") << "half";
  std::ofstream("runs/half/step-3.damaged/.todo") << "hi\n";
  fs::create_directories(
      "runs/draft/step.draft/model.safetensors");  // a folder with the name of a file
  const Words others(checkpoints.begin() + 2, checkpoints.end());
  const json named = json_of("runs --clean --json");
  BOOST_TEST(paths(named) == others, per_element());
  std::string kept;
  for (const json& line : named["kept"]) kept += line.get<std::string>() + "\n";
  for (const std::string& line :
       {checkpoints[0] + ": step 8 is newer", std::string("kept, since notes.txt isn't a file of"),
        std::string("kept, since mine isn't a file of a run\n"),
        std::string("kept, since tensorboard/mine.txt isn't a file of a run\n"),
        std::string("kept, since step-3.damaged/.todo isn't a file of a run\n"),
        std::string("kept, since step.draft/model.safetensors isn't a file of a run\n")})
    BOOST_TEST(has(kept, line), kept);
  done("runs --clean --yes");
  BOOST_TEST(contents(with_notes) == "hi\n");
  BOOST_TEST(contents(with_folder) == "hi\n");
  BOOST_TEST(fs::exists("runs/events/tensorboard/mine.txt"));
  BOOST_TEST(fs::exists("runs/half/step-3.damaged/.todo"));
  for (const std::string& path : others) BOOST_TEST(!fs::exists(path), path);
}

BOOST_AUTO_TEST_CASE(what_a_run_makes_at_any_depth_goes) {
  train_tiny("--steps 2 --tensorboard true --out runs/a");
  fs::rename("runs/a/step-2", "runs/a/step-2.damaged");
  fs::remove("runs/a/checkpoint");
  done("runs --clean --yes");
  BOOST_TEST(!fs::exists("runs/a"));
}

BOOST_AUTO_TEST_CASE(no_checkpoint_before_one_that_is_cut_short) {
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) BOOST_TEST_CONTEXT(file) {
      train("runs/a");
      const std::string cut = std::string("runs/a/step-8/") + file;
      fs::resize_file(cut, fs::file_size(cut) - 1);
      const Names before = all_below("runs");
      const json document = json_of("runs --clean --yes --json");
      BOOST_TEST(document["unneeded"].empty(), document.dump());
      BOOST_TEST_REQUIRE(document["kept"].size() == 1u);
      const std::string kept = document["kept"][0];
      BOOST_TEST(has(kept, "runs/a: kept the checkpoints before step 8, since " + cut + ": "),
                 kept);
      BOOST_TEST(all_below("runs") == before, per_element());
      fs::remove_all("runs/a");
    }
}

BOOST_AUTO_TEST_CASE(is_found_to_be_so_still) {
  train("runs/a");
  std::vector<std::string> kept;
  const std::vector<UnneededFolder> all = find_unneeded(runs_below("runs", make_registry()), kept);
  BOOST_TEST_REQUIRE(all.size() >= 2u);
  std::ofstream(all[0].path + "/notes.txt") << "hi\n";
  BOOST_TEST(has(remove(all[0]), "kept, since notes.txt isn't a file of a run"));
  fs::resize_file("runs/a/step-8/model.safetensors", 20);
  BOOST_TEST(has(remove(all[1]), "step-8/model.safetensors"));
  for (const UnneededFolder& unneeded : all)
    BOOST_TEST(fs::exists(unneeded.path + "/model.safetensors"));
}

BOOST_AUTO_TEST_CASE(what_is_promised_is_kept_where_metrics_are_damaged) {
  train("runs/a");
  std::ofstream("runs/a/metrics.jsonl", std::ios::app) << "no line\n";
  const std::string metrics = contents("runs/a/metrics.jsonl");
  const Words expected = older("runs/a");
  BOOST_TEST(paths(json_of("runs --clean --json")) == expected, per_element());
  done("runs --clean --yes");
  for (const std::string& path : expected) BOOST_TEST(!fs::exists(path), path);
  BOOST_TEST(contents("runs/a/metrics.jsonl") == metrics);
}

BOOST_AUTO_TEST_CASE(a_run_with_a_checkpoint_and_no_configuration_stays) {
  train("runs/a");
  fs::remove("runs/a/config.toml");
  const Names before = all_below("runs");
  const json document = json_of("runs --clean --yes --json");
  BOOST_TEST(document["unneeded"].empty(), document.dump());
  BOOST_TEST(document["kept"].size() == 1u);
  BOOST_TEST(all_below("runs") == before, per_element());
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

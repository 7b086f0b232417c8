#include "../shared/folders.hpp"
#include "../shared/json.hpp"
#include "../shared/small_sweep.hpp"
#include "../shared/support.hpp"

#include <filesystem>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(sweep_command)

BOOST_AUTO_TEST_CASE(runs_them_all_and_goes_on) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const std::vector<std::string> grid = {"--grid", "lr=1e-3,1e-2", "layers=1,2", "--seeds", "2"};
  const Output first = small_sweep(out, grid);
  BOOST_TEST(first.status == 0, first.errors);
  BOOST_TEST(first.text.find("8 of 8: lr=1e-2,layers=2,seed=1\n") != std::string::npos);
  BOOST_TEST(first.text.find("  lr  layers  exact match") != std::string::npos);
  const std::string one = out + "/lr=1e-2,layers=2,seed=1";
  BOOST_TEST(contents(one + "/config.toml").find("layers = 2\n") != std::string::npos);

  // What is there isn't trained again; what is missing is.
  const std::string before = contents(one + "/metrics.jsonl");
  std::filesystem::remove_all(out + "/lr=1e-3,layers=1,seed=0");
  const Output second = small_sweep(out, grid);
  BOOST_TEST(second.status == 0, second.errors);
  BOOST_TEST(second.text == first.text);
  BOOST_TEST(contents(one + "/metrics.jsonl") == before);
}

BOOST_AUTO_TEST_CASE(as_json) {
  const Scratch scratch;
  const Output output =
      small_sweep(scratch.file("all"), {"--grid", "layers=1,2", "--seed", "5", "--json"});
  BOOST_TEST(output.status == 0, output.errors);
  const json document = json::parse(output.text);
  BOOST_TEST(document["task"] == "copy");
  BOOST_TEST(document["combinations"].size() == 2u);
  const json run = document["combinations"][1]["runs"][0];
  BOOST_TEST(run["seed"] == 5);
  BOOST_TEST(run["steps"] == 4);
  BOOST_TEST(std::filesystem::exists(document["folder"].get<std::string>() + "/" +
                                     run["folder"].get<std::string>()));
}

BOOST_AUTO_TEST_CASE(goes_on_after_a_run_that_diverges) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const std::vector<std::string> grid = {
      "--grid", "lr=1e30,1e-3", "--optimizer", "sgd", "--warmup", "0", "--clip", "0"};
  for (int i = 0; i < 2; ++i) {  // the same command gives the same result
    const Output output = small_sweep(out, grid);
    BOOST_TEST(output.status == 0, output.errors);
    BOOST_TEST(
        missing(output.text, {"2 of 2: lr=1e-3,seed=0\n", "  diverged at step ", "\n1e-3 "}) == "");
    BOOST_TEST(has(output.errors, out + "/lr=1e30,seed=0: diverged: step "), output.errors);
  }
}

BOOST_AUTO_TEST_CASE(refuses_runs_on_what_a_file_had_before) {
  const Elsewhere elsewhere;
  const auto sweep_text = [] {
    return command(
        "sweep text --data a.txt --grid lr=1e-3 --out all --context 8 --layers 1 --heads 1 "
        "--width 8 --batch 8 --steps 2");
  };
  std::ofstream("a.txt") << std::string(300, 'a') << "b";
  BOOST_TEST(sweep_text().status == 0);
  BOOST_TEST(sweep_text().status == 0);
  std::ofstream("a.txt") << std::string(300, 'b') << "a";
  expect_refused(sweep_text(),
                 "all/lr=1e-3,seed=0: a.txt has changed since it was trained on it; choose another "
                 "--out");
}

BOOST_AUTO_TEST_CASE(wrong_grids) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const std::pair<std::vector<std::string>, const char*> all[] = {
      {{"--grid", "lr"}, "--grid: expected an option and its values, lr=1e-3,3e-3, got 'lr'"},
      {{"--grid", "seed=1,2"}, "--grid seed=1,2: --seeds N tries seeds, from --seed on"},
      {{"--grid", "out=a,b"}, "--grid out=a,b: each run has a folder of its own in --out"},
      {{"--grid", "lr=1", "lr=2"}, "--grid lr=2: lr is given twice"},
      {{"--grid", "laers=1"}, "copy has no option --laers; did you mean --layers?"},
      {{"--grid", "layers=1,0"}, "--layers must be at least 1, not 0"},
      {{"--grid", "layers=1", "--seeds", "0"}, "--seeds must be at least 1, not 0"},
      {{"--grid", "layers=1", "--seed", "18446744073709551615", "--seeds", "2"},
       "--seed 18446744073709551615 --seeds 2: the last seed would be above 18446744073709551615"},
      {{}, "--grid is required; see tapehead sweep copy --help"}};
  for (const auto& [words, message] : all) {
    const Output output = small_sweep(out, words);
    BOOST_TEST(output.status == 2);
    BOOST_TEST(output.errors == fmt::format("tapehead: {}\n", message));
    BOOST_TEST(!std::filesystem::exists(out));  // nothing was begun
  }
  BOOST_TEST(command({"sweep", "cpoy"}).errors.find("did you mean 'copy'?") != std::string::npos);
  BOOST_TEST(command({"sweep"}).errors.find("sweep needs a task: copy, ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_folder_within_a_run) {
  const Scratch scratch;
  const std::string out = scratch.file("all"), run = out + "/layers=1,seed=0";
  BOOST_TEST(small_sweep(out, {"--grid", "layers=1"}).status == 0);
  for (const std::string inner : {"", "/", "/sub", "/sub/../sub/deep"}) {
    const Output output = small_sweep(run + inner, {"--grid", "layers=1"});
    BOOST_TEST(output.status == 2);
    BOOST_TEST(output.errors == fmt::format("tapehead: --out {}: {} is the folder of a run; choose "
                                            "one outside of it\n",
                                            run + inner, run + (inner == "/" ? "/" : "")));
  }
  BOOST_TEST(!std::filesystem::exists(run + "/sub"));
}

BOOST_AUTO_TEST_CASE(a_folder_of_another_sweep) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  BOOST_TEST(small_sweep(out, {"--grid", "layers=1"}).status == 0);
  const Output output = small_sweep(out, {"--grid", "layers=1", "--steps", "5"});
  BOOST_TEST(output.status == 2);
  BOOST_TEST(output.errors == fmt::format("tapehead: {}/layers=1,seed=0 was trained with --steps "
                                          "4, not 5; choose another --out\n",
                                          out));
}

BOOST_AUTO_TEST_SUITE_END()

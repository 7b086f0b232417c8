#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/small_sweep.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/runs/run_folder.hpp"

#include <filesystem>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(sweep_command)

BOOST_AUTO_TEST_CASE(trains_all_runs_and_resumes) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const std::vector<std::string> grid = {"--grid", "lr=1e-3,1e-2", "layers=1,2", "--seeds", "2"};
  const Output first = small_sweep(out, grid);
  BOOST_TEST(first.status == 0, first.errors);
  BOOST_TEST(first.text.find("8 of 8: lr=1e-2,layers=2,seed=1\n") != std::string::npos);
  BOOST_TEST(first.text.find("\nbest exact match over 2 seeds\n  lr  layers") != std::string::npos);
  const std::string one = out + "/lr=1e-2,layers=2,seed=1";
  BOOST_TEST(contents(one + "/config.toml").find("layers = 2\n") != std::string::npos);

  // Only missing runs are trained.
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

BOOST_AUTO_TEST_CASE(by_length) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const auto sweep = [&](const std::string& more) {
    return command(
        "sweep add --lengths 1..2 --layers 1 --heads 1 --width 8 --steps 4 --grid "
        "position=none,learned --seeds 2 --out " +
        out + more);
  };
  const auto rows = [&] { return json::parse(contents(out + "/sweep.json"))["combinations"]; };
  Output output = sweep("");
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(has(output.text, "\nexact match by length, mean over 2 seeds\nposition "));
  BOOST_TEST(rows()[1]["by_length"]["lengths"] == json({1, 2}));
  BOOST_TEST(rows()[1]["by_length"]["option"] == "digits");
  output = sweep(" --eval-lengths 1..3");
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(rows()[0]["by_length"]["lengths"] == json({1, 2, 3}));
  BOOST_TEST(rows()[1].count("by_length") == 0u);
  BOOST_TEST(
      missing(output.text,
              {"\nno accuracy by length for position learned: --eval-lengths 1..3: at digits 3:",
               "\npositions.weight has shape (9, 8), "}) == "",
      output.text);
  for (std::size_t seed = 0; seed < 2; ++seed) {
    const json one =
        json_of(fmt::format("eval {}/position=none,seed={} --lengths 1..3 --examples "
                            "100 --json",
                            out, seed));
    for (std::size_t i = 0; i < 3; ++i)
      BOOST_TEST(one["lengths"][i]["exact_match"] == rows()[0]["by_length"]["of_runs"][seed][i]);
  }
  expect_refused("sweep add --grid layers=1,2 --eval-lengths 3..1",
                 "--eval-lengths must be a length from 1 to 65535, a range such as 1..20 or "
                 "10..100..10, or a list such as 4,8,16; got '3..1'");
  expect_refused("sweep modular --grid layers=1,2 --eval-lengths 1..3",
                 "--eval-lengths 1..3: the task modular has no length option; remove "
                 "--eval-lengths");
}

/// The results don't depend on the number of runs that train in parallel.
BOOST_AUTO_TEST_CASE(runs_in_parallel) {
  const Scratch scratch;
  const std::string one = scratch.file("one"), many = scratch.file("many");
  const auto run = [](const std::string& out, const char* jobs) {
    return small_sweep(out, {"--grid", "lr=1e-3,1e30", "layers=1,2", "--optimizer", "sgd",
                             "--warmup", "0", "--clip", "0", "--jobs", jobs});
  };
  const Output first = run(one, "1"), second = run(many, "3");
  BOOST_TEST(first.status == 0, first.errors);
  BOOST_TEST(second.status == 0, second.errors);
  const auto without_page = [](const std::string& text) {
    return text.substr(0, text.find("wrote a page"));
  };
  BOOST_TEST(without_page(second.text) == without_page(first.text));
  for (const char* run : {"lr=1e-3,layers=1,seed=0", "lr=1e-3,layers=2,seed=0"})
    for (const char* file : {"model.safetensors", "optimizer.safetensors", "config.toml"})
      BOOST_TEST(contents(fmt::format("{}/{}/{}", many, run, file)) ==
                 contents(fmt::format("{}/{}/{}", one, run, file)));
}

BOOST_AUTO_TEST_CASE(a_failure_stops_the_others) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const auto run = [&] {
    return small_sweep(out, {"--grid", "layers=1,2,3", "--jobs", "2", "--json"});
  };
  BOOST_TEST(run().status == 0);
  std::filesystem::remove_all(out + "/layers=2,seed=0");
  {
    const RunFolder held = RunFolder::resume(out + "/layers=1,seed=0");
    const Output output = run();
    BOOST_TEST(output.status == 1);
    BOOST_TEST(output.text == "");
    BOOST_TEST(has(output.errors, "all/layers=1,seed=0"), output.errors);
    BOOST_TEST(lines_of(output.errors).size() == 1u);
  }
  BOOST_TEST(run().status == 0);
}

BOOST_AUTO_TEST_CASE(a_folder_with_other_files) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  std::filesystem::create_directories(out + "/layers=2,seed=0");
  const Output output = small_sweep(out, {"--grid", "layers=1,2"});
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.errors, "all/layers=2,seed=0"), output.errors);
  BOOST_TEST(!std::filesystem::exists(out + "/layers=1,seed=0"));  // nothing was written
}

BOOST_AUTO_TEST_CASE(resumes_after_an_interruption) {
  const Scratch scratch;
  const std::string all = fmt::format(
      "$TAPEHEAD sweep copy --length 4 --symbols 4 --heads 1 --width 8 --batch 8 --steps {} --grid "
      "lr=1e-3,2e-3 layers=1,2 --jobs 2 --eval-every 10 --format csv --out {}/",
      under_sanitizers ? 100 : 1000, scratch.file(""));
  const Output whole = shell(all + "whole");
  BOOST_TEST(whole.status == 0, whole.errors);
  const Output cut = shell(fmt::format(
      "{}parts & pid=$!; while ! ls {}/*/checkpoint >/dev/null 2>&1; do sleep 0.02; done; "
      "kill -INT $pid; wait $pid",
      all, scratch.file("parts")));
  BOOST_TEST(cut.status == 130);
  BOOST_TEST(cut.errors == "interrupted; 0 of 4 runs done; repeat the command to continue\n");
  BOOST_TEST(cut.text == "");
  const Output rest = shell(all + "parts");
  BOOST_TEST(rest.text == whole.text);
  for (const char* run : {"lr=1e-3,layers=1,seed=0", "lr=2e-3,layers=2,seed=0"})
    BOOST_TEST(contents(scratch.file("parts/") + run + "/model.safetensors") ==
               contents(scratch.file("whole/") + run + "/model.safetensors"));
}

BOOST_AUTO_TEST_CASE(drawn_settings) {
  const Scratch scratch;
  const auto draw = [&](const char* out, const char* count) {
    return json::parse(small_sweep(scratch.file(out), {"--grid", "lr=1e-4..1e-2:log", "layers=1..2",
                                                       "--random", count, "--json"})
                           .text)["combinations"];
  };
  const json two = draw("two", "2"), three = draw("three", "3");
  BOOST_TEST_REQUIRE(three.size() == 3u);
  for (std::size_t i = 0; i < 2; ++i) BOOST_TEST(three[i] == two[i]);
  BOOST_TEST(three[2]["settings"] != three[1]["settings"]);
}

BOOST_AUTO_TEST_CASE(a_dry_run) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const std::vector<std::string> words = {"--grid", "layers=1,2", "--seeds",  "3",
                                          "--jobs", "2",          "--dry-run"};
  const Output text = small_sweep(out, words);
  BOOST_TEST(text.status == 0, text.errors);
  BOOST_TEST(missing(text.text,
                     {"layers  parameters", "\n6 runs, 2 in parallel with 1 thread each: about ",
                      "; nothing was written\n"}) == "",
             text.text);
  std::vector<std::string> as_json = words;
  as_json.push_back("--json");
  const json document = json::parse(small_sweep(out, as_json).text);
  BOOST_TEST(document["runs"] == 6);
  BOOST_TEST(document["jobs"] == 2);
  BOOST_TEST(document["combinations"].size() == 2u);
  BOOST_TEST(document["combinations"][1]["parameters"] > document["combinations"][0]["parameters"]);
  const double seconds = document["seconds"];
  BOOST_TEST(seconds > 0);
  as_json.insert(as_json.end(), {"--halving", "2"});
  BOOST_TEST(json::parse(small_sweep(out, as_json).text)["seconds"] != seconds);
  BOOST_TEST(!std::filesystem::exists(out));
}

BOOST_AUTO_TEST_CASE(keeps_the_results_of_another_sweep) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const auto grid = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"--grid"};
    words.insert(words.end(), more.begin(), more.end());
    return small_sweep(out, words);
  };
  BOOST_TEST(grid({"layers=1,2", "--seeds", "2"}).status == 0);
  const std::string before = contents(out + "/sweep.json");
  const auto refused = [&](const std::vector<std::string>& more, const std::string& what) {
    const Output output = grid(more);
    BOOST_TEST(output.status == 2);
    BOOST_TEST(output.errors ==
               "tapehead: " + out + " already has a sweep of " + what + "; choose another --out\n");
    BOOST_TEST(contents(out + "/sweep.json") == before);
  };
  refused({"layers=1", "--seeds", "2"}, "other settings, including layers 2");
  refused({"layers=1,2"}, "2 seeds starting at 0");
  // More values or seeds extend the sweep.
  BOOST_TEST(grid({"layers=1,2,3", "--seeds", "3"}).status == 0);
  BOOST_TEST(json::parse(contents(out + "/sweep.json"))["combinations"].size() == 3u);
}

BOOST_AUTO_TEST_CASE(reads_a_finished_sweep) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const std::vector<std::string> grid = {"--grid", "layers=1,2"};
  for (const char* form : {"csv", "latex", "markdown"}) {
    std::vector<std::string> words = grid;
    words.insert(words.end(), {"--format", form});
    const Output trained = small_sweep(out, words);
    BOOST_TEST(trained.status == 0, trained.errors);
    BOOST_TEST(command({"sweep", "--read", out, "--format", form}).text == trained.text);
  }
  BOOST_TEST(has(small_sweep(out, grid).text, command({"sweep", "--read", out}).text));
  done("runs label " + out + "/layers=2,seed=0 --name deep --tag paper");
  BOOST_TEST(has(command({"sweep", "--read", out}).text, "deep [paper]"));
  std::vector<std::string> as_json = grid;
  as_json.push_back("--json");
  BOOST_TEST(command({"sweep", "--read", out, "--json"}).text == small_sweep(out, as_json).text);
  expect_refused(command({"sweep", "--read", scratch.file("none")}),
                 scratch.file("none") +
                     "/sweep.json: no finished sweep here; repeat the command that "
                     "started it to continue",
                 1);
  scratch.write("all/sweep.json", "{");
  expect_refused(command({"sweep", "--read", out}),
                 out + "/sweep.json: not the results of a sweep: no first_seed", 1);
  expect_refused("sweep --read a copy --grid layers=1",
                 "--read only shows a finished sweep; remove copy");
  expect_refused("sweep --read a --json --format csv", "use either --json or --format, not both");
  expect_refused("sweep --read a --format cvs", "unknown --format 'cvs'; did you mean 'csv'?");
}

BOOST_AUTO_TEST_CASE(continues_after_a_run_diverges) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const std::vector<std::string> grid = {
      "--grid", "lr=1e30,1e-3", "--optimizer", "sgd", "--warmup", "0", "--clip", "0"};
  for (int i = 0; i < 2; ++i) {  // repeating the command gives the same result
    const Output output = small_sweep(out, grid);
    BOOST_TEST(output.status == 0, output.errors);
    BOOST_TEST(
        missing(output.text, {"2 of 2: lr=1e-3,seed=0\n", "  diverged at step ", "\n1e-3 "}) == "");
    BOOST_TEST(has(output.errors, out + "/lr=1e30,seed=0: diverged: step "), output.errors);
  }
}

BOOST_AUTO_TEST_CASE(refuses_runs_on_changed_data) {
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
  expect_refused(
      sweep_text(),
      "all/lr=1e-3,seed=0: a.txt has changed since the run was trained on it; choose another "
      "--out");
}

BOOST_AUTO_TEST_CASE(invalid_grids_are_refused) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const std::pair<std::vector<std::string>, const char*> all[] = {
      {{"--grid", "lr"},
       "--grid: expected an option and its values, such as lr=1e-3,3e-3, got 'lr'"},
      {{"--grid", "seed=1,2"}, "--grid seed=1,2: use --seeds N to try N seeds, starting at --seed"},
      {{"--grid", "out=a,b"}, "--grid out=a,b: each run has its own folder in --out"},
      {{"--grid", "lr=1", "lr=2"}, "--grid lr=2: lr is given twice"},
      {{"--grid", "lr=1e-3,3e-3,0.001"},
       "--grid: 'lr 1e-3' and 'lr 0.001' are the same configuration; remove one"},
      {{"--grid", "layers=1,2", "lr=1e-3,1E-3"},
       "--grid: 'layers 1 · lr 1e-3' and 'layers 1 · lr 1E-3' are the same configuration; remove "
       "one"},
      {{"--grid", "init=a/b,a_b"},
       "--grid: 'init a/b' and 'init a_b' would share the folder init=a_b,seed=0; use two sweeps"},
      {{"--grid", "layers=1", "--by", "lst"}, "unknown --by 'lst'; did you mean 'last'?"},
      {{"--grid", "laers=1"}, "copy has no option --laers; did you mean --layers?"},
      {{"--grid", "ema=0.5,2"}, "--average must be at least 0 and below 1, not 2"},
      {{"--grid", "layers=1,0"}, "--layers must be at least 1, not 0"},
      {{"--grid", "layers=1", "--seeds", "0"}, "--seeds must be at least 1, not 0"},
      {{"--grid", "layers=1", "--jobs", "-1"}, "--jobs must be at least 0, not -1"},
      {{"--grid", "layers=1", "--random", "0"}, "--random must be at least 1, not 0"},
      {{"--grid", "layers=1", "--halving", "1"}, "--halving must be at least 2, not 1"},
      {{"--grid", "lr=1..2"},
       "--grid lr=1..2: a range needs --random N, the number of combinations to draw"},
      {{"--grid", "layers=1", "--seed", "18446744073709551615", "--seeds", "2"},
       "--seed 18446744073709551615 --seeds 2: the last seed would be above 18446744073709551615"},
      {{}, "sweep needs --grid OPTION=A,B... or --lr-range; see tapehead sweep copy --help"}};
  for (const auto& [words, message] : all) {
    const Output output = small_sweep(out, words);
    BOOST_TEST(output.status == 2);
    BOOST_TEST(output.errors == fmt::format("tapehead: {}\n", message));
    BOOST_TEST(!std::filesystem::exists(out));  // nothing was written
  }
  BOOST_TEST(command({"sweep", "cpoy"}).errors.find("did you mean 'copy'?") != std::string::npos);
  BOOST_TEST(command({"sweep"}).errors.find("sweep needs a task: copy, ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(refuses_a_folder_inside_a_run) {
  const Scratch scratch;
  const std::string out = scratch.file("all"), run = out + "/layers=1,seed=0";
  BOOST_TEST(small_sweep(out, {"--grid", "layers=1"}).status == 0);
  for (const std::string inner : {"", "/", "/sub", "/sub/../sub/deep"}) {
    const Output output = small_sweep(run + inner, {"--grid", "layers=1"});
    BOOST_TEST(output.status == 2);
    BOOST_TEST(output.errors == fmt::format("tapehead: --out {}: {} is the folder of a run; choose "
                                            "a folder outside it\n",
                                            run + inner, run + (inner == "/" ? "/" : "")));
  }
  BOOST_TEST(!std::filesystem::exists(run + "/sub"));
}

BOOST_AUTO_TEST_CASE(two_sweeps_at_once) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  std::filesystem::create_directory(out);
  {
    const std::shared_ptr<void> other = lock_file(out + "/lock");
    expect_refused(small_sweep(out, {"--grid", "layers=1"}),
                   out + ": another sweep is running here; wait for it, or choose another --out");
    BOOST_TEST(!std::filesystem::exists(out + "/layers=1,seed=0"));
  }
  BOOST_TEST(small_sweep(out, {"--grid", "layers=1"}).status == 0);
}

/// At this rate the loss rises again after the first steps.
BOOST_AUTO_TEST_CASE(ranks_by_the_best_evaluation) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        "--grid", "lr=1e-5,1",    "--optimizer", "sgd",     "--schedule", "constant", "--warmup",
        "0",      "--eval-every", "1",           "--steps", "12",         "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(small_sweep(out, words).text);
  };
  const json best = run({}), last = run({"--by", "last"});
  for (const json& each : best["combinations"]) {
    const json& one = each["runs"][0];
    std::vector<double> losses;
    for (const std::string& line :
         lines_of(contents(out + "/" + one["folder"].get<std::string>() + "/metrics.jsonl")))
      losses.push_back(json::parse(line)["val_loss"]);
    const auto lowest = std::min_element(losses.begin(), losses.end());
    BOOST_TEST(one["best_val_loss"] == *lowest);
    BOOST_TEST(one["best_step"] == lowest - losses.begin() + 1);
    BOOST_TEST(one["val_loss"] == losses.back());
  }
  BOOST_TEST(last["combinations"] == best["combinations"]);
  BOOST_TEST(last["by"] == "last");
  BOOST_TEST(json::parse(command({"sweep", "--read", out, "--json"}).text)["by"] == "best");
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

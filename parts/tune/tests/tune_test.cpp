#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../search.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(tune)

namespace {

/// Losses at rates that grow tenfold in ten steps.
RangeTest made(const std::vector<double>& losses, Index steps) {
  RangeTest test;
  for (std::size_t i = 0; i < losses.size(); ++i)
    test.points.push_back({1e-5 * std::pow(10, 0.1 * static_cast<double>(i)), losses[i], 0});
  evaluate(test, steps);
  return test;
}

const char* const small =
    "tune lr copy --length 4 --symbols 4 --width 8 --heads 1 --layers 1 --steps 50 "
    "--eval-examples 16";

}  // namespace

BOOST_AUTO_TEST_CASE(a_tenth_of_the_lowest) {
  std::vector<double> losses;
  for (int i = 0; i < 41; ++i)
    losses.push_back(std::abs(i - 30) < 12 ? std::abs(i - 30) / 12.0 : 1);
  const RangeTest test = made(losses, 41);
  BOOST_TEST(std::abs(test.lowest - 1e-2) < 1e-6);
  BOOST_TEST(test.candidate() == 0.001);
  BOOST_TEST((test.steepest > 1e-4 && test.steepest < test.lowest));
  // A single low loss is noise: its neighbours are as high as ever.
  losses[10] = 0.5;
  BOOST_TEST(std::abs(made(losses, 41).lowest - 1e-2) < 1e-6);
  BOOST_TEST(made(losses, 41).points[11].smoothed > 0.8);
}

BOOST_AUTO_TEST_CASE(edges) {
  const RangeTest one = made({2}, 200);
  BOOST_TEST(one.lowest == 1e-5);
  BOOST_TEST(one.steepest == 1e-5);
  BOOST_TEST(one.points[0].smoothed == 2);
  const RangeTest rising = made({1, 2, 3}, 20);
  BOOST_TEST(rising.lowest == 1e-5);
  BOOST_TEST(two_digits(0.001234) == 0.0012);
  BOOST_TEST(two_digits(9.99e-6) == 1e-5);
  RateSearch search;
  search.task = "copy";
  search.test = one;
  search.trials = {{1e-3, 0, true}};
  BOOST_TEST(search.best() == -1);
  BOOST_TEST(has(to_text(search, Terminal()), "Around it, all runs diverged: try a smaller --to."));
  BOOST_TEST(parsed(to_json(search))["lr"].is_null());
  BOOST_TEST(!has(to_svg(search), "nan"));
}

BOOST_AUTO_TEST_CASE(says_what_it_chose_and_why) {
  const Output output = command(small);
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(missing(output.text, {"smoothed loss\n", "The rate grew from 1e-06 on for ",
                                   "The smoothed loss is lowest at ", "Candidate: ", "Smith, 2017",
                                   "held-out loss  exact match\n", "Chosen: --lr "}) == "",
             output.text);
  expect_plain(output.text);
  const json document = json::parse(done(std::string(small) + " --json").text);
  BOOST_TEST(document["trials"].size() == 3u);
  BOOST_TEST(document["trials"][1]["lr"] == document["candidate"]);
  double least = 1e9, chosen = 0;
  for (const json& trial : document["trials"])
    if (trial["val_loss"] < least) least = trial["val_loss"], chosen = trial["lr"];
  BOOST_TEST(document["lr"] == chosen);
  BOOST_TEST(document["trial_steps"] == 10);
  BOOST_TEST(document["points"][0]["lr"] == 1e-6);
  BOOST_TEST(document["points"].size() <= 200u);
  BOOST_TEST(document["candidate"].get<double>() ==
             two_digits(document["lowest"].get<double>() / 10));
  // The same again, on any number of threads.
  BOOST_TEST(json::parse(done(std::string(small) + " --json --threads 2").text) == document);
}

/// The run that it recommends is an ordinary one.
BOOST_AUTO_TEST_CASE(short_runs_are_trainings) {
  const Scratch scratch;
  const json document =
      json::parse(done(std::string(small) + " --json --warmup 5 --min-lr 1e-5 --lr 1e-3").text);
  const json trial = document["trials"][1];
  const double lr = trial["lr"], min_lr = trial["min_lr"];
  BOOST_TEST(std::abs(min_lr - lr / 100) < 1e-9);
  const std::string run = scratch.file("run");
  done(
      fmt::format("train copy --length 4 --symbols 4 --width 8 --heads 1 --layers 1 "
                  "--eval-examples 16 --steps 10 --warmup 1 --lr {} --min-lr {} --out {}",
                  lr, min_lr, run));
  const std::vector<std::string> lines = lines_of(contents(run + "/metrics.jsonl"));
  BOOST_TEST(json::parse(lines.back())["val_loss"] == trial["val_loss"]);
}

BOOST_AUTO_TEST_CASE(pictures) {
  const Scratch scratch;
  const std::string svg = scratch.file("lr.svg"), page = scratch.file("lr.html");
  done(fmt::format("{} --picture {}", small, svg));
  BOOST_TEST(has(contents(svg), "<svg "));
  BOOST_TEST(has(contents(svg), ">learning rate<"));
  done(fmt::format("{} --picture {}", small, page));
  BOOST_TEST(has(contents(page), "Learning rate of copy"));
}

BOOST_AUTO_TEST_CASE(what_is_missing) {
  expect_refused("tune", "tune needs what to tune: lr");
  expect_refused("tune lr", "tune lr needs a task, as in tapehead tune lr copy");
  expect_refused("tune ls", "unknown command 'ls'; did you mean 'lr'?");
  expect_refused("tune lr cpoy", "unknown task 'cpoy'; did you mean 'copy'?");
}

BOOST_AUTO_TEST_SUITE_END()

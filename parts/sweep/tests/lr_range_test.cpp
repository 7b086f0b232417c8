#include "../lr_range.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"

#include <cmath>
#include <filesystem>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(lr_range)

namespace {

/// Searches with a known loss for each rate; an infinite loss means divergence. Returns the
/// exponents in the order of the trials, the best one last.
std::vector<int> searched(const RateGrid& grid, const std::function<double(double)>& loss) {
  std::vector<int> tried;
  std::optional<int> best;
  for (std::vector<int> next = next_rates(grid, {}, {}); !next.empty();
       next = next_rates(grid, tried, best))
    for (const int power : next) {
      tried.push_back(power);
      const double found = loss(grid.rate(power));
      if (std::isfinite(found) && (!best || found < loss(grid.rate(*best)))) best = power;
    }
  tried.push_back(best.value_or(99));
  return tried;
}

/// Returns a loss function with its minimum at `best`.
std::function<double(double)> valley(double best) {
  return [=](double rate) { return std::abs(std::log(rate / best)); };
}

Sweep swept(const std::vector<double>& losses) {
  Sweep sweep{"copy", 0, false, {}};
  sweep.ranks_by_loss = true;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    TrainOutcome outcome;
    outcome.evaluation.loss = losses[i];
    sweep.rows.push_back({{{"lr", fmt::format("{}", i + 1)}}, {outcome}});
  }
  return sweep;
}

const std::string small =
    "sweep copy --length 4 --symbols 4 --width 8 --heads 1 --layers 1 --batch 8 --steps 20 "
    "--eval-examples 16 --lr-range ";

}  // namespace

BOOST_AUTO_TEST_CASE(rates) {
  const RateGrid grid{0.00123, 1e-6, 10};
  BOOST_TEST(grid.rate(0) == 0.00123);
  BOOST_TEST(grid.rate(2) == 0.0037);
  BOOST_TEST(grid.rate(-1) == 0.00071);
  BOOST_TEST(grid.has(8));
  BOOST_TEST(!grid.has(40));
  BOOST_TEST(!grid.has(-40));
}

BOOST_AUTO_TEST_CASE(finds_the_valley) {
  const RateGrid grid{1e-3, 1e-6, 10};
  BOOST_TEST(searched(grid, valley(1e-3)) == (std::vector<int>{-4, -2, 0, 2, 4, -1, 1, 0}));
  BOOST_TEST(searched(grid, valley(1.8e-3)).back() == 1);
  // Minima outside the first rates, on both sides.
  for (const double best : {2e-6, 3e-5, 1e-4, 7e-4, 5e-3, 0.04, 0.9, 8.0}) {
    const double found = grid.rate(searched(grid, valley(best)).back());
    BOOST_TEST(std::max(found / best, best / found) < 1.5);
  }
}

BOOST_AUTO_TEST_CASE(stays_within_its_limits) {
  const RateGrid grid{1e-3, 5e-4, 2e-3};
  BOOST_TEST(searched(grid, valley(1)) == (std::vector<int>{0, -1, 1, 1}), per_element());
  const RateGrid high{1, 1e-6, 10};
  const auto diverges = [](double rate) { return rate > 1e-3 ? infinity : 1 / rate; };
  BOOST_TEST(high.rate(searched(high, diverges).back()) < 1e-3);
  BOOST_TEST(high.rate(searched(high, diverges).back()) > 4e-4);
  BOOST_TEST(searched(high, [](double) { return infinity; }).back() == 99);
}

BOOST_AUTO_TEST_CASE(notes) {
  const auto notes = [](const std::vector<double>& losses) {
    std::string all;
    for (const std::string& note : rate_notes(swept(losses), "all")) all += note + "\n";
    return all;
  };
  const std::string third =
      "Use --lr 3: it has the lowest validation loss, 1.0000.\n"
      "The best run is fully trained: all/lr=3,seed=0\n";
  BOOST_TEST(notes({3, 2, 1, 2}) == third);
  BOOST_TEST(notes({3, 2, 1, 1.01, 2}) ==
             std::string(third).insert(
                 third.find("The best"),
                 "Rates from 3 to 4 are about as good: within 2 % or 0.001 of the best loss.\n"));
  BOOST_TEST(has(notes({1, 3e-4, 1e-4, 1}), "\nRates from 2 to 3 are about as good: "));
  BOOST_TEST(has(notes({1, 2, 3}),
                 "\nThe best rate is the smallest one tried, so smaller rates may be better.\n"));
  BOOST_TEST(has(notes({infinity, 2, 1}),
                 "\nThe best rate is the largest one tried, so larger rates may be better.\n"));
  BOOST_TEST(has(notes({1, 1.01, 1.005}), "The loss is about the same at all rates"));
  BOOST_TEST(notes({infinity, infinity}) ==
             "All rates diverged; try smaller ones with a smaller --lr or a wider --lr-range.\n");
}

BOOST_AUTO_TEST_CASE(trains_and_reports_the_best_rate) {
  const Scratch scratch;
  const std::string out = scratch.file("all"), line = small + "--out " + out;
  const Output output = command(line);
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(missing(output.text, {"1 of 5: lr=0.00033,min-lr=1.1e-05,seed=0\n",
                                   "5 of 5: lr=0.027,min-lr=0.0009,seed=0\n", "best exact match",
                                   "best validation loss", "\nbest: lr ", "\nUse --lr ",
                                   "The best run is fully trained:"}) == "",
             output.text);
  expect_plain(output.text);
  BOOST_TEST(std::filesystem::exists(out + "/lr=0.003,min-lr=0.0001,seed=0/config.toml"));
  // Repeating the command trains nothing.
  const json document = json::parse(done(line + " --json").text);
  BOOST_TEST(command(line).text == output.text);
  BOOST_TEST(json::parse(contents(out + "/sweep.json"))["ranks_by_loss"] == true);
  const json& all = document["combinations"];
  double lowest = infinity, before = 0;
  int best = -1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double rate = std::stod(all[i]["settings"]["lr"].get<std::string>());
    BOOST_TEST(rate > before);
    before = rate;
    const json& run = all[i]["runs"][0];
    if (run["best_val_loss"] < lowest) lowest = run["best_val_loss"], best = static_cast<int>(i);
  }
  BOOST_TEST(document["best"] == best);
  // The command with --read prints the same text.
  BOOST_TEST(has(output.text, command({"sweep", "--read", out}).text));
  BOOST_TEST(json::parse(done("sweep --json --read " + out).text) == document);
}

/// Each run equals a run of `train` with the same options.
BOOST_AUTO_TEST_CASE(runs_as_train_does) {
  const Scratch scratch;
  const std::string out = scratch.file("all"), alone = scratch.file("alone");
  const std::string more = " --steps 8 --warmup 4";
  done(small + "--min-lr 1e-5 --lr 1e-3 --out " + out + more);
  const std::string run = out + "/lr=0.003,min-lr=3e-05,seed=0";
  const std::size_t task = small.find(" copy");
  done("train" + small.substr(task, small.find("--lr-range") - task) +
       "--lr 0.003 --min-lr 3e-5 --out " + alone + more);
  BOOST_TEST(contents(run + "/model.safetensors") == contents(alone + "/model.safetensors"));
}

BOOST_AUTO_TEST_CASE(several_seeds_and_no_decay) {
  const Scratch scratch;
  const Output output =
      command(small + "1e-3..10 --min-lr 0 --seeds 2 --steps 4 --out " + scratch.file("all"));
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(has(output.text, "8 of 8: lr=0.027,seed=1\n"), output.text);
  BOOST_TEST(has(output.text, "best validation loss over 2 seeds\n"));
  BOOST_TEST(!has(output.text, "The best run is fully trained"));
}

BOOST_AUTO_TEST_CASE(invalid_options_are_refused) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  expect_refused("tune lr copy --steps 3",
                 "the command tune was removed; use tapehead sweep TASK --lr-range");
  expect_refused(
      small + "1e-6..0.05 --lr 0.1",
      "--lr 0.1, the first rate of the search, isn't within --lr-range 1e-06..0.05; change "
      "one of them");
  for (const std::string range : {"0..1", "1e-3", "1e-3..1:log"})
    expect_refused(small + range,
                   "--lr-range " + range + ": expected two rates above 0, such as 1e-4..1e-1");
  expect_refused(small + "1..1e-3",
                 "--lr-range 1..1e-3: a range must go from a number to a larger one");
  for (const std::string option : {"--grid lr=1,2", "--random 3", "--halving 2", "--dry-run"})
    expect_refused(
        small + "--out " + out + " " + option,
        "--lr-range can't be combined with " + option.substr(0, option.find(' ')) + "; remove it");
  BOOST_TEST(
      command({"sweep", "copy", "--steps", "1", "--grid", "layers=1", "--out", out}).status == 0);
  expect_refused(small + "--out " + out,
                 out + " already has the results of a sweep; choose another --out");
}

BOOST_AUTO_TEST_SUITE_END()

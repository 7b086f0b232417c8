#include "../../cli/commands/sweep_table.hpp"
#include "../shared/json.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(sweep)

namespace {

TrainOutcome outcome(double loss, double exact_match, Index steps) {
  TrainOutcome result;
  result.steps = steps;
  result.evaluation.loss = loss;
  result.evaluation.exact_match = exact_match;
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_axis) {
  for (const char* text : {"lr=1e-3,3e-3", "--lr=1e-3,3e-3"}) {
    const Axis axis = parse_axis(text);
    BOOST_TEST(axis.option == "lr");
    BOOST_TEST((axis.values == std::vector<std::string>{"1e-3", "3e-3"}));
  }
  BOOST_TEST(parse_axis("heads=1").values.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_no_axis) {
  for (const char* text : {"lr", "lr=", "=1", "lr=1,,2", "lr=1,", ""})
    expect_error<UsageError>(
        [&] { parse_axis(text); },
        fmt::format("--grid: expected an option and its values, lr=1e-3,3e-3, got '{}'", text));
  expect_error<UsageError>([] { parse_axis("lr=1,2,1"); }, "--grid lr=1,2,1: 1 is given twice");
  std::string many = "lr=0";
  for (int i = 1; i < 200'000; ++i) many += fmt::format(",{}", i);
  BOOST_TEST(parse_axis(many).values.size() == 200'000U);  // not in quadratic time
}

BOOST_AUTO_TEST_CASE(all_combinations) {
  const std::vector<Settings> all = combinations({{"lr", {"1", "2"}}, {"heads", {"3", "4", "5"}}});
  BOOST_TEST_REQUIRE(all.size() == 6u);
  BOOST_TEST((all[0] == Settings{{"lr", "1"}, {"heads", "3"}}));
  BOOST_TEST((all[1] == Settings{{"lr", "1"}, {"heads", "4"}}));
  BOOST_TEST((all[5] == Settings{{"lr", "2"}, {"heads", "5"}}));
  BOOST_TEST((combinations({}) == std::vector<Settings>{{}}));
}

BOOST_AUTO_TEST_CASE(names_of_runs) {
  BOOST_TEST(run_name({{"lr", "1e-3"}, {"data", "a/b.txt"}}, 7) == "lr=1e-3,data=a_b.txt,seed=7");
  BOOST_TEST(run_name({}, 0) == "seed=0");
}

BOOST_AUTO_TEST_CASE(the_table) {
  const std::vector<SweepRow> rows = {
      {{{"heads", "1"}}, {outcome(0.5, 0.25, 30), outcome(0.1, 1, 10), outcome(0.2, 0.75, 20)}},
      {{{"heads", "2"}}, {outcome(1, 0.5, 30), outcome(2, 0.25, 30)}}};
  const Terminal plain;
  BOOST_TEST(sweep_table(rows, true, plain) ==
             "heads  exact match    worst  held-out loss   worst  steps\n"
             "    1      75.00 %  25.00 %         0.2000  0.5000     20\n"
             "    2      37.50 %  25.00 %         1.5000  2.0000     30\n");
  BOOST_TEST(sweep_table(rows, false, plain) ==
             "heads  held-out loss   worst  steps\n"
             "    1         0.2000  0.5000     20\n"
             "    2         1.5000  2.0000     30\n");
  const json document = parsed(sweep_json(rows, 4, true));
  BOOST_TEST(document[1]["settings"]["heads"] == "2");
  BOOST_TEST(document[1]["runs"][1]["seed"] == 5);
  BOOST_TEST(document[1]["runs"][1]["folder"] == "heads=2,seed=5");
  BOOST_TEST(document[1]["runs"][1]["val_loss"] == 2.0);
  BOOST_TEST(document[0]["runs"][2]["exact_match"] == 0.75);
  BOOST_TEST(parsed(sweep_json(rows, 4, false))[0]["runs"][0].count("exact_match") == 0u);
}

BOOST_AUTO_TEST_CASE(runs_that_diverged_are_the_worst) {
  TrainOutcome lost = outcome(0.5, 1, 9);
  lost.evaluation.loss = std::nan("");  // the last evaluation met what no step did
  const std::vector<SweepRow> rows = {
      {{{"lr", "1"}}, {outcome(0.5, 0.25, 30), diverged_at(7), outcome(0.2, 0.75, 20)}},
      {{{"lr", "2"}}, {lost, diverged_at(3), outcome(0.2, 0.75, 20)}},
      {{{"lr", "3"}}, {diverged_at(5)}}};
  const Terminal plain;
  BOOST_TEST(sweep_table(rows, true, plain) ==
             "lr  exact match  worst  held-out loss  worst                        steps\n"
             " 1      25.00 %      –         0.5000      –    1 of 3 diverged at step 7\n"
             " 2            –      –              –      –  2 of 3 diverged from step 3\n"
             " 3            –      –              –      –           diverged at step 5\n");
  const json document = parsed(sweep_json(rows, 0, true));
  BOOST_TEST(document[0]["runs"][1] ==
             json({{"seed", 1}, {"folder", "lr=1,seed=1"}, {"steps", 7}, {"diverged", true}}));
  BOOST_TEST(document[1]["runs"][0]["diverged"] == true);
  const json chart = parsed(sweep_page_json(rows, true))["charts"][1]["combinations"][1];
  BOOST_TEST(chart["median"].is_null());
  BOOST_TEST(chart["results"] == json({0.2, nullptr, nullptr}));
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../table.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(sweep_table)

namespace {

TrainOutcome outcome(double loss, double exact_match, Index steps) {
  TrainOutcome result;
  result.steps = steps;
  result.evaluation.loss = loss;
  result.evaluation.exact_match = exact_match;
  return result;
}

Sweep two_seeds() {
  return {"copy",
          4,
          true,
          {{{{"heads", "1"}}, {outcome(0.1, 1, 10), outcome(0.3, 0.75, 20)}},
           {{{"heads", "2"}}, {outcome(1, 0.5, 30), outcome(2, 0.25, 30)}}}};
}

Sweep one_seed() {
  Sweep sweep = two_seeds();
  for (SweepRow& row : sweep.rows) row.outcomes.resize(1);
  return sweep;
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_one_seed) {
  Sweep sweep = one_seed();
  const Terminal plain;
  BOOST_TEST(sweep_text(sweep, plain) ==
             "heads  best exact match      last  best validation loss    last  steps\n"
             "    1          100.00 %  100.00 %                0.1000  0.1000     10\n"
             "    2           50.00 %   50.00 %                1.0000  1.0000     30\n"
             "best: heads 1\n");
  sweep.has_answers = false;
  sweep.rows.pop_back();
  BOOST_TEST(sweep_text(sweep, plain) ==
             "heads  best validation loss    last  steps\n"
             "    1                0.1000  0.1000     10\n");
}

/// The margin of 0.1 and 0.3 is 12.706 · 0.1414 / sqrt(2).
BOOST_AUTO_TEST_CASE(of_several_seeds) {
  BOOST_TEST(sweep_text(two_seeds(), Terminal()) ==
             "best exact match over 2 seeds\n"
             "heads   median    worst       mean ± 95 %  deviation     last\n"
             "    1  87.50 %  75.00 %  87.50 ± 158.83 %    17.68 %  87.50 %\n"
             "    2  37.50 %  25.00 %  37.50 ± 158.83 %    17.68 %  37.50 %\n"
             "\n"
             "best validation loss over 2 seeds\n"
             "heads  median   worst      mean ± 95 %  deviation    last  steps\n"
             "    1  0.2000  0.3000  0.2000 ± 1.2706     0.1414  0.2000     15\n"
             "    2  1.5000  2.0000  1.5000 ± 6.3531     0.7071  1.5000     30\n"
             "best: heads 1\n");
}

BOOST_AUTO_TEST_CASE(runs_that_diverged_are_the_worst) {
  TrainOutcome lost = outcome(0.5, 1, 9);
  lost.evaluation.loss = std::nan("");  // only the last evaluation has a NaN
  const Sweep sweep{
      "copy",
      0,
      false,
      {{{{"lr", "1"}}, {outcome(0.5, 0.25, 30), diverged_at(7), outcome(0.2, 0.75, 20)}},
       {{{"lr", "2"}}, {lost, diverged_at(3), outcome(0.2, 0.75, 20)}},
       {{{"lr", "3"}}, {diverged_at(5), diverged_at(5), diverged_at(5)}}}};
  BOOST_TEST(sweep_text(sweep, Terminal()) ==
             "best validation loss over 3 seeds\n"
             "lr  median  worst  mean ± 95 %  deviation    last                        steps\n"
             " 1  0.5000      –            –          –  0.5000    1 of 3 diverged at step 7\n"
             " 2       –      –            –          –       –  2 of 3 diverged from step 3\n"
             " 3       –      –            –          –       –    3 of 3 diverged at step 5\n"
             "best: lr 1\n");
  const json document = parsed(sweep_json(sweep, "all"));
  BOOST_TEST(document["combinations"][0]["runs"][1] ==
             json({{"seed", 1}, {"folder", "lr=1,seed=1"}, {"steps", 7}, {"diverged", true}}));
  BOOST_TEST(document["combinations"][1]["runs"][0]["diverged"] == true);
  BOOST_TEST(document["combinations"][0]["val_loss"]["mean"].is_null());
  const json chart = parsed(sweep_page_json(sweep))["charts"][0]["combinations"][1];
  BOOST_TEST(chart["median"].is_null());
  BOOST_TEST(chart["results"] == json({0.2, nullptr, nullptr}));
  BOOST_TEST(has(sweep_csv(sweep), "\n3,3,3,,,,,,,,,,,\n"));
  BOOST_TEST(has(sweep_latex(sweep), "\n  3 & -- & -- & -- & -- \\\\\n"));
}

BOOST_AUTO_TEST_CASE(the_best) {
  Sweep sweep{"copy",
              0,
              true,
              {{{{"lr", "1"}}, {outcome(0.1, 0.5, 9)}},
               {{{"lr", "2"}}, {outcome(0.2, 0.75, 9)}},
               {{{"lr", "3"}}, {outcome(0.1, 0.75, 9)}},
               {{{"lr", "4"}}, {outcome(0.05, 1, 3)}, 3},
               {{{"lr", "5"}}, {diverged_at(2)}}}};
  BOOST_TEST((ranking(sweep) == std::vector<Index>{2, 1, 0, 4, 3}));
  BOOST_TEST(best_row(sweep) == 2);
  sweep.has_answers = false;
  BOOST_TEST((ranking(sweep) == std::vector<Index>{0, 2, 1, 4, 3}));
  sweep.rows = {sweep.rows[4]};
  BOOST_TEST(best_row(sweep) == -1);
}

/// If a run overfits, its best evaluation is better than its last.
BOOST_AUTO_TEST_CASE(by_the_best_evaluation_or_the_last) {
  TrainOutcome overfit = outcome(1.9853, 0, 30);
  overfit.best.loss = 1.9352;
  overfit.best_step = 10;
  Sweep sweep{
      "text", 0, false, {{{{"lr", "1"}}, {overfit}}, {{{"lr", "2"}}, {outcome(1.96, 0, 30)}}}};
  BOOST_TEST(sweep_text(sweep, {}) ==
             "lr  best validation loss    last  steps\n"
             " 1                1.9352  1.9853     30\n"
             " 2                1.9600  1.9600     30\n"
             "best: lr 1\n");
  BOOST_TEST(has(sweep_csv(sweep), "\n1,1,0,,1.9352,1.9352,1.9352,,,1.9853,1.9853,1.9853,,\n"));
  BOOST_TEST(has(sweep_latex(sweep), " best validation loss & steps"));
  const std::string text = to_text(sweep_json(sweep, "all"));
  const json run = json::parse(text)["combinations"][0]["runs"][0];
  BOOST_TEST(run["val_loss"] == 1.9853);
  BOOST_TEST(run["best_val_loss"] == 1.9352);
  BOOST_TEST(run["best_step"] == 10);
  BOOST_TEST(to_text(sweep_json(parse_sweep(parse_json(text).value(), "all"), "all")) == text);

  sweep.by = By::last;
  BOOST_TEST(sweep_text(sweep, {}) ==
             "lr  last validation loss    best  steps\n"
             " 1                1.9853  1.9352     30\n"
             " 2                1.9600  1.9600     30\n"
             "best: lr 2\n");
  BOOST_TEST(parsed(sweep_page_json(sweep))["best"] == 1);
}

/// Earlier versions recorded only the last evaluation.
BOOST_AUTO_TEST_CASE(results_without_a_best_evaluation) {
  const Sweep read = parse_sweep(
      parse_json(R"({"task": "copy", "first_seed": 0, "has_answers": false, "combinations":
        [{"settings": {"lr": "1"}, "runs": [{"seed": 0, "steps": 3, "val_loss": 0.5}]}]})")
          .value(),
      "all");
  BOOST_TEST(has(sweep_text(read, {}), "0.5000  0.5000"));
}

BOOST_AUTO_TEST_CASE(given_up) {
  Sweep sweep = one_seed();
  sweep.rows[1].stopped = 10;
  BOOST_TEST(has(sweep_text(sweep, Terminal()), "1.0000  stopped at 10\n"));
  BOOST_TEST(parsed(sweep_json(sweep, "all"))["combinations"][1]["stopped"] == 10);
  BOOST_TEST(has(sweep_csv(sweep), "\n2,1,0,10,0.5,"));
}

/// The interval of two seeds' mean is so wide that it includes all values.
BOOST_AUTO_TEST_CASE(by_length) {
  Sweep sweep = two_seeds();
  sweep.rows[0].by_length = mean_curve({{"length", "Exact match by length", 4, {2, 8}, {1, 0.5}},
                                        {"length", "Exact match by length", 4, {2, 8}, {1, 0.7}}});
  BOOST_TEST(has(sweep_text(sweep, Terminal()),
                 "\n\nexact match by length, mean over 2 seeds\n"
                 "heads         2        8\n"
                 "    1  100.00 %  60.00 %\n"
                 "    2         –        –\n"
                 "best: heads 1\n"),
             sweep_text(sweep, Terminal()));
  const std::vector<std::string> csv = lines_of(sweep_csv(sweep));
  BOOST_TEST(has(csv[0],
                 ",exact_match_at_2,exact_match_at_2_low,exact_match_at_2_high,exact_match_at_8,"));
  BOOST_TEST(has(csv[1], ",1,1,1,0.6,0,1"), csv[1]);
  BOOST_TEST(has(csv[2], ",,,,,,"));
  const std::string text = to_text(sweep_json(sweep, "all"));
  const json curve = json::parse(text)["combinations"][0]["by_length"];
  BOOST_TEST(curve["trained"] == 4);
  BOOST_TEST(curve["lengths"] == json({2, 8}));
  BOOST_TEST(curve["of_runs"] == json({{1, 0.5}, {1, 0.7}}));
  BOOST_TEST(to_text(sweep_json(parse_sweep(parse_json(text).value(), "all"), "all")) == text);
  const json page = parsed(sweep_page_json(sweep))["by_length"];
  BOOST_TEST(page[0]["option"] == "length");
  BOOST_TEST(page[1].is_null());

  std::string damaged = text;
  damaged.replace(damaged.find("\"low\":["), 7, "\"low\":[0,");
  expect_error<FileError>([&] { parse_sweep(parse_json(damaged).value_or(Json()), "a"); },
                          "a: not the results of a sweep: a damaged curve by length");
}

BOOST_AUTO_TEST_CASE(as_csv) {
  Sweep sweep = one_seed();
  sweep.rows[0].settings = {{"data", "a,\"b\""}};
  sweep.rows[1].settings = {{"data", "b"}};
  BOOST_TEST(sweep_csv(sweep) ==
             "data,runs,diverged,given_up_at,best_exact_match_median,best_exact_match_worst,"
             "best_exact_match_mean,best_exact_match_deviation,best_exact_match_margin,"
             "exact_match_median,exact_match_worst,exact_match_mean,exact_match_deviation,"
             "exact_match_margin,best_val_loss_median,best_val_loss_worst,best_val_loss_mean,"
             "best_val_loss_deviation,best_val_loss_margin,val_loss_median,val_loss_worst,"
             "val_loss_mean,val_loss_deviation,val_loss_margin\n"
             "\"a,\"\"b\"\"\",1,0,,1,1,1,,,1,1,1,,,0.1,0.1,0.1,,,0.1,0.1,0.1,,\n"
             "b,1,0,,0.5,0.5,0.5,,,0.5,0.5,0.5,,,1,1,1,,,1,1,1,,\n");
}

BOOST_AUTO_TEST_CASE(as_markdown) {
  Sweep sweep = one_seed();
  sweep.rows[0].settings[0].second = "a|b";
  BOOST_TEST(sweep_markdown(sweep) ==
             "| heads | best exact match | last | best validation loss | last | steps |\n"
             "| ---: | ---: | ---: | ---: | ---: | ---: |\n"
             "| a\\|b | 100.00 % | 100.00 % | 0.1000 | 0.1000 | 10 |\n"
             "| 2 | 50.00 % | 50.00 % | 1.0000 | 1.0000 | 30 |\n");
}

BOOST_AUTO_TEST_CASE(as_latex) {
  Sweep sweep = one_seed();
  sweep.rows[0].settings[0].second = "a_b\\%~";
  BOOST_TEST(sweep_latex(sweep) ==
             "% \\usepackage{booktabs}\n"
             "\\begin{tabular}{rrrr}\n"
             "  \\toprule\n"
             "  heads & best exact match (\\%) & best validation loss & steps \\\\\n"
             "  \\midrule\n"
             "  a\\_b\\textbackslash{}\\%\\~{} & 100.00 & 0.1000 & 10 \\\\\n"
             "  2 & 50.00 & 1.0000 & 30 \\\\\n"
             "  \\bottomrule\n"
             "\\end{tabular}\n");
  const std::string two = sweep_latex(two_seeds());
  BOOST_TEST(has(two, "\\multicolumn{3}{c}{best validation loss}"));
  BOOST_TEST(has(two, "\n  \\cmidrule(lr){2-4} \\cmidrule(lr){5-7}\n"));
  BOOST_TEST(has(two, "$0.2000 \\pm 1.2706$ & 0.2000 & 0.3000 & 20 \\\\\n"));
}

BOOST_AUTO_TEST_CASE(labels_are_the_last_column) {
  Sweep sweep = one_seed();
  sweep.rows[1].label = "wide [a, b]";
  Terminal wide;
  wide.width = 100;
  BOOST_TEST(sweep_text(sweep, wide) ==
             "heads  best exact match      last  best validation loss    last  steps        label\n"
             "    1          100.00 %  100.00 %                0.1000  0.1000     10\n"
             "    2           50.00 %   50.00 %                1.0000  1.0000     30  wide [a, b]\n"
             "best: heads 1\n");
  const std::vector<std::string> csv = lines_of(sweep_csv(sweep));
  BOOST_TEST(has(csv[0], ",label"));
  BOOST_TEST(has(csv[2], ",\"wide [a, b]\""));
  BOOST_TEST(parsed(sweep_json(sweep, "a"))["combinations"][1]["label"] == "wide [a, b]");
}

BOOST_AUTO_TEST_CASE(written_and_read) {
  Sweep sweep = two_seeds();
  sweep.first_seed = 18446744073709551614u;
  sweep.rows[0].outcomes[1] = diverged_at(7);
  sweep.rows[1].stopped = 30;
  const std::string text = to_text(sweep_json(sweep, "all"));
  const json document = json::parse(text);
  BOOST_TEST(document["best"].is_null());  // no median
  BOOST_TEST(document["combinations"][1]["settings"]["heads"] == "2");
  BOOST_TEST(document["combinations"][1]["runs"][1]["seed"] == 18446744073709551615u);
  BOOST_TEST(document["combinations"][1]["runs"][1]["val_loss"] == 2.0);
  const Sweep read = parse_sweep(parse_json(text).value(), "all/sweep.json");
  BOOST_TEST(to_text(sweep_json(read, "all")) == text);
  BOOST_TEST(sweep_csv(read) == sweep_csv(sweep));
}

BOOST_AUTO_TEST_CASE(malformed_sweeps_are_refused) {
  const std::string whole = to_text(sweep_json(two_seeds(), "all"));
  const auto expect = [](const std::string& text, const char* fault) {
    expect_error<FileError>([&] { parse_sweep(parse_json(text).value_or(Json()), "a/sweep.json"); },
                            fmt::format("a/sweep.json: not the results of a sweep: {}", fault));
  };
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string text = whole;
    return text.replace(text.find(before), before.size(), after);
  };
  expect("", "no first_seed");
  expect("[1]", "no first_seed");
  expect(with("\"first_seed\":4", "\"first_seed\":-4"), "no first_seed");
  expect(with("\"has_answers\":true", "\"has_answers\":1"), "no has_answers");
  expect(with("\"steps\":10", "\"steps\":\"10\""), "a run without its steps");
  expect(with("\"val_loss\":0.1", "\"val_loss\":null"), "a run without its results");
  expect(with("{\"heads\":\"1\"}", "{}"), "combinations of different runs and settings");
  expect(R"({"first_seed": 0, "has_answers": true, "combinations": []})", "no combinations");
  expect(R"({"first_seed": 0, "has_answers": true, "combinations": [{"runs": []}]})",
         "combinations of different runs and settings");
}

BOOST_AUTO_TEST_SUITE_END()

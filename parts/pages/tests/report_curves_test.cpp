#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/config/config.hpp"
#include "../report/curves.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(report_curves)

namespace {

namespace fs = std::filesystem;

Metrics metrics_of(const std::string& lines, bool temperatures = true) {
  const Elsewhere elsewhere;
  fs::create_directory("run");
  std::ofstream("run/config.toml") << "task = \"copy\"\n";
  std::ofstream("run/metrics.jsonl") << lines;
  return read_metrics(RunFolder::open("run"), temperatures);
}
void expect_curve(const Metrics& metrics, const std::string& key, const std::string& chart,
                  const std::string& name, const std::vector<double>& values) {
  const Curve* curve = metrics.find(key);
  BOOST_TEST_REQUIRE(curve != nullptr, key);
  BOOST_TEST(curve->chart == chart);
  BOOST_TEST(curve->name == name);
  BOOST_TEST(curve->values == values, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_last_evaluation_has_curves_along_the_answer) {
  const Metrics metrics = metrics_of(
      R"({"step":1,"curves":{"quantity":"squared error","axis":"examples before","lines":{"model":[9,9]}}})"
      "\n"
      R"({"step":2,"curves":{"quantity":"squared error","axis":"examples before","lines":{"model":[1,0.5],"always 0":[1,null]}}})"
      "\n"
      R"({"step":3,"loss":1})"
      "\n");
  BOOST_TEST(metrics.curves.size() == 1u);  // curves over answer positions have no steps
  BOOST_TEST(metrics.answer["axis"].string() == "examples before");
  BOOST_TEST(to_text(metrics.answer["lines"]) == R"({"model":[1,0.5],"always 0":[1,null]})");
}

BOOST_AUTO_TEST_CASE(every_number_in_the_metrics_is_a_curve) {
  const Metrics metrics = metrics_of(
      R"({"step":10,"new_one":{"blocks.0":0.5,"blocks.1":{"a":[1,2]}},"loss":2,"lr":0.1,"grad_norm":1,"note":"text","update_ratio":{"blocks.0.mlp.up.weight":0.002},"attention_entropy":{"blocks.0.attention":[0.5,0.25]},"time":{"seconds":3,"tokens_per_second":7}})"
      "\n"
      R"({"step":20,"loss":1,"val_loss":1.5,"exact_match":0.25,"lr":0.2,"grad_norm":null,"new_one":{"blocks.0":0.75}})"
      "\n");
  BOOST_TEST(metrics.reports == 2);
  BOOST_TEST(metrics.steps == 20);
  expect_curve(metrics, "loss", "Loss", "training", {2, 1});
  expect_curve(metrics, "val_loss", "Loss", "validation", {1.5});
  expect_curve(metrics, "exact_match", "Exact match", "", {0.25});
  expect_curve(metrics, "lr", "Learning rate", "", {0.1, 0.2});
  expect_curve(metrics, "grad_norm", "Gradient norm", "", {1});
  expect_curve(metrics, "time.tokens_per_second", "Speed", "", {7});
  expect_curve(metrics, "new_one.blocks.0", "New one", "blocks.0", {0.5, 0.75});
  expect_curve(metrics, "new_one.blocks.1.a.1", "New one", "blocks.1 · a · 1", {2});
  expect_curve(metrics, "attention_entropy.blocks.0.attention.1", "Attention entropy",
               "blocks.0.attention · head 1", {0.25});
  BOOST_TEST(metrics.find("attention_entropy.blocks.0.attention.1")->unit == "nats");
  expect_curve(metrics, "update_ratio.blocks.0.mlp.up.weight", "Update-to-weight ratio",
               "blocks.0.mlp.up.weight", {0.002});
  BOOST_TEST(metrics.find("val_loss")->steps == std::vector<Index>{20});
  BOOST_TEST(metrics.find("note") == nullptr);
  BOOST_TEST(metrics.find("time.seconds") == nullptr);
  const std::vector<std::string> first = {"loss", "val_loss", "exact_match", "lr", "grad_norm"};
  for (std::size_t i = 0; i < first.size(); ++i) BOOST_TEST(metrics.curves[i].key == first[i]);
}

BOOST_AUTO_TEST_CASE(a_temperature_is_the_inverse_of_a_scale) {
  const std::string line =
      R"({"step":1,"attention_scale":{"blocks.0.attention":{"scores":[2,4],"keys":[3]}}})"
      "\n";
  const Metrics metrics = metrics_of(line);
  expect_curve(metrics, "attention_temperature.blocks.0.attention.1", "Attention temperature",
               "blocks.0.attention · head 1", {0.25});
  expect_curve(metrics, "attention_scale.blocks.0.attention.keys.0", "Attention scale",
               "blocks.0.attention · keys · head 0", {3});
  expect_curve(metrics_of(line, false), "attention_scale.blocks.0.attention.scores.1",
               "Attention scale", "blocks.0.attention · head 1", {4});
}

/// Above a sharpness of 2 / learning rate, gradient descent is unstable.
BOOST_AUTO_TEST_CASE(sharpness_has_a_limit_under_gradient_descent) {
  Metrics metrics = metrics_of(R"({"step":1,"lr":0.001})"
                               "\n"
                               R"({"step":2,"lr":0.1,"metrics":{"sharpness":15}})"
                               "\n"
                               R"({"step":3,"lr":0.2,"metrics":{"sharpness":12}})"
                               "\n"
                               R"({"step":4,"lr":0})"
                               "\n");
  TrainConfig config;
  add_stability_limit(metrics, config);
  config.optimizer = "sgd";  // has momentum by default
  add_stability_limit(metrics, config);
  BOOST_TEST(metrics.find("stability_limit") == nullptr);
  expect_curve(metrics, "metrics.sharpness", "Sharpness", "", {15, 12});
  config.own.texts["momentum"] = "0";
  add_stability_limit(metrics, config);
  expect_curve(metrics, "metrics.sharpness", "Sharpness", "sharpness", {15, 12});
  expect_curve(metrics, "stability_limit", "Sharpness", "2 / learning rate", {20, 10});
  BOOST_TEST(metrics.find("stability_limit")->steps == (std::vector<Index>{2, 3}), per_element());

  Metrics others = metrics_of(R"({"step":1,"lr":0.001,"metrics":{"sharpness":15}})"
                              "\n");
  add_stability_limit(others, config);  // the limit is far above the sharpness
  BOOST_TEST(others.find("stability_limit") == nullptr);
  expect_curve(others, "metrics.sharpness", "Sharpness", "", {15});
}

BOOST_AUTO_TEST_CASE(points_are_added_to_the_curve_of_a_metric) {
  Metrics metrics = metrics_of(R"({"step":2,"loss":1,"metrics":{"a":5,"sharpness":3}})"
                               "\n");
  add_points(metrics, "a", {{1, 4}, {2, 9}, {3, infinity}});
  expect_curve(metrics, "metrics.a", "Metrics", "a", {4, 5});  // recorded values are kept
  add_points(metrics, "b", {{3, 7}});
  expect_curve(metrics, "metrics.b", "Metrics", "b", {7});
  add_points(metrics, "none", {});
  BOOST_TEST(metrics.find("metrics.none") == nullptr);
  Metrics empty = metrics_of("{\"step\":1,\"update_ratio\":{\"x\":1}}\n");
  add_points(empty, "sharpness", {{1, 2}});
  BOOST_TEST(empty.curves[0].key == "metrics.sharpness");  // the curve has its usual position
}

BOOST_AUTO_TEST_CASE(finds_the_best_evaluation_as_training_does) {
  const Metrics answers = metrics_of(R"({"step":1,"val_loss":0.5,"exact_match":0.5})"
                                     "\n"
                                     R"({"step":2,"val_loss":0.7,"exact_match":0.75})"
                                     "\n"
                                     R"({"step":3,"val_loss":0.6,"exact_match":0.75})"
                                     "\n"
                                     R"({"step":4,"val_loss":0.1,"exact_match":0.5})"
                                     "\n");
  BOOST_TEST(answers.best_step == 3);
  BOOST_TEST(answers.last_step == 4);
  BOOST_TEST(answers.last.loss == 0.1);
  const Metrics text = metrics_of(
      "{\"step\":1,\"val_loss\":0.5}\n{\"step\":2,\"val_loss\":0.4}\n{\"step\":3,\"val_loss\":null}"
      "\n");
  BOOST_TEST(text.best_step == 2);
  BOOST_TEST(!text.has_answers);
}

BOOST_AUTO_TEST_CASE(adds_the_times_of_a_run_that_was_resumed) {
  std::string lines;
  int step = 0;
  for (double seconds : {1.0, 2.5, 0.5, 4.0})
    lines += fmt::format("{{\"step\":{},\"time\":{{\"seconds\":{}}}}}\n", ++step, seconds);
  BOOST_TEST(metrics_of(lines).seconds == 6.5);
}

BOOST_AUTO_TEST_CASE(names_the_line_that_is_damaged) {
  for (const char* damaged : {"{\"step\":2,", "[]", "{\"step\":1.5}", "{}", "{\"step\":2}\xff"})
    expect_error<FileError>(
        [&] { metrics_of("{\"step\":1}\n" + std::string(damaged) + "\n{\"step\":3}\n"); },
        "run/metrics.jsonl: line 2 is not a JSON object with an integer \"step\"; fix it, or drop "
        "damaged lines with train --resume run --repair");
}

BOOST_AUTO_TEST_CASE(names_the_line_where_a_number_is_none) {
  const std::pair<const char*, const char*> rows[] = {
      {R"("loss":"low")", "\"loss\" that is not a number"},
      {R"("val_loss":[1])", "\"val_loss\" that is not a number"},
      {R"("exact_match":true)", "\"exact_match\" that is not a number"},
      {R"("time":3)", "\"time\" that is not an object"},
      {R"("time":{"seconds":"1"})", "\"seconds\" that is not a number"}};
  for (const auto& [member, fault] : rows)
    expect_error<FileError>(
        [&, text = member] { metrics_of(fmt::format("{{\"step\":1,{}}}\n", text)); },
        fmt::format("run/metrics.jsonl: line 1 has a {}; fix it, or drop damaged lines with train "
                    "--resume run --repair",
                    fault));
}

BOOST_AUTO_TEST_CASE(thin_curves_keep_their_extremes_and_their_ends) {
  Curve curve;
  for (Index i = 0; i < 100'000; ++i) {
    curve.steps.push_back(i + 1);
    curve.values.push_back(std::sin(static_cast<double>(i)));
  }
  curve.values[54'321] = 1000;
  curve.values[54'322] = -1000;
  const Curve thin = downsample(curve, 1000);
  BOOST_TEST(thin.steps.size() <= 1000U);
  BOOST_TEST(thin.steps.size() >= 990U);
  BOOST_TEST(thin.steps.front() == 1);
  BOOST_TEST(thin.steps.back() == 100'000);
  for (std::size_t i = 1; i < thin.steps.size(); ++i)
    BOOST_TEST_REQUIRE(thin.steps[i - 1] < thin.steps[i]);
  for (const Index step : {54'322, 54'323}) {
    const auto at = std::find(thin.steps.begin(), thin.steps.end(), step);
    BOOST_TEST_REQUIRE((at != thin.steps.end()));
    BOOST_TEST(std::abs(thin.values[static_cast<std::size_t>(at - thin.steps.begin())]) == 1000);
  }
  BOOST_TEST(downsample(curve, 100'000).steps == curve.steps);
}

/// Returns the metrics of a run with a curve of the validation loss.
Metrics run(std::vector<Index> steps, std::vector<double> values) {
  Metrics metrics;
  metrics.curves.push_back(
      {"val_loss", "Loss", "nats per token", "validation", std::move(steps), std::move(values)});
  return metrics;
}

/// Bands cover only steps that all runs have, and one run ended early.
BOOST_AUTO_TEST_CASE(bands_of_three_runs) {
  const std::vector<Band> all =
      bands({run({1, 2, 3}, {3, 2, 1}), run({1, 2}, {5, 2}), run({1, 2, 3}, {1, 5, 1})});
  BOOST_TEST_REQUIRE(all.size() == 1u);
  BOOST_TEST(all[0].key == "val_loss");
  BOOST_TEST((all[0].steps == std::vector<Index>{1, 2}));
  BOOST_TEST(std::abs(all[0].mean[0] - 3) < 1e-12);
  BOOST_TEST(std::abs(all[0].mean[1] - 3) < 1e-12);
  BOOST_TEST((all[0].low == std::vector<double>{1, 2}));
  BOOST_TEST((all[0].high == std::vector<double>{5, 5}));
}

BOOST_AUTO_TEST_CASE(bands_of_one_run_and_none) {
  BOOST_TEST(bands({}).empty());
  BOOST_TEST(bands({run({1}, {2}), Metrics()}).empty());
  BOOST_TEST(bands({run({1}, {2}), run({2}, {2})}).empty());
  BOOST_TEST((bands({run({1}, {2})})[0].high == std::vector<double>{2}));
}

BOOST_AUTO_TEST_SUITE_END()

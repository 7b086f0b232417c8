// Tests `report --metric`, which measures a metric at the checkpoints of a run.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/evaluate.hpp"
#include "browser.hpp"

#include <filesystem>
#include <fstream>

using namespace tapehead;

namespace {

/// A custom metric: the norm of all weights.
struct Own : Elsewhere {
  Own() {
    registry.extend(ModelMetric{"length", [this](const TrainConfig&) { return while_training; },
                                [this](const TaskModel& model, const Task&, const TrainConfig&) {
                                  ++measured;
                                  if (is_gone) throw FileError("data.txt: No such file");
                                  double squares = 0;
                                  walk(*model.module, [&](const std::string&, const Parameter& p) {
                                    squares += sum(p.value() * p.value()).item();
                                  });
                                  return std::sqrt(squares);
                                }});
  }
  void train(const std::string& out) {
    done(
        "train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 --steps 12 "
        "--eval-every 4 --keep 9 --out " +
            out,
        registry);
    measured = 0;
  }
  /// Returns the report of a run with the metric.
  json report_of(const std::string& run) {
    done("report " + run + " --metric length --out page.html", registry);
    return data_of(contents("page.html"))["runs"][0];
  }
  static json curve(const json& run) {
    for (const json& each : run["curves"])
      if (each["key"] == "metrics.length") return each;
    return nullptr;
  }

  Registry registry = make_registry();
  bool while_training = false, is_gone = false;
  int measured = 0;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(at_checkpoints, Own)

BOOST_AUTO_TEST_CASE(a_report_measures_what_training_did_not) {
  train("run");
  while_training = true;
  train("twin");
  const json as_trained = curve(report_of("twin"));
  BOOST_TEST(measured == 0);  // all values are in metrics.jsonl
  BOOST_TEST(as_trained["steps"] == json({4, 8, 12}));
  const json after = curve(report_of("run"));
  BOOST_TEST(measured == 3);
  BOOST_TEST(after == as_trained);
  BOOST_TEST(after["values"][0] != after["values"][2]);

  // Only a missing value is measured.
  std::string lines;
  for (const std::string& text : lines_of(contents("twin/metrics.jsonl"))) {
    json line = json::parse(text);
    if (line["step"] == 8) line.erase("metrics");
    lines += line.dump() + "\n";
  }
  std::ofstream("twin/metrics.jsonl") << lines;
  measured = 0;
  BOOST_TEST(curve(report_of("twin")) == as_trained);
  BOOST_TEST(measured == 1);
}

BOOST_AUTO_TEST_CASE(figures_have_it_too) {
  train("run");
  done("report run --metric length --figures printed", registry);
  BOOST_TEST(lines_of(contents("printed/metrics.csv")).size() == 4u);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_measured_is_said) {
  train("run");
  is_gone = true;
  const json gone = report_of("run");
  BOOST_TEST(curve(gone).is_null());
  BOOST_TEST(gone["notes"][0] ==
             "length of the checkpoints can't be measured: data.txt: No such file.");
  for (const char* name : {"checkpoint", "best"})
    std::filesystem::remove(std::string("run/") + name);
  for (const char* name : {"run/step-4", "run/step-8", "run/step-12"})
    std::filesystem::remove_all(name);
  measured = 0;
  BOOST_TEST(curve(report_of("run")).is_null());
  BOOST_TEST(measured == 0);
}

BOOST_AUTO_TEST_CASE(refuses_what_it_does_not_know) {
  train("run");
  const auto refused = [&](const std::string& more, const std::string& message) {
    expect_refused(command("report run " + more, registry), message);
  };
  refused("--metric lengh", "unknown --metric 'lengh'; did you mean 'length'?");
  refused("--metric length --watch", "report: --metric and --watch are mutually exclusive");
  BOOST_TEST(!std::filesystem::exists("run/report.html"));
}

BOOST_AUTO_TEST_SUITE_END()

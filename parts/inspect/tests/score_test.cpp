#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../score/detection.hpp"

#include <cmath>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(score, Elsewhere)

namespace {

json scores_of(const std::string& runs) {
  return json::parse(done("inspect score " + runs + " --examples 40 --json").text);
}

/// Returns a method's row in the first table.
json row(const json& document, const std::string& method) {
  for (const json& each : document["tables"][0]["rows"])
    if (each["method"] == method) return each;
  BOOST_FAIL("no method " << method);
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(detections_have_precision_recall_and_area) {
  const double nan = std::nan("");
  const Detection found =
      detect({true, true, false, false}, {true, false, true, false}, {0.9, 0.2, 0.5, 0.2});
  BOOST_TEST(found.items == 4);
  BOOST_TEST(found.truths == 2);
  BOOST_TEST(found.found == 2);
  BOOST_TEST(found.precision == 0.5);
  BOOST_TEST(found.recall == 0.5);
  // Of the four pairs, 0.9 wins two, 0.2 loses one and ties one.
  BOOST_TEST(found.area == 2.5 / 4);
  BOOST_TEST(roc_area({true, false, false}, {nan, nan, -1}) == 0.25);
  const Detection none = detect({false, false}, {false, false}, {1, 2});
  BOOST_TEST(std::isnan(none.precision));
  BOOST_TEST(std::isnan(none.recall));
  BOOST_TEST(std::isnan(none.area));
}

// The circuits of reverse and of fraction of previous when activations are resampled, as listed for
// Tracr's models by the authors of "Transformer Circuit Faithfulness Metrics Are Not Robust", 2024.
BOOST_AUTO_TEST_CASE(acdc_finds_what_resampling_can_show) {
  done("compile reverse --out reverse");
  done("compile fraction-of-previous --out fraction");
  for (const auto& [run, edges] : {std::pair("reverse", 2), {"fraction", 3}})
    for (const char* method : {"circuit, resample", "circuit, attribution"}) {
      const json found = row(scores_of(run), method);
      BOOST_TEST_CONTEXT(run << ", " << method) {
        BOOST_TEST(found["true"] == edges);
        BOOST_TEST(found["found"] == edges);
        BOOST_TEST(found["precision"] == 1);
        BOOST_TEST(found["recall"] == 1);
        BOOST_TEST(found["area"] == 1);
        BOOST_TEST(found["recall all"] <= 0.5);
      }
    }
}

BOOST_AUTO_TEST_CASE(scores_of_several_runs_are_averaged) {
  done("compile count --out a");
  done("compile shift --out b");
  const json a = scores_of("a"), b = scores_of("b"), both = scores_of("a b");
  BOOST_TEST(both["run"] == "a, b");
  for (const char* name : {"precision", "recall"}) {
    const double mean =
        (row(a, "ablate, zero")[name].get<double>() + row(b, "ablate, zero")[name].get<double>()) /
        2;
    BOOST_TEST(row(both, "ablate, zero")[name] == mean);
  }
  BOOST_TEST(both["tables"][2]["rows"][1]["acdc"] == row(b, "circuit, resample")["area"]);
  const json& models = both["tables"][3]["rows"];
  BOOST_TEST(models[0]["run"] == "a");
  BOOST_TEST(has(done("digest a").text, models[0]["weight hash"].get<std::string>()));
}

BOOST_AUTO_TEST_CASE(scores_need_a_known_circuit) {
  done("compile identity --out run");
  replace_in("run/circuit.json", "\"format\": 1", "\"format\": 2");
  expect_refused("inspect score run",
                 "run/circuit.json: expected JSON with \"format\": 1; compile the program again",
                 1);
  std::filesystem::remove("run/circuit.json");
  expect_refused("inspect score run",
                 "run: no circuit.json, so the circuit isn't known; use a run written by tapehead "
                 "compile");
  expect_refused("inspect path run run",
                 "inspect path: expected a run folder, as in inspect path runs/copy");
}

BOOST_AUTO_TEST_SUITE_END()

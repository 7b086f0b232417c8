#include "../../train/watch/histograms.hpp"
#include "../../core/ops.hpp"
#include "../../train/learner.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"
#include "../shared/toy_training.hpp"

#include <cmath>
#include <limits>
#include <numeric>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(histograms, InScratch)

namespace {

Index counted_in(const json& histogram) {
  const auto counts = histogram["counts"].get<std::vector<Index>>();
  BOOST_TEST(counts.size() == 30u);
  return std::accumulate(counts.begin(), counts.end(), Index{0});
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_a_tensor) {
  const json even = parsed(histogram(cast(arange(60), DType::f32)));
  BOOST_TEST(even["from"] == 0);
  BOOST_TEST(even["to"] == 59);
  for (const json& count : even["counts"]) BOOST_TEST(count == 2);
  BOOST_TEST(!even.contains("not_finite"));

  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const json some = parsed(histogram(tensor({-1, nan, 2, inf, -inf}, DType::f64)));
  BOOST_TEST(some["from"] == -1);
  BOOST_TEST(some["to"] == 2);
  BOOST_TEST(some["not_finite"] == 3);
  BOOST_TEST(some["counts"][0] == 1);
  BOOST_TEST(some["counts"][29] == 1);
  BOOST_TEST(counted_in(some) == 2);

  const json constant = parsed(histogram(ones({7})));
  BOOST_TEST(constant["from"] == 1);
  BOOST_TEST(constant["to"] == 1);
  BOOST_TEST(counted_in(constant) == 7);
  BOOST_TEST(counted_in(parsed(histogram(cast(ones({3}), DType::bf16)))) == 3);
  BOOST_TEST(histogram(tensor({nan, inf})).is_null());
  BOOST_TEST(histogram(zeros({0})).is_null());
}

BOOST_AUTO_TEST_CASE(histograms_of_a_run_dont_affect_it) {
  TrainConfig config = small_config();
  Listener plain, watched, first(3), rest;
  run(config, scratch.file("plain"), plain);
  config.histograms = true;
  run(config, scratch.file("run"), watched);
  run(config, scratch.file("parts"), first);
  run(config, scratch.file("parts"), rest);
  BOOST_TEST(result(scratch.file("parts")) == result(scratch.file("run")), per_element());

  const std::vector<json> lines = metrics(scratch.file("run"));
  BOOST_TEST(lines.back()["digest"] == metrics(scratch.file("plain")).back()["digest"]);
  Learner learner(planned(config), registry(), true);
  std::vector<std::string> paths, recorded;
  for (const Parameter* p : parameters(*learner.model->module)) paths.push_back(p->path);
  Index evaluations = 0;
  for (const json& line : lines) {
    BOOST_TEST(line.contains("histograms") == line.contains("val_loss"));
    if (!line.contains("histograms")) continue;
    ++evaluations;
    for (const char* kind : {"weights", "gradients"}) {
      recorded.clear();
      for (const auto& [path, histogram] : line["histograms"][kind].items())
        recorded.push_back(path);
      std::vector<std::string> sorted = paths;
      std::sort(sorted.begin(), sorted.end());
      BOOST_TEST(recorded == sorted, per_element());
    }
    BOOST_TEST(line["histograms"]["activations"].contains("blocks.0.mlp.out"));
    BOOST_TEST(!line["histograms"]["activations"].contains("loss"));
  }
  BOOST_TEST(evaluations > 1);
  // All elements are counted.
  for (const Parameter* p : parameters(*learner.model->module))
    BOOST_TEST(counted_in(lines.back()["histograms"]["weights"][std::string(p->path)]) ==
               p->value().size());
}

BOOST_AUTO_TEST_CASE(activation_checkpointing_is_bitwise_identical) {
  for (const bool residual : {true, false}) {
    TrainConfig config = small_config();
    config.histograms = true, config.model.residual = residual;
    Listener plain, again;
    const std::string name = residual ? "residual" : "bare";
    run(config, scratch.file(name), plain);
    config.model.recompute = true;
    run(config, scratch.file(name + "-again"), again);
    BOOST_TEST(metrics(scratch.file(name + "-again")).back()["histograms"] ==
               metrics(scratch.file(name)).back()["histograms"]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

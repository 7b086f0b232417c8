// Tests every pair of options that change how a step is computed, at sizes that use every kernel.
// Results must equal the plain f32 step except for rounding.
#include "../../train/learner.hpp"
#include "../shared/build.hpp"
#include "../shared/toy_training.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(pairs)

namespace {

/// An option or a group of options, and the settings to test.
struct Factor {
  std::string name;
  std::vector<std::string> settings;
};
const std::vector<Factor>& factors() {
  static const std::vector<Factor> all = {
      // These options change the result.
      {"temperature",
       {"--attention-temperature none", "--attention-temperature layer",
        "--attention-temperature head", "--attention-temperature qkv",
        "--attention-temperature lsa"}},
      {"position",
       {"--position learned", "--position rotary", "--position alibi", "--position relative",
        "--position t5"}},
      {"optimizer",
       {"--optimizer adamw --lr 0.001", "--optimizer lion --lr 0.0003",
        "--optimizer muon --lr 0.02", "--optimizer sgd --lr 0.1"}},
      {"block",
       {"", "--norm rms --mlp swiglu --qk-norm true --zero-out true",
        "--mlp relu2 --kv-heads 1 --tied-head false --window 100"}},
      {"dropout", {"--dropout 0", "--dropout 0.1"}},
      {"average", {"--average 0", "--average 0.9"}},
      // These options change only how it is computed.
      {"dtype", {"--dtype f32", "--dtype f64", "--dtype bf16"}},
      {"shards",
       {"--shards 1", "--shards 4", "--accumulate 4 --shards 1", "--accumulate 2 --shards 2"}},
      {"recompute", {"--recompute false", "--recompute true"}},
  };
  return all;
}
constexpr std::size_t first_how = 6;
using Row = std::vector<std::size_t>;  // setting index of each factor

/// Returns rows that contain every pair of settings of two factors at least once. Each row starts
/// with a missing pair and adds the settings that cover the most missing pairs.
std::vector<Row> rows_of_all_pairs() {
  using Pair = std::array<std::size_t, 4>;  // factor and setting, twice
  const std::size_t n = factors().size();
  std::set<Pair> missing;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b)
      for (std::size_t i = 0; i < factors()[a].settings.size(); ++i)
        for (std::size_t j = 0; j < factors()[b].settings.size(); ++j) missing.insert({a, i, b, j});
  std::vector<Row> rows;
  while (!missing.empty()) {
    constexpr std::size_t open = 99;
    Row row(n, open);
    const Pair first = *missing.begin();
    row[first[0]] = first[1], row[first[2]] = first[3];
    const auto found = [&](std::size_t factor, std::size_t setting) {
      std::size_t count = 0;
      for (std::size_t other = 0; other < n; ++other)
        if (row[other] != open && other != factor)
          count += other < factor ? missing.count({other, row[other], factor, setting})
                                  : missing.count({factor, setting, other, row[other]});
      return count;
    };
    for (std::size_t factor = 0; factor < n; ++factor) {
      if (row[factor] != open) continue;
      std::size_t best = 0;
      for (std::size_t i = 1; i < factors()[factor].settings.size(); ++i)
        if (found(factor, i) > found(factor, best)) best = i;
      row[factor] = best;
    }
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b) missing.erase({a, row[a], b, row[b]});
    rows.push_back(row);
  }
  return rows;
}

std::string settings_of(const Row& row) {
  std::string all;
  for (std::size_t i = 0; i < row.size(); ++i) all += " " + factors()[i].settings[row[i]];
  return all;
}

const Scratch scratch;

/// Results of a training run: the first step's gradients, and the final loss of a batch, with EMA
/// weights if there are any.
struct Trained {
  std::vector<std::vector<double>> gradients;
  double loss = 0;

  Trained(const std::string& settings, Index steps) {
    TrainConfig config = recipe("--layers 1 --heads 3 --width 192 --batch 4 --warmup 5" + settings);
    config.task = "text";
    config.task_options = {{"data", scratch.file("text.txt")}, {"context", "256"}};
    config.steps = steps;
    Learner learner(planned(config), registry(), true);
    std::vector<Example> examples;
    for (Index i = 0; i < config.batch; ++i)
      examples.push_back(learner.task->training_example(7, 0, i));
    const Batch batch = learner.model->batch(examples);
    const Precision precision = config.dtype == "bf16" ? Precision::bf16 : Precision::f32;
    StepResult result;
    const auto step = [&] {
      return sharded_gradients(*learner.model->module, batch, 0, 0, learner.shards, result,
                               {config.accumulate, 0, precision});
    };
    {
      const Gradients first = step();
      for (const Parameter* p : parameters(*learner.model->module))
        gradients.push_back(first[p->value()].values());
    }
    for (Index i = 0; i < steps; ++i) learner.step(i);
    const EvaluationWeights in_model(learner.average.get());
    step();
    loss = result.loss;
  }
};

/// Returns the norm of the difference of all gradients, relative to their norm.
double distance(const Trained& a, const Trained& b) {
  double squares = 0, length = 0;
  for (std::size_t i = 0; i < a.gradients.size(); ++i)
    for (std::size_t j = 0; j < a.gradients[i].size(); ++j) {
      const double x = a.gradients[i][j], y = b.gradients[i][j];
      squares += (x - y) * (x - y), length += x * x;
    }
  return std::sqrt(squares / length);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_pair_of_options_computes_what_the_plain_step_does) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += fmt::format("a rose is a rose, and {} are {}\n", i, i * i);
  scratch.write("text.txt", text);
  const std::vector<Row> rows = rows_of_all_pairs();
  const Index steps = under_sanitizers ? 1 : whole_tests ? 30 : 2;
  std::map<std::string, Trained> plain_ones;
  for (std::size_t i = 0; i < (under_sanitizers ? 2 : rows.size()); ++i) {
    Row plain = rows[i];
    std::fill(plain.begin() + first_how, plain.end(), 0);
    const std::string settings = settings_of(rows[i]), wanted = settings_of(plain);
    BOOST_TEST_CONTEXT(settings) {
      const Trained trained(settings, steps);
      const Trained& expected = plain_ones.try_emplace(wanted, wanted, steps).first->second;
      const bool rounded = has(settings, "bf16");
      BOOST_TEST(distance(expected, trained) < (rounded ? 1e-2 : 1e-5));
      BOOST_TEST(std::abs(trained.loss - expected.loss) < (rounded ? 2e-2 : 1e-3));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

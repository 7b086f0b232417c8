#include "../fourier.hpp"
#include "../../../cli/attention/model_maps.hpp"
#include "../../../cli/commands/load_run.hpp"
#include "../../../core/ops.hpp"
#include "../../../nn/gpt.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"

#include <algorithm>
#include <cmath>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(fourier, Elsewhere)

namespace {

constexpr double two_pi = 6.28318530717958648;

/// A table of logits by pair, and its Fourier components by sums over all pairs, straight from the
/// definitions.
struct Brute {
  int p, n, first;
  std::vector<std::vector<double>> logits;  ///< one row per pair
  std::vector<int> answers, places;
  std::vector<bool> training;

  Brute(const LoadedRun& run, int prime, const std::string& operation, double held_out) : p(prime) {
    const bool multiplies = operation == "multiply" || operation == "divide";
    first = multiplies ? 1 : 0;
    n = p - first;
    for (int a = first; a < p; ++a)
      for (int b = first; b < p; ++b) {
        int c = operation == "add" ? (a + b) % p : operation == "multiply" ? a * b % p : 0;
        if (operation == "subtract") c = (a - b + p) % p;
        if (operation == "divide")
          while (b * c % p != a) ++c;
        add(run, {a, p, b, p + 1, c}, held_out);
        answers.push_back(c);
        places.push_back(multiplies ? logarithm(c) : c);
      }
  }

  void add(const LoadedRun& run, const std::vector<int>& tokens, double held_out) {
    Pass pass = Pass::evaluation();
    const Tensor all = run.model->module->forward(
        run.model->batch(std::vector<Example>{Example{tokens, 4}}).inputs, pass);
    const std::vector<double> values = all.values();
    logits.emplace_back(values.end() - all.dim(2), values.end());
    training.push_back(!is_held_out(tokens.data(), 4, held_out));
  }
  /// Modulo 7, the smallest primitive root is 3.
  int logarithm(int number) const {
    int power = 1, log = 0;
    for (; power != number; power = power * 3 % p) ++log;
    return log;
  }

  /// Returns the logits of all pairs, projected on the waves of these frequencies.
  std::vector<std::vector<double>> key(const std::vector<int>& frequencies) const {
    auto result = logits;
    for (auto& row : result) std::fill(row.begin(), row.end(), 0.0);
    for (const int k : frequencies)
      for (const bool sine : {false, true}) {
        std::vector<double> wave;
        double squares = 0;
        for (const int place : places) {
          const double angle = two_pi * k * place / n;
          wave.push_back(sine ? std::sin(angle) : std::cos(angle));
          squares += wave.back() * wave.back();
        }
        if (squares < 1e-9) continue;
        for (std::size_t v = 0; v < logits[0].size(); ++v) {
          double product = 0;
          for (std::size_t i = 0; i < wave.size(); ++i) product += wave[i] * logits[i][v];
          for (std::size_t i = 0; i < wave.size(); ++i) result[i][v] += wave[i] * product / squares;
        }
      }
    return result;
  }
  std::vector<double> means() const {
    std::vector<double> all(logits[0].size());
    for (const auto& row : logits)
      for (std::size_t v = 0; v < row.size(); ++v)
        all[v] += row[v] / static_cast<double>(logits.size());
    return all;
  }
  double loss(const std::vector<std::vector<double>>& table, bool only_training) const {
    double total = 0, count = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (only_training && !training[i]) continue;
      double sum = 0;
      for (const double x : table[i]) sum += std::exp(x);
      total += std::log(sum) - table[i][answers[i]];
      ++count;
    }
    return total / count;
  }
};

}  // namespace

/// Modulo 7, there are only three frequencies, so that all of them are key frequencies.
BOOST_AUTO_TEST_CASE(as_defined) {
  for (const char* operation : {"add", "subtract", "multiply", "divide"}) {
    BOOST_TEST_CONTEXT(operation) {
      done(
          fmt::format("train modular --prime 7 --operation {} --share 60 --width 16 --heads 2 "
                      "--steps 30 --eval-every 30 --metric fourier --out {}",
                      operation, operation));
      const LoadedRun run = load_run(operation, make_registry());
      const FourierProgress progress = fourier_progress(*run.model, run.config);
      const Brute brute(run, 7, operation, 0.4);
      const auto key = brute.key({1, 2, 3});
      const std::vector<double> means = brute.means();
      auto restricted = key, excluded = brute.logits;
      double all = 0, explained = 0;
      for (std::size_t i = 0; i < key.size(); ++i)
        for (std::size_t v = 0; v < means.size(); ++v) {
          restricted[i][v] += means[v];
          excluded[i][v] -= key[i][v];
          explained += key[i][v] * key[i][v];
          all += (brute.logits[i][v] - means[v]) * (brute.logits[i][v] - means[v]);
        }
      BOOST_TEST(std::abs(progress.restricted_loss - brute.loss(restricted, false)) < 1e-5);
      BOOST_TEST(std::abs(progress.excluded_loss - brute.loss(excluded, true)) < 1e-5);
      BOOST_TEST(std::abs(progress.logits - explained / all) < 1e-5);
      BOOST_TEST(std::abs(progress.embedding - 1) < 1e-9);  // three frequencies are all
      const json line =
          json::parse(lines_of(contents(std::string(operation) + "/metrics.jsonl")).back());
      BOOST_TEST(line["metrics"]["restricted_loss"].get<double>() == progress.restricted_loss);
      BOOST_TEST(line["metrics"]["fourier_embedding"].get<double>() == progress.embedding);
    }
  }
}

BOOST_AUTO_TEST_CASE(waves_are_orthonormal) {
  for (const Index n : {6, 7}) {
    const Tensor waves = fourier_waves(n, {1, 2, 3});
    BOOST_TEST(waves.dim(1) == n - 1);
    expect_equal(matmul(transpose(waves), waves), one_hot(arange(n - 1), n - 1, DType::f64), 1e-14);
  }
}

/// With 11 numbers, five frequencies are all; with 13, the sixth is missing.
BOOST_AUTO_TEST_CASE(uses_five_frequencies) {
  for (const auto& [prime, all] : {std::pair(11, true), {13, false}}) {
    done(
        fmt::format("train modular --prime {0} --operation add --width 16 --heads 2 --steps 2 "
                    "--metric fourier --out p{0}",
                    prime));
    const LoadedRun run = load_run(fmt::format("p{}", prime), make_registry());
    const double share = fourier_progress(*run.model, run.config).embedding;
    BOOST_TEST((share > 1 - 1e-9) == all, share);
  }
}

BOOST_AUTO_TEST_CASE(refuses_other_runs) {
  const auto expect_error = [](const std::string& line, const std::string& error) {
    const Output output = command(line);
    BOOST_TEST(output.status == 2);
    BOOST_TEST(has(output.errors, error), output.errors);
  };
  expect_error("train sort --steps 2 --metric fourier --out run",
               "--metric fourier needs the task modular with --arch gpt, got sort with gpt");
  expect_error("train modular --prime 211 --steps 2 --metric fourier --out run",
               "--metric fourier needs a --prime from 5 to 199, got 211");
  expect_error("train copy --attention linear --steps 2 --metric induction --out run",
               "--metric induction needs attention weights, which this attention lacks");
}

/// The score of the strongest head is its mean weight on the token after the earlier mark.
BOOST_AUTO_TEST_CASE(prefix_matching_and_previous_token) {
  done(
      "train induction --length 8 --symbols 4 --heads 2 --steps 40 --eval-every 40 --metric "
      "induction --out run");
  const json line = json::parse(lines_of(contents("run/metrics.jsonl")).back());
  const LoadedRun run = load_run("run", make_registry());
  std::vector<double> matching(4), previous(4);
  for (Index i = 0; i < 64; ++i) {
    const Example example = held_out_example(*run.task, i);
    std::size_t mark = 0;
    while (example.tokens[mark] != 4) ++mark;
    for (const AttentionMap& map : attention_maps(*run.model, *run.task, example))
      for (Index head = 0; head < 2; ++head) {
        const Index keys = map.weights.dim(2), queries = map.weights.dim(1);
        const auto weight = [&](Index query, Index key) {
          return map.weights((head * queries + query) * keys + key);
        };
        matching[2 * map.layer + head] += weight(7, static_cast<Index>(mark) + 1) / 64;
        // Queries that see fewer than four keys don't count.
        for (Index query = 3; query < 8; ++query)
          previous[2 * map.layer + head] += weight(query, query - 1) / 5 / 64;
      }
  }
  const auto strongest = [](const std::vector<double>& all) {
    return *std::max_element(all.begin(), all.end());
  };
  BOOST_TEST(std::abs(line["metrics"]["prefix_matching"].get<double>() - strongest(matching)) <
             1e-6);
  BOOST_TEST(std::abs(line["metrics"]["previous_token"].get<double>() - strongest(previous)) <
             1e-6);
}

BOOST_AUTO_TEST_SUITE_END()

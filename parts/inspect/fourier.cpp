#include "fourier.hpp"
#include "../../core/ops.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../core/tape.hpp"
#include "../../nn/gpt.hpp"
#include "../../train/config/config.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

constexpr std::size_t key_frequencies = 5;  // as in the paper's models of addition modulo 113

/// The pairs of a run's task, each with the number of its answer in the order of the waves.
struct ModularPairs {
  std::vector<Example> examples;
  std::vector<int> answers, points;  ///< answers, and their places on the waves
  std::vector<bool> training;
  std::vector<int> numbers;  ///< the number at each place on the waves
};

/// Returns the logarithms of 1, ..., p - 1 to the base of the smallest primitive root.
std::vector<int> discrete_logarithms(int p) {
  for (int root = 1; root < p; ++root) {
    std::vector<int> logs(p, -1);
    int power = 1, count = 0;
    for (; logs[power] < 0; power = power * root % p) logs[power] = count++;
    if (count == p - 1) return logs;
  }
  throw UsageError("{} isn't a prime number", p);
}

ModularPairs pairs_of(const TrainConfig& config) {
  const int p = std::stoi(config.task_options.at("prime"));
  const std::string& operation = config.task_options.at("operation");
  const double held_out = (100 - std::stod(config.task_options.at("share"))) / 100;
  const bool multiplies = operation == "multiply" || operation == "divide";
  const bool inverse = operation == "subtract" || operation == "divide";
  std::vector<int> places(p);
  std::iota(places.begin(), places.end(), 0);
  if (multiplies) places = discrete_logarithms(p);
  ModularPairs pairs;
  pairs.numbers.resize(multiplies ? p - 1 : p);
  for (int number = multiplies ? 1 : 0; number < p; ++number)
    pairs.numbers[places[number]] = number;
  for (int x = multiplies ? 1 : 0; x < p; ++x)
    for (int b = multiplies ? 1 : 0; b < p; ++b) {
      // For a - b and a / b, x is the answer c, and a = c + b or c * b.
      const int other = multiplies ? x * b % p : (x + b) % p;
      const int a = inverse ? other : x, c = inverse ? x : other;
      pairs.examples.push_back({{a, p, b, p + 1, c}, 4});
      pairs.answers.push_back(c);
      pairs.points.push_back(places[c]);
      pairs.training.push_back(!is_held_out(pairs.examples.back().tokens.data(), 4, held_out));
    }
  return pairs;
}

/// Returns the logits of the answers, f64 (examples, vocabulary).
Tensor answer_logits(const TaskModel& model, const std::vector<Example>& examples) {
  constexpr Index at_once = 256;
  const auto count = static_cast<Index>(examples.size());
  std::vector<Tensor> parts((count + at_once - 1) / at_once);
  parallel_for(static_cast<Index>(parts.size()), [&](Index i) {
    const Pause pause;
    const auto first = examples.begin() + i * at_once;
    const auto last = examples.begin() + std::min(count, (i + 1) * at_once);
    Pass pass = model.evaluation;
    const Tensor logits = model.module->forward(model.batch({first, last}).inputs, pass);
    const Tensor at_end = slice(logits, 1, logits.dim(1) - 1, logits.dim(1));
    parts[i] = cast(reshape(at_end, {last - first, logits.dim(2)}), DType::f64);
  });
  return concat(parts, 0);
}

Tensor centred_rows(const Tensor& x) { return x - mean(x, {0}, true); }

double squares(const Tensor& x) { return sum(x * x).item(); }

/// Returns the part of x (points, width) in a few waves.
Tensor in_waves(const Tensor& x, const Tensor& waves) {
  return matmul(waves, matmul(transpose(waves), x));
}

/// Returns the frequencies of the largest amplitudes of x (points, width).
std::vector<Index> largest_frequencies(const Tensor& x) {
  const Index n = x.dim(0);
  std::vector<std::pair<double, Index>> powers;
  for (Index k = 1; k <= n / 2; ++k)
    powers.emplace_back(-squares(matmul(transpose(fourier_waves(n, {k})), x)), k);
  std::sort(powers.begin(), powers.end());
  powers.resize(std::min(key_frequencies, powers.size()));
  std::vector<Index> frequencies;
  for (const auto& [power, k] : powers) frequencies.push_back(k);
  return frequencies;
}

Tensor ids_of(const std::vector<int>& ids) { return tensor({ids.begin(), ids.end()}, DType::i32); }

double embedding_share(const GPT& gpt, const std::vector<int>& numbers) {
  const Tensor table = cast(gpt.embedding.tokens.weight.value(), DType::f64);
  const Tensor rows = centred_rows(gather_rows(table, ids_of(numbers)));
  const Tensor waves = fourier_waves(rows.dim(0), largest_frequencies(rows));
  return squares(in_waves(rows, waves)) / squares(rows);
}

}  // namespace

Tensor fourier_waves(Index n, const std::vector<Index>& frequencies) {
  std::vector<Tensor> columns;
  constexpr double two_pi = 6.28318530717958648;
  for (const Index k : frequencies) {
    // Points times k modulo n keep the angles small and exact.
    std::vector<double> turns;
    for (Index s = 0; s < n; ++s)
      turns.push_back(two_pi * static_cast<double>(k * s % n) / static_cast<double>(n));
    const Tensor angles = tensor(turns, {n, 1}, DType::f64);
    const bool alternates = 2 * k == n;
    const Tensor norm =
        tensor({std::sqrt((alternates ? 1.0 : 2.0) / static_cast<double>(n))}, DType::f64);
    columns.push_back(cos(angles) * norm);
    if (!alternates) columns.push_back(sin(angles) * norm);
  }
  return concat(columns, 1);
}

FourierProgress fourier_progress(const TaskModel& model, const TrainConfig& config) {
  const auto* gpt = dynamic_cast<const GPT*>(model.module.get());
  if (config.task != "modular" || !gpt)
    throw UsageError("--metric fourier needs the task modular with --arch gpt, got {} with {}",
                     config.task, model.arch);
  if (const int prime = std::stoi(config.task_options.at("prime")); prime < 5 || prime > 199)
    throw UsageError("--metric fourier needs a --prime from 5 to 199, got {}", prime);
  const Pause pause;
  const ModularPairs pairs = pairs_of(config);
  const auto n = static_cast<Index>(pairs.numbers.size());
  const Tensor logits = answer_logits(model, pairs.examples);
  const Tensor points = ids_of(pairs.points), answers = ids_of(pairs.answers);
  // Each answer has n pairs, over which the logits at its place on the waves are averaged.
  const Tensor by_answer =
      scatter_rows(logits, points, n) * tensor({1 / static_cast<double>(n)}, DType::f64);
  const Tensor centred = centred_rows(by_answer);
  const Tensor key = in_waves(centred, fourier_waves(n, largest_frequencies(centred)));

  FourierProgress progress;
  progress.logits = static_cast<double>(n) * squares(key) / squares(centred_rows(logits));
  progress.embedding = embedding_share(*gpt, pairs.numbers);
  const Tensor restricted = mean(by_answer, {0}, true) + key;
  progress.restricted_loss = cross_entropy(gather_rows(restricted, points), answers).item();
  std::vector<double> targets;  // -1 for validation pairs, which don't count
  for (std::size_t i = 0; i < pairs.answers.size(); ++i)
    targets.push_back(pairs.training[i] ? pairs.answers[i] : -1);
  progress.excluded_loss =
      cross_entropy(logits - gather_rows(key, points), tensor(targets, DType::i32)).item();
  return progress;
}

}  // namespace tapehead

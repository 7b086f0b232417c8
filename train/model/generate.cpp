#include "generate.hpp"
#include "../../core/kernels/functions/exponentials.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

namespace tapehead {
namespace {

void check(const TaskModel& model, const std::vector<int>& prompt) {
  if (prompt.empty()) throw ValueError("sample: an empty prompt, and one token is needed to begin");
  for (int token : prompt)
    if (token < 0 || token >= model.options.vocabulary)
      throw ValueError("sample: token {} in the prompt, and the model knows 0 to {}", token,
                       model.options.vocabulary - 1);
}

/// The numbers of finite values, the highest value first and equal ones as they come. Sorts by one
/// byte after the other, which takes a tenth of the time of comparing GPT-2's 50,257.
std::vector<int> descending(const std::vector<double>& values) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  struct Entry {
    std::uint64_t key;  // the smaller, the higher the value
    int number;
  };
  std::vector<Entry> entries(values.size()), sorted(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i] + 0.0;  // -0 equals 0
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    entries[i] = {bits & sign ? bits : bits ^ ~sign, static_cast<int>(i)};
  }
  for (int shift = 0; shift < 64; shift += 8) {
    const auto byte = [=](const Entry& entry) { return (entry.key >> shift) & 255; };
    std::array<std::size_t, 257> begin{};  // of the entries with each byte
    for (const Entry& entry : entries) ++begin[byte(entry) + 1];
    if (std::count(begin.begin(), begin.end(), entries.size()) > 0) continue;  // all are equal
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const Entry& entry : entries) sorted[begin[byte(entry)]++] = entry;
    entries.swap(sorted);
  }
  std::vector<int> order;
  order.reserve(entries.size());
  for (const Entry& entry : entries) order.push_back(entry.number);
  return order;
}

/// One position of a sample: all tokens by their logits, the likeliest first.
class Ranking {
 public:
  explicit Ranking(std::vector<double> logits) : logits_(std::move(logits)) {
    for (double logit : logits_)
      if (!std::isfinite(logit))
        throw Error("sample: the model's output isn't finite; its training went wrong");
    order_ = descending(logits_);
  }

  int pick(const SampleOptions& options, Random random) const {
    if (options.temperature == 0) return order_[0];
    std::size_t most = order_.size();
    if (options.top_k > 0) most = std::min(most, static_cast<std::size_t>(options.top_k));
    const std::vector<double> weights = weights_at(options.temperature, most);
    // The fewest tokens whose probabilities add up to top_p of what is left.
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    double kept = 0;
    std::size_t count = 0;
    while (count < weights.size() && kept < options.top_p * all) kept += weights[count++];

    double left = random.uniform() * kept;
    std::size_t choice = 0;
    while (choice + 1 < count && left >= weights[choice]) left -= weights[choice++];
    return order_[choice];
  }

  GeneratedToken predictions(int token, Index alternatives) const {
    const std::vector<double> weights = weights_at(1, order_.size());
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto at = [&](std::size_t rank) { return Prediction{order_[rank], weights[rank] / all}; };
    const auto chosen = std::find(order_.begin(), order_.end(), token) - order_.begin();
    GeneratedToken result{at(chosen), {}};
    const std::size_t most = std::min(order_.size(), static_cast<std::size_t>(alternatives));
    for (std::size_t rank = 0; rank < most; ++rank) result.alternatives.push_back(at(rank));
    return result;
  }

 private:
  double logit(int token) const { return logits_[token]; }
  /// Probabilities of the `most` likeliest tokens, but for a common factor.
  std::vector<double> weights_at(double temperature, std::size_t most) const {
    std::vector<double> weights;
    weights.reserve(most);
    for (std::size_t rank = 0; rank < most; ++rank)
      weights.push_back(kernel::exp((logit(order_[rank]) - logit(order_[0])) / temperature));
    return weights;
  }

  std::vector<double> logits_;
  std::vector<int> order_;
};

using Samples = std::vector<std::vector<GeneratedToken>>;
using OnToken = std::function<void(Index sample, const GeneratedToken& token)>;

/// Continues the prompt so many times, in one batch.
Samples sample_batch(const TaskModel& model, const std::vector<int>& prompt, Index samples,
                     const SampleOptions& options, const OnToken& on_token) {
  check(model, prompt);
  check(options);
  const Pause pause;
  const auto count = static_cast<std::size_t>(samples);
  Samples result(count);
  std::vector<bool> ended(count, false);
  std::vector<int> last;  // token of each row; where it has ended, any
  const auto decoding = model.decode(std::vector<std::vector<int>>(count, prompt));
  for (Index i = 0; i < options.tokens; ++i) {
    const Tensor logits = decoding->next(last);  // (samples, vocabulary)
    if (!logits) break;
    const std::vector<double> scores = logits.values();
    const auto position = static_cast<std::uint32_t>(prompt.size() + i);
    last.assign(count, 0);
    for (std::size_t row = 0; row < count; ++row) {
      if (ended[row]) continue;
      const auto first = scores.begin() + static_cast<Index>(row) * logits.dim(1);
      const Ranking ranking({first, first + logits.dim(1)});
      const auto stream = static_cast<std::uint32_t>(options.stream + static_cast<Index>(row));
      last[row] = ranking.pick(options, Random({options.seed, Draw::sample, position, 0, stream}));
      result[row].push_back(ranking.predictions(last[row], options.alternatives));
      if (on_token) on_token(static_cast<Index>(row), result[row].back());
      ended[row] = last[row] == options.end;
    }
    if (std::all_of(ended.begin(), ended.end(), [](bool end) { return end; })) break;
  }
  return result;
}

}  // namespace

void check(const SampleOptions& options) {
  if (!(options.temperature >= 0 && std::isfinite(options.temperature)))
    throw ValueError("sample: --temperature must be at least 0, not {}", options.temperature);
  if (options.top_k < 0)
    throw ValueError("sample: --top-k must be at least 0, not {}", options.top_k);
  if (!(options.top_p > 0 && options.top_p <= 1))
    throw ValueError("sample: --top-p must be above 0 and at most 1, not {}", options.top_p);
  if (options.tokens < 0)
    throw ValueError("sample: --tokens must be at least 0, not {}", options.tokens);
}

Samples generate_samples(const TaskModel& model, const std::vector<int>& prompt, Index samples,
                         SampleOptions options, const OnToken& on_token) {
  if (samples < 1) throw ValueError("sample: --samples must be at least 1, not {}", samples);
  Samples all;
  for (Index first = 0; first < samples; first += samples_at_once) {
    const auto forward = [&](Index sample, const GeneratedToken& token) {
      if (on_token) on_token(first + sample, token);
    };
    const Index count = std::min(samples_at_once, samples - first);
    for (auto& sample : sample_batch(model, prompt, count, options, forward))
      all.push_back(std::move(sample));
    options.stream += samples_at_once;
  }
  return all;
}

std::vector<int> generate(const TaskModel& model, const std::vector<int>& prompt,
                          const SampleOptions& options,
                          const std::function<void(int token)>& on_token) {
  std::vector<int> tokens = prompt;
  sample_batch(model, prompt, 1, options, [&](Index, const GeneratedToken& generated) {
    tokens.push_back(generated.token);
    if (on_token) on_token(generated.token);
  });
  return tokens;
}

}  // namespace tapehead

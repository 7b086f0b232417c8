#include "generate.hpp"
#include "../../core/kernels/kernels.hpp"
#include "../../nn/layers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

namespace tapehead {
namespace {

struct Narrowing : Visitor {
  void enter(const std::string& name, Module& module) override {
    if (auto* layer = dynamic_cast<Linear*>(&module)) layer->weight.dtype = DType::bf16;
    if (auto* table = dynamic_cast<Embedding*>(&module); table && name == "tokens")
      table->weight.dtype = DType::bf16;
  }
};

void check(const TaskModel& model, const std::vector<int>& prompt) {
  if (prompt.empty()) throw ValueError("sample: the prompt is empty, expected at least one token");
  for (int token : prompt)
    if (token < 0 || token >= model.options.vocabulary)
      throw ValueError("sample: token {} in the prompt, expected 0 to {}", token,
                       model.options.vocabulary - 1);
}

/// The tokens of one position by descending logits. Keeps its memory between positions, since
/// GPT-2's 50,257 tokens would otherwise be allocated and freed each time.
class Ranking {
 public:
  /// Ranks a row of logits (rows, vocabulary). Throws Error if they aren't finite.
  void rank(const Tensor& logits, Index row) {
    const Index vocabulary = logits.dim(1);
    logits_.resize(static_cast<std::size_t>(vocabulary));
    with_floats("sample", logits.dtype(), [&](auto zero) {
      std::copy_n(logits.data<decltype(zero)>() + row * vocabulary, vocabulary, logits_.begin());
    });
    for (double logit : logits_)
      if (!std::isfinite(logit))
        throw Error("sample: the model's output isn't finite; the training diverged");
    sort();
  }

  int pick(const SampleOptions& options, Random random) {
    if (options.temperature == 0) return token(0);
    std::size_t most = entries_.size();
    if (options.top_k > 0) most = std::min(most, static_cast<std::size_t>(options.top_k));
    const std::vector<double>& weights = weights_at(options.temperature, most);
    // The fewest tokens whose probabilities sum to top_p of the remaining total.
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    double kept = 0;
    std::size_t count = 0;
    while (count < weights.size() && kept < options.top_p * all) kept += weights[count++];

    double left = random.uniform() * kept;
    std::size_t choice = 0;
    while (choice + 1 < count && left >= weights[choice]) left -= weights[choice++];
    return token(choice);
  }

  GeneratedToken predictions(int chosen, Index alternatives) {
    const std::vector<double>& weights = weights_at(1, entries_.size());
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto at = [&](std::size_t rank) { return Prediction{token(rank), weights[rank] / all}; };
    std::size_t rank_of_chosen = 0;
    while (token(rank_of_chosen) != chosen) ++rank_of_chosen;
    GeneratedToken result{at(rank_of_chosen), {}};
    const std::size_t most = std::min(entries_.size(), static_cast<std::size_t>(alternatives));
    for (std::size_t rank = 0; rank < most; ++rank) result.alternatives.push_back(at(rank));
    return result;
  }

 private:
  struct Entry {
    std::uint64_t key;  // a sort key: smaller for higher logits
    int token;
  };

  /// Sorts equal logits by token. A radix sort over bytes takes a tenth of the time of a comparison
  /// sort.
  void sort() {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    constexpr std::size_t bytes = sizeof(std::uint64_t);
    const auto byte = [](const Entry& entry, std::size_t i) { return entry.key >> 8 * i & 255; };
    std::array<std::array<std::size_t, 256>, bytes> begin{};  // entry counts, then offsets
    entries_.resize(logits_.size());
    sorted_.resize(logits_.size());
    for (std::size_t i = 0; i < logits_.size(); ++i) {
      const double value = logits_[i] + 0.0;  // -0 equals 0
      std::uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      entries_[i] = {bits & sign ? bits : bits ^ ~sign, static_cast<int>(i)};
      for (std::size_t j = 0; j < bytes; ++j) ++begin[j][byte(entries_[i], j)];
    }
    for (std::size_t j = 0; j < bytes; ++j) {
      if (begin[j][byte(entries_[0], j)] == entries_.size())
        continue;  // all entries have the same byte
      std::size_t before = 0;
      for (std::size_t& at : begin[j]) before += std::exchange(at, before);
      for (const Entry& entry : entries_) sorted_[begin[j][byte(entry, j)]++] = entry;
      entries_.swap(sorted_);
    }
  }

  int token(std::size_t rank) const { return entries_[rank].token; }
  /// Returns the unnormalized probabilities of the `most` likeliest tokens.
  const std::vector<double>& weights_at(double temperature, std::size_t most) {
    weights_.resize(most);
    for (std::size_t rank = 0; rank < most; ++rank)
      weights_[rank] = (logits_[token(rank)] - logits_[token(0)]) / temperature;
    kernels<double>().exp(weights_.data(), static_cast<Index>(most), weights_.data());
    return weights_;
  }

  std::vector<double> logits_, weights_;
  std::vector<Entry> entries_, sorted_;
};

using Samples = std::vector<std::vector<GeneratedToken>>;
using OnToken = std::function<void(Index sample, const GeneratedToken& token)>;

/// Continues the prompt `samples` times in one batch.
Samples sample_batch(const TaskModel& model, const std::vector<int>& prompt, Index samples,
                     const SampleOptions& options, const OnToken& on_token) {
  check(model, prompt);
  check(options);
  const Pause pause;
  const auto count = static_cast<std::size_t>(samples);
  Samples result(count);
  std::vector<bool> ended(count, false);
  std::vector<int> last;  // last token of each row; arbitrary after its end
  Ranking ranking;
  const auto decoding = model.decode(std::vector<std::vector<int>>(count, prompt));
  if (!decoding) throw ValueError("sample: --arch {} can't generate", model.arch);
  for (Index i = 0; i < options.tokens; ++i) {
    const Tensor logits = next_logits(*decoding, last, samples);  // (samples, vocabulary)
    if (!logits) break;
    const auto position = static_cast<std::uint32_t>(prompt.size() + i);
    last.assign(count, 0);
    for (std::size_t row = 0; row < count; ++row) {
      if (ended[row]) continue;
      ranking.rank(logits, static_cast<Index>(row));
      const auto stream = static_cast<std::uint32_t>(options.stream + static_cast<Index>(row));
      last[row] = ranking.pick(options, Random({options.seed, Draw::sample, position, 0, stream}));
      result[row].push_back(ranking.predictions(last[row], options.alternatives));
      if (on_token) on_token(static_cast<Index>(row), result[row].back());
      ended[row] = last[row] == options.end;
    }
    if (all_of(ended, [](bool end) { return end; })) break;
  }
  return result;
}

}  // namespace

void check(const SampleOptions& options) {
  if (!(options.temperature >= 0 && std::isfinite(options.temperature)))
    throw ValueError("sample: --temperature must be {}at least 0, not {}",
                     options.temperature > 0 ? "finite and " : "", options.temperature);
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

void narrow_weights(Module& model) {
  Narrowing narrowing;
  model.visit(narrowing);
}

}  // namespace tapehead

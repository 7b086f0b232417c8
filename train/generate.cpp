#include <tapehead/train/trainer.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

void check(const TaskModel& model, const std::vector<int>& prompt, const SampleOptions& options) {
  if (prompt.empty())
    throw ValueError("sample: an empty prompt, and one symbol is needed to begin");
  for (int token : prompt)
    if (token < 0 || token >= model.options.vocabulary)
      throw ValueError("sample: symbol {} in the prompt, and the model knows 0 to {}", token,
                       model.options.vocabulary - 1);
  if (!(options.temperature >= 0 && std::isfinite(options.temperature)))
    throw ValueError("sample: --temperature must be at least 0, not {}", options.temperature);
  if (options.top_k < 0)
    throw ValueError("sample: --top-k must be at least 0, not {}", options.top_k);
  if (!(options.top_p > 0 && options.top_p <= 1))
    throw ValueError("sample: --top-p must be above 0 and at most 1, not {}", options.top_p);
  if (options.tokens < 0)
    throw ValueError("sample: --tokens must be at least 0, not {}", options.tokens);
}

int pick(const std::vector<double>& logits, const SampleOptions& options, Random random) {
  std::vector<int> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto logit = [&](int token) { return logits[static_cast<std::size_t>(token)]; };
  for (int token : order)
    if (!std::isfinite(logit(token)))
      throw Error("sample: the model's output isn't finite; its training went wrong");
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return logit(a) > logit(b); });
  if (options.temperature == 0) return order[0];

  if (options.top_k > 0 && options.top_k < static_cast<Index>(order.size()))
    order.resize(static_cast<std::size_t>(options.top_k));
  std::vector<double> weights;
  for (int token : order)
    weights.push_back(std::exp((logit(token) - logit(order[0])) / options.temperature));
  // The fewest symbols that make up top_p of what is left.
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double kept = 0;
  std::size_t count = 0;
  while (count < weights.size() && kept < options.top_p * all) kept += weights[count++];

  double left = random.uniform() * kept;
  std::size_t choice = 0;
  while (choice + 1 < count && left >= weights[choice]) left -= weights[choice++];
  return order[choice];
}

}  // namespace

std::vector<int> generate(const TaskModel& model, const std::vector<int>& prompt,
                          const SampleOptions& options,
                          const std::function<void(int token)>& told) {
  check(model, prompt, options);
  const Pause pause;
  std::vector<int> tokens = prompt, said;
  const auto decoding = model.decode({prompt});
  for (Index i = 0; i < options.tokens; ++i) {
    const Tensor logits = decoding->next(said);  // (1, symbols)
    if (!logits) break;
    const auto place = static_cast<std::uint32_t>(tokens.size());
    said = {pick(logits.values(), options, Random({options.seed, Draw::sample, place}))};
    tokens.push_back(said[0]);
    if (told) told(tokens.back());
    if (tokens.back() == options.end) break;
  }
  return tokens;
}

}  // namespace tapehead

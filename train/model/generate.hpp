#pragma once
#include "architecture.hpp"

#include <functional>

namespace tapehead {

struct SampleOptions {
  double temperature = 1;  ///< 0 is greedy
  Index top_k = 0;         ///< 0: all
  double top_p = 1;
  Index tokens = 0;  ///< to generate, at most
  int end = -1;      ///< the token after which generation stops; -1: none
  std::uint64_t seed = 0;
  Index stream = 0;        ///< of random numbers: each is independent of the others; below 2^32
  Index alternatives = 0;  ///< number of the likeliest tokens to report with each generated one
};

void check(const SampleOptions& options);  ///< throws ValueError that names the impossible one

/// A token and its probability by the model: at temperature 1, with no token left out.
struct Prediction {
  int token = 0;
  double probability = 0;
};
/// A token that was sampled, and the likeliest ones in its position, the likeliest first.
struct GeneratedToken : Prediction {
  std::vector<Prediction> alternatives;
};

/// Continues `prompt`, or answers it, token by token, and calls `on_token` with each. Returns the
/// prompt and what follows: less than was asked for where the model's answer ends sooner. A gpt
/// caches the keys and values of what it has read; once its context is full, it drops the older
/// half and reads the rest again, so that it always sees between half a context and a whole one.
/// Throws ValueError for impossible options and prompts.
std::vector<int> generate(const TaskModel& model, const std::vector<int>& prompt,
                          const SampleOptions& options,
                          const std::function<void(int token)>& on_token = {});
constexpr Index samples_at_once = 8;  ///< at most, in a batch
/// Continues the same prompt `samples` times, up to samples_at_once in a batch: the first with the
/// random numbers of options.stream, the next with those of the stream after it. So a sample
/// doesn't depend on how many there are, but for how sums are rounded in batches of another size.
/// Returns what follows the prompt, and calls `on_token` with each token as it is sampled, position
/// by position.
std::vector<std::vector<GeneratedToken>> generate_samples(
    const TaskModel& model, const std::vector<int>& prompt, Index samples, SampleOptions options,
    const std::function<void(Index sample, const GeneratedToken& token)>& on_token = {});

/// Makes bf16 the type of a model's large weights, those of its linear layers and of its table of
/// tokens, before they are read from a checkpoint. Such a model can be evaluated and generate, and
/// takes about half the memory, and no tape can record it.
void narrow_weights(Module& model);

}  // namespace tapehead

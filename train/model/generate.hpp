#pragma once
#include "architecture.hpp"

#include <functional>

namespace tapehead {

struct SampleOptions {
  double temperature = 1;  ///< 0 is greedy
  Index top_k = 0;         ///< 0: all
  double top_p = 1;
  Index tokens = 0;  ///< to generate, at most
  int end = -1;      ///< the symbol after which nothing more is said; -1: none is
  std::uint64_t seed = 0;
  Index stream = 0;        ///< of the draws: each has draws of its own; below 2^32
  Index alternatives = 0;  ///< so many of the likeliest symbols are told with each that is said
};

void check(const SampleOptions& options);  ///< throws ValueError that names the one that can't be

/// A symbol and its probability, as the model has it: at temperature 1, none left out.
struct Likely {
  int token = 0;
  double probability = 0;
};
/// What was said, and what else might have been: the likeliest, most likely first.
struct Said : Likely {
  std::vector<Likely> alternatives;
};

/// Continues `prompt`, or answers it, token by token; `told` hears of each new one. Returns the
/// prompt and what follows: less than was asked for where the model's answer ends sooner. A gpt
/// keeps the keys and values of what it has read; once its context is full, it forgets the older
/// half and reads the rest again, so that it always sees between half a context and a whole one.
/// Throws ValueError for options and prompts that can't be.
std::vector<int> generate(const TaskModel& model, const std::vector<int>& prompt,
                          const SampleOptions& options,
                          const std::function<void(int token)>& told = {});
constexpr Index samples_at_once = 8;  ///< at most, in a batch
/// The same prompt continued `samples` times, up to samples_at_once in a batch: the first with the
/// draws of options.stream, the next with those of the one after it. So a sample doesn't depend on
/// how many there are, but for how sums are rounded in batches of another size. Returns what
/// follows the prompt; `told` hears of it as it is said, place by place.
std::vector<std::vector<Said>> generate_samples(
    const TaskModel& model, const std::vector<int>& prompt, Index samples, SampleOptions options,
    const std::function<void(Index sample, const Said& said)>& told = {});

}  // namespace tapehead

#pragma once
#include "../../core/numerics.hpp"
#include "architecture.hpp"

#include <functional>

namespace tapehead {

/// Options of generation.
struct SampleOptions {
  double temperature = 1;  ///< 0: greedy decoding
  Index top_k = 0;         ///< 0: all
  double top_p = 1;  ///< nucleus sampling: smallest set of tokens with this probability; 1: all
  Index tokens = 0;  ///< maximum number of tokens to generate
  int end = -1;      ///< token that ends generation; -1: none
  std::uint64_t seed = 0;
  Index stream = 0;        ///< random stream, below 2^32; streams are independent
  Index alternatives = 0;  ///< number of most likely tokens to report per position
};

void check(const SampleOptions& options);  ///< throws a ValueError that names the invalid option

/// A token and its probability under the model, at temperature 1 and without top_k or top_p.
struct Prediction {
  int token = 0;
  double probability = 0;
};
/// A sampled token, and the most likely ones at its position in descending order.
struct GeneratedToken : Prediction {
  std::vector<Prediction> alternatives;
};

/// Continues `prompt` token by token, and calls `on_token` with each. Returns the prompt and the
/// generated tokens, which may be fewer than options.tokens if the completion ends earlier. A gpt
/// uses a KV cache. When its context is full, it drops the older half and reads the rest again, so
/// it always sees at least half a context. Throws ValueError for invalid options and prompts.
std::vector<int> generate(const TaskModel& model, const std::vector<int>& prompt,
                          const SampleOptions& options,
                          const std::function<void(int token)>& on_token = {});
using pinned::samples_at_once;  ///< maximum batch size
/// Continues a prompt `samples` times, in batches of up to samples_at_once. Sample i uses random
/// stream options.stream + i. So a sample doesn't depend on the number of samples, except for
/// rounding in batches of another size. Returns the generated tokens, and calls `on_token` with
/// each, position by position.
std::vector<std::vector<GeneratedToken>> generate_samples(
    const TaskModel& model, const std::vector<int>& prompt, Index samples, SampleOptions options,
    const std::function<void(Index sample, const GeneratedToken& token)>& on_token = {});

/// Sets the type of a model's large weights (linear layers and the token embedding) to bf16, before
/// they are loaded from a checkpoint. Such a model takes about half the memory. It can be evaluated
/// and generate, but not be recorded on a tape.
void narrow_weights(Module& model);

}  // namespace tapehead

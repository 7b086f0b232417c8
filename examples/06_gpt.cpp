// A GPT learns to copy, with a custom training loop instead of the command line.
#include <tapehead/tapehead.hpp>

#include <algorithm>

#include "expect.hpp"

using namespace tapehead;

constexpr Index vocabulary = 8, length = 6;

/// Makes `count` examples: six tokens, followed by a copy that the model must predict. The inputs
/// are all tokens but the last, and the targets are all but the first. Targets of -1 are ignored.
Batch copies(Index count, std::uint64_t seed) {
  std::vector<Example> examples;
  for (Index i = 0; i < count; ++i) {
    Random random(RandomKey{seed, Draw::batch, 0, 0, static_cast<std::uint32_t>(i)});
    Example example;
    for (Index j = 0; j < length; ++j)
      example.tokens.push_back(static_cast<int>(random.below(vocabulary)));
    const std::vector<int> question = example.tokens;
    example.question = length;
    example.tokens.insert(example.tokens.end(), question.begin(), question.end());
    examples.push_back(example);
  }
  return make_batch(examples);
}

int main() {
  ModelOptions options;
  options.vocabulary = vocabulary, options.context = 2 * length - 1;
  options.layers = 2, options.heads = 2, options.width = 32;
  options.seed = 3;
  GPT model(options);
  fmt::print("{}\n", tree(model));

  AdamW adam(model, {.beta2 = 0.99, .weight_decay = 0.1});
  const Schedule schedule{.lr = 3e-3, .min_lr = 3e-4, .warmup = 20, .steps = 400};
  for (Index step = 0; step < schedule.steps; ++step) {
    const Batch batch = copies(64, static_cast<std::uint64_t>(step));  // (64, 11)
    Tape tape;
    Pass pass = Pass::training(/*seed=*/0, step);
    const Tensor loss = cross_entropy(model(batch.inputs, pass), batch.targets);
    adam.lr = schedule(step);
    adam.step(clip(tape.backward(loss), 1.0));
    if (step % 100 == 0) fmt::print("step {:3}  loss {:.4f}\n", step, loss.item());
  }

  const Batch batch = copies(200, /*seed=*/1000000);
  const Tensor targets = batch.targets;
  Pass pass = Pass::evaluation();
  const Tensor logits = model(batch.inputs, pass);  // (200, 11, vocabulary)
  Index right = 0, asked = 0;
  for (Index i = 0; i < targets.size(); ++i) {
    if (targets(i) < 0) continue;
    const float* row = logits.data<float>() + i * vocabulary;
    ++asked;
    right += static_cast<double>(std::max_element(row, row + vocabulary) - row) == targets(i);
  }
  fmt::print("\n{} of {} tokens right on held-out examples\n", right, asked);
  expect(right > 0.99 * static_cast<double>(asked), "it has learned to copy");
}

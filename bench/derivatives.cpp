// Measures the cost of derivatives for nanoGPT's character-level model (`baby`): milliseconds and
// peak memory of a gradient, a jvp and an hvp.
//
//   bench_derivatives [BATCH] [ROUNDS]
#include "../core/derivatives.hpp"
#include "../core/custom_gradient.hpp"
#include "../core/ops.hpp"
#include "../core/runtime/memory.hpp"
#include "../core/runtime/parallel.hpp"
#include "../core/runtime/processors.hpp"
#include "../nn/gpt.hpp"
#include "../train/watch/timing.hpp"

#include <fmt/format.h>

#include <string>

using namespace tapehead;

int main(int argc, char** argv) {
  const Index batch = argc > 1 ? std::stol(argv[1]) : 4;
  const int rounds = argc > 2 ? std::stoi(argv[2]) : 5;
  set_threads(processors());
  ModelOptions options;
  options.vocabulary = 65, options.context = 256;
  options.layers = 6, options.heads = 6, options.width = 384;
  const GPT model(options);
  const Tensor u = random_uniform({batch, 256}, 0, 65, {1});
  const Tensor ids = cast(u, DType::i32), targets = cast(65.0 - u, DType::i32);
  const Function loss = [&](const std::vector<Tensor>&) {
    Pass pass;
    return cross_entropy(model(ids, pass), targets);
  };
  const std::vector<Tensor> x = values(parameters(model));
  const std::vector<Tensor> v = unflatten(random_normal({flatten(x).size()}, {2}), x);
  const Tensor one = scalar(1);

  struct Row {
    const char* name;
    std::function<void()> compute;
    std::vector<double> ms = {};
    std::size_t bytes = 0;
  };
  std::vector<Row> rows = {{"value", [&] { loss(x); }},
                           {"gradient", [&] { grad(loss, x); }},
                           {"jvp", [&] { jvp(loss, x, v); }},
                           {"hvp", [&] { hvp(loss, x, v); }}};
  for (int round = 0; round <= rounds; ++round)
    for (Row& row : rows) {
      const std::size_t before = memory_use().live;
      reset_memory_peak();
      const Stopwatch watch;
      row.compute();
      if (round > 0) row.ms.push_back(watch.seconds() * 1e3);  // round 0 is the warm-up
      row.bytes = memory_use().peak - before;
    }
  const double ms = median(rows[1].ms), mb = rows[1].bytes / 1e6;
  for (const Row& row : rows)
    fmt::print("{:<9} {:8.1f} ms {:8.1f} MB   {:.2f} of a gradient's time, {:.2f} of its memory\n",
               row.name, median(row.ms), row.bytes / 1e6, median(row.ms) / ms,
               row.bytes / 1e6 / mb);
}

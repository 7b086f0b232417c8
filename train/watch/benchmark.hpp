#pragma once
#include "../../nn/gpt.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tapehead {

/// The size of a GPT and of a batch whose training step is timed.
struct BenchConfig {
  std::string name;
  Index layers, heads, width, context, batch, vocabulary;
};
/// tiny, cpu, baby, gpt2, and gpt2-short: four sequences of 64.
const std::vector<BenchConfig>& bench_configs();

/// A variation that each configuration is also measured with.
struct BenchVariant {
  std::string name;
  double dropout = 0;
  bool options =
      false;  ///< attention with a temperature per head, rotary positions, half the kv heads
};
/// plain, dropout (0.1) and options.
const std::vector<BenchVariant>& bench_variants();

struct BenchResult {
  BenchConfig config;
  BenchVariant variant;
  Index shards = 0, rounds = 0;
  double milliseconds = 0;  ///< of a step (forward, backward, clip, AdamW), the median
  double tokens_per_second = 0;
  double gflops = 0;          ///< step_flops over the time, in 1e9 per second
  double share_of_peak = 0;   ///< gflops over peak_gflops of the report
  double share_of_sgemm = 0;  ///< and over sgemm_gflops
  double peak_megabytes = 0;  ///< of what a step allocates: activations and gradients
  /// Tokens per second generated one by one, with a cache, the median; of plain, in f32.
  double decoded_per_second = 0;
};
struct BenchReport {
  int threads = 0;
  std::string backend;      ///< what multiplies matrices: `own, v4`
  double peak_gflops = 0;   ///< independent multiply-adds in registers, on all threads, the median
  double sgemm_gflops = 0;  ///< products of 512 x 512 matrices on all threads at once, the median
  std::vector<BenchResult> results;
};

struct BenchOptions {
  /// Configurations and variants, by name. Empty: all configurations but gpt2's, and all variants.
  /// An unknown one is a UsageError.
  std::vector<std::string> names, variants;
  Index context = 0, batch = 0;  ///< replace the configurations' own, unless 0
  int threads = 0;               ///< 0: one per processor, at most 4
  double seconds = 4;            ///< to spend on each configuration, about
};
/// Measures how fast the threads multiply 512 x 512 matrices, each its own: 1e9 operations a
/// second.
double sgemm_gflops(int threads);

/// Measures one configuration after the other, its variants in turns, round after round, so that
/// each meets the same noise, and reports medians. `finished` is called with each row when
/// its configuration is done, before the shares are known.
BenchReport run_bench(const BenchOptions& options,
                      const std::function<void(double done)>& progress = {},
                      const std::function<void(const BenchResult&)>& finished = {});

}  // namespace tapehead

#pragma once
#include <tapehead/nn/gpt.hpp>

#include <functional>
#include <string>
#include <vector>

namespace tapehead {

/// A GPT and a batch of a fixed size, whose training step is timed.
struct BenchConfig {
  std::string name;
  Index layers, heads, width, context, batch, vocabulary;
};
/// tiny, cpu and baby.
const std::vector<BenchConfig>& bench_configs();

/// Floating-point operations of a step: 6 for each weight of a product and each token, and the
/// causal half of attention's products, forward and backward.
double step_flops(const BenchConfig& config);

struct BenchResult {
  BenchConfig config;
  double dropout = 0;
  Index shards = 0, rounds = 0;
  double milliseconds = 0;  ///< of a step (forward, backward, clip, AdamW), the median
  double tokens_per_second = 0;
  double gflops = 0;          ///< step_flops over the time, in 1e9 a second
  double share_of_sgemm = 0;  ///< gflops over sgemm_gflops of the report
  double peak_megabytes = 0;  ///< of what a step makes: activations and gradients
};
struct BenchReport {
  int threads = 0;
  std::string backend;      ///< what multiplies the matrices
  double sgemm_gflops = 0;  ///< products of 512 x 512 matrices on all threads at once, the median
  std::vector<BenchResult> results;
};

struct BenchOptions {
  std::vector<std::string> names;  ///< empty: all. Throws UsageError for an unknown one.
  int threads = 0;                 ///< 0: one for each processor, at most 4
  double seconds = 4;              ///< to spend on each configuration, about
};
/// Rounds over all configurations in turn, so that each meets the same noise; medians.
BenchReport run_bench(const BenchOptions& options,
                      const std::function<void(double done)>& progress = {});

}  // namespace tapehead

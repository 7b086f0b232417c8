#pragma once
#include "../../nn/gpt.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tapehead {

/// The sizes of a GPT and a batch to benchmark.
struct BenchConfig {
  std::string name;
  Index layers, heads, width, context, batch, vocabulary;
};
/// Returns tiny, cpu, baby, gpt2, and gpt2-short (four sequences of 64 tokens).
const std::vector<BenchConfig>& bench_configs();

/// A model variant to benchmark with each configuration.
struct BenchVariant {
  std::string name;
  double dropout = 0;
  /// true: attention with a temperature per head, rotary positions, and half as many kv heads as
  /// heads
  bool options = false;
};
/// Returns plain, dropout (0.1) and options.
const std::vector<BenchVariant>& bench_variants();

/// The speed of one configuration and variant.
struct BenchResult {
  BenchConfig config;
  BenchVariant variant;
  Index shards = 0, rounds = 0;
  double milliseconds = 0;  ///< median of a step: forward, backward, clip, AdamW
  double tokens_per_second = 0;
  double gflops = 0;          ///< floating-point operations per second, in 1e9; see step_flops
  double share_of_peak = 0;   ///< gflops / peak_gflops of the report
  double share_of_sgemm = 0;  ///< gflops / sgemm_gflops of the report
  double peak_megabytes = 0;  ///< peak memory that a step allocates: activations and gradients
  /// Median speed of generation with a KV cache, in tokens per second; only for the variant
  /// `plain`.
  double decoded_per_second = 0;
};
/// The results of a benchmark, and the machine's peak speeds.
struct BenchReport {
  int threads = 0;
  std::string backend;  ///< matmul implementation: `own, v4`
  /// Median speed of independent multiply-adds in registers, on all threads, in 1e9 operations per
  /// second.
  double peak_gflops = 0;
  double sgemm_gflops = 0;  ///< median speed of 512 x 512 matmuls, one per thread
  std::vector<BenchResult> results;
};

/// Options of run_bench.
struct BenchOptions {
  /// Names of configurations and variants. Empty: all configurations except gpt2's, and all
  /// variants. run_bench throws UsageError for an unknown name.
  std::vector<std::string> names, variants;
  Index context = 0, batch = 0;  ///< override the configurations' values, unless 0
  int threads = 0;               ///< number of threads; 0: one per processor, at most 4
  double seconds = 4;            ///< approximate time per configuration
};
/// Measures the speed of 512 x 512 matmuls, one per thread, in 1e9 operations per second.
double sgemm_gflops(int threads);

/// Benchmarks each configuration and reports medians. Variants take turns, so that noise affects
/// all equally. Calls `finished` with each result when its configuration is done; share_of_peak and
/// share_of_sgemm are not yet set.
BenchReport run_bench(const BenchOptions& options,
                      const std::function<void(double done)>& progress = {},
                      const std::function<void(const BenchResult&)>& finished = {});

}  // namespace tapehead

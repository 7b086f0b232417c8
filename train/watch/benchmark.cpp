#include "benchmark.hpp"
#include "../../core/kernels/kernels.hpp"
#include "../../core/runtime/memory.hpp"
#include "../../core/runtime/processors.hpp"
#include "../../optim/optimizers.hpp"
#include "../config/registry.hpp"
#include "../step/cost.hpp"
#include "../step/step.hpp"
#include "../step/thread_scope.hpp"
#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

template <class Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Tensor random_ids(const Shape& shape, Index vocabulary, std::uint64_t seed) {
  Random random(RandomKey{seed, Draw::batch});
  Tensor ids = Tensor::empty(shape, DType::i32);
  auto* out = ids.mutable_data<std::int32_t>();
  for (Index i = 0; i < ids.size(); ++i)
    out[i] = static_cast<std::int32_t>(random.below(vocabulary));
  return ids;
}

ModelOptions gpt_options(const BenchConfig& config, const BenchVariant& variant) {
  ModelOptions options;
  options.vocabulary = config.vocabulary;
  options.context = config.context;
  options.layers = config.layers;
  options.heads = config.heads;
  options.width = config.width;
  options.dropout = variant.dropout;
  if (!variant.options) return options;
  options.temperature = Temperature::head;
  options.position = RotaryPositions{};
  options.kv_heads = config.heads / 2;
  return options;
}

/// A configuration and variant to benchmark.
class Contender {
 public:
  Contender(const BenchConfig& config, const BenchVariant& variant)
      : model_(gpt_options(config, variant)), adam_(model_) {
    result.config = config;
    result.variant = variant;
    result.shards = default_shards(config.batch, config.context, count_parameters(model_));
    batch_ = {random_ids({config.batch, config.context}, config.vocabulary, 1),
              random_ids({config.batch, config.context}, config.vocabulary, 2)};
  }
  void step() { training_step(model_, adam_, batch_, 0, adam_.steps, result.shards, 1.0); }
  /// Takes timed steps until their total time reaches `seconds`.
  void spend_until(double seconds) {
    const std::size_t before = memory_use().live;
    reset_memory_peak();
    for (; spent_ < seconds; spent_ += times_.back()) times_.push_back(seconds_of([&] { step(); }));
    const std::size_t most = memory_use().peak - before;
    result.peak_megabytes = std::max(result.peak_megabytes, 1e-6 * static_cast<double>(most));
  }
  /// Generates one sequence to the end of the context, at most 64 tokens.
  void decode() {
    constexpr Index far = 64;
    if (result.variant.name != "plain") return;
    const Index tokens = std::min(far, result.config.context);
    const double time = seconds_of([&] {
      const Pause pause;
      Cache cache;
      Tensor ids = zeros({1, 1}, DType::i32);
      for (Index i = 0; i < tokens; ++i) {
        Pass pass = Pass::evaluation();
        pass.cache = &cache;
        const Tensor logits = model_(ids, pass);  // (1, 1, vocabulary)
        const float* scores = logits.data<float>();
        const auto likeliest = std::max_element(scores, scores + logits.size()) - scores;
        ids = full({1, 1}, static_cast<double>(likeliest), DType::i32);
      }
    });
    decoding_.push_back(static_cast<double>(tokens) / time);
  }
  void conclude() {
    if (!decoding_.empty()) result.decoded_per_second = median(decoding_);
    const double time = median(times_);
    result.rounds = static_cast<Index>(times_.size());
    result.milliseconds = 1e3 * time;
    result.tokens_per_second = static_cast<double>(batch_.inputs.size()) / time;
    result.gflops = 1e-9 * step_flops(model_, batch_) / time;
  }

  BenchResult result;

 private:
  GPT model_;
  AdamW adam_;
  Batch batch_;
  std::vector<double> times_, decoding_;
  double spent_ = 0;
};

/// Measures the peak speed of multiply-adds in registers.
double peak_gflops(int threads) {
  constexpr Index steps = 1 << 18;
  std::vector<float> ends(static_cast<std::size_t>(threads));
  std::vector<double> flops(ends.size());
  const double time = seconds_of([&] {
    parallel_for(threads, [&](Index i) { flops[i] = kernels<float>().peak(steps, &ends[i]); });
  });
  return 1e-9 * std::accumulate(flops.begin(), flops.end(), 0.0) / time;
}

}  // namespace

double sgemm_gflops(int threads) {
  constexpr Index n = 512;
  constexpr int repeats = 4;
  const Tensor a = ones({n, n}), b = ones({n, n});
  const double time = seconds_of([&] {
    parallel_for(threads, [&](Index) {
      Tensor c = Tensor::empty({n, n}, DType::f32);
      const auto x = matrix(a.data<float>(), n, n), y = matrix(b.data<float>(), n, n);
      for (int i = 0; i < repeats; ++i) gemm(x, y, matrix(c.mutable_data<float>(), n, n));
    });
  });
  return 1e-9 * 2 * n * n * n * repeats * threads / time;
}

const std::vector<BenchConfig>& bench_configs() {
  static const std::vector<BenchConfig> all = {{"tiny", 2, 4, 64, 32, 32, 16},
                                               {"cpu", 4, 4, 128, 64, 12, 65},
                                               {"baby", 6, 6, 384, 256, 8, 65},
                                               {"gpt2", 12, 12, 768, 256, 1, 50257},
                                               {"gpt2-short", 12, 12, 768, 64, 4, 50257}};
  return all;
}

const std::vector<BenchVariant>& bench_variants() {
  static const std::vector<BenchVariant> all = {{"plain"}, {"dropout", 0.1}, {"options", 0, true}};
  return all;
}

BenchReport run_bench(const BenchOptions& options, const std::function<void(double)>& progress,
                      const std::function<void(const BenchResult&)>& finished) {
  // Speeds drift, so variants take turns.
  const int rounds = std::clamp(static_cast<int>(std::ceil(2 * options.seconds)), 1, 8);
  for (const std::string& name : options.names)
    require_named("configuration", name, bench_configs());
  for (const std::string& name : options.variants) require_named("variant", name, bench_variants());
  BenchReport report;
  report.threads = options.threads > 0 ? options.threads : processors();
  report.backend = "own, " + instruction_set();
  const ThreadScope scope(report.threads);

  const auto chosen = [](const std::vector<std::string>& names, const std::string& name,
                         bool by_default) {
    return names.empty() ? by_default : contains(names, name);
  };
  std::vector<BenchConfig> configs;
  for (const BenchConfig& config : bench_configs())
    if (chosen(options.names, config.name, config.vocabulary < 1000)) configs.push_back(config);
  std::vector<double> rates, peaks;
  for (std::size_t number = 0; number < configs.size(); ++number) {
    BenchConfig config = configs[number];
    if (options.context > 0) config.context = options.context;
    if (options.batch > 0) config.batch = options.batch;
    std::vector<std::unique_ptr<Contender>> contenders;
    for (const BenchVariant& variant : bench_variants())
      if (chosen(options.variants, variant.name, true)) {
        contenders.push_back(std::make_unique<Contender>(config, variant));
        contenders.back()->step();  // fills the memory pools; not timed
      }
    const double variants = static_cast<double>(contenders.size());
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < 3; ++i) {
        peaks.push_back(peak_gflops(report.threads));
        rates.push_back(sgemm_gflops(report.threads));
      }
      for (std::size_t i = 0; i < contenders.size(); ++i) {
        contenders[i]->spend_until(options.seconds / variants * (round + 1) / rounds);
        contenders[i]->decode();
        const double done = (round + static_cast<double>(i + 1) / variants) / rounds;
        if (progress)
          progress((static_cast<double>(number) + done) / static_cast<double>(configs.size()));
      }
    }
    for (auto& contender : contenders) {
      contender->conclude();
      report.results.push_back(contender->result);
      if (finished) finished(contender->result);
    }
  }
  report.peak_gflops = median(peaks);
  report.sgemm_gflops = median(rates);
  for (BenchResult& result : report.results) {
    result.share_of_peak = result.gflops / report.peak_gflops;
    result.share_of_sgemm = result.gflops / report.sgemm_gflops;
  }
  return report;
}

}  // namespace tapehead

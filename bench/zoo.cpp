// Measures the cost and the behaviour of attention layers. Prints JSON lines.
//
//   bench_zoo cost LENGTH...   one layer of each kind, width 64 and 4 heads, forward and backward
//                              over one sequence, on one thread: milliseconds, peak memory, and the
//                              number of cached elements after LENGTH tokens
//   bench_zoo first RUN        the share of the attention weights on the first token
//   bench_zoo experts RUN      how often the SwitchHead of a run uses each expert
#include "../cli/commands/load_run.hpp"
#include "../core/runtime/memory.hpp"
#include "../nn/attention/projection.hpp"
#include "../parts/parts.hpp"
#include "../parts/zoo/layers.hpp"
#include "../train/config/validate.hpp"
#include "../train/files/json.hpp"
#include "../train/model/parts.hpp"
#include "../train/step/thread_scope.hpp"
#include "../train/watch/timing.hpp"

#include <fmt/ranges.h>

#include <any>
#include <cstdio>

using namespace tapehead;

namespace {

const Registry& registry() {
  static const Registry standard = make_registry();
  return standard;
}

/// Makes the attention layer of a model from option names, without dashes, and values.
std::unique_ptr<Module> make_layer(const std::vector<std::pair<std::string, std::string>>& given) {
  TrainConfig config = registry().find_task("copy").recipe;
  config.model.width = 64, config.model.heads = 4;
  for (const Option& option : all_options(registry().find_task("copy"), registry()))
    for (const auto& [name, value] : given)
      if (option.name == name) option.set(config, value);
  const ModelOptions options = model_options(validated(config, registry()), registry());
  return options.attention.make(self_attention_options(options));
}

Index cached_numbers(const Module& layer, const Tensor& x) {
  Cache cache;
  Pass pass;
  pass.cache = &cache;
  layer(x, pass);
  Index numbers = 0;
  const auto count = [&](const Tensor& kept) {
    if (kept) numbers += kept.size();
  };
  for (const auto& [key, kept] : cache.layers) {
    if (const auto* both = std::any_cast<KeyValueCache>(&kept)) {
      count(both->keys.all());
      count(both->values.all());
    } else if (const auto* growing = std::any_cast<AppendableTensor>(&kept)) {
      count(growing->all());
    } else {
      count(std::any_cast<Tensor>(kept));  // throws if a cache entry isn't a tensor
    }
  }
  return numbers;
}

Json cost(const Module& layer, Index length) {
  const Tensor x = random_normal({1, length, 64}, {1});
  std::vector<double> forward, both, bytes;
  for (int run = 0; run < 9; ++run) {
    const std::size_t before = memory_use().live;
    reset_memory_peak();
    const Stopwatch watch;
    Pass pass = Pass::training(1, 0);
    Tape tape;
    tape.watch(x);
    const Tensor y = layer(x, pass);
    forward.push_back(1e3 * watch.seconds());
    const Gradients gradients = tape.backward(sum(y));
    both.push_back(1e3 * watch.seconds());
    bytes.push_back(static_cast<double>(memory_use().peak - before));
  }
  return {{"length", length},
          {"forward", *std::min_element(forward.begin(), forward.end())},
          {"both", *std::min_element(both.begin(), both.end())},
          {"bytes", median(bytes)},
          {"cache", cached_numbers(layer, x)},
          {"parameters", count_parameters(layer)}};
}

void costs(const std::vector<std::string>& lengths) {
  const ThreadScope one(1);
  const std::vector<std::vector<std::pair<std::string, std::string>>> kinds = {
      {},
      {{"window", "64"}},
      {{"attention", "gated-heads"}},
      {{"attention", "differential"}},
      {{"attention", "sinks"}, {"window", "64"}},
      {{"attention", "linear"}},
      {{"attention", "latent"}},
      {{"attention", "lstm"}},
      {{"attention", "gla"}},
      {{"attention", "mamba2"}},
      {{"attention", "gated-deltanet"}},
      {{"attention", "switchhead"}}};
  for (const auto& given : kinds) {
    std::string words =
        given.empty() || given[0].first != "attention" ? "--attention standard" : "";
    for (const auto& [name, value] : given)
      words += fmt::format("{}--{} {}", words.empty() ? "" : " ", name, value);
    const auto layer = make_layer(given);
    initialise(*layer, 1);
    for (const std::string& length : lengths) {
      Json line = cost(*layer, to_index("LENGTH", length));
      line["kind"] = words;
      std::puts(to_text(line).c_str());
    }
  }
}

void first_share(const LoadedRun& run) {
  double first = 0, all = 0;
  for (Index i = 0; i < std::min<Index>(16, held_out_size(*run.task)); ++i) {
    Pass pass = Pass::evaluation();
    std::vector<AttentionWeights> layers;
    collect_weights(pass, layers);
    logits_of(*run.model->module, run.model->batch({held_out_example(*run.task, i)}), pass);
    for (const auto& [module, weights] : layers) {
      // Uses only queries in the second half of the sequence, because the first queries see few
      // tokens.
      const Tensor late = slice(weights, 2, weights.dim(2) / 2, weights.dim(2));
      first += sum(slice(late, 3, 0, 1)).item();
      all += sum(late).item();
    }
  }
  std::puts(to_text(Json{{"first", first / all}}).c_str());
}

/// Returns, for each expert, the fraction of tokens that use the expert: (heads, experts).
Tensor use_of(const Tensor& gates) {
  return mean(cast(less(zeros({}, gates.dtype()), gates), DType::f64), {0, 1});
}

void experts(const LoadedRun& run) {
  const auto& gpt = dynamic_cast<const GPT&>(*run.model->module);
  std::vector<Example> examples;
  for (Index i = 0; i < std::min<Index>(64, held_out_size(*run.task)); ++i)
    examples.push_back(held_out_example(*run.task, i));
  Pass pass = Pass::evaluation();
  Tensor x = gpt.embedding(run.model->batch(examples).inputs, pass);
  for (std::size_t i = 0; i < gpt.blocks.size(); ++i) {
    const auto* layer = dynamic_cast<const zoo::SwitchHead*>(gpt.blocks[i].attention.get());
    if (!layer) throw UsageError("experts: the run's attention is not switchhead");
    const Tensor in = apply_optional(gpt.blocks[i].attention_norm, x, pass);
    for (const auto& [name, router] :
         {std::pair{"values", &layer->value_router}, {"outputs", &layer->out_router}})
      std::puts(to_text(Json{{"layer", i},
                             {"of", name},
                             {"experts", layer->experts},
                             {"use", use_of(layer->gates(*router, in, pass)).values()}})
                    .c_str());
    x = gpt.blocks[i](x, pass);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() >= 2 && words[0] == "cost")
    costs({words.begin() + 1, words.end()});
  else if (words.size() == 2 && words[0] == "first")
    first_share(load_run(words[1], registry()));
  else if (words.size() == 2 && words[0] == "experts")
    experts(load_run(words[1], registry()));
  else
    throw UsageError("bench_zoo cost LENGTH... | first RUN | experts RUN");
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_zoo: %s\n", error.what());
  return 1;
}

#pragma once
#include <tapehead/train/task.hpp>

namespace tapehead {

/// A training run, as the command line gives it. Defaults are a task's recipe.
struct TrainConfig {
  std::string task;
  TaskOptions task_options;

  std::string arch = "gpt";  ///< gpt, encoder, encoder-decoder: one that the task allows
  Index layers = 2, heads = 4, width = 64;
  Index kv_heads = 0;                          ///< divides heads; 0: as many
  std::string attention = "standard";          ///< a name in the registry
  std::string attention_temperature = "none";  ///< none, layer, head, qkv, lsa
  bool qk_norm = false;
  std::string position = "learned";  ///< none, learned, sinusoidal, rotary, alibi, relative, t5
  Index reach = 16;                  ///< of relative positions
  double dropout = 0;
  std::string dtype = "f32";  ///< f32, f64, bf16

  std::string optimizer = "adamw";  ///< adamw, sgd
  double lr = 1e-3, min_lr = 1e-4;
  Index warmup = 20;
  double weight_decay = 0.1;
  double beta1 = 0.9, beta2 = 0.99;  ///< sgd: beta1 is its momentum
  double clip = 1;
  Index batch = 64, steps = 500;
  Index eval_every = 100;  ///< steps between evaluations; 0: at the end alone
  Index shards = 0;        ///< 0: default_shards of the batch and the model
  std::uint64_t seed = 0;

  // Where and how it runs: none of these changes a bit of the result.
  bool recompute = false;  ///< blocks are computed again in backward, which takes less memory
  Index threads = 0;       ///< 0: one for each processor, at most `shards`
  std::string out;         ///< run folder; empty: runs/TASK-N, the first free N
};

}  // namespace tapehead

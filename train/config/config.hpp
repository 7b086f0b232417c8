#pragma once
#include "../tasks/task.hpp"

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
  std::string norm = "layer";  ///< layer, rms, none
  std::string mlp = "gelu";    ///< gelu, relu, relu2, swiglu, none
  bool residual = true, zero_out = false;
  std::string position = "learned";  ///< none, learned, sinusoidal, rotary, alibi, relative, t5
  Index reach = 16;                  ///< of relative positions
  double dropout = 0;
  std::string dtype = "f32";  ///< f32, f64, bf16

  std::string optimizer = "adamw";         ///< adamw, lion, muon, sgd
  double momentum = 0.95, adam_lr = 1e-3;  ///< muon: of matrices; of all else
  double lr = 1e-3, min_lr = 1e-4;
  Index warmup = 20;
  std::string schedule = "cosine";  ///< constant, linear, cosine, wsd
  double decay = 0.2;               ///< wsd: share of the steps over which it falls
  double weight_decay = 0.1;
  double beta1 = 0.9, beta2 = 0.99;  ///< sgd: beta1 is its momentum
  double clip = 1;
  Index batch = 64, steps = 500;
  Index accumulate = 1;         ///< micro-batches of a step's batch, one after the other
  double smoothing = 0;         ///< of the training loss's targets
  double average = 0;           ///< decay of the moving average of the weights; 0: none
  std::string init;             ///< a run whose weights to start from; empty: drawn
  std::string freeze;           ///< globs over the paths of parameters that stay as they are
  std::string until;            ///< accuracy=X or loss=X, at which an evaluation ends training
  bool skip_bad_steps = false;  ///< leave out those whose loss or gradient isn't finite
  Index eval_every = 100;       ///< steps between evaluations; 0: at the end alone
  Index shards = 0;             ///< 0: default_shards
  std::uint64_t seed = 0;

  // Where and how it runs: none of these changes a bit of the result.
  Index keep = 2;            ///< checkpoints that stay, from the last one on, besides the best
  bool recompute = false;    ///< blocks are computed again in backward, which takes less memory
  bool tensorboard = false;  ///< metrics are written for TensorBoard, too
  Index threads = 0;         ///< 0: one for each processor, at most 4 or `shards`
  std::string out;           ///< run folder; empty: runs/TASK-N, the first free N
};

}  // namespace tapehead

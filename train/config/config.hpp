#pragma once
#include "../../nn/transformer.hpp"
#include "../data/task.hpp"

#include <functional>
#include <map>

namespace tapehead {

/// The values, as text, of the options that the chosen parts declare.
struct OwnValues {
  std::map<std::string, std::string> texts;

  /// Returns the options of a part. Throws ValueError if the part isn't chosen.
  template <class Options>
  Options as() const {
    Options own;
    read([&](Fields& f) { own.options(f); }, /*all_given=*/true);
    return own;
  }
  /// Returns `own` with the values of this configuration. Before validation, some may be missing.
  template <class Options>
  Options over(Options own) const {
    read([&](Fields& f) { own.options(f); }, /*all_given=*/false);
    return own;
  }

 private:
  void read(const std::function<void(Fields&)>& visit, bool all_given) const;
};

/// The configuration of a training run. Each task's default configuration starts from these
/// defaults.
struct TrainConfig {
  // These functions declare the options below, except for those that choose parts.
  void rate(Fields& f);
  void learning(Fields& f);
  void evaluation(Fields& f);
  void running(Fields& f);  ///< declares options that don't affect the result
  void folder(Fields& f);

  std::string task;
  TaskOptions task_options;

  // Names of parts in the registry.
  std::string arch = "gpt";  ///< must be one of the task's architectures
  std::string attention = "standard", position = "learned", norm = "layer", mlp = "gelu";
  std::string optimizer = "adamw", schedule = "cosine";
  OwnValues own;  ///< options of the chosen parts

  /// The model's options, without those that the parts and the task determine (lengths,
  /// vocabulary).
  ModelOptions model;
  std::string dtype = "f32";  ///< f32, f64, bf16

  double lr = 1e-3;
  Index warmup = 20;
  double clip = 1;
  Index batch = 64, steps = 500;
  bool fixed_batch = false;     ///< train on the first batch at every step
  Index accumulate = 1;         ///< gradient accumulation: micro-batches per batch
  double smoothing = 0;         ///< label smoothing of the training loss
  double average = 0;           ///< EMA decay of the weights; 0: no EMA
  std::string init;             ///< run or file with the initial weights; empty: random
  std::string init_only;        ///< globs of the parameters to load from `init`; empty: all
  bool init_missing = false;    ///< initialize parameters that `init` lacks; false: throw
  std::string freeze;           ///< globs of parameters not to train
  std::string until;            ///< exact-match=X or loss=X: goal that ends training
  Index patience = 0;           ///< early stopping: evaluations without improvement; 0: off
  bool skip_bad_steps = false;  ///< skip steps with a non-finite loss or gradient
  Index eval_every = 100;       ///< steps between evaluations (0 = only at the end)
  Index eval_examples = 0;      ///< validation examples per evaluation; 0: all
  Index shards = 0;             ///< slices of a micro-batch; 0: default_shards
  std::uint64_t seed = 0;

  // These options and model.recompute don't affect the result, which is bitwise identical.
  Index keep = 2;            ///< number of latest checkpoints to keep; the best is kept as well
  bool tensorboard = false;  ///< also write metrics for TensorBoard
  bool csv = false;          ///< also write metrics as CSV
  bool histograms = false;   ///< record histograms at evaluations
  Index log_every = 0;       ///< steps between lines of metrics; 0: a hundredth of the steps
  Index threads = 0;         ///< number of threads; 0: automatic
  std::string out;           ///< run folder; empty: runs/TASK-N, the first free N
};

/// Returns the number of steps between lines of metrics. Evaluations, stops and slow steps add
/// further lines.
Index report_interval(const TrainConfig& config);

}  // namespace tapehead

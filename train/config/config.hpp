#pragma once
#include "../../nn/transformer.hpp"
#include "../data/task.hpp"

#include <functional>
#include <map>

namespace tapehead {

/// The values, as text, of the chosen parts' own options.
struct OwnValues {
  std::map<std::string, std::string> texts;

  /// A part's own options. Throws ValueError where the part isn't one of those chosen.
  template <class Options>
  Options as() const {
    Options own;
    read([&](Fields& f) { own.options(f); }, /*all_given=*/true);
    return own;
  }
  /// The same, with the defaults of a configuration that hasn't been validated.
  template <class Options>
  Options over(Options own) const {
    read([&](Fields& f) { own.options(f); }, /*all_given=*/false);
    return own;
  }

 private:
  void read(const std::function<void(Fields&)>& visit, bool all_given) const;
};

/// The configuration of a training run, as the command line gives it. The defaults are the base of
/// every task's recipe.
struct TrainConfig {
  // The options below, apart from those that name parts.
  void rate(Fields& f);
  void learning(Fields& f);
  void evaluation(Fields& f);
  void running(Fields& f);  ///< which change no bit of the result
  void folder(Fields& f);

  std::string task;
  TaskOptions task_options;

  // Parts, by their names in the registry.
  std::string arch = "gpt";  ///< one that the task allows
  std::string attention = "standard", position = "learned", norm = "layer", mlp = "gelu";
  std::string optimizer = "adamw", schedule = "cosine";
  OwnValues own;  ///< of these parts' own options

  /// All but what follows from the parts, or from the task (lengths, vocabulary).
  ModelOptions model;
  std::string dtype = "f32";  ///< f32, f64, bf16

  double lr = 1e-3;
  Index warmup = 20;
  double clip = 1;
  Index batch = 64, steps = 500;
  bool fixed_batch = false;     ///< the batch of the first step is that of every step
  Index accumulate = 1;         ///< micro-batches of a batch, run one after the other
  double smoothing = 0;         ///< label smoothing of the training loss
  double average = 0;           ///< decay of the moving average of the weights; 0: none
  std::string init;             ///< a run or file whose weights to start from; empty: random
  std::string init_only;        ///< globs over the parameters that start from it; empty: all
  bool init_missing = false;    ///< those that it hasn't are drawn; else it must have all
  std::string freeze;           ///< globs over the paths of parameters that aren't trained
  std::string until;            ///< exact-match=X or loss=X, at which an evaluation ends training
  Index patience = 0;           ///< evaluations in a row without a better one that end it; 0: none
  bool skip_bad_steps = false;  ///< skip those whose loss or gradient is non-finite
  Index eval_every = 100;       ///< steps between evaluations; 0: only at the end
  Index eval_examples = 0;      ///< held-out examples of an evaluation; 0: all
  Index shards = 0;             ///< 0: default_shards
  std::uint64_t seed = 0;

  // Where and how it runs: none of these, nor model.recompute, changes a bit of the result.
  Index keep = 2;            ///< number of the last checkpoints to keep, besides the best
  bool tensorboard = false;  ///< write the metrics for TensorBoard as well
  bool csv = false;          ///< write the metrics as a table as well
  bool histograms = false;   ///< record distributions at evaluations
  Index log_every = 0;       ///< steps between lines of metrics; 0: a hundredth of the steps
  Index threads = 0;         ///< 0: as many as have enough to do
  std::string out;           ///< run folder; empty: runs/TASK-N, the first free N
};

/// Returns the number of steps from one line of metrics to the next, apart from the lines of
/// evaluations, of stops, and of steps that take long.
Index report_interval(const TrainConfig& config);

}  // namespace tapehead

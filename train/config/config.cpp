#include "config.hpp"

#include <algorithm>
#include <limits>

namespace tapehead {
namespace {

// The random-number key of a step has 32 bits for the step number.
constexpr Index most_steps = 0xffffffff, any = std::numeric_limits<Index>::max();

constexpr Choice<bool> missing_choices[] = {{"refused", false}, {"fresh", true}};

}  // namespace

void TrainConfig::rate(Fields& f) {
  f("lr", lr, Range::positive(), "learning rate after the warmup");
  f("warmup", warmup, 0, most_steps, "steps of learning-rate warmup, up to --lr");
}

void TrainConfig::learning(Fields& f) {
  f("clip", clip, Range::not_negative(),
    "gradient clipping: largest gradient norm (0 = no clipping)");
  f("smoothing", smoothing, Range::fraction(),
    "label smoothing: fraction of each target spread over all tokens", "label-smoothing");
  f("average", average, Range::fraction(),
    "EMA decay of the weights that are evaluated and saved (0 = no EMA)", "ema");
  f("batch", batch, 1, 1 << 20, "batch size: examples per step");
  f("fixed-batch", fixed_batch, "the first batch at every step, as an overfitting test");
  f("accumulate", accumulate, 1, any,
    "gradient accumulation: micro-batches per batch, to save memory", "grad-accum");
  f("steps", steps, 1, most_steps, "number of training steps");
  f("until", until, "GOAL",
    "goal that ends training, checked at each evaluation: exact-match=X or loss=X");
  f("patience", patience, 0, any,
    "early stopping: evaluations in a row without improvement before training ends (0 = never)",
    "early-stopping");
  f("init", init, "RUN", "initial weights: another run, or FILE.safetensors (default: random)");
  f("init-only", init_only, "GLOBS", "with --init: globs of the parameters to load (default: all)");
  f("init-missing", init_missing, missing_choices,
    "with --init: missing parameters cause an error (refused) or get random weights (fresh)");
  f("freeze", freeze, "GLOBS", "globs of parameters not to train, such as tokens*,blocks.0.*");
  f("skip-bad-steps", skip_bad_steps, "no update at steps with a non-finite loss or gradient");
  f("seed", seed, "seed of all random numbers");
}

void TrainConfig::evaluation(Fields& f) {
  f("eval-every", eval_every, 0, most_steps, "steps between evaluations (0 = only at the end)");
  f("eval-examples", eval_examples, 0, any,
    "validation (held-out) examples per evaluation during training (0 = all)");
  f("shards", shards, 0, any, "number of shards of a batch (0 = by batch and model size)");
}

void TrainConfig::running(Fields& f) {
  f("keep", keep, 1, most_steps, "number of latest checkpoints to keep; the best is always kept");
  f("recompute", model.recompute,
    "activation checkpointing: blocks are recomputed in the backward pass, to save memory",
    "activation-checkpointing");
  f("log-every", log_every, 0, most_steps,
    "steps between lines of metrics.jsonl (0 = a hundredth of --steps)");
  f("tensorboard", tensorboard, "metrics for TensorBoard as well, in RUN/tensorboard");
  f("csv", csv, "metrics as CSV as well, in RUN/metrics.csv");
  f("histograms", histograms,
    "histograms of weights, gradients and activations at each evaluation");
  f("threads", threads, 0, 1024, "number of threads (0 = auto)");
}

void TrainConfig::folder(Fields& f) {
  f("out", out, "FOLDER", "run folder (default: first free runs/TASK-N)");
}

Index report_interval(const TrainConfig& config) {
  if (config.log_every > 0) return config.log_every;
  return std::max<Index>((config.steps + 50) / 100, 1);
}

}  // namespace tapehead

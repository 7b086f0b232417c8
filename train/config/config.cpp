#include "config.hpp"

#include <algorithm>
#include <limits>

namespace tapehead {
namespace {

// The key of a step's random numbers has 32 bits for the step.
constexpr Index most_steps = 0xffffffff, any = std::numeric_limits<Index>::max();

constexpr Choice<bool> missing_choices[] = {{"refused", false}, {"fresh", true}};

}  // namespace

void TrainConfig::rate(Fields& f) {
  f("lr", lr, Range::positive(), "learning rate, after the warmup");
  f("warmup", warmup, 0, most_steps, "steps over which the learning rate rises to --lr");
}

void TrainConfig::learning(Fields& f) {
  f("clip", clip, Range::not_negative(), "largest norm of the gradient; 0: any");
  f("smoothing", smoothing, Range::fraction(),
    "label smoothing: fraction of each target spread over all tokens");
  f("average", average, Range::fraction(),
    "decay of the moving average of weights that is evaluated and saved; 0: none");
  f("batch", batch, 1, 1 << 20, "examples per step");
  f("fixed-batch", fixed_batch, "train on the batch of the first step at every step");
  f("accumulate", accumulate, 1, any,
    "micro-batches of a batch, run one after the other to save memory");
  f("steps", steps, 1, most_steps, "steps in total");
  f("until", until, "GOAL", "exact-match=X or loss=X: end at the first evaluation that reaches it");
  f("patience", patience, 0, any,
    "end after so many evaluations in a row without a better one; 0: never");
  f("init", init, "RUN", "start from the weights of another run, or of FILE.safetensors");
  f("init-only", init_only, "GLOBS", "with --init: only parameters of these paths start from it");
  f("init-missing", init_missing, missing_choices,
    "with --init: what becomes of parameters that the other run hasn't");
  f("freeze", freeze, "GLOBS", "parameters that aren't trained, by path: tokens*,blocks.0.*");
  f("skip-bad-steps", skip_bad_steps, "skip steps with a non-finite loss or gradient");
  f("seed", seed, "seed of all random numbers");
}

void TrainConfig::evaluation(Fields& f) {
  f("eval-every", eval_every, 0, most_steps, "steps between evaluations; 0: only at the end");
  f("eval-examples", eval_examples, 0, any,
    "most held-out examples of an evaluation while training; 0: all");
  f("shards", shards, 0, any, "shards of a batch; 0: by its size and the model's");
}

void TrainConfig::running(Fields& f) {
  f("keep", keep, 1, most_steps, "checkpoints to keep: the last N, and the best");
  f("recompute", model.recompute, "recompute blocks in backward, to save memory");
  f("log-every", log_every, 0, most_steps,
    "steps between lines of metrics.jsonl; 0: a hundredth of --steps");
  f("tensorboard", tensorboard,
    "write the metrics to RUN/tensorboard as well, as TensorBoard reads them");
  f("csv", csv, "write the metrics to RUN/metrics.csv as well, a row for each step that reports");
  f("histograms", histograms,
    "record how weights, gradients and activations are distributed at each evaluation");
  f("threads", threads, 0, 1024, "threads to run on; 0: as many as have enough to do");
}

void TrainConfig::folder(Fields& f) {
  f("out", out, "FOLDER", "folder of the run; default: the first free runs/TASK-N");
}

Index report_interval(const TrainConfig& config) {
  if (config.log_every > 0) return config.log_every;
  return std::max<Index>((config.steps + 50) / 100, 1);
}

}  // namespace tapehead

#pragma once
// Runs with checkpoints whose values equal their step.
#include "../../train/runs/run_folder.hpp"
#include "folders.hpp"
#include "support.hpp"
#include "toy_model.hpp"

namespace tapehead {

/// Makes a run with a configuration only, locked for training during the result's lifetime.
inline RunFolder make_run(const std::string& path) {
  RunFolder folder = RunFolder::create(path);
  folder.write_config("steps = 1\n");
  return folder;
}

/// Saves a checkpoint in which every value is its step.
inline void save(const RunFolder& folder, Index step, Index width = 3,
                 const SaveOptions& options = {}) {
  const auto value = static_cast<double>(step);
  ToyModel model(value, width);
  ToyOptimizer optimizer(model, value);
  optimizer.steps = step;
  folder.save(model, optimizer, step, options);
}
/// Loads such a checkpoint, checks it, and returns its step.
inline Index load(const RunFolder& folder, Index width = 3) {
  ToyModel model(-1, width);
  ToyOptimizer optimizer(model, -1);
  const Index step = folder.load(model, &optimizer);
  BOOST_TEST_REQUIRE(all_are(model, optimizer, static_cast<double>(step)));
  BOOST_TEST_REQUIRE(optimizer.steps == step);
  return step;
}

/// Returns options to keep this many checkpoints.
inline SaveOptions keep(Index count) {
  SaveOptions options;
  options.keep = count;
  return options;
}

inline const Names saved_names = {"checkpoint", "config.toml", "lock", "model.safetensors",
                                  "optimizer.safetensors"};

}  // namespace tapehead

#pragma once
// Runs whose checkpoints show by their values which step they are of.
#include "../../train/runs/run_folder.hpp"
#include "folders.hpp"
#include "support.hpp"
#include "toy_model.hpp"

namespace tapehead {

/// A run with a configuration and nothing else, held for training while the result lives.
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
/// Loads one, which must be such, and returns its step.
inline Index load(const RunFolder& folder, Index width = 3) {
  ToyModel model(-1, width);
  ToyOptimizer optimizer(model, -1);
  const Index step = folder.load(model, &optimizer);
  BOOST_TEST_REQUIRE(all_are(model, optimizer, static_cast<double>(step)));
  BOOST_TEST_REQUIRE(optimizer.steps == step);
  return step;
}

/// That this many checkpoints stay.
inline SaveOptions keep(Index count) {
  SaveOptions options;
  options.keep = count;
  return options;
}

inline const Names saved_names = {"checkpoint", "config.toml", "lock", "model.safetensors",
                                  "optimizer.safetensors"};

}  // namespace tapehead

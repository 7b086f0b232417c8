#pragma once
#include "../../optim/optimizer.hpp"
#include "../../train/runs/run_folder.hpp"
#include "train_arguments.hpp"

namespace tapehead {

/// An optimizer without state, since a checkpoint must have an optimizer.
struct NoOptimizer : Optimizer {
  NoOptimizer() : Optimizer({}) {}
  std::vector<State> state() override { return {}; }
  void update(std::size_t, const Tensor&, double) override {}
};

/// A model to write as a run, though the command `train` didn't make it.
struct UntrainedRun {
  TrainConfig config;  ///< with the run's folder as `out`
  Module& model;
  Optimizer& optimizer;
  std::string origin;     ///< how the weights were made, such as `compiled`; empty: by training
  Index steps = 0;        ///< training steps
  std::string data = {};  ///< hashes of the data files
};
/// Creates the run's folder with one checkpoint, which is also the best. `add` writes more files.
/// Removes the folder again if something fails.
RunFolder write_run(const UntrainedRun& run, const Registry& registry,
                    const std::function<void(const RunFolder&)>& add = {});

}  // namespace tapehead

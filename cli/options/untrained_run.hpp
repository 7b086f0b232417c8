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

/// A model that `train` didn't make.
struct UntrainedRun {
  TrainConfig config;  ///< with the run's folder as `out`
  Module& model;
  Optimizer& optimizer;
  std::string origin;     ///< what made the weights, such as `compiled`; empty: a training
  Index steps = 0;        ///< steps of that training
  std::string data = {};  ///< hashes of the data files
};
/// Creates the run's folder with one checkpoint, which is also the best. `add` writes more files.
/// Removes the folder again if something fails.
RunFolder write_run(const UntrainedRun& run, const Registry& registry,
                    const std::function<void(const RunFolder&)>& add = {});

}  // namespace tapehead

#pragma once
#include "../../core/error.hpp"
#include "../../nn/module.hpp"
#include "../../optim/average.hpp"

#include <string>

namespace tapehead {

/// A checkpoint that is whole, of another model or optimizer than the one that it was read for.
struct MisfitError : FileError {
  using FileError::FileError;
};

/// A checkpoint is these two files in a folder. Each carries the step in its metadata, and a
/// checksum.
constexpr const char *model_file = "model.safetensors", *optimizer_file = "optimizer.safetensors";

/// Model and optimizer after `steps` steps, into a folder that exists. Frozen parameters are saved
/// too. With an average of the weights, the model's file has the average, so that whoever reads a
/// model gets it, and the optimizer's file the weights that training goes on from, as
/// "weights.PATH". The model's metadata has the configuration too, where one is given. Throws
/// FileError with the system's reason.
void write_checkpoint(const std::string& folder, Module& model, Optimizer& optimizer, Index steps,
                      WeightAverage* average = nullptr, const std::string& config = "");
/// The steps done. Throws FileError where a file is damaged, and MisfitError where it doesn't fit:
/// names, types and shapes must be those of the model and of the optimizer, which are changed only
/// once everything was read and checked. Without an optimizer its file isn't read, and the model
/// gets what the model's file has.
Index read_checkpoint(const std::string& folder, Module& model, Optimizer* optimizer,
                      WeightAverage* average = nullptr);

/// What the model's file says of its training.
struct CheckpointRecord {
  Index steps = 0;
  std::string config;  ///< empty where none was recorded
};
/// Throws FileError where the model's file is damaged.
CheckpointRecord read_record(const std::string& folder);

}  // namespace tapehead

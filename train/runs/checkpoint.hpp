#pragma once
#include "../../core/error.hpp"
#include "../../nn/parameters.hpp"
#include "../../optim/average.hpp"

#include <map>
#include <string>

namespace tapehead {

/// The checkpoint is intact, but belongs to another model, optimizer or version of the format, or
/// has weights that aren't finite.
struct MismatchError : FileError {
  using FileError::FileError;
};

/// A checkpoint is a folder with these two files. Each has the step and a checksum in its metadata.
constexpr const char *model_file = "model.safetensors", *optimizer_file = "optimizer.safetensors";

/// Whether a folder has both.
bool is_complete_checkpoint(const std::string& folder);
/// The first name in the folder of a checkpoint that somebody else put there, so that it isn't to
/// be removed; empty where there is none. Throws FileError where the folder can't be read.
std::string foreign_file_in_checkpoint(const std::string& folder);

/// What the model's file says of the training that it came from; what is empty isn't recorded.
struct TrainingRecord {
  std::string config;  ///< the options that decide its result
  std::string data;    ///< data_digests of the files that it learns from
  /// Why other machines may get other weights, such as `bf16 by avx512`; only earlier versions set
  /// it.
  std::string digest_note;
  std::string line;  ///< of metrics, of its last step, which is still to be evaluated
};

/// Throws ValueError that names what keeps a checkpoint from being written: two tensors of one
/// name, or one without a value.
void check_names(Module& model, Optimizer& optimizer, WeightAverage* average = nullptr);

/// Writes model and optimizer after `steps` steps into an existing folder. Frozen parameters are
/// saved too. With a moving average of the weights, the model's file has the average, so that every
/// reader of the model gets it, and the optimizer's file has the weights that training continues
/// from, as "weights.PATH". The metadata of the model also has the digest of the weights in this
/// file, and the record. Throws FileError with the system's reason.
void write_checkpoint(const std::string& folder, Module& model, Optimizer& optimizer, Index steps,
                      WeightAverage* average = nullptr, const TrainingRecord& record = {});
/// Reads a checkpoint and returns its number of steps. Throws FileError if a file is damaged or
/// missing, SystemError if the system can't read it, which says nothing about the checkpoint, and
/// MismatchError if it doesn't fit: names, types and shapes must be those of the model and of the
/// optimizer, and all weights finite. Model and optimizer are changed only after everything was
/// read and checked. Without an optimizer, its file isn't read and the model gets the contents
/// of the model's file. What the model has in bf16 is rounded from f32.
Index read_checkpoint(const std::string& folder, Module& model, Optimizer* optimizer,
                      WeightAverage* average = nullptr);

/// What the model's file records about its training.
struct CheckpointRecord : TrainingRecord {
  Index steps = 0;
  std::string digest;                     ///< empty where none was recorded
  std::map<std::string, Tensor> weights;  ///< by the names of their parameters
};
/// Throws as read_checkpoint does.
CheckpointRecord read_record(const std::string& folder);
/// The same without the weights: only the metadata is read, and the checksum isn't tested.
CheckpointRecord read_metadata(const std::string& folder);

}  // namespace tapehead

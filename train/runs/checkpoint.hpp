#pragma once
#include "../../core/error.hpp"
#include "../../nn/parameters.hpp"
#include "../../optim/average.hpp"

#include <map>
#include <string>

namespace tapehead {

/// An intact checkpoint that doesn't match the model, the optimizer or the format version, or that
/// has non-finite weights.
struct MismatchError : FileError {
  using FileError::FileError;
};

/// A checkpoint is a folder with these two files. Each has the step and a checksum in its metadata.
constexpr const char *model_file = "model.safetensors", *optimizer_file = "optimizer.safetensors";

/// Returns whether a folder has both files.
bool is_complete_checkpoint(const std::string& folder);
/// Returns the name of a foreign file or folder in a checkpoint, which must then be kept; empty if
/// there is none. Throws FileError if the folder can't be read.
std::string foreign_file_in_checkpoint(const std::string& folder);

/// A checkpoint's record of its training. Empty texts aren't recorded.
struct TrainingRecord {
  std::string config;  ///< the options that determine the result
  std::string data;    ///< data_digests of the training data
  /// Why weights may differ on other machines, such as `bf16 by avx512`. Only earlier versions of
  /// the program set it.
  std::string digest_note;
  std::string line;  ///< metrics line of the last step, if its evaluation is pending
};

/// Throws ValueError if a checkpoint can't be written because two tensors have the same name, or
/// one has no value.
void check_names(Module& model, Optimizer& optimizer, WeightAverage* average = nullptr);

/// Writes model and optimizer after `steps` steps into an existing folder, including frozen
/// parameters. With weight averaging (EMA), the model file has the EMA weights, which all readers
/// use. The optimizer file then has the training weights as "weights.PATH". The model's metadata
/// also has its weight hash and the record. Throws FileError with the system's reason.
void write_checkpoint(const std::string& folder, Module& model, Optimizer& optimizer, Index steps,
                      WeightAverage* average = nullptr, const TrainingRecord& record = {});
/// Reads a checkpoint and returns its number of steps. Throws FileError if a file is damaged or
/// missing, and SystemError if the system can't read it. Throws MismatchError if names, types or
/// shapes don't match, or a weight is non-finite. Changes model and optimizer only after all
/// checks. Without an optimizer, ignores its file and loads the model file as it is. Parameters in
/// bf16 are rounded from f32.
Index read_checkpoint(const std::string& folder, Module& model, Optimizer* optimizer,
                      WeightAverage* average = nullptr);

/// A checkpoint's record of its training, with step, weight hash and weights.
struct CheckpointRecord : TrainingRecord {
  Index steps = 0;
  std::string digest;                     ///< weight hash; empty if none was recorded
  std::map<std::string, Tensor> weights;  ///< weights by parameter path
};
/// Reads the record. Throws as read_checkpoint does.
CheckpointRecord read_record(const std::string& folder);
/// Reads the record without weights, from the metadata alone. Doesn't verify the checksum.
CheckpointRecord read_metadata(const std::string& folder);

}  // namespace tapehead

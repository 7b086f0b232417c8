#pragma once
#include "../../core/tensor.hpp"
#include "../../nn/parameters.hpp"
#include "../config/config.hpp"

#include <map>
#include <string>
#include <vector>

namespace tapehead {

/// Returns a hash of weights: the first 16 hexadecimal digits of a SHA-256. Parameters are hashed
/// in byte order of their names. Each contributes its name and a zero byte, then a line of ASCII:
/// `F32`, `F64` or `I32`, and each size after a space. The elements follow, row-major and
/// little-endian. So the hash depends on the weights alone, not on the file.
std::string digest(const std::map<std::string, Tensor>& weights);
/// Returns the hash of all parameters of a model, frozen ones included. They must have values.
std::string digest(Module& model);
/// Returns the first 16 hexadecimal digits of a file's SHA-256. Throws FileError.
std::string digest_of_file(const std::string& path);
/// Returns the hash of a file or, for a folder, of the names and hashes of its files, sorted by
/// name.
std::string digest_of_data(const std::string& path);

/// Returns the hashes of the training data as a checkpoint records them: a line per file option,
/// `data 0123456789abcdef`. If --init names a run, hashes the weights of its last checkpoint.
/// Missing files are omitted.
std::string data_digests(const TrainConfig& config);
/// Returns the task's file options whose hashes differ from the recorded ones. Ignores missing
/// files and options without a recorded hash.
std::vector<std::string> changed_data(const TaskOptions& options, const std::string& recorded);
/// Compares the current result of data_digests with the recorded hashes.
std::vector<std::string> changed_data(const std::string& now, const std::string& recorded);
/// Returns an option's recorded hash; empty if there is none.
std::string recorded_digest(const std::string& recorded, const std::string& option);

/// Returns the digest followed by its note, if any, in parentheses.
std::string with_note(const std::string& digest, const std::string& note);

}  // namespace tapehead

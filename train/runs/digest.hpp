#pragma once
#include "../../core/tensor.hpp"
#include "../../nn/parameters.hpp"
#include "../config/config.hpp"

#include <map>
#include <string>
#include <vector>

namespace tapehead {

/// A fingerprint of weights: the first sixteen hexadecimal digits of a SHA-256. What is hashed, for
/// each parameter in the order of the bytes of its name: the name and a zero byte; `F32`, `F64` or
/// `I32`, then a space and a size for each axis, and a newline, all in ASCII; and the elements, row
/// by row, in their little-endian bytes. So it depends on the weights alone, not on the file that
/// has them, nor on when it was written.
std::string digest(const std::map<std::string, Tensor>& weights);
/// Of all parameters of a model, which have values, frozen ones included.
std::string digest(Module& model);
/// Of a file's bytes: the first sixteen hexadecimal digits of their SHA-256. Throws FileError.
std::string digest_of_file(const std::string& path);
/// Of a file, or of a folder: of the names and digests of its files, in the order of the names.
std::string digest_of_data(const std::string& path);

/// The digests of the files that training reads, as a checkpoint records them: a line for each
/// option that names one, `data 0123456789abcdef`. Of a run in --init, its last weights. Files that
/// aren't there have none.
std::string data_digests(const TrainConfig& config);
/// The task's options whose files have other digests than those recorded. Files that are missing,
/// or whose digests were never recorded, don't count.
std::vector<std::string> changed_data(const TaskOptions& options, const std::string& recorded);
/// The same of the digests that data_digests has returned.
std::vector<std::string> changed_data(const std::string& now, const std::string& recorded);
/// The digest of an option's file in such lines; empty where there is none.
std::string recorded_digest(const std::string& recorded, const std::string& option);

/// The digest with its note, if it has one, in parentheses.
std::string with_note(const std::string& digest, const std::string& note);

}  // namespace tapehead

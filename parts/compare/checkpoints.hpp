#pragma once
// The checkpoints of two runs: which they both kept, and how far their weights are apart.
#include "../../train/runs/run_folder.hpp"
#include "tensors.hpp"

#include <map>

namespace tapehead {

/// A checkpoint of each run.
struct CheckpointPair {
  Index step_a = 0, step_b = 0;
  std::string folder_a, folder_b;  ///< empty for the last one in a copy without folders of steps
  std::string digest_a, digest_b;  ///< of the weights that are there
  std::string recorded_a, recorded_b;  ///< the digests recorded in the files, where they differ

  bool same() const { return digest_a == digest_b; }
};

/// Those of steps that both kept, in the order of training; where there are none, the last of each.
/// None at all where a run has no checkpoint.
std::vector<CheckpointPair> common_checkpoints(const RunFolder& a, const RunFolder& b);

struct ComparedWeights {
  std::map<std::string, TensorDifference> common;  ///< by their names, in their order
  std::vector<std::string> only_a, only_b;
  std::vector<std::string> not_finite_a, not_finite_b;  ///< `embedding (nan)`

  bool same() const;
};

ComparedWeights compare_weights(const std::map<std::string, Tensor>& a,
                                const std::map<std::string, Tensor>& b);
/// Of the checkpoints of a pair.
ComparedWeights compare_weights(const RunFolder& a, const RunFolder& b, const CheckpointPair& pair);

std::string to_text(const ComparedWeights& weights, int width);
/// The weights that are NaN or infinite, in either run; empty if all are finite.
std::string not_finite_text(const ComparedWeights& weights, int width);
Json to_json(const ComparedWeights& weights);

}  // namespace tapehead

#pragma once
// Compares the checkpoints of two runs: common steps and weights.
#include "../../train/runs/run_folder.hpp"
#include "tensors.hpp"

#include <map>

namespace tapehead {

/// A checkpoint of run A and one of run B.
struct CheckpointPair {
  Index step_a = 0, step_b = 0;
  std::string folder_a, folder_b;  ///< empty: the last checkpoint of a run without step folders
  std::string digest_a, digest_b;  ///< computed from the weights
  std::string recorded_a,
      recorded_b;  ///< recorded in the file; empty if the recorded digest is right

  bool same() const { return digest_a == digest_b; }
};

/// Returns the pairs of checkpoints at common steps, in order. If no step is common, returns the
/// pair of last checkpoints; if a run has no checkpoint, returns nothing.
std::vector<CheckpointPair> common_checkpoints(const RunFolder& a, const RunFolder& b);

/// The differences between two sets of weights.
struct ComparedWeights {
  std::map<std::string, TensorDifference> common;  ///< by weight name
  std::vector<std::string> only_a, only_b;
  std::vector<std::string> not_finite_a, not_finite_b;  ///< texts such as `embedding (nan)`

  bool same() const;
};

ComparedWeights compare_weights(const std::map<std::string, Tensor>& a,
                                const std::map<std::string, Tensor>& b);
/// Reads the two checkpoints and compares their weights.
ComparedWeights compare_weights(const RunFolder& a, const RunFolder& b, const CheckpointPair& pair);

std::string to_text(const ComparedWeights& weights, int width);
/// Lists the weights that are NaN or infinite in either run; returns an empty text if all are
/// finite.
std::string not_finite_text(const ComparedWeights& weights, int width);
Json to_json(const ComparedWeights& weights);

}  // namespace tapehead

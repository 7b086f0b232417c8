#pragma once
#include "fault.hpp"

namespace tapehead {

/// What a wrong rule sees of its op.
struct FaultStep {
  std::vector<Tensor> x;  ///< the op's inputs
  Tensor y, dy;
  Grads right;            ///< what the right rule gives them
  bool constant = false;  ///< the second input is a number
};

/// A wrong rule for an op. It returns no gradients, or throws ShapeError, where there is no such
/// mistake to be made.
struct FaultRule {
  const char* kind;
  const char* op;
  Grads (*grads)(const FaultStep& step);
};
/// All but `overwritten`, which is a mistake of the engine and not of a rule.
const std::vector<FaultRule>& fault_rules();

}  // namespace tapehead

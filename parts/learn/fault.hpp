#pragma once
// Small networks with one wrong backward function, for students to find with paper and pencil.
#include "../explain/explanation.hpp"

namespace tapehead {

/// A kind of mistake.
struct FaultKind {
  const char* name;   ///< one word: transposed
  const char* words;  ///< description
};
const std::vector<FaultKind>& fault_kinds();

/// A mistake in the gradient of one op.
struct Fault {
  int line = 0;  ///< line of the explanation with the wrong backward function or the wrong sum
  std::string kind;

  bool operator==(const Fault& other) const { return line == other.line && kind == other.kind; }
};

/// A network with a fault.
struct FaultyTape {
  Explanation explanation;  ///< with the wrong gradients, without finite differences
  Fault fault;
  std::vector<Tensor> right;  ///< correct gradient of each line, or null
};

/// Makes a network with a fault, determined by seed and student. At least one gradient differs by
/// 0.01 or more from the correct one. The same holds for every other fault in this network, so that
/// the answer is unique.
FaultyTape make_faulty_tape(std::uint64_t seed, std::uint64_t student = 0);
/// Parses `3 transposed`, or `matmul transposed` if only one line has this name. Throws UsageError
/// for an unknown line or kind.
Fault parse_answer(const FaultyTape& tape, const std::string& answer);
/// Describes the first wrong number from the bottom: `the gradient of line 1, w, element 2, is
/// 0.5000, expected 1.0000`.
std::string first_wrong_number(const FaultyTape& tape);

// ---- wrong rules

/// The input of a wrong backward function: the op's tensors and correct gradients.
struct WrongBackwardInput {
  std::vector<Tensor> x;  ///< the op's inputs
  Tensor y, dy;
  Grads right;            ///< correct gradients of the inputs
  bool constant = false;  ///< whether the second input is a literal number
};

/// A wrong backward function for an op. It returns no gradients, or throws ShapeError, if the
/// mistake is impossible for these inputs.
struct WrongBackward {
  const char* kind;
  const char* op;
  Grads (*grads)(const WrongBackwardInput& step);
};
/// Returns all wrong backward functions. The kind `overwritten` has none: it is a mistake in the
/// tape's loop over them.
const std::vector<WrongBackward>& wrong_backward_functions();

}  // namespace tapehead

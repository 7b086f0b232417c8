#pragma once
// Small networks with one wrong backward function, which students find with paper and pencil.
#include "../explain/explanation.hpp"
#include "work.hpp"

namespace tapehead {

/// A kind of mistake.
struct FaultKind {
  const char* name;   ///< one word, such as transposed
  const char* words;  ///< describes the mistake
};
const std::vector<FaultKind>& fault_kinds();

/// A mistake in one backward function, or in one sum of gradients.
struct Fault {
  int line = 0;  ///< line of the op with the mistake, or of the value whose gradients aren't added
  std::string kind;

  bool operator==(const Fault& other) const { return line == other.line && kind == other.kind; }
};

/// A network with a fault.
struct FaultyTape {
  Explanation explanation;  ///< has the wrong gradients, and no finite differences
  Fault fault;
  std::vector<Tensor> right;  ///< correct gradients, one per line; null without one
};

/// Makes a network with a fault; `seed` and `student` determine both. Its gradients differ by at
/// least 0.01 from the correct ones, and from the gradients with any other possible fault, so that
/// the answer is unique. With one seed, students 1 to count_faults() get different faults; higher
/// numbers get the same faults in the same order, with other values.
FaultyTape make_faulty_tape(std::uint64_t seed, std::uint64_t student = 0);
/// Returns the number of faults in all networks: pairs of a line and a kind.
std::size_t count_faults();
/// Parses an answer such as `3 transposed`, or `matmul transposed` if only one line is named
/// matmul. Throws UsageError for an unknown line or kind.
Fault parse_answer(const FaultyTape& tape, const std::string& answer);
/// Checks an answer. The result has two parts: the line, and the kind, which counts only if the
/// line is right.
CheckedWork check_fault(const FaultyTape& tape, const Fault& answer);
/// Describes the first wrong number, searching from the last line: `the gradient of line 1, w,
/// element 2, is 0.5000, expected 1.0000`.
std::string first_wrong_number(const FaultyTape& tape);

// ---- wrong backward functions

/// The arguments of a wrong backward function.
struct WrongBackwardInput {
  std::vector<Tensor> x;  ///< the op's inputs
  Tensor y, dy;
  Grads right;            ///< correct gradients of the op's inputs
  bool constant = false;  ///< whether the second input is a number in the expression
};

/// A wrong backward function of an op. Returns no gradients, or throws ShapeError, if the mistake
/// isn't possible for these inputs.
struct WrongBackward {
  const char* kind;
  const char* op;
  Grads (*grads)(const WrongBackwardInput& step);
};
/// Returns all wrong backward functions. The kind `overwritten` has none: the mistake is in the
/// backward loop.
const std::vector<WrongBackward>& wrong_backward_functions();

}  // namespace tapehead

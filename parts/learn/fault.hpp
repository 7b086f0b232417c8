#pragma once
// Small networks in which one gradient rule is wrong, to be found with paper and pencil.
#include "../explain/explanation.hpp"

namespace tapehead {

struct FaultKind {
  const char* name;   ///< one word: transposed
  const char* words;  ///< what is wrong
};
const std::vector<FaultKind>& fault_kinds();

/// A mistake in one op of a network.
struct Fault {
  int line = 0;  ///< of the explanation, whose rule is wrong, or whose gradients aren't added
  std::string kind;

  bool operator==(const Fault& other) const { return line == other.line && kind == other.kind; }
};

struct FaultyTape {
  Explanation explanation;  ///< with the gradients that the fault leads to, and without differences
  Fault fault;
  std::vector<Tensor> right;  ///< the right gradient of each line; null where it has none
};

/// A function of the seed and the student: each student gets other faults. The gradients differ
/// from the right ones, and from those that any other fault in this network leads to, by 0.01 or
/// more.
FaultyTape faulty_tape(std::uint64_t seed, std::uint64_t student = 0);
/// `3 transposed`, or `matmul transposed` where one line has this name. Throws UsageError for an
/// answer that names no line, or no kind.
Fault parse_answer(const FaultyTape& tape, const std::string& answer);
/// `the gradient of line 1, w, at element 2 is 0.5, and should be 1`: the first wrong number from
/// the bottom.
std::string first_wrong_number(const FaultyTape& tape);

// ---- wrong rules

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

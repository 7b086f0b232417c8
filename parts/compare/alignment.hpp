#pragma once
// Which steps of two tapes stand for each other.
#include "../explain/steps.hpp"

namespace tapehead {

/// A step of each; -1 where one tape has none that stands for the other's.
struct AlignedSteps {
  int a = -1, b = -1;
};

/// Where the tapes have the same ops on the same inputs, each step stands for that of its number.
/// Else the results, which are last, stand for each other, whatever made them. From the beginning,
/// variables and parameters stand for those of their names, numbers and constants for those of
/// their values, and ops for the same ops of the same modules on inputs that stand for each other.
/// Then, from the end, the inputs of the same ops, in their order, where the ops stand for each
/// other. In the order of the first tape, with steps of the second alone before the next that both
/// have.
std::vector<AlignedSteps> align(const std::vector<ExplainedStep>& a,
                                const std::vector<ExplainedStep>& b);

}  // namespace tapehead

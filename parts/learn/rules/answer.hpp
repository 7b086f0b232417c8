#pragma once
// A student's formula for a rule, held against the engine's gradients.
#include "../work.hpp"
#include "rule.hpp"

namespace tapehead {

/// The op at some shapes and numbers.
struct RuleCase {
  Sizes sizes;
  Variables given;             ///< what a formula may use: the inputs, y, what is given besides, dy
  std::vector<Tensor> wanted;  ///< the engine's gradients, in the order of RuleTask::wanted
};
/// Case 0 is the one that is shown: the rule's own sizes, and numbers with one decimal that follow
/// from the student. Case 1 has these sizes and other numbers, so that nothing is the same by
/// chance; the others have sizes from 1 to 5, drawn at random.
RuleCase rule_case(const RuleTask& rule, std::uint64_t student, int number);

/// A part for each gradient: right where it is the engine's in several cases; else the first wrong
/// element, and the mistake that leads to the same values, if it is a known one. Throws UsageError
/// for a formula that can't be read, uses names that aren't there, or assigns no gradient.
CheckedWork check_rule(const RuleTask& rule, std::uint64_t student, const std::string& formula);

}  // namespace tapehead

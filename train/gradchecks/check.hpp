#pragma once
// Compares the gradients of samples with finite differences, and fused ops with their
// decompositions: what `tapehead gradcheck` shows, and what the tests insist on.
#include "../../core/gradcheck.hpp"
#include "samples.hpp"

namespace tapehead {

using samples::OpSample;
using samples::samples_of;

/// One comparison for one sample. For a decomposition, `analytic` is the op's number and `numeric`
/// the decomposition's, and a value's position is in `output` alone.
struct Check {
  enum class Kind { gradient, second, decomposition_value, decomposition_gradient } kind;
  std::string sample;
  GradcheckResult result;
};
const char* to_string(Check::Kind kind);
/// One line: `second, a row broadcast over a matrix: input 1 element 7: backward 0.5 ...`
std::string to_string(const Check& check);

struct CheckReport {
  std::string name;
  std::vector<Check> checks;

  bool passed() const;
  const Check& worst() const;  ///< the one nearest to failing, or failing most; there must be one
};

/// Every sample: its gradient, the gradient of that unless the sample says no, and its
/// decomposition, whose values must agree within 1e-12 and whose gradients within 1e-10, relative
/// or absolute below 1.
CheckReport check(const std::string& name, const std::vector<OpSample>& samples,
                  const GradcheckOptions& options = {});

}  // namespace tapehead

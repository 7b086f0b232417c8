#pragma once
// Compares two expressions at the same values.
#include "../explain/explanation.hpp"

#include <string>
#include <vector>

namespace tapehead {

struct ComparedExpressions {
  Explanation a, b;
};

/// Computes both expressions in f64 and differentiates them. `words` are NAME=VALUE, also for `dy`,
/// and apply to both expressions. If a name occurs twice, the first value applies to the first
/// expression. Throws the UsageErrors of explain, and UsageError for a variable that neither
/// expression uses.
ComparedExpressions compare_expressions(const std::string& a, const std::string& b,
                                        const std::vector<std::string>& words);

/// Returns whether the results are bitwise identical, and the gradients of common variables, too.
bool are_equal(const ComparedExpressions& compared);
std::string to_text(const ComparedExpressions& compared, int width);
Json to_json(const ComparedExpressions& compared);

}  // namespace tapehead

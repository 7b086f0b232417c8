#pragma once
// Compares two expressions at the same values.
#include "../explain/explanation.hpp"

#include <string>
#include <vector>

namespace tapehead {

struct ComparedExpressions {
  Explanation a, b;
};

/// Computes and differentiates both expressions in f64. `words` are NAME=VALUE, including `dy`, and
/// apply to both. If a name occurs twice, the first value applies to the first expression. Throws
/// UsageError as explain does, and for a variable that neither expression uses.
ComparedExpressions compare_expressions(const std::string& a, const std::string& b,
                                        const std::vector<std::string>& words);

/// Returns whether the results, and the gradients of common variables, are bitwise identical.
bool are_equal(const ComparedExpressions& compared);
std::string to_text(const ComparedExpressions& compared, int width);
Json to_json(const ComparedExpressions& compared);

}  // namespace tapehead

#pragma once
// Two expressions at the same values.
#include "../explain/explanation.hpp"

#include <string>
#include <vector>

namespace tapehead {

struct ComparedExpressions {
  Explanation a, b;
};

/// Computes both in f64 and differentiates them. `words` are NAME=VALUE, `dy` among them: of both;
/// of a name that is given twice, the first value is the first expression's. Throws UsageError, as
/// explain does, and for a variable that neither uses.
ComparedExpressions compare_expressions(const std::string& a, const std::string& b,
                                        const std::vector<std::string>& words);

/// Whether their results, and the gradients of the variables that both have, are the same to the
/// bit.
bool are_equal(const ComparedExpressions& compared);
std::string to_text(const ComparedExpressions& compared, int width);
Json to_json(const ComparedExpressions& compared);

}  // namespace tapehead

#pragma once
// Pages and pictures of the forward and backward pass of an expression or a model.
#include "../../explain/explanation.hpp"
#include "../report/maps.hpp"

#include <functional>
#include <map>
#include <string>

namespace tapehead {

/// One state of a page: an expression, or an example's pass at one checkpoint. All states of a page
/// have the same steps.
struct PageState {
  std::string name;   ///< `step 400`
  std::string about;  ///< `loss 0.0123`
  const Explained* explained;
};

/// Returns a page in one file that steps through the forward and backward pass; see
/// docs/learn/explain.md. Its address holds the selection: #at=b44 is the backward step of 44,
/// &see=12&element=5 an element, &state=1 another checkpoint. The page shows `note` at the top, if
/// it isn't empty.
std::string render_explanation(const std::string& title, const std::vector<PageState>& states,
                               const std::string& note = "");
/// Returns the page of an expression, with its notes.
std::string expression_page(const Explanation& explanation);

/// Returns an SVG of the graph for light and dark backgrounds, in one file without scripts or
/// fonts. For an expression: ops with values, gradients and the contribution of each edge. For a
/// model: ops grouped by module.
std::string graph_svg(const Explained& explained, const std::string& title);

/// Encodes each number as four characters, base64 of the upper 24 bits of a float. If `exact`, as
/// eight characters, base64 of the upper 48 bits of a double. `*n;` after a number repeats it n
/// more times.
std::string packed_numbers(const std::vector<double>& numbers, bool exact);

/// A function that loads the run with the weights of a saved step.
using LoadSaved = std::function<LoadedRun(const SavedStep&)>;

/// Returns the page of an example's pass at evenly spaced checkpoints, including the first and the
/// last. Uses as many as fit in 2 MB, or only the last if two don't fit. Compares the largest
/// gradients of each step with finite differences, which takes a few seconds.
std::string run_page(const std::string& title, const Example& example,
                     const std::vector<SavedStep>& saved, const LoadSaved& load);

/// Returns the source code of each op and its gradient by op name, as quoted in docs/ops.
const std::map<std::string, std::string>& op_code();

}  // namespace tapehead

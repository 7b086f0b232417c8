#pragma once
// Pages and pictures of what happens in an expression or a model.
#include "../../explain/explanation.hpp"
#include "../report/maps.hpp"

#include <functional>
#include <map>
#include <string>

namespace tapehead {

/// One state of what a page shows: an expression, or an example's pass at one checkpoint. All
/// states of a page have the same steps.
struct PageState {
  std::string name;   ///< `step 400`
  std::string about;  ///< `loss 0.0123`
  const Explained* explained;
};

/// A page in one file that goes through the steps, forward and backward: see docs/learn/explain.md.
/// Its address says what it shows: #at=b44 is the backward step of 44, &see=12&element=5 an
/// element, &state=1 another checkpoint. `note` is said at the top, if there is one.
std::string render_explanation(const std::string& title, const std::vector<PageState>& states,
                               const std::string& note = "");
/// The page of an expression, with its notes.
std::string expression_page(const Explanation& explanation);

/// A picture of the graph, for light and dark backgrounds, in one file without script or fonts: an
/// expression's ops with their values, gradients and what each edge contributes; a model's ops by
/// module.
std::string graph_svg(const Explained& explained, const std::string& title);

/// Numbers for a page, four characters each: base64 of the upper 24 bits of a float, or eight
/// characters of the upper 48 bits of a double where `exact`. A number that occurs n more times is
/// followed by `*n;`.
std::string packed_numbers(const std::vector<double>& numbers, bool exact);

/// Loads the run with the weights of a saved step.
using LoadSaved = std::function<LoadedRun(const SavedStep&)>;

/// As many of the saved steps as keep the page within 2 MB, evenly, the first and the last among
/// them; the last alone if not even two do. Gradients are measured by differences in a few seconds:
/// those of each step that are the largest.
std::string run_page(const std::string& title, const Example& example,
                     const std::vector<SavedStep>& saved, const LoadSaved& load);

/// The lines of source that compute an op and its gradient, by its name, as its page in docs/ops
/// quotes them.
const std::map<std::string, std::string>& op_code();

}  // namespace tapehead

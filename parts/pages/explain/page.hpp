#pragma once
// Web pages and SVG pictures of an expression's or a model's forward and backward pass.
#include "../../explain/explanation.hpp"
#include "../report/maps.hpp"

#include <functional>
#include <map>
#include <string>

namespace tapehead {

/// The numbers of one pass on a page: of an expression, or of an example at one checkpoint. All
/// states of a page have the same steps.
struct PageState {
  std::string name;   ///< `step 400`
  std::string about;  ///< `loss 0.0123`
  const Explained* explained;
};

/// Returns a page in one file that shows the passes as a graph: see docs/learn/explain.md. Its
/// address contains the selection: #at=b44.1 is the backward step of op 44 to its input 1,
/// &see=12&element=5 an element of step 12, &state=1 another state. A `note`, if not empty, is
/// shown at the top.
std::string render_explanation(const std::string& title, const std::vector<PageState>& states,
                               const std::string& note = "");
/// Returns the data of such a page, for the script explainer.js.
Json explanation_json(const std::string& title, const std::vector<PageState>& states,
                      const std::string& note = "");
/// Appends the scripts that show this data, which need words and sections_js before them.
void append_explainer(std::vector<const char*>& scripts);
/// Appends the styles of these scripts.
void append_explainer_styles(std::vector<const char*>& styles);
/// Returns the data of an example's pass through a run, without finite differences.
Json run_graph(LoadedRun& run, const Example& example);
/// Returns the page of an expression, with its notes.
std::string expression_page(const Explanation& explanation);

/// Returns an SVG of the graph, for light and dark backgrounds, without scripts or embedded fonts.
/// An expression's graph shows values, gradients and, at each edge, the contribution to a gradient.
/// A model's graph shows its ops by module.
std::string graph_svg(const Explained& explained, const std::string& title);

/// Encodes each number in four characters, base64 of the upper 24 bits of a float; if `exact`, in
/// eight characters, base64 of the upper 48 bits of a double. `*n;` after a number repeats it n
/// more times.
std::string packed_numbers(const std::vector<double>& numbers, bool exact);

/// A function that loads the run with the weights of a checkpoint.
using LoadSaved = std::function<LoadedRun(const SavedStep&)>;

/// Returns the page of an example's pass at evenly spaced checkpoints, including the first and the
/// last: as many as fit in 2 MB, or only the last if two don't fit. Compares the largest gradients
/// of each step with finite differences, which takes about a second.
std::string run_page(const std::string& title, const Example& example,
                     const std::vector<SavedStep>& saved, const LoadSaved& load);

/// Returns, by op name, the source code of the op and its backward function that docs/ops quotes.
const std::map<std::string, std::string>& op_code();

}  // namespace tapehead

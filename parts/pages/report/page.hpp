#pragma once
// Pages about runs and sweeps, and their data.
#include "../../../train/config/registry.hpp"
#include "../web/page.hpp"
#include "curves.hpp"

#include <string>
#include <vector>

namespace tapehead {

class Command;
struct Session;

/// Registers the command `report`.
void add_report_command(const Command& app, Session& session);

/// Limits of a page's size, for all its runs together.
struct ReportBudget {
  std::size_t points = 40'000;  ///< maximum number of points of curves
  Index weights = 1'500'000;    ///< maximum number of weights of attention maps
  std::size_t columns = 60;     ///< maximum number of histogram columns per tensor
  Index examples = 50;          ///< maximum number of runs with maps and examples
  bool graph = false;           ///< whether to add the graph of an example's pass
  std::string lengths = {};     ///< lengths of the curve by length, as in length_curve
};

/// Returns the data of a page about one run. `program` is the program name in command lines. If a
/// checkpoint or text file is missing, omits the parts that need it; `notes` give the reasons.
/// `data` replaces the run's --data, as in load_run. Throws FileError if there is no run, if it has
/// neither metrics nor a checkpoint, or if these are damaged.
Json run_json(const std::string& path, const Registry& registry, const std::string& program,
              const ReportBudget& budget, const AtCheckpoints& measured = {},
              const std::string& data = "");

/// Returns the page about `runs`, a non-empty array of results of run_json. If `refresh` isn't 0,
/// the browser reloads the page after that many seconds.
std::string report_page(const Json& runs, int refresh = 0);

/// Returns the page of a sweep: charts of the results, curves of the best combinations, and a table
/// with links to the runs' pages. `sweep` is the result of sweep_page_json with the `folder` of the
/// runs. Omits curves that can't be read.
std::string sweep_page(const Json& sweep);

// ---- sections of a page about a run

/// Returns the histograms of at most `most` of the recorded lines: for weights, gradients and
/// activations, a list of { name, steps, from, to, counts }, one for each parameter or module. Null
/// if there are none.
Json histograms_json(const std::vector<Json>& recorded, std::size_t most);

/// Returns the first 20 validation examples with wrong answers, for a task with answers.
///   examined, right: number of examples checked, at most 1,000, and of correct answers
///   of: number of validation examples
///   wrong: [{number, question, predicted, right}], in tokens; for images, `image` instead of
///   `question`
Json mistakes_json(const TaskModel& model, const Task& task);

/// Returns evenly spaced validation examples of a text:
///   [{number, given, tokens, loss, likelier}], with each token's loss in nats, and the most likely
/// token where the model prefers another one; both start after the first `given` tokens.
Json samples_json(const TaskModel& model, const Task& task);

}  // namespace tapehead

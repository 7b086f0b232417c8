#pragma once
// Pages about runs and sweeps, and the data they show.
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

/// Limits of a page's contents, for all its runs together.
struct ReportBudget {
  std::size_t points = 40'000;  ///< points of curves
  Index weights = 1'500'000;    ///< weights of attention maps
  std::size_t columns = 60;     ///< histogram columns per tensor
  Index examples = 50;          ///< runs with attention maps and examples, which need checkpoints
};

/// Returns everything that a page shows of one run. `program` is the program name in command lines.
/// Omits what needs a missing checkpoint or text file; `notes` give the reasons. `data` replaces
/// the run's --data, as in load_run. Throws FileError if there is no run, if it has neither metrics
/// nor a checkpoint, or if one of them is damaged.
Json run_json(const std::string& path, const Registry& registry, const std::string& program,
              const ReportBudget& budget, const AtCheckpoints& measured = {},
              const std::string& data = "");

/// Returns the page for `runs`, a non-empty array of results of run_json. With `refresh`, the
/// browser reloads the page after that many seconds.
std::string report_page(const Json& runs, int refresh = 0);

/// Returns the page of a sweep, given the result of sweep_page_json with the `folder` of the runs.
/// It has charts of the results, curves of the best combinations, and a table with links to the
/// runs' pages. Skips curves that can't be read.
std::string sweep_page(const Json& sweep);

// ---- sections of a page about a run

/// Returns the histograms in lines of metrics.jsonl, at most `most` lines. For each of weights,
/// gradients and activations, a list of { name, steps, from, to, counts } by parameter or module.
/// Null if there are none.
Json histograms_json(const std::vector<Json>& recorded, std::size_t most);

/// Returns the first 20 validation examples with wrong completions, for a task with completions.
///   examined, right: number of examples checked, at most 1,000, and number of correct ones
///   of: number of validation examples
///   wrong: [{number, question, predicted, right}], in tokens; `image` instead of `question` for
///   images
Json mistakes_json(const TaskModel& model, const Task& task);

/// Returns validation examples spread over a text:
///   [{number, given, tokens, loss, likelier}], with the loss of each token in nats and the most
/// likely token if it is another one; both start after the `given` tokens.
Json samples_json(const TaskModel& model, const Task& task);

}  // namespace tapehead

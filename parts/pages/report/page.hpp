#pragma once
// Pages about runs and sweeps, and what they show.
#include "../../../train/config/registry.hpp"
#include "../web/page.hpp"
#include "curves.hpp"

#include <string>
#include <vector>

namespace tapehead {

class Command;
struct Session;

/// Adds the command `report`.
void add_report_command(const Command& app, Session& session);

/// How much a page may hold, of all its runs together.
struct ReportBudget {
  std::size_t points = 40'000;  ///< of curves
  Index weights = 1'500'000;    ///< of attention maps
  std::size_t columns = 60;     ///< of histograms of a tensor
  Index examples = 50;          ///< runs that show maps and examples, which read checkpoints
};

/// Everything that a page shows of one run; `program` begins its command line. What needs a
/// checkpoint, or the file of a text, is left out if there is none, and `notes` say why. `data`
/// replaces the run's --data, as for load_run. Throws
/// FileError if there is no run, or neither metrics nor a checkpoint, or one of them is damaged.
Json run_json(const std::string& path, const Registry& registry, const std::string& program,
              const ReportBudget& budget, const AtCheckpoints& measured = {},
              const std::string& data = "");

/// `runs`: an array of what run_json gives, at least one. With `refresh`, a browser loads the page
/// again after so many seconds.
std::string report_page(const Json& runs, int refresh = 0);

/// Of what sweep_page_json gives, and the `folder` with those of the runs: charts of the results,
/// curves of the best combinations, and a table with links to the pages of runs that have one. Runs
/// whose curves can't be read have none.
std::string sweep_page(const Json& sweep);

// ---- sections of a page about a run

/// The histograms in such lines of metrics.jsonl, of at most `most` of them: for each kind,
/// weights, gradients and activations, a list of { name, steps, from, to, counts }, by parameter or
/// module. Null where there are no lines.
Json histograms_json(const std::vector<Json>& recorded, std::size_t most);

/// The first 20 held-out examples that are answered wrongly; for a task with answers.
///   examined, right: how many were looked at until then, at most 1,000, and how many were right
///   of: how many there are
///   wrong: [{number, question, predicted, right}], in tokens; or `image` for a question that is
///   one
Json mistakes_json(const TaskModel& model, const Task& task);

/// A few held-out examples of a text, from all over it:
///   [{number, given, tokens, loss, likelier}], with the loss of each token in nats, and the token
/// that was likelier, if there was one; both begin after the `given` tokens.
Json samples_json(const TaskModel& model, const Task& task);

}  // namespace tapehead

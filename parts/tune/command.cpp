#include "command.hpp"
#include "../../cli/options/train_arguments.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../core/system/signals.hpp"
#include "../../train/runs/files.hpp"
#include "../sweep/axes.hpp"
#include "../sweep/planned.hpp"
#include "../sweep/table.hpp"
#include "search.hpp"

#include <cmath>
#include <map>

namespace tapehead {
namespace {

struct TuneArguments {
  TrainArguments train;
  double from = 1e-6, to = 10;
  Index trial_steps = 0;  // 0: --steps
  Index seeds = 1;
  bool json = false;
};

/// The options of a trial without its rate: with --trial-steps, fewer steps, and a warmup in
/// proportion.
TrainArguments trial_arguments(const TuneArguments& arguments, const TrainConfig& config) {
  const Index steps = arguments.trial_steps;
  if (steps < 0) throw UsageError("--trial-steps must be at least 0, not {}", steps);
  TrainArguments trial = arguments.train;
  if (steps == 0 || steps == config.steps) return trial;
  const double share = static_cast<double>(steps) / static_cast<double>(config.steps);
  const double warmup = std::round(share * static_cast<double>(config.warmup));
  trial.given.emplace_back("steps", fmt::format("{}", steps));
  trial.given.emplace_back("warmup", fmt::format("{:.0f}", warmup));
  return trial;
}

/// A rate, and --min-lr in proportion.
Settings settings_of(double rate, const TrainConfig& config) {
  Settings settings = {{"lr", fmt::format("{}", rate)}};
  if (config.min_lr > 0 && config.lr > 0)
    settings.emplace_back("min-lr", rate == config.lr
                                        ? fmt::format("{}", config.min_lr)
                                        : fmt::format("{:.2g}", config.min_lr * rate / config.lr));
  return settings;
}

/// Throws UsageError if the folder has the results of a sweep that wasn't such a search.
void check_replaces(const std::string& folder) {
  if (exists(sweep_file(folder)) && !read_sweep(folder).ranks_by_loss)
    throw UsageError("{} has the results of a sweep; choose another --out", folder);
}

/// The runs with one rate.
struct Trial {
  SweepRow row;
  std::vector<SweepRun> runs;
};

/// The trials so far, by the powers of their rates.
struct Trials {
  PlannedSweep plan;  // of the last ones
  std::map<int, Trial> done;

  std::vector<int> tried() const {
    std::vector<int> powers;
    for (const auto& each : done) powers.push_back(each.first);
    return powers;
  }
  /// All of them in ascending order of their rates.
  PlannedSweep all() const {
    PlannedSweep result = plan;
    result.sweep.rows.clear();
    result.runs.clear();
    for (const auto& [power, trial] : done) {
      result.sweep.rows.push_back(trial.row);
      result.runs.insert(result.runs.end(), trial.runs.begin(), trial.runs.end());
    }
    return result;
  }
  std::optional<int> best() const {
    if (done.empty()) return {};
    const int row = best_row(all().sweep);
    if (row < 0) return {};
    return tried()[static_cast<std::size_t>(row)];
  }
  void add(const std::vector<int>& powers) {
    const std::size_t seeds = plan.runs.size() / powers.size();
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
      TrainOutcome& outcome = plan.sweep.rows[i / seeds].outcomes[i % seeds];
      if (!has_diverged(outcome))
        find_lowest_loss(RunFolder::open(plan.runs[i].config.out), outcome);
    }
    for (std::size_t i = 0; i < powers.size(); ++i) {
      const auto first = plan.runs.begin() + static_cast<std::ptrdiff_t>(i * seeds);
      done[powers[i]] = {plan.sweep.rows[i], {first, first + static_cast<std::ptrdiff_t>(seeds)}};
    }
  }
};

std::vector<std::string> notes_of(const PlannedSweep& all, const TuneArguments& arguments,
                                  const TrainConfig& config) {
  std::vector<std::string> notes = rate_notes(all.sweep);
  const Index steps = all.runs.at(0).config.steps;
  if (steps < config.steps)
    notes.push_back(fmt::format(
        "The trials had {} of {} steps. The best rate of a longer run may differ by a factor of 2 "
        "or 3.",
        steps, config.steps));
  const int best = best_row(all.sweep);
  if (best >= 0 && steps == config.steps && arguments.seeds == 1)
    notes.push_back(fmt::format("The best run is complete: {}",
                                visible(all.runs.at(static_cast<std::size_t>(best)).config.out)));
  return notes;
}

void show(const PlannedSweep& all, const TuneArguments& arguments, const TrainConfig& config,
          Session& session) {
  const std::vector<std::string> notes = notes_of(all, arguments, config);
  if (arguments.json) {
    Json document = sweep_json(all.sweep, all.out);
    document["notes"] = notes;
    print_json(document);
  } else {
    put("\n{}", sweep_text(all.sweep, session.terminal));
    for (const std::string& note : notes) put("{}", wrapped(note, session.terminal.width));
  }
  write_sweep(all, false, arguments.json, session);
}

void tune(const TuneArguments& arguments, Session& session) {
  const TrainConfig config = new_config(arguments.train, session.registry);
  const RateGrid grid{config.lr, arguments.from, arguments.to};
  if (!(grid.from > 0) || !(grid.to > grid.from) || !std::isfinite(grid.to))
    throw UsageError("--from {} --to {}: the rates must be above 0 and finite, and --to larger",
                     grid.from, grid.to);
  if (!grid.has(0))
    throw UsageError("--lr {}, where the search begins, isn't between --from {} and --to {}",
                     grid.first, grid.from, grid.to);
  const TrainArguments trial = trial_arguments(arguments, config);
  const StopSignals signals;
  std::shared_ptr<void> lock;
  Trials trials;
  for (std::vector<int> powers = next_rates(grid, {}, {}); !powers.empty();
       powers = next_rates(grid, trials.tried(), trials.best())) {
    std::vector<Settings> settings;
    for (const int power : powers) settings.push_back(settings_of(grid.rate(power), config));
    const std::string out = "sweeps/" + config.task + "-lr";
    trials.plan = plan_sweep({trial, out, arguments.seeds}, settings, session);
    trials.plan.sweep.ranks_by_loss = true;
    if (!lock) {
      lock = lock_sweep(trials.plan.out);
      check_replaces(trials.plan.out);
    }
    if (!train_rows(trials.plan, arguments.json, session)) {
      session.status = StopSignals::status;
      return;
    }
    trials.add(powers);
  }
  show(trials.all(), arguments, config, session);
}

}  // namespace

void add_tune_command(const Command& app, Session& session) {
  const auto arguments = std::make_shared<TuneArguments>();
  const Command command = app.add("tune", "find a learning rate");
  const Command lr = command.add("lr", "train with several rates, to find the best one");
  for (const TaskEntry& entry : session.registry.tasks()) {
    const Command task = lr.add(entry.name, entry.summary);
    const auto add = [&](const char* name, auto& target, const char* help, const char* shown) {
      task.option(name, target, help).shown_default(shown).group("Search");
    };
    add("--from", arguments->from, "smallest rate to try", "1e-6");
    add("--to", arguments->to, "largest rate to try", "10");
    add("--trial-steps", arguments->trial_steps,
        "steps of each run, with the warmup in proportion; 0: --steps", "0");
    add("--seeds", arguments->seeds, "runs per rate, with seeds from --seed on", "1");
    add_json(task, arguments->json).group("Search");
    add_task_options(task, entry, session.registry, session.all_options, arguments->train);
  }
  lr.footer(
      "Trains with --lr, and with 1/9, 1/3, 3 and 9 times as much; continues in that direction "
      "while the smallest or the largest rate is best, then tries two rates next to the best one. "
      "Runs "
      "are in --out, by default sweeps/TASK-lr. After an interruption, the same command "
      "continues.");
  command.on_run([=, &session] {
    if (command.chosen().empty()) throw UsageError("tune needs what to tune: lr");
    if (lr.chosen().empty())
      throw UsageError("tune lr needs a task, as in {} tune lr copy", session.program);
    arguments->train.task = lr.chosen();
    tune(*arguments, session);
  });
}

}  // namespace tapehead

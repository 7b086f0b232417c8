#include "planned.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../cli/terminal/progress_line.hpp"
#include "../../core/runtime/processors.hpp"
#include "../../train/dry_run.hpp"
#include "../../train/files/created_folders.hpp"
#include "../../train/files/files.hpp"
#include "../../train/optimizers.hpp"
#include "axes.hpp"
#include "table.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

namespace tapehead {
namespace {

/// Throws UsageError if the sweep's folder is a run's folder or is inside one, because resuming
/// that run would then find foreign files.
void check_outside_runs(const std::string& out) {
  namespace fs = std::filesystem;
  fs::path folder = fs::absolute(out).lexically_normal();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    std::error_code ignored;
    if (fs::exists(folder / "config.toml", ignored) && fs::exists(folder / "lock", ignored))
      throw UsageError("--out {}: {} is the folder of a run; choose a folder outside it", out,
                       folder.string());
  }
}

/// Throws UsageError if two combinations have the same configuration, as with lr=1e-3,0.001, or the
/// same folder. `runs` holds all runs of each combination in order, one per seed.
void check_distinct(const std::vector<SweepRun>& runs, const std::vector<SweepRow>& rows,
                    const Session& session) {
  const std::size_t seeds = runs.size() / rows.size();
  std::map<std::string, std::string> by_config, by_folder;  // settings by configuration or folder
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRun& run = runs[i * seeds];
    const std::string settings = settings_text(rows[i].settings);
    TrainConfig config = run.config;
    config.out.clear();
    const auto same = by_config.emplace(to_toml(config, session.registry), settings);
    if (!same.second)
      throw UsageError("--grid: '{}' and '{}' are the same configuration; remove one",
                       same.first->second, settings);
    const auto shared = by_folder.emplace(run.name, settings);
    if (!shared.second)
      throw UsageError("--grid: '{}' and '{}' would share the folder {}; use two sweeps",
                       shared.first->second, settings, run.name);
  }
}

}  // namespace

PlannedSweep plan_sweep(const SweepBase& base, const std::vector<Settings>& rows,
                        const Session& session) {
  if (base.seeds < 1) throw UsageError("--seeds must be at least 1, not {}", base.seeds);
  if (base.jobs < 0) throw UsageError("--jobs must be at least 0, not {}", base.jobs);
  const TrainConfig config_of_all = new_config(base.train, session.registry);
  PlannedSweep plan;
  plan.out = config_of_all.out.empty() ? base.default_out : config_of_all.out;
  check_outside_runs(plan.out);
  plan.sweep.task = base.train.task;
  plan.sweep.first_seed = config_of_all.seed;
  const auto seeds = static_cast<std::size_t>(base.seeds);
  for (const Settings& settings : rows) {
    TrainArguments one = base.train;
    one.given.insert(one.given.end(), settings.begin(), settings.end());
    plan.sweep.rows.emplace_back().settings = settings;
    const Plan one_run = make_plan(new_config(one, session.registry), session.registry);
    check_optimizer(one_run, session.registry);
    check_memory(one_run, session.registry);
    plan.sweep.has_answers = one_run.task->has_answers();
    TrainConfig config = one_run.config;
    if (config.seed > std::numeric_limits<std::uint64_t>::max() - (seeds - 1))
      throw UsageError("--seed {} --seeds {}: the last seed would be above {}", config.seed,
                       base.seeds, std::numeric_limits<std::uint64_t>::max());
    for (std::size_t i = 0; i < seeds; ++i, ++config.seed) {
      const std::string name = run_name(settings, config.seed);
      config.out = plan.out + "/" + name;
      plan.runs.push_back({config, name, {one_run.layout.threads, one_run.need.total()}});
    }
  }
  check_distinct(plan.runs, plan.sweep.rows, session);
  plan.shares = share_cores(base.jobs, plan.runs, processors(), memory_limit());
  return plan;
}

std::shared_ptr<void> lock_sweep(const std::string& folder) {
  check_outside_runs(folder);
  const CreatedFolders made(folder);  // removed again if locking fails
  std::shared_ptr<void> lock = lock_file(folder + "/lock");
  if (!lock)
    throw UsageError("{}: another sweep is running here; wait for it, or choose another --out",
                     folder);
  return lock;
}

bool train_rows(PlannedSweep& plan, bool quiet, Session& session) {
  const auto outcomes = train_all(plan.runs, {}, plan.shares, quiet, session);
  if (!outcomes) return false;
  std::vector<SweepRow>& rows = plan.sweep.rows;
  const std::size_t seeds = plan.runs.size() / rows.size();
  for (std::size_t i = 0; i < outcomes->size(); ++i)
    rows[i / seeds].outcomes.push_back((*outcomes)[i]);
  return true;
}

void write_sweep(const PlannedSweep& plan, bool reports, bool quiet, Session& session) {
  replace_file(sweep_file(plan.out), to_text(sweep_json(plan.sweep, plan.out), 1) + '\n');
  for (const SweepFile& file : session.registry.extensions<SweepFile>()) {
    if (reports && file.of_run) {
      ProgressLine line(session.terminal, "writing the page of each run");
      double done = 0;
      for (const SweepRun& run : plan.runs) {
        line(done++ / static_cast<double>(plan.runs.size()));
        if (!RunFolder::open(run.config.out).has_checkpoint())
          continue;  // the run diverged before its first checkpoint
        replace_file(run.config.out + "/" + file.name, file.of_run(run.config.out, session));
      }
    }
    Json page = sweep_page_json(plan.sweep);
    page["folder"] = plan.out;
    const std::string path = plan.out + "/" + file.name;
    replace_file(path, file.bytes(page));
    if (!quiet)
      put("{}",
          wrapped(fmt::format("wrote {}{}: {}", file.what,
                              reports && file.of_run ? ", and a page in each run's folder" : "",
                              visible(path)),
                  session.terminal.width));
  }
}

double SweepEstimate::seconds() const {
  double sum = 0;
  for (const Estimate& one : combinations) {
    if (one.seconds == 0) return 0;
    sum += one.seconds;
  }
  const double each = static_cast<double>(runs) / static_cast<double>(combinations.size());
  return sum * each * share / shares.jobs;
}

SweepEstimate estimate(const std::vector<SweepRun>& runs, const std::vector<Settings>& settings,
                       const Shares& shares, Session& session) {
  SweepEstimate result{{}, runs.size(), shares};
  const std::size_t seeds = runs.size() / settings.size();
  ProgressLine line(session.terminal, "timing a few steps of each combination");
  for (std::size_t i = 0; i < settings.size(); ++i) {
    line(static_cast<double>(i) / static_cast<double>(settings.size()));
    const SweepRun& run = runs[i * seeds];
    TrainConfig config = run.config;
    if (shares.jobs > 1) config.threads = std::min(run.need.threads, shares.threads);
    const DryRun one = estimate_run(make_plan(config, session.registry), session.registry);
    result.combinations.push_back({settings[i], one.parameters, one.seconds(), one.need.total()});
    result.bytes = std::max(result.bytes, one.need.total() * shares.jobs);
  }
  return result;
}

std::string to_text(const SweepEstimate& estimate, const Terminal& terminal) {
  std::vector<std::string> head;
  for (const auto& setting : estimate.combinations.at(0).settings) head.push_back(setting.first);
  head.insert(head.end(), {"parameters", "time per run", "memory"});
  Table table(std::vector<Table::Align>(head.size(), Table::Align::right));
  table.add(head);
  for (const Estimate& one : estimate.combinations) {
    std::vector<std::string> cells;
    for (const auto& setting : one.settings) cells.push_back(visible(setting.second));
    cells.push_back(grouped(one.parameters));
    cells.push_back(one.seconds > 0 ? duration(one.seconds) : "–");
    cells.push_back(human(one.bytes) + "B");
    table.add(std::move(cells));
  }
  const Shares& shares = estimate.shares;
  const double seconds = estimate.seconds();
  return table.text(terminal.width) +
         wrapped(fmt::format("{}, {} in parallel with {} each: {}", plural(estimate.runs, "run"),
                             shares.jobs, plural(shares.threads, "thread"),
                             seconds > 0 ? "about " + duration(seconds) : "too large to be timed"),
                 terminal.width) +
         fmt::format("memory: about {}B; nothing was written\n", human(estimate.bytes));
}

Json to_json(const SweepEstimate& estimate) {
  Json all = Json::array();
  for (const Estimate& one : estimate.combinations) {
    Json settings = Json::object();
    for (const auto& [option, value] : one.settings) settings[option] = value;
    all.push_back({{"settings", std::move(settings)},
                   {"parameters", one.parameters},
                   {"seconds", one.seconds > 0 ? Json(one.seconds) : Json()},
                   {"bytes", one.bytes}});
  }
  const double seconds = estimate.seconds();
  return {{"runs", estimate.runs},
          {"jobs", estimate.shares.jobs},
          {"threads", estimate.shares.threads},
          {"seconds", seconds > 0 ? Json(seconds) : Json()},
          {"bytes", estimate.bytes},
          {"combinations", std::move(all)}};
}

}  // namespace tapehead

#include "../../../cli/commands/commands.hpp"
#include "../../../cli/commands/load_run.hpp"
#include "../../../cli/terminal/output.hpp"
#include "../../../cli/terminal/progress_line.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../core/runtime/processors.hpp"
#include "../../../core/system/signals.hpp"
#include "../../../train/config/names.hpp"
#include "../../../train/data/mixed_lengths.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/files/message.hpp"
#include "../../../train/files/number.hpp"
#include "../../../train/runs/run_folder.hpp"
#include "../../../train/watch/timing.hpp"
#include "../figures/chart.hpp"
#include "page.hpp"
#include "page_server.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

namespace tapehead {
namespace {

struct ReportArguments {
  std::vector<std::string> runs;
  std::string out, figures, metric, data, lengths;
  bool watch = false;
  std::optional<Index> port;  ///< port of --serve
};

std::string without_end_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

constexpr int refresh_seconds = 5;

/// The runs that a page shows, and the page's file.
struct Subject {
  std::string what() const {
    return paths.size() == 1 ? paths[0] : fmt::format("{} runs", paths.size());
  }
  std::vector<std::string> paths;
  std::string file;
  bool in_run = false;  ///< whether the file is in the run's folder

  void write(const std::string& page) const {
    in_run ? replace_file(file, page) : write_file(file, page);
  }
};

Subject subject_of(const ReportArguments& arguments) {
  Subject subject;
  std::vector<std::string>& paths = subject.paths;
  for (const std::string& run : arguments.runs) {
    paths.push_back(without_end_slashes(run));
    if (std::count(paths.begin(), paths.end(), paths.back()) > 1)
      throw UsageError("report: {} is listed twice", paths.back());
  }
  subject.file = !arguments.out.empty() ? arguments.out
                 : paths.size() == 1    ? paths[0] + "/report.html"
                                        : "report.html";
  subject.in_run = arguments.out.empty() && paths.size() == 1;
  return subject;
}

/// Reads all runs. Of several runs, reports and skips runs that can't be read.
Json read_runs(Subject& subject, const ReportArguments& arguments, Session& session,
               const ModelMetric* metric = nullptr, bool graph = false) {
  ReportBudget budget;
  budget.lengths = arguments.lengths;
  budget.graph = graph && subject.paths.size() == 1;
  budget.points /= subject.paths.size();
  budget.weights /= static_cast<Index>(subject.paths.size());
  budget.columns = std::max<std::size_t>(budget.columns / subject.paths.size(), 2);
  Json runs = Json::array();
  std::vector<std::string> read, faults;
  {
    ProgressLine line(session.terminal, "reading " + visible(subject.what()), 0);
    for (const std::string& path : subject.paths) {
      const auto on_progress = [&](double fraction) {
        line((static_cast<double>(read.size() + faults.size()) + fraction) /
             static_cast<double>(subject.paths.size()));
      };
      on_progress(0);
      try {
        runs.push_back(run_json(path, session.registry, session.program, budget,
                                {metric, arguments.metric, on_progress}, arguments.data));
        read.push_back(path);
        --budget.examples;
      } catch (const Error& error) {
        if (subject.paths.size() == 1) throw;
        faults.emplace_back(error.what());
      }
    }
  }
  for (const std::string& fault : faults)
    message(fmt::format("{}: {}", session.registry.program, fault));
  if (read.empty()) throw FileError("report: none of the {} can be read", subject.what());
  if (!faults.empty()) session.status = 1;
  subject.paths = read;
  return runs;
}

bool all_finished(const Json& runs) {
  return all_of(runs.items(),
                [](const Json& run) { return std::get<bool>(run["finished"].value()); });
}

/// Prints the page's file name and size, unless the page was written to standard output.
void print_written(const Subject& subject, const std::string& data, const std::string& page) {
  if (subject.file == "/dev/stdout") return;
  const std::string examples = data.empty() ? "" : fmt::format("examples of {} · ", visible(data));
  put("{} · {} · {}{}B\n", visible(subject.file), visible(subject.what()), examples,
      human(static_cast<double>(page.size())));
}

void write_page(const Subject& subject, const std::string& data, const Json& runs) {
  const std::string page = report_page(runs);
  subject.write(page);
  print_written(subject, data, page);
}

std::vector<std::string> metric_names(const Registry& registry) {
  std::vector<std::string> names;
  for (const ModelMetric& metric : registry.extensions<ModelMetric>()) append(names, metric.names);
  return names;
}

/// Returns the metric that --metric names, or null.
const ModelMetric* asked_metric(const ReportArguments& arguments, const Session& session) {
  if (arguments.metric.empty()) return nullptr;
  for (const ModelMetric& metric : session.registry.extensions<ModelMetric>())
    if (contains(metric.names, arguments.metric)) return &metric;
  refuse_unknown("--metric", arguments.metric, metric_names(session.registry));
}

/// Parses the port in --serve.
Index port_in(const std::string& text) {
  const std::optional<Index> port = read_whole<Index>(text);
  if (!port || *port < 0 || *port > 65535)
    throw UsageError("--serve: expected a port from 0 to 65535, got '{}'", visible(text));
  return *port;
}

void report(const ReportArguments& arguments, Session& session) {
  Subject subject = subject_of(arguments);
  if (subject.paths.size() == 1 && is_sweep(subject.paths[0]))
    throw UsageError(
        "report: {0} is a sweep; its page is {0}/report.html, and --figures draws its figures",
        subject.paths[0]);
  const Json runs = read_runs(subject, arguments, session, asked_metric(arguments, session), true);
  write_page(subject, arguments.data, runs);
}

/// The state of a run's folder, compared to detect changes during training.
struct RunState {
  std::uintmax_t metrics = 0;  ///< size of metrics.jsonl in bytes
  Index last_step = -1;        ///< step of the last checkpoint
  bool is_running = false;

  friend bool operator==(const RunState& a, const RunState& b) {
    return a.metrics == b.metrics && a.last_step == b.last_step && a.is_running == b.is_running;
  }
};

std::vector<RunState> state_of(const Subject& subject) {
  std::vector<RunState> states;
  for (const std::string& path : subject.paths) {
    std::error_code none;  // set if there are no metrics yet
    const std::uintmax_t size = std::filesystem::file_size(path + "/metrics.jsonl", none);
    states.push_back(
        {none ? 0 : size, RunFolder::open(path).last_step(), is_locked(path + "/lock")});
  }
  return states;
}

/// Returns a message that says how to open the page in a browser.
std::string open_message(const Subject& subject, const PageServer* server) {
  if (!server)
    return fmt::format(
        "open file://{} in a browser; it is updated until training ends (Ctrl-C to stop)\n",
        visible(std::filesystem::absolute(subject.file).lexically_normal().string()));
  return fmt::format(
      "open http://127.0.0.1:{0}/ in a browser (Ctrl-C to stop)\n"
      "from another machine, first run there:  ssh -L {0}:127.0.0.1:{0} THIS-MACHINE\n",
      server->port());
}

/// Updates the page whenever a run changes, until all runs are finished; with --serve, until the
/// user interrupts. Browsers reload the page regularly until all runs are finished.
void watch(const ReportArguments& arguments, Session& session) {
  Subject subject = subject_of(arguments);
  const StopSignals signals;
  const WriteSignalGuard closed_by_client(WriteSignalGuard::To::pipe);
  std::optional<PageServer> server;
  if (arguments.port) server.emplace(static_cast<int>(*arguments.port));
  Json runs = read_runs(subject, arguments, session);
  auto state = state_of(subject);
  const auto publish = [&] {
    const std::string page = report_page(runs, all_finished(runs) ? 0 : refresh_seconds);
    subject.write(page);
    if (server) server->show(page);
    return page;
  };
  if (server || !all_finished(runs)) {
    print_written(subject, arguments.data, publish());
    put("{}", open_message(subject, server ? &*server : nullptr));
    flush_output();
  }
  while (!signals.stop && (server || !all_finished(runs))) {
    const Stopwatch watch;
    if (auto now = state_of(subject); !(now == state)) {
      state = std::move(now);
      runs = read_runs(subject, arguments, session);
      publish();
    }
    // Pauses five times as long as the update took, to leave the processor to training.
    for (const double rest = 1 + 5 * watch.seconds(); !signals.stop && watch.seconds() < rest;)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  write_page(subject, arguments.data, runs);
  if (all_finished(runs)) put("{} finished; nothing more to watch\n", visible(subject.what()));
}

/// Writes figures for print instead of a page.
void write_figures(const ReportArguments& arguments, const Session& session) {
  Subject subject = subject_of(arguments);
  std::vector<Figure> figures;
  const ModelMetric* const metric = asked_metric(arguments, session);
  const bool of_sweep = subject.paths.size() == 1 && is_sweep(subject.paths[0]);
  if (of_sweep && metric)
    throw UsageError("report: --metric requires runs, but {} is a sweep", subject.paths[0]);
  if (of_sweep)
    figures = figures_of_sweep(subject.paths[0], session.registry, arguments.lengths);
  else
    figures =
        figures_of_runs(subject.paths, session, {metric, arguments.metric}, arguments.lengths);
  for (const Figure& figure : figures)
    put("{}\n", visible(write_figure(figure, arguments.figures)));
}

}  // namespace

void add_report_command(const Command& app, Session& session) {
  const Command command = app.add("report", "write an HTML report about one or more runs");
  const auto arguments = std::make_shared<ReportArguments>();
  command.words("RUN", "", arguments->runs, "run folder; the curves of several runs are overlaid")
      .required();
  command.option("--out", "FILE", arguments->out,
                 "output file [RUN/report.html; report.html for several runs]");
  command.flag("--watch", arguments->watch, "updates while the run trains");
  command.option(
      "--serve", "PORT",
      [&port = arguments->port](const std::string& text) { port = port_in(text); },
      "like --watch, served at http://127.0.0.1:PORT until Ctrl-C (0 = any free port)");
  command.option(
      "--figures", "FOLDER", arguments->figures,
      "folder for figures (SVG) and their numbers (CSV), instead of a page; RUN may be a sweep");
  command.option("--lengths", "A..B", arguments->lengths,
                 "accuracy by length at these lengths [the trained ones, if several]");
  add_data(command, arguments->data);
  if (const auto names = metric_names(session.registry); !names.empty())
    command.option("--metric", fmt::format("{}", fmt::join(names, "|")), arguments->metric,
                   "metric to compute from the checkpoints if training didn't record it");
  command.footer("The page is one file, and needs no network.");
  command.on_run([=, &session] {
    if (!arguments->metric.empty() || !arguments->lengths.empty()) set_threads(processors());
    if (!arguments->lengths.empty()) parse_lengths(arguments->lengths);
    if (!arguments->figures.empty()) {
      if (!arguments->data.empty())
        throw UsageError("report: --figures and --data are mutually exclusive");
      if (arguments->watch || arguments->port || !arguments->out.empty())
        throw UsageError("--figures writes no page; remove --out, --watch or --serve");
      return write_figures(*arguments, session);
    }
    const bool watches = arguments->watch || arguments->port;
    if (watches && !arguments->metric.empty())
      throw UsageError("report: --metric and {} are mutually exclusive",
                       arguments->watch ? "--watch" : "--serve");
    watches ? watch(*arguments, session) : report(*arguments, session);
  });
}

}  // namespace tapehead

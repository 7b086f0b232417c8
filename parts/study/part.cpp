#include "../../cli/extensions.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../core/system/signals.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/message.hpp"
#include "results.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

struct StudyArguments {
  std::vector<std::string> names;
  std::string format;
  StudyCall call;
  bool has_seeds = false, dry_run = false, json = false;
};

constexpr const char *text_format = "text", *markdown_format = "markdown";

bool is_quiet(const StudyArguments& arguments) {
  return arguments.json || arguments.format == markdown_format;
}

void list_studies(const StudyArguments& arguments, const Session& session) {
  if (arguments.json) {
    Json all = Json::array();
    for (const Study& study : included_studies())
      all.push_back({{"name", study.name}, {"title", study.title}, {"question", study.question}});
    return print_json(all);
  }
  Table table({Table::Align::left, Table::Align::right, Table::Align::left});
  table.add({"study", "runs", "title"});
  for (const Study& study : included_studies())
    table.add({study.name, fmt::format("{}", rows_of(study).size() * study.seeds), study.title});
  put("{}{}", table.text(session.terminal.width),
      wrapped(fmt::format("Run one with {0} study NAME, a tiny version of all with {0} study "
                          "--quick.",
                          session.program),
              session.terminal.width));
}

void show_cost(const Study& study, const StudyPlan& plan, const StudyArguments& arguments,
               Session& session) {
  std::vector<Settings> rows;
  for (const StudyRow& row : plan.rows) rows.push_back(labels_of(study, row));
  const SweepEstimate cost = estimate(plan.runs, rows, plan.shares, session);
  if (arguments.json) return print_json(to_json(cost));
  put("{}\n{}", wrapped(study.title, session.terminal.width), to_text(cost, session.terminal));
}

/// Writes the results, the page and the figures into the study's folder.
void write_study(const StudyResults& results, bool quiet, const Session& session) {
  const std::string& out = results.plan.out;
  replace_file(out + "/study.json", to_text(study_json(results), 1) + '\n');
  const auto charts = study_charts(results);
  for (const auto& [name, chart] : charts)
    write_figure({name, draw(chart), csv_of(chart)}, out + "/figures");
  replace_file(out + "/report.html", study_page(results, charts));
  if (!quiet)
    put("{}", wrapped(fmt::format("wrote a page{}: {}",
                                  results.study.figures.empty() ? "" : " and figures",
                                  visible(out + "/report.html")),
                      session.terminal.width));
}

/// Runs one study. Returns false if interrupted.
bool run_study(const Study& study, const StudyArguments& arguments, Session& session) {
  const StudyPlan plan = plan_study(study, arguments.call, session);
  const bool quiet = is_quiet(arguments);
  if (plan.runs.empty()) {
    if (!quiet)
      put("{}", wrapped(fmt::format("{}: skipped, because its data is missing; give the folder "
                                    "with --data",
                                    study.name),
                        session.terminal.width));
    return true;
  }
  if (arguments.dry_run) {
    show_cost(study, plan, arguments, session);
    return true;
  }
  const std::shared_ptr<void> lock = lock_sweep(plan.out);
  if (!train_study(plan, quiet, session)) {
    session.status = StopSignals::status;
    return false;
  }
  const StudyResults results = study_results(study, plan, arguments.call.quick, session);
  if (StopSignals::stop) {
    message("interrupted; repeat the command to continue");
    session.status = StopSignals::status;
    return false;
  }
  if (arguments.json) {
    print_json(study_json(results));
  } else {
    put("{}", quiet ? study_markdown(results) : "\n" + study_text(results, session.terminal));
  }
  write_study(results, quiet, session);
  return true;
}

std::vector<Study> chosen_studies(const StudyArguments& arguments) {
  std::vector<Study> studies;
  if (arguments.names.empty()) studies = included_studies();
  for (const std::string& name : arguments.names) studies.push_back(find_study(name));
  if (studies.size() > 1 && !arguments.call.out.empty())
    throw UsageError("--out {} needs a single study, not {}", arguments.call.out, studies.size());
  return studies;
}

void run_studies(const StudyArguments& arguments, Session& session) {
  if (!arguments.format.empty() && arguments.format != text_format &&
      arguments.format != markdown_format)
    throw UsageError("unknown --format '{}'; expected {} or {}", arguments.format, text_format,
                     markdown_format);
  if (arguments.has_seeds && arguments.call.seeds < 1)
    throw UsageError("--seeds must be at least 1, not {}", arguments.call.seeds);
  if (arguments.names.empty() && !arguments.call.quick) return list_studies(arguments, session);
  const WriteSignalGuard closed_pipe(WriteSignalGuard::To::pipe);
  const StopSignals signals;
  for (const Study& study : chosen_studies(arguments))
    if (!run_study(study, arguments, session)) return;
}

void add_study_command(const Command& app, Session& session) {
  const auto arguments = std::make_shared<StudyArguments>();
  const Command command =
      app.add("study", "run a study: train, draw, compare with published values");
  command.footer(fmt::format(
      "Without names, lists the included studies. Runs, figures and a page are written to --out, "
      "by default studies/NAME. After an interruption, the same command continues.\n"
      "Example: {} study grokking --dry-run",
      session.program));
  StudyCall& call = arguments->call;
  command.words("NAME", "", arguments->names, "studies, or files NAME.toml with your own");
  command.flag("--quick", call.quick,
               "tiny version, to see that a study works; without names: all");
  command.flag("--dry-run", arguments->dry_run,
               "summary of the runs, their time and memory; nothing is trained or written");
  const CommandOption seeds =
      command.option("--seeds", call.seeds, "runs per row (default: set by the study)");
  command.option("--jobs", call.jobs, "number of runs at once (0 = as threads and memory allow)")
      .shown_default("0");
  command.option("--data", "FOLDER", call.data,
                 "folder with the study's data files (default: the study file's)");
  command.option("--out", "FOLDER", call.out, "folder to write to (default: studies/NAME)");
  command
      .option("--format", fmt::format("{}|{}", text_format, markdown_format), arguments->format,
              "form of the printed results")
      .shown_default(text_format);
  add_json(command, arguments->json);
  command.on_run([=, &session] {
    arguments->has_seeds = seeds.given();
    if (arguments->json && !arguments->format.empty())
      throw UsageError("use either --json or --format, not both");
    run_studies(*arguments, session);
  });
}

}  // namespace

/// Adds the command `study`.
void add_study(Registry& registry) {
  registry.extend(CommandEntry{"study", add_study_command}.in("Train"));
}

}  // namespace tapehead

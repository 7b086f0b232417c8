#include "../extensions.hpp"
#include "../terminal/output.hpp"
#include "commands.hpp"
#include "load_run.hpp"

#include <fmt/ranges.h>

#include <filesystem>

namespace tapehead {
namespace {

struct ExportArguments {
  std::string run, to, format, checkpoint;
  bool overwrite = false;
};

/// Throws UsageError for an existing file. The formats refuse a folder that isn't empty.
void check_new(const ExportArguments& arguments) {
  std::error_code ignored;
  if (!arguments.overwrite && std::filesystem::is_regular_file(arguments.to, ignored))
    throw UsageError("export: {} exists already; give another name, or replace it with --overwrite",
                     visible(arguments.to));
}

void export_model(const ExportArguments& arguments, const Session& session) {
  const std::vector<ExportFormat>& formats = session.registry.extensions<ExportFormat>();
  const ExportFormat& format = require_named("--format", arguments.format, formats);
  check_new(arguments);
  const LoadedRun run = load_run(arguments.run, session.registry, "", arguments.checkpoint);
  const std::string written = format.write(run, arguments.to);
  put("{}", wrapped(session.terminal.width, "step {} of {} · {}: {}", run.steps,
                    visible(arguments.run), visible(arguments.to), written));
}

}  // namespace

void add_export_command(const Command& app, Session& session) {
  const Command command = app.add("export", "export a run's model to another format");
  const auto a = std::make_shared<ExportArguments>();
  command.positional("RUN", a->run, "run folder");
  command.positional("TO", a->to, "new file, or a new or empty folder");
  std::vector<std::string> names, summaries;
  for (const ExportFormat& format : session.registry.extensions<ExportFormat>()) {
    names.push_back(format.name);
    summaries.push_back(fmt::format("{}: {}", format.name, format.summary));
  }
  a->format = names.front();
  command
      .option("--format", fmt::format("{}", fmt::join(names, "|")), a->format,
              fmt::format("{}", fmt::join(summaries, "; ")))
      .shown_default(a->format);
  add_checkpoint(command, a->checkpoint);
  command.flag("--overwrite", a->overwrite, "replace an existing file");
  command.on_run([=, &session] { export_model(*a, session); });
}

}  // namespace tapehead

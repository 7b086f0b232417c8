#include "../../train/runs/files.hpp"
#include "../report/page.hpp"
#include "../report/run.hpp"
#include "../terminal/output.hpp"
#include "../terminal/progress_line.hpp"
#include "commands.hpp"

#include <algorithm>

namespace tapehead {
namespace {

struct Arguments {
  std::vector<std::string> runs;
  std::string out;
};

std::string without_end_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

void report(const Arguments& arguments, const Session& session) {
  std::vector<std::string> paths;
  for (const std::string& run : arguments.runs) {
    paths.push_back(without_end_slashes(run));
    if (std::count(paths.begin(), paths.end(), paths.back()) > 1)
      throw UsageError("report: {} is given twice", paths.back());
  }
  ReportBudget budget;
  budget.points /= paths.size();
  budget.weights /= static_cast<Index>(paths.size());
  const std::string what = paths.size() == 1 ? paths[0] : fmt::format("{} runs", paths.size());
  Json runs = Json::array();
  {
    ProgressLine line(session.terminal, "looking at " + visible(what), 0);
    for (const std::string& path : paths) {
      line(static_cast<double>(runs.items().size()) / static_cast<double>(paths.size()));
      runs.push_back(run_json(path, session.registry, session.program, budget));
    }
  }
  const std::string file = !arguments.out.empty() ? arguments.out
                           : paths.size() == 1    ? paths[0] + "/report.html"
                                                  : "report.html";
  const std::string page = report_page(runs);
  write_file(file, page);
  if (file == "/dev/stdout") return;
  put("{} · {} · {}B\n", visible(file), visible(what), human(static_cast<double>(page.size())));
}

}  // namespace

void add_report_command(const Command& app, Session& session) {
  const Command command = app.add("report", "write a page about a run, or several overlaid");
  const auto arguments = std::make_shared<Arguments>();
  command.words("RUN", "", arguments->runs, "folder of a run; the curves of several are overlaid")
      .required();
  command.option("--out", "FILE", arguments->out,
                 "where to write it [RUN/report.html; of several, report.html]");
  command.footer("The page is one file, and needs no network.");
  command.on_run([=, &session] { report(*arguments, session); });
}

}  // namespace tapehead

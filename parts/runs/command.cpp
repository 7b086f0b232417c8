#include "../../cli/commands/commands.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../train/runs/run_folder.hpp"
#include "clean.hpp"
#include "commands.hpp"
#include "query.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

struct RunsArguments {
  std::vector<std::string> words, where, sort, columns;
  LabelChanges labels;
  bool clean = false, yes = false, json = false, csv = false;
};

/// Runs `runs label RUN...`, which changes and shows the labels of runs.
void label(const RunsArguments& a, const Session& session) {
  if (a.words.size() < 2) throw UsageError("runs label: expected one or more runs");
  const bool is_alone = a.words.size() == 2;
  std::vector<std::pair<std::string, RunLabels>> runs;  // checks all runs before it changes one
  for (std::size_t i = 1; i < a.words.size(); ++i) {
    const std::string path = RunFolder::open(a.words[i]).path();
    try {
      runs.emplace_back(path, changed(read_labels(path), a.labels));
    } catch (const UsageError& error) {
      if (is_alone) throw;
      throw UsageError("{}: {}", visible(path), error.what());
    }
  }
  Json all = Json::array();
  std::string text;
  for (const auto& [path, labels] : runs) {
    if (a.labels.any()) write_labels(path, labels);
    all.push_back({{"path", path},
                   {"name", labels.name},
                   {"note", labels.note},
                   {"tags", Json(labels.tags)}});
    Table table({Table::Align::left, Table::Align::left});
    if (!is_alone) table.add({"run", visible(path)});
    table.add({"name", visible(labels.name)});
    table.add({"note", visible(labels.note)});
    table.add({"tags", visible(fmt::format("{}", fmt::join(labels.tags, ", ")))});
    text += (text.empty() ? "" : "\n") + table.text(session.terminal.width);
  }
  if (a.json) return print_json(is_alone ? all.items()[0] : all);
  put("{}", text);
}

/// Formats a size: 412 kB, 999 B.
std::string size_text(std::uint64_t bytes) {
  std::string text = human(static_cast<double>(bytes));
  return text.insert(std::min(text.find_first_of("kMGTPE"), text.size()), " ") + "B";
}

/// Runs `runs --clean`, which lists unneeded folders and, with --yes, removes them.
void clean(const std::vector<ListedRun>& runs, const RunsArguments& a, Session& session) {
  std::vector<std::string> kept;
  const std::vector<UnneededFolder> all = find_unneeded(runs, kept);
  Json removed = Json::array();
  Table table({Table::Align::left, Table::Align::right, Table::Align::left});
  std::uint64_t bytes = 0;
  for (const UnneededFolder& unneeded : all) {
    const std::string fault = a.yes ? remove(unneeded) : "";
    if (!fault.empty()) session.status = 1;
    if (fault.empty()) bytes += unneeded.bytes;
    const std::string why = fault.empty() ? unneeded.why : "not removed: " + visible(fault);
    table.add({visible(unneeded.path), size_text(unneeded.bytes), why});
    Json one = {{"path", unneeded.path}, {"why", unneeded.why}, {"bytes", unneeded.bytes}};
    if (a.yes) one["removed"] = fault.empty();
    if (!fault.empty()) one["fault"] = fault;
    removed.push_back(std::move(one));
  }
  if (a.json) return print_json({{"removed", a.yes}, {"unneeded", removed}, {"kept", Json(kept)}});
  put("{}", table.text(session.terminal.width));
  for (const std::string& line : kept) put("{}", wrapped(line, session.terminal.width));
  if (all.empty()) return put("nothing to remove\n");
  const auto count = static_cast<long long>(all.size());
  if (a.yes)
    put("removed: {}\n", size_text(bytes));
  else
    put("{}", wrapped(session.terminal.width, "{}, {}; use --yes to remove {}",
                      plural(count, "folder"), size_text(bytes), count == 1 ? "it" : "them"));
}

void print_table(const std::vector<ListedRun>& runs, std::size_t all, const RunsArguments& a,
                 const Session& session) {
  constexpr std::size_t most = 6;
  const std::vector<std::string> differing = differing_options(runs, session.registry);
  std::vector<std::string> columns = a.columns;
  if (!columns.empty() && !contains(columns, "run")) columns.insert(columns.begin(), "run");
  if (a.csv) return put("{}", to_csv(runs, columns.empty() ? csv_columns(differing) : columns));
  if (columns.empty()) columns = table_columns(runs, differing, most);
  if (!runs.empty()) put("{}", to_text(runs, columns, session.terminal));
  std::string summary = runs.size() == all
                            ? plural(all, "run")
                            : fmt::format("{} of {}", runs.size(), plural(all, "run"));
  if (a.columns.empty() && differing.size() > most) {
    summary += "; more options differ: --columns ";
    for (std::size_t i = most; i < differing.size(); ++i)
      summary += (i == most ? "" : ",") + differing[i];
  }
  put("{}{}", runs.empty() ? "" : "\n", wrapped(summary, session.terminal.width));
}

void list(const RunsArguments& a, Session& session) {
  if (a.words.size() > 1) throw UsageError("runs: unexpected '{}'", visible(a.words[1]));
  const std::string folder = a.words.empty() ? "runs" : a.words[0];
  if (folder.empty()) throw UsageError("runs: FOLDER is empty; expected a folder such as runs");
  if (a.json && a.csv) throw UsageError("runs: --json and --csv are mutually exclusive");
  if (a.yes && !a.clean) throw UsageError("runs: --yes requires --clean");
  if (a.clean && (a.csv || !a.columns.empty()))
    throw UsageError("runs: --clean can't be combined with --csv or --columns");
  std::vector<Condition> conditions;
  for (const std::string& text : a.where) conditions.push_back(Condition::parse(text));
  std::vector<ListedRun> runs = runs_below(folder, session.registry);
  for (const Condition& condition : conditions) {
    check_column(condition.column, "--where", runs, session.registry);
    check_value(condition, runs);
  }
  for (const std::string& column : a.columns)
    check_column(column, "--columns", runs, session.registry);
  const std::size_t all = runs.size();
  for (const std::string& key : a.sort)
    check_column(key.substr(key.rfind('-', 0) == 0 ? 1 : 0), "--sort", runs, session.registry);
  // Sorts by the last key first: sorting is stable, so the first key has the highest priority.
  for (auto key = a.sort.rbegin(); key != a.sort.rend(); ++key) sort_by(*key, runs);
  erase_if(runs, [&](const ListedRun& run) {
    return !all_of(conditions, [&](const Condition& each) { return each.matches(run); });
  });
  if (a.clean) return clean(runs, a, session);
  if (!a.json) return print_table(runs, all, a, session);
  Json rows = Json::array();
  for (const ListedRun& run : runs) rows.push_back(to_json(run));
  print_json(rows);
}

}  // namespace

void add_runs_command(const Command& app, Session& session) {
  const Command command = app.add("runs", "list, search, label and clean up runs");
  const auto a = std::make_shared<RunsArguments>();
  command
      .words("WHAT", "", a->words,
             "FOLDER: list the runs in it and below it; label RUN...: change their names, notes "
             "and tags")
      .shown_default("runs");
  command
      .words("--where", "CONDITION", a->where,
             "condition on the runs, such as 'width>64', 'task=copy', 'note~wide' (contains), "
             "'tags' (is set) or '!tags' (isn't set); operators: = != < <= > >= ~; repeatable")
      .repeated();
  command
      .words("--sort", "COLUMNS", a->sort,
             "columns to sort by, in order of priority; -NAME = descending")
      .comma_separated();
  command
      .words("--columns", "NAMES", a->columns,
             "columns to show: names of train options, or of the table's usual columns")
      .comma_separated();
  command.flag("--csv", a->csv, "output as comma-separated values, with all digits");
  add_json(command, a->json);
  command
      .flag("--clean", a->clean,
            "list of removable folders: runs without checkpoints, and old checkpoints other than "
            "the best")
      .group("Cleaning");
  command.flag("--yes", a->yes, "with --clean: remove the listed folders").group("Cleaning");
  const auto label_option = [&](const char* name, const char* help,
                                std::optional<std::string>& to) {
    command
        .option(
            name, "TEXT", [&to](const std::string& text) { to = text; }, help)
        .group("Labels");
  };
  label_option("--name", "with `runs label`: name of the run ('' removes it)", a->labels.name);
  label_option("--note", "with `runs label`: note about the run ('' removes it)", a->labels.note);
  command.words("--tag", "TAGS", a->labels.tags, "with `runs label`: tags to add")
      .comma_separated()
      .group("Labels");
  command.words("--untag", "TAGS", a->labels.untags, "with `runs label`: tags to remove")
      .comma_separated()
      .group("Labels");
  command.on_run([=, &session] {
    if (!a->words.empty() && a->words[0] == "label") {
      if (a->clean || a->yes || a->csv || !a->where.empty() || !a->sort.empty() ||
          !a->columns.empty())
        throw UsageError("runs label: only --name, --note, --tag, --untag and --json apply");
      return label(*a, session);
    }
    if (a->labels.any())
      throw UsageError("runs: --name, --note, --tag and --untag work only with 'runs label RUN'");
    list(*a, session);
  });
}

void add_runs(Registry& registry) {
  registry.extend(CommandEntry{"runs", add_runs_command}.in("Manage"));
  registry.extend(CommandEntry{"verify", add_verify_command}.in("Check"));
  registry.extend(CommandEntry{"config", add_config_command}.in("Manage"));
}

}  // namespace tapehead

#include "write.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../train/message.hpp"
#include "../../train/runs/json.hpp"
#include "../../train/runs/made_folders.hpp"
#include "../../train/runs/metrics_file.hpp"
#include "../shelf/date.hpp"
#include "database.hpp"

#include <fmt/chrono.h>

#include <cctype>
#include <filesystem>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// As Trackio names the file of a project.
std::string file_name(const std::string& project) {
  std::string name;
  for (const char c : project)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') name += c;
  return (name.empty() ? "default" : name) + ".db";
}

/// ISO 8601, in UTC.
std::string time_text(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  const int millis = static_cast<int>((seconds - static_cast<double>(whole)) * 1e3);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}+00:00", fmt::gmtime(whole), millis);
}

/// All numbers within a line. What isn't finite is null, and left out.
Json numbers_in(const Json& line) {
  Json numbers = Json::object();
  each_leaf(line, [&](const std::string& name, const Json& leaf) {
    if (name != "step" && leaf.is_number()) numbers[name] = leaf;
  });
  return numbers;
}

/// The options, numbers as such, and what the run is called.
Json config_of(const ShelfRun& run) {
  Json config = {{"task", run.task}, {"version", run.version}};
  for (const auto& [name, text] : run.options) {
    const std::optional<Json> value = parse_json(text);
    const bool plain = value && (value->is_number() || value->is_boolean());
    config[name] = plain ? *value : Json(text);
  }
  if (!run.labels.name.empty()) config["name"] = run.labels.name;
  if (!run.labels.note.empty()) config["note"] = run.labels.note;
  if (!run.labels.tags.empty()) config["tags"] = Json(run.labels.tags);
  return config;
}

void make_tables(Database& database) {
  database.run(
      "CREATE TABLE IF NOT EXISTS metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, "
      "run_id TEXT NOT NULL, timestamp TEXT NOT NULL, run_name TEXT NOT NULL, "
      "step INTEGER NOT NULL, metrics TEXT NOT NULL)");
  database.run(
      "CREATE TABLE IF NOT EXISTS configs (id INTEGER PRIMARY KEY AUTOINCREMENT, "
      "run_id TEXT NOT NULL, run_name TEXT NOT NULL, config TEXT NOT NULL, "
      "created_at TEXT NOT NULL, UNIQUE(run_id))");
}

void write_run(Database& database, const ShelfRun& run, const std::vector<std::string>& lines) {
  const std::string id = "tapehead:" + run.run;
  for (const char* table : {"metrics", "configs"})
    database.run(fmt::format("DELETE FROM {} WHERE run_id = ?", table), {id});
  const double end = written_at(run.path + "/" + metrics_name).value_or(0);
  std::vector<Json> parsed;
  for (const std::string& line : lines) parsed.push_back(parse_json(line).value());
  // The last line was written when the file was, and each before it earlier by the training time
  // between the two; what a run does after a pause counts from 0 again.
  std::vector<double> times(parsed.size(), end);
  for (std::size_t i = parsed.size(); i-- > 1;) {
    const auto seconds = [&](std::size_t at) { return parsed[at]["time"]["seconds"].number(); };
    const double between = seconds(i) - seconds(i - 1);
    times[i - 1] = times[i] - (between > 0 ? between : 0);
  }
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    database.run(
        "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?, ?)",
        {id, time_text(times[i]), run.run, *parsed[i]["step"].integer(),
         to_text(numbers_in(parsed[i]))});
  }
  database.run(
      "INSERT INTO configs (run_id, run_name, config, created_at) VALUES (?, ?, ?, ?)",
      {id, run.run, to_text(config_of(run)), time_text(times.empty() ? end : times.front())});
}

}  // namespace

RunsExport::Written write_trackio(const std::vector<ShelfRun>& runs, const std::string& project,
                                  const std::string& folder) {
  if (folder.empty()) throw UsageError("--trackio: expected a folder, got ''");
  const MadeFolders made(folder);
  const std::string path = folder + "/" + file_name(project);
  Database database(path);
  make_tables(database);
  std::size_t count = 0;
  bool complete = true;
  for (const ShelfRun& run : runs) {
    std::vector<std::string> lines;
    std::string why = run.path + ": it has no metrics yet";
    try {
      lines = MetricsFile(run.path).read();
    } catch (const FileError& error) {
      why = error.what();
      complete = false;
    }
    if (lines.empty()) {
      message(why + "; the run is left out");
      continue;
    }
    write_run(database, run, lines);
    ++count;
  }
  database.commit();
  const std::string all = plural(runs.size(), "run");
  return {fmt::format("{}: {}{}; TRACKIO_DIR={} trackio show --project {} shows them",
                      visible(path), count == runs.size() ? "" : fmt::format("{} of ", count), all,
                      shell_word(folder), shell_word(fs::path(path).stem().string())),
          complete};
}

}  // namespace tapehead

#include "metrics_file.hpp"
#include "../../core/system/file.hpp"
#include "../files/files.hpp"
#include "../files/json.hpp"
#include "../safetensors/safetensors.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <set>

namespace tapehead {
namespace {

Json parsed(const std::string& line) {
  if (line.find_first_of(std::string("\n\0", 2)) != std::string::npos) return {};
  return parse_json(line).value_or(Json());
}

void remove_file(const std::string& path) {
  std::error_code reason;
  std::filesystem::remove(path, reason);
  if (reason) throw FileError("{}: {}", path, system::error_message(reason));
}

/// Returns the integers in the first column of metrics.csv.
std::vector<Index> table_steps(const std::string& run) {
  std::vector<Index> steps;
  const std::string path = run + "/" + metrics_table_name;
  if (!exists(path)) return steps;
  const std::string text = read_file(path);
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    Index step = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, step);
    if (error == std::errc() && (*stop == ',' || *stop == '\n')) steps.push_back(step);
  }
  return steps;
}

std::optional<Index> step_of(const std::string& line) {
  const Json json = parsed(line);
  return json["step"].integer();
}

/// Returns what is wrong with a line, or nothing. A valid line is an object with an integer "step".
/// The members that training writes must be numbers, or null for non-finite values.
std::string fault_of(const std::string& line) {
  const Json json = parsed(line);
  if (!json["step"].integer()) return "is not a JSON object with an integer \"step\"";
  const auto is_number = [](const Json& value) { return value.is_number() || value.is_null(); };
  for (const char* name : {"loss", "lr", "grad_norm", "val_loss", "exact_match"})
    if (!is_number(json[name])) return fmt::format("has a \"{}\" that is not a number", name);
  const Json& time = json["time"];
  if (!time.is_object() && !time.is_null()) return "has a \"time\" that is not an object";
  for (const char* name : {"seconds", "tokens_per_second"})
    if (!is_number(time[name])) return fmt::format("has a \"{}\" that is not a number", name);
  return "";
}

void walk(const Json& json, const std::string& name,
          const std::function<void(const std::string&, const Json&)>& f) {
  const auto within = [&](const std::string& key) {
    return name.empty() ? key : fmt::format("{}/{}", name, key);
  };
  for (const auto& [key, part] : json.members())
    if (!name.empty() || key != "histograms") walk(part, within(key), f);
  for (std::size_t i = 0; i < json.items().size(); ++i)
    walk(json.items()[i], within(std::to_string(i)), f);
  if (json.is_number() || json.is_null() || json.is_string()) f(name, json);
}

}  // namespace

std::vector<std::string> MetricsFile::complete_lines() const {
  std::vector<std::string> lines;
  if (!exists(path_)) return lines;
  const std::string text = read_file(path_);
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> MetricsFile::read() const {
  std::vector<std::string> lines = complete_lines();
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (const std::string fault = fault_of(lines[i]); !fault.empty())
      throw FileError(
          "{}: line {} {}; fix it, or drop damaged lines with train --resume {} --repair", path_,
          i + 1, fault, shell_word(run_));
  return lines;
}

void MetricsFile::append(const std::string& line) const {
  if (!step_of(line))
    throw ValueError("metrics: expected a JSON object with an integer \"step\", got {}",
                     quote(line));
  write_in(run_, [&] { append_file(path_, line + "\n"); });
}

void MetricsFile::rewind(Index steps) const {
  if (!exists(path_)) return;
  std::string kept;
  for (const std::string& line : read())
    if (step_of(line).value() <= steps) kept += line + "\n";
  if (kept == read_file(path_) && !kept.empty()) return;
  // Removes the file if no line is left, because an empty file counts as damaged.
  write_in(run_, [&] { kept.empty() ? remove_file(path_) : replace_file(path_, kept); });
}

Index MetricsFile::repair(const std::string& aside) const {
  std::string whole, kept;
  Index dropped = 0;
  for (const std::string& line : complete_lines()) {
    whole += line + "\n";
    if (fault_of(line).empty())
      kept += line + "\n";
    else
      ++dropped;
  }
  if (dropped > 0)
    write_in(run_, [&] {
      replace_file(aside, whole);
      replace_file(path_, kept);
    });
  return dropped;
}

std::string MetricsFile::lost_lines(Index step) const {
  const std::vector<std::string> lines = complete_lines();
  if (exists(path_) && read_file(path_).empty())
    return fmt::format("empty, but the run has a checkpoint of step {}", step);
  std::set<Index> known;
  for (const std::string& line : lines) known.insert(step_of(line).value_or(-1));
  for (const Index row : table_steps(run_))
    if (row <= step && known.count(row) == 0)
      return fmt::format("no line for step {}, but {} has one", row, metrics_table_name);
  return "";
}

void MetricsFile::sync() const {
  if (exists(path_)) sync_to_disk(path_);
}

void each_leaf(const Json& line, const std::function<void(const std::string&, const Json&)>& f) {
  walk(line, "", f);
}

}  // namespace tapehead

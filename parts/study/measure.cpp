#include "measure.hpp"
#include "../../cli/app.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/number.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/watch/statistics.hpp"
#include "../../train/watch/timing.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace tapehead {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Removes an ending from a text, and returns whether it had it.
bool take_end(std::string& text, const std::string& end) {
  if (!ends_with(text, end)) return false;
  text.resize(text.size() - end.size());
  return true;
}

bool take_start(std::string& text, const std::string& start) {
  if (!starts_with(text, start)) return false;
  text.erase(0, start.size());
  return true;
}

bool parse_number(const std::string& text, double& number) {
  const std::optional<double> read = read_real(text);
  number = read.value_or(number);
  return read.has_value();
}

/// Parses ` from A % to B %` at the end of a mean or median.
bool parse_range_of_steps(StudyMeasure& measure) {
  const std::size_t at = measure.key.rfind(" from ");
  if (at == std::string::npos) return true;
  const std::vector<std::string> words = split_words(measure.key.substr(at));
  measure.key.resize(at);
  if (words.size() != 6 || words[2] != "%" || words[3] != "to" || words[5] != "%" ||
      !parse_number(words[1], measure.from) || !parse_number(words[4], measure.to))
    return false;
  measure.from /= 100;
  measure.to /= 100;
  return measure.from >= 0 && measure.from < measure.to && measure.to <= 1;
}

/// Parses `KEY < X` after `first step with`.
bool parse_bound(StudyMeasure& measure) {
  const std::size_t at = measure.key.find_first_of("<>");
  if (at == std::string::npos) return false;
  const auto [op, rest] = split_comparison(measure.key.substr(at));
  measure.op = op;
  const std::vector<std::string> key = split_words(measure.key.substr(0, at)),
                                 bound = split_words(rest);
  if (key.size() != 1 || bound.size() != 1) return false;
  measure.key = key[0];
  return parse_number(bound[0], measure.bound);
}

void visit_numbers(const Json& json, const std::string& key, std::vector<double>& found) {
  if (key.empty()) {
    if (const double number = json.number(); std::isfinite(number)) found.push_back(number);
    return;
  }
  const std::size_t dot = key.find('.');
  const std::string name = key.substr(0, dot);
  const std::string rest = dot == std::string::npos ? "" : key.substr(dot + 1);
  if (name == "*") {
    for (const auto& member : json.members()) visit_numbers(member.value, rest, found);
    for (const Json& item : json.items()) visit_numbers(item, rest, found);
    return;
  }
  double index = 0;
  const Json::Array& items = json.items();
  if (!items.empty() && parse_number(name, index) && index >= 0 &&
      index < static_cast<double>(items.size()))
    return visit_numbers(items[static_cast<std::size_t>(index)], rest, found);
  if (const Json& member = json[name]; !member.is_null()) visit_numbers(member, rest, found);
}

}  // namespace

std::pair<std::string, std::string> split_comparison(const std::string& text) {
  for (const char* op : {"<=", ">=", "<", ">"})
    if (starts_with(text, op)) return {op, text.substr(std::string(op).size())};
  return {"", text};
}

StudyMeasure parse_measure(const std::string& name, const std::string& text,
                           const std::string& place) {
  using Kind = StudyMeasure::Kind;
  using OverSeeds = StudyMeasure::OverSeeds;
  StudyMeasure measure;
  measure.name = name;
  measure.text = text;
  measure.place = place;
  std::string& key = measure.key = text;
  for (const auto& [end, which] : {std::pair(", highest seed", OverSeeds::highest),
                                   {", lowest seed", OverSeeds::lowest},
                                   {", mean of seeds", OverSeeds::mean}})
    if (take_end(key, end)) measure.over_seeds = which;
  measure.percent = take_end(key, ", percent");
  bool valid = true;
  if (take_start(key, "first step with ")) {
    measure.kind = Kind::first;
    valid = parse_bound(measure);
  } else if (take_start(key, "last ")) {
    measure.kind = Kind::last;
  } else if (take_start(key, "lowest ")) {
    measure.kind = Kind::lowest;
  } else if (take_start(key, "highest ")) {
    measure.kind = Kind::highest;
  } else if (const bool is_mean = take_start(key, "mean "); is_mean || take_start(key, "median ")) {
    measure.kind = is_mean ? Kind::mean : Kind::median;
    valid = parse_range_of_steps(measure);
  } else if (const std::size_t at = key.rfind(": "); at != std::string::npos) {
    measure.kind = Kind::command;
    measure.command = trimmed(key.substr(0, at));
    key.erase(0, at + 2);
  } else {
    valid = false;
  }
  if (!valid || key.empty())
    throw FileError(
        "{}: {} = \"{}\": expected such as \"last val_loss\", \"first step with exact_match >= "
        "0.99\", \"mean loss from 20 % to 80 %\" or \"eval --length 8: at_length.exact_match\"",
        place, name, text);
  return measure;
}

double value_at(const Json& document, const std::string& key) {
  std::vector<double> found;
  visit_numbers(document, key, found);
  return mean(found);
}

bool compares(double value, const std::string& op, double bound) {
  if (op == "<") return value < bound;
  if (op == "<=") return value <= bound;
  return op == ">" ? value > bound : value >= bound;
}

double measured(const StudyMeasure& measure, const std::vector<Json>& lines, Index steps) {
  using Kind = StudyMeasure::Kind;
  std::vector<double> values;
  for (const Json& line : lines) {
    const double value = value_at(line, measure.key);
    if (!std::isfinite(value)) continue;
    const double step = line["step"].number(), share = step / static_cast<double>(steps);
    if (measure.kind == Kind::first && compares(value, measure.op, measure.bound)) return step;
    if (share >= measure.from && share <= measure.to) values.push_back(value);
  }
  if (values.empty()) return unknown;
  switch (measure.kind) {
    case Kind::first:
      return std::numeric_limits<double>::infinity();
    case Kind::lowest:
      return *std::min_element(values.begin(), values.end());
    case Kind::highest:
      return *std::max_element(values.begin(), values.end());
    case Kind::mean:
      return mean(values);
    case Kind::median:
      return median(values);
    default:
      return values.back();
  }
}

CommandResults::CommandResults(const std::string& path, const Session& session)
    : path_(path), session_(session) {
  if (!exists(path)) return;
  for (const std::string& line : split_lines(read_file(path)))
    if (std::optional<Json> known = parse_json(line)) known_.push_back(std::move(*known));
}

Json CommandResults::of(const std::string& command, const std::string& folder,
                        const std::string& digest) {
  const std::string name = std::filesystem::path(folder).filename().string();
  for (const Json& one : known_)
    if (one["command"].string() == command && one["run"].string() == name &&
        one["weight_hash"].string() == digest)
      return one["result"];
  std::vector<std::string> words = split_words(command);
  words.insert(words.begin(), session_.registry.program);
  words.insert(words.begin() + 2, folder);
  words.emplace_back("--json");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  Json one = {{"command", command}, {"run", name}, {"weight_hash", digest}};
  const OutputCapture output;
  try {
    const int status =
        run_or_throw(static_cast<int>(arguments.size()), arguments.data(), session_.registry);
    if (status != 0) throw Error("exit status {}", status);
  } catch (const std::exception& error) {
    failures_.emplace(command, name + ": " + error.what());
    return {};
  }
  if (std::optional<Json> result = parse_json(output.text())) one["result"] = std::move(*result);
  append_file(path_, to_text(one) + '\n');
  known_.push_back(std::move(one));
  return std::as_const(known_.back())["result"];
}

std::string CommandResults::failure(const std::string& command) const {
  const auto found = failures_.find(command);
  return found == failures_.end() ? "" : found->second;
}

}  // namespace tapehead

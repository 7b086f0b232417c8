#include "labels.hpp"
#include "../../core/system/file.hpp"
#include "../files/files.hpp"
#include "../files/json.hpp"
#include "../files/strings.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace tapehead {
namespace {

constexpr std::size_t longest_line = 200, longest_note = 10000;

void check_text(const char* option, const std::string& text, std::size_t most) {
  if (text.size() > most)
    throw UsageError("{}: {} bytes, expected at most {}", option, text.size(), most);
  if (replace_invalid(text) != text) throw UsageError("{}: not UTF-8 text", option);
}

void check_line(const char* option, const std::string& text) {
  check_text(option, text, longest_line);
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      throw UsageError("{}: expected one line without control characters, got '{}'", option,
                       visible(text));
}

void check_tag(const char* option, const std::string& tag) {
  check_line(option, tag);
  if (tag.empty() || tag.find_first_of(" ,") != std::string::npos)
    throw UsageError("{}: expected a tag without spaces and commas, got '{}'", option,
                     visible(tag));
}

std::string path_of(const std::string& run) { return run + "/" + labels_name; }

}  // namespace

RunLabels changed(RunLabels labels, const LabelChanges& changes) {
  if (changes.name) check_line("--name", *changes.name);
  if (changes.note) check_text("--note", *changes.note, longest_note);
  labels.name = changes.name.value_or(labels.name);
  labels.note = changes.note.value_or(labels.note);
  std::vector<std::string>& tags = labels.tags;
  for (const std::string& tag : changes.untags) {
    const auto at = std::find(tags.begin(), tags.end(), tag);
    if (at == tags.end())
      throw UsageError(
          "--untag {}: the run has no such tag; {}", visible(tag),
          tags.empty() ? "it has none" : fmt::format("it has {}", fmt::join(tags, ", ")));
    tags.erase(at);
  }
  for (const std::string& tag : changes.tags) {
    check_tag("--tag", tag);
    if (!contains(tags, tag)) tags.push_back(tag);
  }
  return labels;
}

RunLabels read_labels(const std::string& run) {
  const std::string path = path_of(run);
  RunLabels labels;
  if (!exists(path)) return labels;
  const std::optional<Json> json = parse_json(require_utf8(read_file(path), path));
  if (!json || !json->is_object())
    throw FileError("{}: expected a JSON object with name, note and tags", path);
  labels.name = (*json)["name"].string();
  labels.note = (*json)["note"].string();
  for (const Json& tag : (*json)["tags"].items()) labels.tags.push_back(tag.string());
  return labels;
}

void write_labels(const std::string& run, const RunLabels& labels) {
  const std::string path = path_of(run);
  if (labels.empty()) {
    std::error_code reason;
    std::filesystem::remove(path, reason);
    if (reason) throw FileError("{}: {}", path, system::error_message(reason));
    return;
  }
  const Json json = {{"name", labels.name}, {"note", labels.note}, {"tags", Json(labels.tags)}};
  replace_file(path, to_text(json) + "\n");
}

}  // namespace tapehead

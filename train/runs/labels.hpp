#pragma once
// What people call a run: a name, a note and tags. They say nothing of its result, so they are no
// part of its configuration.
#include <optional>
#include <string>
#include <vector>

namespace tapehead {

constexpr const char* labels_name = "labels.json";

struct RunLabels {
  std::string name, note;
  std::vector<std::string> tags;  ///< each once, in the order in which they were given

  bool empty() const { return name.empty() && note.empty() && tags.empty(); }
};

/// What is to change: an empty name or note takes it away.
struct LabelChanges {
  std::optional<std::string> name, note;
  std::vector<std::string> tags, untags;

  bool any() const { return name || note || !tags.empty() || !untags.empty(); }
};

/// The labels after the changes. Throws UsageError for a name or tag that isn't a line of at most
/// 200 bytes, for a tag with a space or a comma, a note of more than 10,000 bytes, text that isn't
/// UTF-8, and a tag to be taken away that isn't there.
RunLabels changed(RunLabels labels, const LabelChanges& changes);

/// Of the run in this folder; all are empty where it has none. Throws FileError.
RunLabels read_labels(const std::string& run);
/// In one small file of the run's folder, which a reader never sees half of. Where all are empty,
/// there is none. Throws FileError.
void write_labels(const std::string& run, const RunLabels& labels);

}  // namespace tapehead

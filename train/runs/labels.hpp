#pragma once
// Labels that users give a run: name, note and tags. They don't affect results, so they aren't part
// of the configuration.
#include <optional>
#include <string>
#include <vector>

namespace tapehead {

constexpr const char* labels_name = "labels.json";

/// The labels of a run.
struct RunLabels {
  std::string name, note;
  std::vector<std::string> tags;  ///< unique, in the order given

  bool empty() const { return name.empty() && note.empty() && tags.empty(); }
};

/// Changes to labels. An empty name or note removes it.
struct LabelChanges {
  std::optional<std::string> name, note;
  std::vector<std::string> tags, untags;

  bool any() const { return name || note || !tags.empty() || !untags.empty(); }
};

/// Returns the labels after the changes. Throws UsageError if a name or tag isn't one line of at
/// most 200 bytes, or a tag has a space or a comma. Also throws it for a note over 10,000 bytes,
/// text that isn't UTF-8, and an unknown tag to remove.
RunLabels changed(RunLabels labels, const LabelChanges& changes);

/// Returns the labels of a run; empty if it has none. Throws FileError.
RunLabels read_labels(const std::string& run);
/// Writes the labels atomically into the run folder; removes the file if they are empty. Throws
/// FileError.
void write_labels(const std::string& run, const RunLabels& labels);

}  // namespace tapehead

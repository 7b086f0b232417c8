#pragma once
// What students handed in, as it lies in files and folders.
#include "../record.hpp"

namespace tapehead {

/// A record, or an exercise in a folder, which is read as a record that claims nothing.
struct HandIn {
  std::string name;  ///< of the student: that of the file, or of the folder it lies in
  std::string path;
  std::string error;        ///< why it can't be read; empty if it can
  std::string digest = {};  ///< of the record, or of exercise.cpp
  std::vector<RecordedAnswer> answers =
      {};  ///< to each task the last, with all hints that were shown
};

/// Each path is a record, an exercise.cpp, the folder of an exercise, or a folder that has the
/// like for each student: ada.jsonl, or ada/softmax/. Links aren't followed. Throws UsageError for
/// a path that isn't there; whatever else is wrong stands in the hand-in.
std::vector<HandIn> read_hand_ins(const std::vector<std::string>& paths);

/// Numbers and names.
using ClassList = std::vector<std::pair<std::uint64_t, std::string>>;
/// From a file with a number and a name in each line. Throws UsageError that names the line.
ClassList read_class(const std::string& file);

}  // namespace tapehead

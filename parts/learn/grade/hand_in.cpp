#include "../../../train/files/files.hpp"
#include "../../../train/files/number.hpp"
#include "../../../train/runs/digest.hpp"
#include "grade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace tapehead {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t max_tasks = 200;             // maximum number of tasks per record
constexpr std::uint64_t max_code_bytes = 1 << 16;  // maximum size of an exercise.cpp
constexpr int max_depth = 3;                       // maximum depth of a student's folders

/// Groups answers by task.
std::vector<Attempts> attempts_in(const std::vector<RecordedAnswer>& all) {
  std::vector<Attempts> tasks;
  for (const RecordedAnswer& answer : all) {
    const auto task =
        find_if(tasks, [&](const Attempts& each) { return is_same_task(each[0], answer); });
    if (task == tasks.end())
      tasks.push_back({answer});
    else
      task->push_back(answer);
  }
  return tasks;
}

/// Returns a hand-in after calling `read`, which fills it. If that throws, stores the error.
template <class Read>
HandIn hand_in(const std::string& name, const fs::path& path, const Read& read) {
  HandIn found{name, path.string(), ""};
  try {
    read(found);
  } catch (const std::exception& error) {
    found.error = error.what();
    found.tasks.clear();
  }
  return found;
}

HandIn record(const std::string& name, const fs::path& path) {
  return hand_in(name, path, [&](HandIn& found) {
    found.tasks = attempts_in(read_records(found.path));
    if (found.tasks.empty()) throw FileError("{}: contains no answers", found.path);
    if (found.tasks.size() > max_tasks)
      throw FileError("{}: has {} tasks; at most {} are graded", found.path, found.tasks.size(),
                      max_tasks);
    found.digest = digest_of_file(found.path);
  });
}

bool is_exercise(const fs::path& folder) {
  std::error_code none;
  return fs::is_regular_file(fs::symlink_status(folder / "exercise.cpp", none));
}
HandIn exercise(const std::string& name, const fs::path& folder) {
  return hand_in(name, folder, [&](HandIn& found) {
    std::error_code none;
    if (!fs::is_regular_file(fs::symlink_status(folder / "sheet.json", none)))
      throw FileError("{}: has no sheet.json, which names the exercise", found.path);
    const Sheet sheet = read_sheet(found.path);
    const std::string file = found.path + "/exercise.cpp";
    if (const InputFile code(file); code.size() > max_code_bytes)
      throw FileError("{}: has {} bytes; at most {} are graded", file, code.size(), max_code_bytes);
    RecordedAnswer answer{"check", sheet.exercise->name, sheet.student, read_file(file)};
    answer.hints = static_cast<Index>(sheet.hinted.size());
    found.digest = digest_of_file(file);
    found.tasks.push_back({std::move(answer)});
  });
}

bool is_record(const fs::path& path) {
  return (path.extension() == ".json" || path.extension() == ".jsonl") &&
         path.filename() != "sheet.json";
}

/// Returns the paths in a folder, sorted by name.
std::vector<fs::path> list_entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code reason;
  for (fs::directory_iterator at(folder, reason), end; !reason && at != end; at.increment(reason))
    paths.push_back(at->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Adds all hand-ins in a student's folder and its subfolders.
void add_all_in(const fs::path& folder, const std::string& name, int depth,
                std::vector<HandIn>& all) {
  if (is_exercise(folder)) return all.push_back(exercise(name, folder));
  for (const fs::path& path : list_entries(folder)) {
    std::error_code none;
    const fs::file_status status = fs::symlink_status(path, none);
    if (fs::is_directory(status) && depth < max_depth) add_all_in(path, name, depth + 1, all);
    if (fs::is_regular_file(status) && is_record(path)) all.push_back(record(name, path));
  }
}

/// Returns the name of the student who owns an exercise folder. The folder itself has this name or,
/// if it is named after the exercise, its parent folder does.
std::string student_of(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path path = whole.has_filename() ? whole : whole.parent_path();
  const std::string name = path.filename().string();
  const bool of_exercise = has_named(exercises(), name);
  return of_exercise ? path.parent_path().filename().string() : name;
}

void add(const fs::path& path, std::vector<HandIn>& all) {
  if (!fs::exists(path)) throw UsageError("learn grade: {}: not found", path.string());
  if (!fs::is_directory(path)) {
    const bool code = path.filename() == "exercise.cpp";
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    all.push_back(code ? exercise(student_of(folder), folder) : record(path.stem().string(), path));
  } else if (is_exercise(path)) {
    all.push_back(exercise(student_of(path), path));
  } else {
    for (const fs::path& entry : list_entries(path)) {
      std::error_code none;
      const fs::file_status status = fs::symlink_status(entry, none);
      if (fs::is_directory(status)) {
        const std::size_t before = all.size();
        add_all_in(entry, is_exercise(entry) ? student_of(entry) : entry.filename().string(), 1,
                   all);
        if (all.size() == before)
          all.push_back({entry.filename().string(), entry.string(),
                         "contains neither a record nor an exercise"});
      } else if (is_record(entry)) {
        if (fs::is_regular_file(status))
          all.push_back(record(entry.stem().string(), entry));
        else
          all.push_back({entry.stem().string(), entry.string(), "not a regular file"});
      }
    }
  }
}

}  // namespace

std::vector<HandIn> read_hand_ins(const std::vector<std::string>& paths) {
  std::vector<HandIn> all;
  for (const std::string& path : paths) add(path, all);
  return all;
}

ClassList read_class_list(const std::string& file) {
  ClassList students;
  int line_number = 0;
  for (const std::string& line : split_lines(read_file(file))) {
    ++line_number;
    std::istringstream words(line);
    std::string number, name;
    if (!(words >> number)) continue;
    std::getline(words >> std::ws, name);
    std::string email;
    const auto trim = [&] {
      while (!name.empty() && (name.back() == '\r' || name.back() == ' ')) name.pop_back();
    };
    trim();
    if (const std::size_t last = name.rfind(' ');
        last != std::string::npos && name.find('@', last) != std::string::npos) {
      email = name.substr(last + 1);
      name.resize(last);
      trim();
    }
    const auto student = read_whole<std::uint64_t>(number);
    if (!student || name.empty())
      throw UsageError("{}, line {}: expected a number and a name, as in '17 ada', got '{}'", file,
                       line_number, line);
    for (const Student& other : students)
      if (other.number == *student)
        throw UsageError("{}, line {}: {} and {} have the same number, {}", file, line_number,
                         other.name, name, number);
    students.push_back({*student, name, email});
  }
  return students;
}

}  // namespace tapehead

#include "exercises.hpp"
#include "../../core/random.hpp"
#include "../../train/config/registry.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/json.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace tapehead {
namespace {

/// The files that a student gets; hints stay in the command.
constexpr const char* of_student[] = {"exercise.md", "exercise.cpp"};
constexpr const char* of_project[] = {"CMakeLists.txt", "check.cpp", "exercise.hpp"};

const char* find_file(const std::string& path) {
  for (const EmbeddedFile* file = exercise_files; file->path; ++file)
    if (path == file->path) return file->text;
  return nullptr;
}
std::string folder_of(const Exercise& exercise) {
  return fmt::format("{:02}-{}", exercise.number, exercise.name);
}

/// Paragraphs, each in one line.
std::vector<std::string> paragraphs(const std::string& text) {
  std::vector<std::string> all = {""};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() && !all.back().empty()) all.emplace_back();
    if (!line.empty()) all.back() += (all.back().empty() ? "" : " ") + line;
  }
  if (all.back().empty()) all.pop_back();
  return all;
}

/// The student's own numbers, as exercise.hpp draws them: @101@, or without a sign @s101@, or whole
/// ones @w101@.
std::string own_number(const std::string& name, std::uint64_t student) {
  const bool plain = name[0] >= '0' && name[0] <= '9';
  const auto k = static_cast<std::uint32_t>(std::stoul(plain ? name : name.substr(1)));
  const auto below = [&](std::uint32_t of, Index n) {
    return Random(RandomKey{student, Draw::test, of}).below(n);
  };
  if (name[0] == 'w') {
    const Index number = below(k, 9) - 4;
    return std::to_string(number < 0 ? number : number + 1);
  }
  const bool negative = plain && below(k + 1000, 2) != 0;
  return fmt::format("{}{:.1f}", negative ? "-" : "", static_cast<double>(5 + below(k, 26)) / 10);
}

}  // namespace

const std::vector<Exercise>& exercises() {
  static const std::vector<Exercise> all = [] {
    std::vector<Exercise> found;
    for (const EmbeddedFile* file = exercise_files; file->path; ++file) {
      const std::string path = file->path;
      const std::size_t end = path.find("/exercise.md");
      if (end == std::string::npos) continue;
      const std::string heading = paragraphs(file->text)[0];  // "# 5. ReLU and kinks"
      found.push_back(
          {std::stoi(path), path.substr(3, end - 3), heading.substr(heading.find(". ") + 2)});
    }
    std::sort(found.begin(), found.end(),
              [](const Exercise& a, const Exercise& b) { return a.number < b.number; });
    return found;
  }();
  return all;
}

const Exercise& find_exercise(const std::string& word) {
  std::vector<std::string> names;
  for (const Exercise& exercise : exercises()) {
    if (word == std::to_string(exercise.number) || word == exercise.name) return exercise;
    names.push_back(exercise.name);
  }
  if (word.find_first_not_of("0123456789") == std::string::npos)
    throw UsageError("there is no exercise {}; they are 1 to {}", word, exercises().size());
  refuse_unknown("exercise", word, names);
}

const Exercise* next_exercise(const Exercise& exercise) {
  const std::vector<Exercise>& all = exercises();
  const auto after = static_cast<std::size_t>(&exercise - all.data()) + 1;
  return after < all.size() ? &all[after] : nullptr;
}

std::string exercise_text(const Exercise& exercise, const std::string& file, std::uint64_t student,
                          const std::string& folder) {
  const char* text = find_file(folder_of(exercise) + "/" + file);
  if (!text) text = find_file(file);
  if (!text) throw Error("{}: no such file in exercise {}", file, exercise.number);
  return filled(text, [&](const std::string& name) {
    if (name == "student") return std::to_string(student);
    return name == "dir" ? folder : own_number(name, student);
  });
}

std::vector<std::string> parts_of(const Exercise& exercise) {
  const std::string check = find_file(folder_of(exercise) + "/check.cpp"), begin = "c.part(\"";
  std::vector<std::string> parts;
  for (std::size_t at = 0; (at = check.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    parts.push_back(check.substr(at, check.find('"', at) - at));
  }
  return parts;
}

std::vector<std::string> hints_for(const Exercise& exercise, const std::string& part) {
  std::vector<std::string> hints;
  bool here = false;
  for (const std::string& paragraph : paragraphs(find_file(folder_of(exercise) + "/hints.md"))) {
    if (paragraph[0] == '#')
      here = paragraph == "# " + part;
    else if (here)
      hints.push_back(paragraph);
  }
  return hints;
}

void write_exercise(const Exercise& exercise, const std::string& folder, std::uint64_t student) {
  std::vector<ProjectFile> files;
  const auto add = [&](const char* name) {
    files.push_back({name, exercise_text(exercise, name, student, folder)});
  };
  std::for_each(std::begin(of_student), std::end(of_student), add);
  std::for_each(std::begin(of_project), std::end(of_project), add);
  write_project(folder, files);
  write_sheet({folder, &exercise, student, {}});
}

Sheet read_sheet(const std::string& folder) {
  const std::string path = folder + "/sheet.json";
  if (!exists(path))
    throw UsageError(
        "{}: no exercise is in it; tapehead learn 1 --into DIR writes one into a new "
        "folder",
        folder);
  const Json json = parse_json(read_file(path)).value_or(Json());
  const auto student = json["student"].integer();
  if (json["exercise"].string().empty() || !student || *student < 0)
    throw FileError("{}: damaged; an exercise and a student are expected", path);
  Sheet sheet{
      folder, &find_exercise(json["exercise"].string()), static_cast<std::uint64_t>(*student), {}};
  for (const Json& part : json["hints"].items()) sheet.hinted.push_back(part.string());
  return sheet;
}

void write_sheet(const Sheet& sheet) {
  const Json json = {{"exercise", sheet.exercise->name},
                     {"student", sheet.student},
                     {"hints", Json(sheet.hinted)}};
  write_file(sheet.folder + "/sheet.json", to_text(json, 2) + "\n");
}

}  // namespace tapehead

#include "exercises.hpp"
#include "../../core/random.hpp"
#include "../../train/config/registry.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/json.hpp"
#include "../../train/files/strings.hpp"

#include <algorithm>
#include <cstring>

namespace tapehead {
namespace {

constexpr const char* files_to_write[] = {"exercise.md", "exercise.cpp", "CMakeLists.txt",
                                          "check.cpp", "exercise.hpp"};

std::string folder_of(const Exercise& exercise) {
  return fmt::format("exercises/{:02}-{}", exercise.number, exercise.name);
}

/// Splits a text into its paragraphs. Joins the lines of each one.
std::vector<std::string> split_paragraphs(const std::string& text) {
  std::vector<std::string> all = {""};
  for (const std::string& line : split_lines(text)) {
    if (line.empty() && !all.back().empty()) all.emplace_back();
    if (!line.empty()) all.back() += (all.back().empty() ? "" : " ") + line;
  }
  if (all.back().empty()) all.pop_back();
  return all;
}

/// The section of an exercise in exercises.md.
struct Section {
  int number = 0;
  std::string title, text, hints;
};

std::vector<Section> parse_sections(const std::string& page) {
  std::vector<Section> sections;
  std::string* part = nullptr;
  for (const std::string& line : split_lines(page)) {
    if (starts_with(line, "## ")) {
      part = nullptr;
      const std::size_t dot = line.find(". ");  // the heading is like "## 5. ReLU and kinks"
      if (dot == std::string::npos) continue;
      sections.push_back({std::stoi(line.substr(3)), line.substr(dot + 2), "", ""});
      part = &sections.back().text;
    } else if (part && line == "### Hints") {
      part = &sections.back().hints;
      continue;
    }
    // The student gets the section as a separate page, so its headings move up by one level.
    if (part) *part += (starts_with(line, "##") ? line.substr(1) : line) + "\n";
  }
  return sections;
}

const Section& section_of(int number) {
  static const std::vector<Section> all = parse_sections(find_text(exercise_files, "exercises.md"));
  for (const Section& section : all)
    if (section.number == number) return section;
  throw Error("exercises.md: exercise {} has no section", number);
}

/// Returns one of a student's numbers as text. Draws the same number as exercise.hpp: `101` has a
/// sign, `s101` has none, and `w101` is an integer.
std::string student_number_text(const std::string& name, std::uint64_t student) {
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
      const std::size_t end = path.find("/check.cpp");  // as in exercises/05-relu/check.cpp
      if (end == std::string::npos) continue;
      const std::string folder = path.substr(path.find('/') + 1, end - path.find('/') - 1);
      const int number = std::stoi(folder);
      found.push_back({number, folder.substr(3), section_of(number).title});
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
    throw UsageError("there is no exercise {}; expected 1 to {}", word, exercises().size());
  refuse_unknown("exercise", word, names);
}

const Exercise* next_exercise(const Exercise& exercise) {
  const std::vector<Exercise>& all = exercises();
  const auto after = static_cast<std::size_t>(&exercise - all.data()) + 1;
  return after < all.size() ? &all[after] : nullptr;
}

std::string exercise_text(const Exercise& exercise, const std::string& file, std::uint64_t student,
                          const std::string& folder) {
  std::string template_text;
  if (file == "exercise.md") {
    template_text = section_of(exercise.number).text;
    template_text.erase(template_text.find_last_not_of('\n') + 1);
    template_text += "\n\nThen run `tapehead learn check @dir@`.\n";
  } else {
    const char* text = find_text(exercise_files, folder_of(exercise) + "/" + file);
    if (!text) text = find_text(exercise_files, "exercises/" + file);
    if (!text) throw Error("{}: no such file in exercise {}", file, exercise.number);
    template_text = text;
  }
  return fill_template(template_text, [&](const std::string& name) {
    if (name == "student") return std::to_string(student);
    return name == "dir" ? folder : student_number_text(name, student);
  });
}

std::vector<std::string> parts_of(const Exercise& exercise) {
  const std::string check = find_text(exercise_files, folder_of(exercise) + "/check.cpp"),
                    begin = "c.part(\"";
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
  for (const std::string& paragraph : split_paragraphs(section_of(exercise.number).hints)) {
    const std::string begin = "**", end = ":** ";  // as in "**by hand:** The first hint."
    const std::size_t at = starts_with(paragraph, begin) ? paragraph.find(end) : std::string::npos;
    if (at != std::string::npos) here = paragraph.substr(begin.size(), at - begin.size()) == part;
    if (here)
      hints.push_back(at == std::string::npos ? paragraph : paragraph.substr(at + end.size()));
  }
  return hints;
}

void write_exercise(const Exercise& exercise, const std::string& folder, std::uint64_t student) {
  std::vector<ProjectFile> files;
  for (const char* name : files_to_write)
    files.push_back({name, exercise_text(exercise, name, student, folder)});
  write_project(folder, files);
  write_sheet({folder, &exercise, student, {}});
}

Sheet read_sheet(const std::string& folder) {
  const std::string path = folder + "/sheet.json";
  if (!exists(path))
    throw UsageError(
        "{}: contains no exercise; write one into a new folder with tapehead learn 1 --into DIR",
        folder);
  const Json json = parse_json(read_file(path)).value_or(Json());
  const auto student = json["student"].integer();
  if (json["exercise"].string().empty() || !student || *student < 0)
    throw FileError("{}: damaged; expected the members exercise and student", path);
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

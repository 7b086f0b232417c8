#include "program.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/runs/digest.hpp"
#include "../../project/project.hpp"
#include "../exercises.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// Returns an embedded file of the course.
std::string course_file(const std::string& name) {
  if (const char* text = find_text(exercise_files, "exercises/course/" + name)) return text;
  throw UsageError("{}: the course supports files that end in .py or .cpp", name);
}

std::string written(const std::vector<CourseTask>& tasks) {
  std::string text;
  for (const CourseTask& task : tasks)
    for (const auto& [name, x] : task.inputs) {
      text += fmt::format("{} {}", task.name, name);
      for (const Index size : x.shape()) text += fmt::format(" {}", size);
      text += '\n';
      for (Index i = 0; i < x.size(); ++i) text += fmt::format("{:a} ", x(i));
      text += '\n';
    }
  return text;
}

/// Reads what the program wrote: two lines for a tensor, or a line that begins with ! for an error.
void read_results(const std::string& path, CourseRun& run) {
  std::istringstream lines(exists(path) ? read_file(path) : "");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream head(line);
    std::string task, name;
    head >> task >> name;
    if (task == "!") {
      std::string message = line.substr(std::min(line.size(), task.size() + name.size() + 2));
      (name == "*" ? run.error : run.tasks[name].message) = message;
      continue;
    }
    Shape shape;
    for (Index size; head >> size;) shape.push_back(size);
    std::getline(lines, line);
    std::vector<double> numbers;
    const char* at = line.c_str();
    for (char* end = nullptr;; at = end) {
      const double number = std::strtod(at, &end);
      if (end == at) break;
      numbers.push_back(number);
    }
    if (static_cast<Index>(numbers.size()) == shape.size())
      run.tasks[task].results[name] = tensor(numbers, shape);
  }
}

std::vector<std::string> compiler_call(const std::string& file, int chapter,
                                       const std::string& folder) {
  // Chapter 6 computes for seconds; for the others, a fast compilation matters more.
  std::vector<std::string> words = {"c++", "-std=c++17", "-ffp-contract=off", "-w",
                                    chapter == course_chapters ? "-O3" : "-O0"};
#ifdef __x86_64__
  words.push_back("-march=native");  // for std::fma as an instruction
#endif
  if (chapter < course_chapters) words.push_back("-D_GLIBCXX_ASSERTIONS");
  for (const std::string& word :
       {fmt::format("-DCHAPTER={}", chapter), fmt::format("-DSTUDENT=\"{}\"", file),
        folder + "/runner.cpp", std::string("-o"), folder + "/program"})
    words.push_back(word);
  return words;
}

}  // namespace

std::string chapter_title(int chapter) {
  const std::string text = course_file(fmt::format("{}.py", chapter));
  const std::string mark = fmt::format("# ---- Chapter {}: ", chapter);
  const std::size_t begin = text.find(mark) + mark.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::vector<std::string> chapter_rules(int chapter) {
  static const std::vector<std::string> rules[course_chapters] = {
      {"mul", "broadcasting"},
      {"matmul", "softmax", "cross-entropy"},
      {"layer-norm"},
      {"attention"}};
  return rules[chapter - 1];
}

std::string chapter_text(int chapter, const std::string& extension, bool solution) {
  const std::string comment = extension == ".py" ? "#" : "//";
  std::string text;
  bool theirs = false;  // whether the line is code that the student writes
  for (const std::string& line :
       split_lines(course_file(fmt::format("{}{}", chapter, extension)))) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (line.substr(indent) == comment + "[") {
      theirs = true;
      if (!solution)
        text += line.substr(0, indent) + (extension == ".py" ? "todo()\n" : "todo();\n");
    } else if (line.substr(indent) == comment + "]") {
      theirs = false;
    } else if (!theirs || solution) {
      text += line + '\n';
    }
  }
  return text;
}

int last_chapter(const std::string& text) {
  int last = 0;
  while (last < course_chapters &&
         text.find(fmt::format("---- Chapter {}:", last + 1)) != std::string::npos)
    ++last;
  return last;
}

CourseProgram::CourseProgram(const std::string& file, int chapter)
    : folder_(unused_temporary((fs::temp_directory_path() / "course").string())) {
  const std::string extension = fs::path(file).extension().string();
  const std::string path = fs::absolute(file).string();
  const std::string runner = folder_ + "/runner" + extension;
  const std::string code = course_file("runner" + extension);
  fs::create_directory(folder_);
  fs::permissions(folder_, fs::perms::owner_all);
  write_file(runner, code);
  words_ = {"python3", runner, path};
  if (extension == ".py") return;
  words_ = {folder_ + "/program"};
  const ProcessResult built = run_process(compiler_call(path, chapter, folder_));
  if (built.status == 0) return;
  error_ = first_error(built.output);
  if (error_.empty()) error_ = built.output;
}

CourseProgram::~CourseProgram() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

CourseRun CourseProgram::run(const std::vector<CourseTask>& tasks, int seconds) const {
  CourseRun run;
  run.error = error_;
  if (!error_.empty()) return run;
  const std::string inputs = folder_ + "/inputs", results = folder_ + "/results";
  write_file(inputs, written(tasks));
  std::vector<std::string> words = words_;
  words.insert(words.end(), {inputs, results});
  const ProcessResult result = run_process(words, seconds);
  read_results(results, run);
  run.printed = result.output;
  const std::string end = describe_end(result, seconds);
  for (const CourseTask& task : tasks)
    if (!end.empty() && run.tasks.count(task.name) == 0) {
      run.tasks[task.name].message = end;
      break;
    }
  if (run.tasks.empty() && run.error.empty()) run.error = "the program wrote no results";
  return run;
}

CheckedWork check_chapter(const std::string& file, int chapter, const Registry& registry,
                          Index steps) {
  constexpr int limit = 60;  // seconds
  const std::vector<CourseTask> tasks = course_tasks(chapter, registry);
  const CourseProgram program(file, chapter);
  CourseRun run = program.run(tasks, limit);
  CheckedWork work;
  work.error = run.error;
  work.printed = run.printed;
  if (!work.error.empty()) return work;
  bool all_exact = true;
  for (const CourseTask& task : tasks) {
    bool exact = false;
    work.parts.push_back(compare(task, run.tasks[task.name], exact));
    all_exact = all_exact && exact;
  }
  if (chapter < course_chapters) return work;
  CheckedPart grade{"weight_hash", "not run", "", "", "", "needs all bits of the parts above"};
  if (all_exact) {
    const CourseTask last = hash_task(registry, steps);
    run = program.run({last}, 0);
    const auto hash_of = [](const auto& named) {
      std::map<std::string, Tensor> weights(named.begin(), named.end());
      weights.erase("losses");
      return digest(weights);
    };
    const std::string given = hash_of(run.tasks[last.name].results);
    const std::string wanted = hash_of(last.expected);
    grade.note = given == wanted ? given : run.tasks[last.name].message;
    grade.state = given == wanted ? "right" : "wrong";
    if (given != wanted) grade.where = "the hash", grade.given = given, grade.expected = wanted;
  }
  work.parts.push_back(grade);
  return work;
}

}  // namespace tapehead

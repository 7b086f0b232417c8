#pragma once
// A student's file of the course, and the program that it becomes.
#include "task.hpp"

#include <string>
#include <vector>

namespace tapehead {

constexpr int course_chapters = 6;

/// Returns the heading of a chapter, such as "values and a tape".
std::string chapter_title(int chapter);
/// Returns the rules of `learn rule` that belong to a chapter.
std::vector<std::string> chapter_rules(int chapter);
/// Returns a chapter for files with this extension, ".py" or ".cpp": with todo() where the student
/// writes code, or with the solution.
std::string chapter_text(int chapter, const std::string& extension, bool solution);
/// Returns the number of the last chapter in a student's file; 0 if it has none.
int last_chapter(const std::string& text);

/// What a student's program wrote.
struct CourseRun {
  std::map<std::string, Written> tasks;
  std::string error;  ///< why the program can't run; empty if it can
  std::string printed;
};
/// A student's file up to a chapter, as a program in a temporary folder.
class CourseProgram {
 public:
  /// Compiles a .cpp file; a .py file needs python3.
  CourseProgram(const std::string& file, int chapter);
  ~CourseProgram();
  CourseProgram(const CourseProgram&) = delete;
  CourseProgram& operator=(const CourseProgram&) = delete;

  /// Runs these tasks. Stops the program after `seconds`, unless that is 0.
  CourseRun run(const std::vector<CourseTask>& tasks, int seconds) const;

 private:
  std::string folder_, error_;
  std::vector<std::string> words_;
};

/// Checks a chapter of a student's file. The weight hash of chapter 6 is that after `steps` steps.
CheckedWork check_chapter(const std::string& file, int chapter, const Registry& registry,
                          Index steps = 300);

}  // namespace tapehead

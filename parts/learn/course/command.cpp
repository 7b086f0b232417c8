// The command `tapehead learn build`.
#include "../command.hpp"
#include "../../../cli/terminal/output.hpp"
#include "../../../train/config/names.hpp"
#include "../../../train/files/files.hpp"
#include "program.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace tapehead {
namespace {

std::string chapters_text(const std::string& program, int width) {
  Table table({Table::Align::right, Table::Align::left});
  for (int chapter = 1; chapter <= course_chapters; ++chapter)
    table.add({std::to_string(chapter), chapter_title(chapter)});
  return fmt::format(
      "{0}\n{1}\nStart with {2} learn build 1 mine.py, or mine.cpp.\n",
      wrapped("Build a framework in one file of your own, which trains a transformer to the weight "
              "hash of `train reverse`. Python needs NumPy, C++ a compiler.",
              width),
      table.text(width, 2), program);
}

Json chapters_json() {
  Json all = Json::array();
  for (int chapter = 1; chapter <= course_chapters; ++chapter)
    all.push_back({{"chapter", chapter},
                   {"title", chapter_title(chapter)},
                   {"rules", Json(chapter_rules(chapter))}});
  return all;
}

int chapter_of(const std::string& word) {
  if (word.size() == 1 && word[0] >= '1' && word[0] < '1' + course_chapters) return word[0] - '0';
  throw UsageError("learn build: chapter {}, expected 1 to {}", word, course_chapters);
}

std::string call(const std::string& program, int chapter, const std::string& file) {
  return fmt::format("{} learn build {} {}", program, chapter, shell_word(file));
}

std::string next_step(const std::string& program, int chapter, const std::string& file) {
  if (chapter < course_chapters) return "next: " + call(program, chapter + 1, file);
  return "your file trains exactly as Tapehead does";
}

}  // namespace

void learn_build(const LearnArguments& a, Session& session) {
  if (a.words.size() == 1)
    return a.json ? print_json(chapters_json())
                  : put("{}", chapters_text(session.program, session.terminal.width));
  if (a.words.size() != 3)
    throw UsageError("learn build: expected a chapter and a file, as in {}",
                     call(session.program, 1, "mine.py"));
  const int chapter = chapter_of(a.words[1]);
  const std::string& file = a.words[2];
  const std::string extension = std::filesystem::path(file).extension().string();
  if (a.solution) return put("{}", chapter_text(chapter, extension, true));
  const std::string before = exists(file) ? read_file(file) : "";
  const int last = last_chapter(before);
  if (last == 0 && !before.empty())
    throw UsageError("{} has no chapter of the course; give a new file", file);
  if (chapter > last + 1)
    throw UsageError("{} has no chapter {}; add it first: {}", file, last + 1,
                     call(session.program, last + 1, file));
  if (chapter == last + 1) {
    write_file(file, (before.empty() ? "" : before + (extension == ".py" ? "\n\n" : "\n")) +
                         chapter_text(chapter, extension, false));
    return put("Chapter {}, {}, is in {}. Replace each todo, then check it:\n  {}\n", chapter,
               chapter_title(chapter), visible(file), call(session.program, chapter, file));
  }
  CheckedWork work = check_chapter(file, chapter, session.registry);
  show(a, session,
       {fmt::format("Chapter {}: {}", chapter, chapter_title(chapter)),
        "part",
        fmt::format("for the solution: {} --solution", call(session.program, chapter, file)),
        next_step(session.program, chapter, file),
        {{"chapter", chapter}, {"file", file}},
        {"build", std::to_string(chapter), 0, Json(file)}},
       std::move(work));
}

}  // namespace tapehead

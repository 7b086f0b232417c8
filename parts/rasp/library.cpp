#include "library.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/strings.hpp"
#include "puzzle.hpp"

namespace tapehead::rasp {
namespace {

constexpr const char* ending = ".rasp";

}  // namespace

std::map<std::string, std::string> included_programs() {
  std::map<std::string, std::string> texts;
  for (const EmbeddedFile* file = rasp_programs; file->path; ++file) {
    const std::string path = file->path;
    texts[path.substr(0, path.size() - std::string(ending).size())] = file->text;
  }
  return texts;
}

Program read_program(const std::string& program) {
  if (program.find('\n') != std::string::npos) return parse("program", program);
  if (std::optional<Program> puzzle = read_puzzle(program)) return *std::move(puzzle);
  std::vector<std::string> names;
  for (const auto& [name, text] : included_programs()) {
    if (name == program) return parse(name, text);
    names.push_back(name);
  }
  const bool is_file = ends_with(program, ending) || program.find('/') != std::string::npos;
  if (is_file) return parse(program, read_file(program));
  throw UsageError(
      "unknown program '{}'{}; expected a file NAME{}, or a name listed by "
      "'tapehead rasp'",
      program, suggestion(program, names), ending);
}

}  // namespace tapehead::rasp

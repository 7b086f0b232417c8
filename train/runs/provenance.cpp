#include "provenance.hpp"
#include "../../core/numerics.hpp"
#include "../../core/system/machine.hpp"
#include "../files/files.hpp"
#include "../files/strings.hpp"
#include "metrics_file.hpp"
#include "program_source.hpp"

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <ctime>

namespace tapehead {
namespace {

#ifdef __clang__
constexpr const char* compiler = "Clang " __clang_version__;
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

struct Source {
  std::string project, commit;
};
/// The source of this program; empty without a ProgramSource. A function, because a ProgramSource
/// may be constructed before the variables of this file.
Source& program_source() {
  static Source source;
  return source;
}

}  // namespace

ProgramSource::ProgramSource(const char* project, const char* commit) {
  program_source() = {project, commit};
}

std::string compiler_name() {
  const std::string words = fmt::format("{} {}", compiler, TAPEHEAD_BUILD);
  return fmt::format("{}", fmt::join(split_words(words), " "));
}

Json begin_session(const Registry& registry) {
  Json session = {
      {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
      {"version", TAPEHEAD_VERSION},
      {"numerics", numerics},
      {"compiler", compiler_name()},
      {"program", registry.program}};
  const auto& [project, commit] = program_source();
  if (!project.empty()) session["project"] = project;
  if (!commit.empty()) session["commit"] = commit;
  if (!registry.command.empty()) session["command"] = registry.command;
  session["host"] = system::host_name();
  return session;
}

void append_session(const std::string& run, const Json& session, Index step) {
  std::string text;
  for (const Json& earlier : read_sessions(run)) text += to_text(earlier) + "\n";
  Json line = {{"step", step}};
  for (const auto& [name, value] : session.members()) line[name] = value;
  text += to_text(line) + "\n";
  write_in(run, [&] { replace_file(run + "/" + provenance_name, text); });
}

std::vector<Json> read_sessions(const std::string& run) {
  std::vector<Json> sessions;
  const std::string path = run + "/" + provenance_name;
  if (!exists(path)) return sessions;
  for (const std::string& line : split_lines(read_file(path)))
    if (const Json json = parse_json(line).value_or(Json()); json["step"].integer())
      sessions.push_back(json);
  return sessions;
}

std::string origin_of_weights(const std::vector<Json>& sessions) {
  return sessions.empty() ? "" : sessions.front()["weights"].string();
}

std::optional<Index> numerics_of(const Json& session) {
  if (const auto number = session["numerics"].integer()) return number;
  // The bits have not changed between the first recorded session and the first number.
  return session["started"].is_null() ? std::nullopt : std::optional<Index>(1);
}

std::optional<Index> numerics_at(const std::string& run, Index step) {
  const std::vector<Json> sessions = read_sessions(run);
  if (sessions.empty()) return {};
  Json last = sessions.front();  // also of a saved or imported run, which no session trained
  for (const Json& session : sessions)
    if (*session["step"].integer() < step) last = session;
  return numerics_of(last);
}

std::string session_text(const Json& session) {
  std::string text = fmt::format("step {}: {} on {}, version {}",
                                 session["step"].integer().value_or(0), session["started"].string(),
                                 session["host"].string(), session["version"].string());
  if (const auto number = numerics_of(session)) text += fmt::format(", numerics {}", *number);
  text += ", " + session["compiler"].string();
  if (const std::string commit = session["commit"].string(); !commit.empty())
    text += fmt::format(", commit {} of {}", commit, session["project"].string());
  if (const std::string command = session["command"].string(); !command.empty())
    text += ": " + command;
  return visible(text);
}

std::string code_changes(const Json& session) {
  std::vector<std::string> before, now;
  const auto compare = [&](const char* member, const char* what, const std::string& current) {
    const std::string recorded = session[member].string();
    if (recorded.empty() || recorded == current) return;
    before.push_back(what + visible(recorded));
    now.push_back(current.empty() ? "an unknown commit" : what + current);
  };
  compare("version", "version ", TAPEHEAD_VERSION);
  if (const Index number = numerics_of(session).value_or(numerics); number != numerics) {
    before.push_back(fmt::format("numerics {}", number));
    now.push_back(fmt::format("numerics {}", numerics));
  }
  compare("compiler", "", compiler_name());
  compare("commit", "commit ", program_source().commit);
  if (before.empty()) return "";
  return fmt::format("{}, but this is {}", fmt::join(before, ", "), fmt::join(now, ", "));
}

std::string effect_of_changes(const Json& session) {
  const bool is_same = session["commit"].string() == program_source().commit &&
                       numerics_of(session) == std::optional<Index>(numerics);
  return is_same ? fmt::format("both have numerics {}", numerics) : "results may differ";
}

}  // namespace tapehead

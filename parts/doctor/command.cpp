#include "command.hpp"
#include "../../cli/terminal/output.hpp"
#include "checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace tapehead {
namespace {

using State = Diagnosis::State;

const char* word(State state) {
  return state == State::fine ? "fine" : state == State::missing ? "missing" : "wrong";
}

Diagnoses check_all(const Session& session, const std::string& folder) {
  Diagnoses all;
  for (Diagnoses each : {check_build(session.registry), check_machine(), check_folder(folder),
                         check_terminal(session.terminal), check_programs()})
    std::move(each.begin(), each.end(), std::back_inserter(all));
  return all;
}

std::string text_of(const Diagnoses& all, const Terminal& terminal) {
  Table table({Table::Align::left, Table::Align::left, Table::Align::left});
  for (const Diagnosis& found : all) {
    const Style style = found.state == State::fine    ? Style::good
                        : found.state == State::wrong ? Style::bad
                                                      : Style::bold;
    table.add({found.check, pad_right(paint(terminal, style, word(found.state)), 7),
               found.text + (found.remedy.empty() ? "" : "; " + found.remedy)});
  }
  return table.text(terminal.width);
}

Json to_json(const Diagnoses& all, bool ready) {
  Json checks = Json::array();
  for (const Diagnosis& found : all) {
    checks.push_back({{"check", found.check}, {"state", word(found.state)}, {"text", found.text}});
    if (!found.remedy.empty()) checks.back()["remedy"] = found.remedy;
  }
  return {{"ready", ready}, {"checks", checks}};
}

}  // namespace

void add_doctor_command(const Command& app, Session& session) {
  const Command command = app.add("doctor", "say whether this machine is all right");
  struct Arguments {
    std::string folder = "runs";
    bool json = false;
  };
  const auto a = std::make_shared<Arguments>();
  command.option("FOLDER", "", a->folder, "where runs are to lie").shown_default(a->folder);
  add_json(command, a->json);
  command.footer(
      "Looks at the program, the processor, the folder, which is afterwards as before, the "
      "terminal, and other programs. Fails where something is wrong, so that nothing can be "
      "trained; what is missing is for some commands alone.");
  command.on_run([=, &session] {
    if (a->folder.empty()) throw UsageError("doctor: FOLDER is empty; name one, such as runs");
    const Diagnoses all = check_all(session, a->folder);
    const auto count = [&](State state) {
      return std::count_if(all.begin(), all.end(),
                           [&](const Diagnosis& found) { return found.state == state; });
    };
    const auto wrong = count(State::wrong), missing = count(State::missing);
    session.status = wrong > 0;
    if (a->json) return print_json(to_json(all, wrong == 0));
    put("{}\n{}\n", text_of(all, session.terminal),
        wrong > 0     ? "Nothing can be trained so: see what is wrong above."
        : missing > 0 ? "Training works; what is missing above is for some commands alone."
                      : "All is well.");
  });
}

}  // namespace tapehead

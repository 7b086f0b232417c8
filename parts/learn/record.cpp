#include "record.hpp"
#include "../../train/files/files.hpp"

#include <algorithm>

namespace tapehead {

std::string current_version() { return TAPEHEAD_VERSION; }

void append_record(const std::string& file, const RecordedAnswer& answer) {
  Json line = {{"task", answer.task},       {"exercise", answer.exercise},
               {"student", answer.student}, {"answers", answer.answers},
               {"hints", answer.hints},     {"solution", answer.solution}};
  if (answer.exam) line["exam"] = true;
  if (answer.passed) line["passed"] = *answer.passed;
  if (answer.parts) line["parts"] = *answer.parts;
  line["version"] = answer.version;
  append_file(file, to_text(line) + "\n");
}

std::vector<RecordedAnswer> read_records(const std::string& file) {
  constexpr std::uint64_t most = 1 << 20;
  if (const InputFile input(file); input.size() > most)
    throw FileError("{}: has {} bytes; a record may have at most {}", file, input.size(), most);
  std::vector<RecordedAnswer> answers;
  int number = 0;
  for (const std::string& line : split_lines(read_file(file))) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Json json = parse_json(line).value_or(Json());
    const auto student = json["student"].integer();
    if (json["task"].string().empty() || json["exercise"].string().empty() || !student ||
        *student < 0)
      throw FileError("{}, line {}: not a record of an answer, as learn --record writes it", file,
                      number);
    RecordedAnswer answer{json["task"].string(), json["exercise"].string(),
                          static_cast<std::uint64_t>(*student), json["answers"]};
    const auto is_true = [&](const char* name) {
      const auto* flag = std::get_if<bool>(&json[name].value());
      return flag && *flag;
    };
    answer.solution = is_true("solution");
    answer.exam = is_true("exam");
    answer.hints = std::max<Index>(0, json["hints"].integer().value_or(0));
    answer.passed = json["passed"].integer();
    answer.parts = json["parts"].integer();
    answer.version = json["version"].string();
    answers.push_back(std::move(answer));
  }
  return answers;
}

bool is_same_task(const RecordedAnswer& a, const RecordedAnswer& b) {
  return a.task == b.task && a.exercise == b.exercise;
}

Index hints_in(const std::string& file, const std::string& task, const std::string& exercise,
               std::uint64_t student) {
  if (file.empty() || !exists(file)) return 0;
  Index hints = 0;
  for (const RecordedAnswer& answer : read_records(file))
    if (answer.task == task && answer.exercise == exercise && answer.student == student)
      hints = std::max(hints, answer.hints);
  return hints;
}

Json to_json(const HandAnswers& answers) {
  Json json = Json::object();
  for (const auto& [name, number] : answers) json[name] = number;
  return json;
}

HandAnswers hand_answers(const Json& json) {
  HandAnswers answers;
  for (const Json::Member& member : json.members())
    answers.emplace_back(member.name, member.value.number());
  return answers;
}

}  // namespace tapehead

#include "task.hpp"
#include "../../core/plural.hpp"
#include "../../core/shuffle.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/strings.hpp"
#include "library.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead::rasp {
namespace {

/// Splits a text into tokens, and a word that isn't one into its characters. Throws ValueError.
std::vector<int> parse_tokens(const std::vector<std::string>& texts, const std::string& text) {
  std::vector<int> tokens;
  const auto add = [&](const std::string& token) {
    const auto found = std::find(texts.begin(), texts.end(), token);
    if (found != texts.end()) tokens.push_back(static_cast<int>(found - texts.begin()));
    return found != texts.end();
  };
  for (const std::string& word : split_words(text)) {
    if (add(word)) continue;
    for (const std::string& character : characters(word))
      if (!add(character))
        throw ValueError("'{}' in '{}' isn't one of the tokens {}", character, visible(word),
                         fmt::join(texts, " "));
  }
  return tokens;
}

std::string lengths_text(const Program& program) {
  return program.shortest == program.longest
             ? plural(program.longest, "token")
             : fmt::format("{} to {} tokens", program.shortest, program.longest);
}

bool has_valid_length(const Program& program, std::size_t length) {
  return length >= static_cast<std::size_t>(program.shortest) &&
         length <= static_cast<std::size_t>(program.longest);
}

std::vector<std::string> texts_of(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(value.text());
  return texts;
}

}  // namespace

ProgramTask::ProgramTask(const Program& program) : interpreter_(program) {
  struct Run {
    std::vector<Value> input;
    std::vector<int> output;
  };
  std::vector<Run> runs;
  interpreter_.run_all([&](const std::vector<Value>& input, const auto& values) {
    runs.push_back({input, values[program.output]});
  });
  const std::vector<Value> all = rasp::vocabulary(interpreter_);
  texts_ = texts_of(all);
  std::map<Value, int> ids;
  for (const Value& token : all) ids.emplace(token, static_cast<int>(ids.size()));
  constexpr double held_out = 0.25;
  for (const Run& run : runs) {
    const int start = ids.at(all.back());
    Example example{{start}, static_cast<Index>(run.input.size()) + 1};
    for (const Value& token : run.input) example.tokens.push_back(ids.at(token));
    if (program.is_causal) {
      example.tokens.push_back(ids.at(interpreter_.value(run.output.back())));
    } else {
      example.tokens.push_back(start);
      for (int result : run.output) example.tokens.push_back(ids.at(interpreter_.value(result)));
    }
    const bool is_apart = is_held_out(example.tokens.data(), example.question, held_out);
    (is_apart ? held_out_ : training_).push_back(all_.size());
    all_.push_back(std::move(example));
  }
  if (training_.empty() || held_out_.empty())
    program.fail(program.lengths_place,
                 fmt::format("only {}, too few to hold out a quarter for validation; use longer "
                             "inputs or more tokens",
                             plural(all_.size(), "input")));
  Random random({0, Draw::batch, 0, 1});
  shuffle(held_out_, random);
  constexpr std::size_t most = 1000;
  held_out_.resize(std::min(held_out_.size(), most));
}

Example ProgramTask::training_example(std::uint64_t seed, Index step, Index number) const {
  Random random = example_random(seed, step, number);
  return all_[training_[random.below(static_cast<Index>(training_.size()))]];
}

std::string ProgramTask::show(const std::vector<int>& shown) const {
  std::string text;
  for (int token : shown) text += (text.empty() ? "" : " ") + texts_.at(token);
  return text;
}

std::vector<int> ProgramTask::parse(const std::string& text) const {
  return parse_tokens(texts_, text);
}

std::vector<int> ProgramTask::parse_prompt(const std::string& text) const {
  std::vector<int> prompt = parse(text);
  const int start = static_cast<int>(texts_.size()) - 1;
  if (prompt.empty() || prompt[0] != start) prompt.insert(prompt.begin(), start);
  return prompt;
}

std::string ProgramTask::prompt_error(const std::vector<int>& question) const {
  const Program& program = interpreter_.program();
  const int start = static_cast<int>(texts_.size()) - 1;
  const auto kinds = static_cast<int>(program.alphabet.size());
  const bool is_right =
      !question.empty() && question[0] == start && has_valid_length(program, question.size() - 1) &&
      std::all_of(question.begin() + 1, question.end(), [=](int token) { return token < kinds; });
  return is_right
             ? ""
             : fmt::format("the program expects {} followed by {} of the alphabet {}, got '{}'",
                           start_token, lengths_text(program), joined(program.alphabet),
                           show(question));
}

TaskOptions ProgramTask::recorded_options() const {
  const Program& program = interpreter_.program();
  return {{program_option, program.puzzle.empty() ? program.text : program.puzzle}};
}

std::vector<Value> parse_input(const Program& program, const std::string& text) {
  std::vector<Value> input;
  try {
    for (int token : parse_tokens(texts_of(program.alphabet), text))
      input.push_back(program.alphabet[token]);
  } catch (const ValueError& error) {
    throw UsageError("--input: {}", error.what());
  }
  if (!has_valid_length(program, input.size()))
    throw UsageError("--input: {} expects {}, got {}", program.name, lengths_text(program),
                     input.size());
  return input;
}

TaskEntry program_task() {
  return {
      task_name,
      "compute a RASP program",
      "which circuit training finds for a known program, next to the compiled one",
      "exact match 100 % with --rasp-program histogram",
      recipe("--arch encoder --layers 2 --heads 4 --width 64 --norm rms --optimizer muon "
             "--lr 0.02 --adam-lr 0.01 --weight-decay 0 --steps 1000 --eval-every 200"),
      {},
      {{program_option, "program: a name listed by `tapehead rasp`, a file NAME.rasp, or its text",
        "histogram"}},
      "",
      {"encoder", "gpt"},
      [](const TaskOptions& options) {
        return std::make_unique<ProgramTask>(read_program(options.at(program_option)));
      }};
}

}  // namespace tapehead::rasp

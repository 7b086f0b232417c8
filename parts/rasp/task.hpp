#pragma once
#include "../../train/config/task_entry.hpp"
#include "circuit/circuit.hpp"

namespace tapehead::rasp {

constexpr const char *task_name = "rasp", *program_option = "rasp-program";

/// The task of computing a program. Prompts are a start token and the program's input; completions
/// are the start token and the program's result at each position, or for a causal program only the
/// result at the last position. A quarter of all inputs, chosen
/// by a hash, are for validation; at most 1,000 of them are used.
class ProgramTask : public Task {
 public:
  /// Runs all inputs of the program. Throws FileError as Interpreter does.
  explicit ProgramTask(const Program& program);

  const Interpreter& interpreter() const { return interpreter_; }
  /// Returns an example for each input.
  const std::vector<Example>& all() const { return all_; }

  Index vocabulary() const override { return static_cast<Index>(texts_.size()); }
  Index context() const override { return longest_question() + longest_answer() - 1; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override;
  Index held_out_size() const override { return static_cast<Index>(held_out_.size()); }
  Example held_out_example(Index number) const override { return all_[held_out_[number]]; }
  bool has_answers() const override { return true; }
  Index longest_question() const override { return 1 + interpreter_.program().longest; }
  Index longest_answer() const override {
    return interpreter_.program().is_causal ? 1 : longest_question();
  }
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;
  std::vector<int> parse_prompt(const std::string& text) const override;
  std::string prompt_error(const std::vector<int>& question) const override;
  TaskOptions recorded_options() const override;

 private:
  Interpreter interpreter_;
  std::vector<std::string> texts_;  // of the tokens
  std::vector<Example> all_;
  std::vector<std::size_t> training_, held_out_;  // indices into all_
};

/// Parses an input: tokens with spaces between them, or without if each is one character. Throws
/// UsageError for an unknown token or a length that the program doesn't accept.
std::vector<Value> parse_input(const Program& program, const std::string& text);

/// Returns the task `rasp` of the command line.
TaskEntry program_task();

}  // namespace tapehead::rasp

#pragma once
#include "task.hpp"

#include <set>

namespace tapehead {

/// A task whose symbols are preceded by index hints (Zhou et al., "What algorithms can transformers
/// learn?"): `5 8 |`, `5 8` becomes `@3 5 @4 8 |`, `@3 5 @4 8`. Hints count up from a random number
/// that is the same for prompt and completion. They start again after each mark and at the
/// completion, so that matching symbols have equal hints. Marks have no hint.
class IndexHints : public Task {
 public:
  /// `hints` is the number of index tokens. `marks` are tokens of the task without a hint; the
  /// separator and the end token are marks, too. Throws UsageError if `hints` are too few.
  IndexHints(std::unique_ptr<const Task> task, Index hints, std::set<int> marks);

  Index vocabulary() const override { return symbols_ + hints_; }
  Index context() const override { return 2 * task_->context() + 1; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override;
  Index held_out_size() const override { return task_->held_out_size(); }
  Example held_out_example(Index number) const override;
  bool has_answers() const override { return true; }
  Index longest_question() const override { return 2 * task_->longest_question(); }
  Index longest_answer() const override { return 2 * task_->longest_answer(); }
  int end_token() const override { return task_->end_token(); }
  int separator() const override { return task_->separator(); }
  bool shows_prompt_end() const override { return task_->shows_prompt_end(); }
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;
  std::vector<int> parse_prompt(const std::string& text) const override;
  std::string prompt_error(const std::vector<int>& question) const override;
  std::string answer_format() const override { return task_->answer_format(); }
  std::string data_note() const override { return task_->data_note(); }
  std::string few_prompts() const override { return task_->few_prompts(); }
  std::size_t bytes() const override { return task_->bytes(); }

 private:
  bool is_hint(int token) const { return token >= symbols_; }
  /// Returns the number of hints that the longest stretch between marks needs.
  Index needed_hints(const Example& example) const;
  Example hinted(const Example& example, Random random) const;
  std::vector<int> hinted(const std::vector<int>& tokens, Index start) const;
  std::vector<int> without_hints(const std::vector<int>& tokens) const;

  std::unique_ptr<const Task> task_;
  Index hints_, symbols_;
  std::set<int> marks_;
};

}  // namespace tapehead

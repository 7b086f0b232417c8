#pragma once
#include <tapehead/train/registry.hpp>

namespace tapehead {

/// Tasks on sequences s1 ... sL of random symbols, 0 to 9 and then a to z: the answer is the same
/// symbols in an order that the task is about.
class Sequences : public Task {
 public:
  /// Turns a question into its answer.
  using Rule = void (*)(std::vector<int>& symbols);
  /// `name` is for errors. Throws UsageError for a length or a number of symbols that can't be.
  Sequences(const char* name, const TaskOptions& options, Rule rule);
  /// --length and --symbols.
  static std::vector<TaskOption> options(const char* length, const char* symbols);

  Index vocabulary() const override { return symbols_; }
  Index context() const override { return 2 * length_ - 1; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override;
  Index held_out_size() const override { return 1000; }
  Example held_out_example(Index number) const override;
  bool has_answers() const override { return true; }
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;

 private:
  Example draw(const RandomKey& key, bool held_out) const;

  const char* name_;
  Index length_, symbols_;
  Rule rule_;
};

}  // namespace tapehead

#pragma once
#include "../config/options.hpp"

namespace tapehead {

/// A task whose symbols are single characters and whose examples are drawn at random: those held
/// out have a question of one length and an answer of one length.
class Sequences : public Task {
 public:
  /// Draws one example, without asking whether it is held out; some of all must be, and some not.
  using MakeExample = std::function<Example(Random&)>;
  /// `symbols` has a character for each token, the first n of 0 to 9, a to z before any other;
  /// `name` is for errors.
  Sequences(std::string name, std::string symbols, Index held_out, MakeExample make);
  /// Trains on examples of another form, as such that ask for more at once: none longer than
  /// `context` symbols and one.
  Sequences(std::string name, std::string symbols, Index held_out, MakeExample make, Index context,
            MakeExample make_training);

  Index vocabulary() const override { return static_cast<Index>(symbols_.size()); }
  Index context() const override { return context_; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override;
  Index held_out_size() const override { return held_out_; }
  Example held_out_example(Index number) const override;
  bool has_answers() const override { return true; }
  std::string show(const std::vector<int>& tokens) const override;
  std::vector<int> parse(const std::string& text) const override;

 private:
  Example draw(const RandomKey& key, bool held_out) const;

  std::string name_, symbols_;
  Index held_out_;
  MakeExample make_, make_training_;
  Index context_;
};

/// The first n, at most 36, of 0 to 9 and then a to z.
std::string first_symbols(Index n);
/// n random symbols below `symbols`.
std::vector<int> random_symbols(Random& random, Index n, Index symbols);

/// Throws UsageError unless there are questions enough for the split, as they are where `places`
/// symbols, each of `symbols` kinds, are free. `options` says what makes them: `--length 7`.
void require_questions(Index places, Index symbols, const std::string& options);

/// A recipe that begins with what small models learn sequences soonest by: Muon, with RMS norm and
/// without weight decay.
TrainConfig muon_recipe(const std::string& settings);

/// --length and --symbols.
std::vector<TaskOption> sequence_options(const char* length, const char* symbols);
/// The answer to s1 ... sL, random symbols, as the options say: a rule turns the one into the
/// other. Throws UsageError for options that can't be.
std::unique_ptr<Task> sequence_task(const std::string& name, const TaskOptions& options,
                                    Index held_out, void (*rule)(std::vector<int>& symbols));

}  // namespace tapehead

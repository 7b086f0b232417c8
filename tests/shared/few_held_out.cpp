#include "few_held_out.hpp"
#include "../../parts/parts.hpp"

#include <algorithm>

namespace tapehead {
namespace {

struct FewHeldOut : Task {
  explicit FewHeldOut(std::unique_ptr<Task> all_) : all(std::move(all_)) {}

  Index held_out_size() const override { return std::min<Index>(all->held_out_size(), 40); }

  Index vocabulary() const override { return all->vocabulary(); }
  Index context() const override { return all->context(); }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    return all->training_example(seed, step, number);
  }
  Example held_out_example(Index number) const override { return all->held_out_example(number); }
  bool has_answers() const override { return all->has_answers(); }
  Index longest_question() const override { return all->longest_question(); }
  Index longest_answer() const override { return all->longest_answer(); }
  int end_token() const override { return all->end_token(); }
  std::string show(const std::vector<int>& tokens) const override { return all->show(tokens); }
  std::vector<int> parse(const std::string& text) const override { return all->parse(text); }
  std::vector<int> parse_prompt(const std::string& text) const override {
    return all->parse_prompt(text);
  }
  std::string prompt_error(const std::vector<int>& question) const override {
    return all->prompt_error(question);
  }
  std::string answer_format() const override { return all->answer_format(); }
  TaskOptions recorded_options() const override { return all->recorded_options(); }

  std::unique_ptr<Task> all;
};

}  // namespace

const Registry& few_held_out() {
  static const Registry registry = [] {
    const Registry all = make_registry();
    Registry few = all;
    for (const TaskEntry& task : all.tasks())
      few.change(task.name, [](TaskEntry entry) {
        entry.make = [make = entry.make](const TaskOptions& options) -> std::unique_ptr<Task> {
          std::unique_ptr<Task> task = make(options);
          if (task->illustration()) return task;
          return std::make_unique<FewHeldOut>(std::move(task));
        };
        return entry;
      });
    return few;
  }();
  return registry;
}

}  // namespace tapehead

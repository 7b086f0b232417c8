#pragma once
// Models of one or two layers with two heads and width 8, and what is asked of them.
#include "../../train/data/task.hpp"
#include "../../train/model/architecture.hpp"

#include <functional>

namespace tapehead {

ModelOptions small_options(Index vocabulary, Index context, Index layers = 1,
                           DType dtype = DType::f32);
/// Its weights are larger than first weights are, so that the tokens' probabilities differ.
std::unique_ptr<TaskModel> opinionated_model(const ModelOptions& options, const char* arch = "gpt");
/// Of the token that comes next.
std::vector<double> probabilities(const TaskModel& model, const std::vector<int>& tokens);

/// Rows of eight random tokens below 6, of which the first `question(row)` are given.
Batch uneven_batch(Index rows, const std::function<Index(Index row)>& question);

/// For tests that need a task of their own: they override what they ask for.
struct BareTask : Task {
  Index vocabulary() const override { return 0; }
  Index context() const override { return 0; }
  Example training_example(std::uint64_t, Index, Index) const override { return {}; }
  Index held_out_size() const override { return 1; }
  Example held_out_example(Index) const override { return {}; }
  bool has_answers() const override { return true; }
  std::string show(const std::vector<int>&) const override { return ""; }
  std::vector<int> parse(const std::string&) const override { return {}; }
};

}  // namespace tapehead

#pragma once
// Small models: one or two layers, two heads, width 8.
#include "../../train/data/task.hpp"
#include "../../train/model/architecture.hpp"

#include <functional>

namespace tapehead {

ModelOptions small_options(Index vocabulary, Index context, Index layers = 1,
                           DType dtype = DType::f32);
/// Makes a model with larger weights than usual, so that token probabilities differ.
std::unique_ptr<TaskModel> opinionated_model(const ModelOptions& options, const char* arch = "gpt");
/// Returns the probabilities of the next token.
std::vector<double> probabilities(const TaskModel& model, const std::vector<int>& tokens);

/// Returns a batch with rows of eight random tokens below 6, with `question(row)` prompt tokens.
Batch uneven_batch(Index rows, const std::function<Index(Index row)>& question);

/// Base for tasks in tests, which override the functions that they need.
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

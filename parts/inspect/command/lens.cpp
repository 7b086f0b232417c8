#include "../lens.hpp"
#include "../../../cli/terminal/answer.hpp"
#include "../../../core/ops.hpp"
#include "experiment_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// Returns two grids by layer and position: the most likely token, and the target's probability.
std::vector<Document::Grid> grids_of(const std::vector<std::vector<LensCell>>& lens,
                                     const ExperimentInput& read, const Task& task) {
  Document::Grid likeliest{"Most likely token, coloured by its probability", "layer", "token read"};
  Document::Grid right{"Probability of the target", "layer", "target"};
  likeliest.full = right.full = 1;
  for (std::size_t t = 0; t < read.tokens.size(); ++t) {
    likeliest.columns.push_back(read.tokens[t]);
    const int target = static_cast<int>(read.batch.targets(static_cast<Index>(t)));
    if (target >= 0) right.columns.push_back(token_name(task, target));
  }
  for (std::size_t row = 0; row < lens.size(); ++row) {
    const std::string name = row == 0 ? "embedding" : fmt::format("layer {}", row - 1);
    likeliest.rows.push_back(name);
    right.rows.push_back(name);
    for (const LensCell& cell : lens[row]) {
      likeliest.values.push_back(cell.probability);
      likeliest.texts.push_back(token_name(task, cell.token));
      if (!std::isnan(cell.right)) right.values.push_back(cell.right);
    }
  }
  return {likeliest, right};
}

/// Lists an attribution's terms, the largest first.
Document::Table table_of(const Attribution& found, const std::string& title) {
  std::vector<Attribution::Term> terms = found.terms;
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  Document::Table table{title, {text_column("part"), {"adds"}}, {}, 1};
  for (const auto& term : terms) table.rows.push_back({term.name, term.value});
  return table;
}

}  // namespace

Document lens_document(const LoadedRun& run, const InspectArguments& asked,
                       const Terminal& terminal) {
  const GPT& model = require_residual_gpt(*run.model, "inspect lens");
  const Task& task = *run.task;
  const ExperimentInput read = experiment_input(run, asked, terminal);
  const auto time = static_cast<Index>(read.tokens.size());
  const auto lens = logit_lens(model, read.batch);
  const Index first = std::clamp<Index>(read.example.question - 1, 0, time - 1);
  const Index position = asked.position < 0 ? first : asked.position;
  if (position >= time)
    throw UsageError("--position {}: the model reads positions 0 to {}", position, time - 1);
  const int right = static_cast<int>(read.batch.targets(position));
  const int token = !asked.token.empty() ? token_of(task, asked.token, "--token")
                    : right >= 0         ? right
                                         : lens.back()[static_cast<std::size_t>(position)].token;
  const int against = asked.against.empty() ? -1 : token_of(task, asked.against, "--against");
  const Attribution found = attribute(model, read.batch, position, token, against);
  std::string what = fmt::format("the logit of {}", token_name(task, token));
  if (against >= 0) what += fmt::format(" minus the logit of {}", token_name(task, against));

  Document document;
  document.title = fmt::format("Logit lens · step {}", run.steps);
  document.notes = {
      read.note,
      "Each layer's prediction applies the model's last norm and head to the residual stream after "
      "it.",
      fmt::format("The contributions to {} at position {} sum to {:.6f}; the model gives {:.6f}, "
                  "a difference of {:.1e}.",
                  what, position, found.sum(), found.logit, std::abs(found.sum() - found.logit))};
  document.grids = grids_of(lens, read, task);
  document.tables = {
      table_of(found, fmt::format("Contributions to {} at position {}", what, position))};
  return document;
}

}  // namespace tapehead

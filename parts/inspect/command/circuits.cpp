#include "../circuits.hpp"
#include "../../../cli/terminal/answer.hpp"
#include "experiment_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace tapehead {
namespace {

/// Returns the distinct tokens in the text of --tokens, or the whole vocabulary if it is empty.
/// Throws UsageError if there are too many.
std::vector<int> tokens_of(const Task& task, const std::string& text) {
  constexpr Index most = 64;
  std::vector<int> tokens(text.empty() ? task.vocabulary() : 0);
  std::iota(tokens.begin(), tokens.end(), 0);
  std::set<int> known;
  if (!text.empty())
    for (int token : task.parse(text))
      if (known.insert(token).second) tokens.push_back(token);
  if (static_cast<Index>(tokens.size()) > most)
    throw UsageError(
        "inspect circuits: a map of {} tokens is too large; select at most {} with "
        "--tokens",
        grouped(static_cast<long long>(tokens.size())), most);
  return tokens;
}

/// Returns notes on differences between the circuits and the model.
std::vector<std::string> limits(const GPT& model, Index layer) {
  std::vector<std::string> notes;
  if (layer > 0 || model.embedding.positions || model.options.convolution > 0)
    notes.emplace_back(
        "The head's input contains more than token embeddings; these maps ignore the rest.");
  if (model.options.position.has_attention_scheme())
    notes.emplace_back("Scores are at distance 0, without the contribution of positions.");
  if (model.options.mlp)
    notes.emplace_back("MLPs and later layers may change the effect of a head.");
  if (model.norm)
    notes.emplace_back("OV omits the division by the last norm's scale, a positive number.");
  return notes;
}

/// Says for how many tokens the token's own logit rises most when the head attends to it.
std::string copying(const Tensor& ov) {
  const Index count = ov.dim(0);
  const std::vector<double> values = ov.values();
  Index copied = 0;
  for (Index i = 0; i < count; ++i) {
    const auto row = values.begin() + i * count;
    copied += std::max_element(row, row + count) - row == i;
  }
  return fmt::format("Copying: attending to a token raises its own logit most for {} of {}.",
                     copied, plural(count, "token"));
}

Document::Grid grid_of(const std::string& title, const Composition& found,
                       const std::vector<std::vector<double>>& scores) {
  Document::Grid grid{title, "reading head", "writing head"};
  const auto heads = static_cast<std::size_t>(found.heads);
  const auto name = [&](std::size_t i) { return fmt::format("{}.{}", i / heads, i % heads); };
  grid.full = 1;
  for (std::size_t i = 0; i + heads < scores.size(); ++i) grid.columns.push_back(name(i));
  for (std::size_t reader = heads; reader < scores.size(); ++reader) {
    grid.rows.push_back(name(reader));
    grid.values.insert(grid.values.end(), scores[reader].begin(),
                       scores[reader].end() - found.heads);
  }
  return grid;
}

}  // namespace

Document circuits_document(const LoadedRun& run, const InspectArguments& asked, const Terminal&) {
  const GPT& model = require_residual_gpt(*run.model, "inspect circuits");
  const Index layer = std::max<Index>(asked.layer, 0), head = std::max<Index>(asked.head, 0);
  const std::vector<int> tokens = tokens_of(*run.task, asked.tokens);
  const HeadCircuits found = head_circuits(model, layer, head, tokens);
  std::vector<std::string> names;
  for (int token : tokens) names.push_back(token_name(*run.task, token));

  Document document;
  document.title = fmt::format("Circuits of head {}.{} · step {}", layer, head, run.steps);
  document.notes = {copying(found.ov)};
  append(document.notes, limits(model, layer));
  document.grids = {{"QK: score of each query token with each key token", "query", "key", names,
                     names, found.qk.values()},
                    {"OV: effect of attending to a token on each logit", "token", "logit", names,
                     names, found.ov.values()}};
  if (model.blocks.size() < 2) return document;
  const Composition scores = composition(model);
  document.notes.push_back(
      fmt::format("The expected composition of random matrices is {:.3f}.", scores.chance));
  for (const auto& [title, values] :
       {std::pair("Q composition: queries that read an earlier head", &scores.q),
        {"K composition: keys that read an earlier head", &scores.k},
        {"V composition: values that read an earlier head", &scores.v}})
    document.grids.push_back(grid_of(title, scores, *values));
  return document;
}

}  // namespace tapehead

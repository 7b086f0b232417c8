#include "../../../cli/terminal/answer.hpp"
#include "../../../cli/terminal/progress_line.hpp"
#include "../../../train/config/options.hpp"
#include "../../../train/files/strings.hpp"
#include "prompts.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tapehead {
namespace {

using Column = Document::Column;

/// Names each of a module's first `count` positions by the prompts' tokens there: `4`, or `4/7` if
/// they differ.
std::vector<std::string> labels_of(const LoadedRun& run, const Prompts& p,
                                   const std::string& module, std::size_t count) {
  const bool target = starts_with(module, "decoder.");
  const Index first = target ? p.clean.question - 1 : 0;
  std::vector<std::string> labels;
  for (Index i = 0; i < static_cast<Index>(count); ++i) {
    if (run.task->illustration()) {
      labels.push_back(fmt::format("{}", i));
      continue;
    }
    const int a = p.clean.tokens[first + i], b = p.corrupted.tokens[first + i];
    const std::string name = token_name(*run.task, a);
    labels.push_back(a == b ? name : name + "/" + token_name(*run.task, b));
  }
  return labels;
}

/// Adds a grid of the restored shares by component and position, for each stack of blocks.
void add_grids(Document& document, const LoadedRun& run, const Prompts& p, const Patching& found,
               Patched::Kind kind, const std::string& title) {
  const auto stack_of = [](const Patched& part) {
    return part.module.substr(0, part.module.find('.'));
  };
  for (const char* stack : {"blocks", "encoder", "decoder"}) {
    Document::Grid grid{title, "", "position: clean/corrupted token", {}, {}, {}, 1};
    if (stack != std::string("blocks")) grid.title += fmt::format(" in the {}", stack);
    Document::Grid estimates = grid;
    for (const Patched& part : found.parts) {
      if (part.kind != kind || stack_of(part) != stack) continue;
      grid.rows.push_back(part.name);
      grid.columns = labels_of(run, p, part.module, part.shares.size());
      append(grid.values, part.shares);
      append(estimates.values, part.estimates);
    }
    if (grid.rows.empty()) continue;
    estimates.title += ", by gradients";
    estimates.rows = grid.rows;
    estimates.columns = grid.columns;
    document.grids.push_back(std::move(grid));
    if (!std::isnan(estimates.values[0])) document.grids.push_back(std::move(estimates));
  }
}

/// Orders NaN below all numbers.
bool is_less(double a, double b) { return std::isnan(a) ? !std::isnan(b) : a < b; }

/// Lists each component at the position where it restores most, in descending order.
Document::Table best_positions(const LoadedRun& run, const Prompts& p, const Patching& found) {
  Document::Table table{"Best position of each component",
                        {{"part", Column::Kind::text},
                         {"position", Column::Kind::text},
                         {"comes back", Column::Kind::number, 2},
                         {"by gradients", Column::Kind::number, 2}},
                        {},
                        2};
  for (const Patched& part : found.parts) {
    const auto best = std::max_element(part.shares.begin(), part.shares.end(), is_less);
    const std::size_t at = best - part.shares.begin();
    const bool pattern = part.kind == Patched::Kind::pattern;
    const std::string position =
        pattern ? "all"
                : fmt::format("{} {}", at, labels_of(run, p, part.module, part.shares.size())[at]);
    table.rows.push_back(
        {part.name + (pattern ? ", attention weights" : ""), position, *best, part.estimates[at]});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return is_less(std::get<double>(b[2]), std::get<double>(a[2]));
  });
  return table;
}

std::string agreement(const Patching& found) {
  std::vector<std::string> texts;
  for (const auto& [kind, name] : {std::pair(Patched::Kind::stream, "the residual stream"),
                                   {Patched::Kind::head, "heads"},
                                   {Patched::Kind::mlp, "MLPs"},
                                   {Patched::Kind::pattern, "attention weights"}}) {
    std::vector<double> shares, estimates;
    for (const Patched& part : found.parts) {
      if (part.kind != kind) continue;
      append(shares, part.shares);
      append(estimates, part.estimates);
    }
    const double r = correlation(shares, estimates);
    if (!std::isnan(r)) texts.push_back(fmt::format("{:.2f} for {}", r, name));
  }
  if (texts.empty())
    return "There is no estimate by gradients, because the model uses activation checkpointing.";
  return fmt::format(
      "'By gradients' is an estimate from one backward pass (attribution patching); its "
      "correlation with the restored shares is {}.",
      fmt::join(texts, ", "));
}

}  // namespace

Document patch_document(const LoadedRun& run, const InspectArguments& asked,
                        const Terminal& terminal) {
  const Prompts p = prompts_of(run, asked, terminal);
  ProgressLine line(terminal, "patching");
  const Patching found = patch(*run.model, p.pair, std::ref(line));
  line.clear();
  const std::string right = token_name(*run.task, p.pair.right);
  const std::string wrong = token_name(*run.task, p.pair.wrong);
  const auto describe_prompt = [&](const char* name, const Example& e, const std::string& answer,
                                   double d) {
    const std::vector<int> read(e.tokens.begin(), e.tokens.end() - 1);
    return fmt::format("{}: {} → {}; logit of {} minus logit of {}: {:.2f}.", name,
                       run.task->illustration() ? "an image" : visible(run.task->show(read)),
                       answer, right, wrong, d);
  };
  Document document;
  document.title = fmt::format("Patching · step {}", run.steps);
  document.notes = {
      describe_prompt("Clean", p.clean, right, found.clean),
      describe_prompt("Corrupted", p.corrupted, wrong, found.corrupted),
      "Share of the clean logit difference that is restored by an activation of the clean "
      "pass in the corrupted pass: 0 is none, 1 is all.",
      agreement(found)};
  add_grids(document, run, p, found, Patched::Kind::stream, "Residual stream");
  add_grids(document, run, p, found, Patched::Kind::head, "Heads' outputs");
  add_grids(document, run, p, found, Patched::Kind::mlp, "MLPs' outputs");
  document.tables = {best_positions(run, p, found)};
  document.numbers = {{"clean", found.clean}, {"corrupted", found.corrupted}};
  return document;
}

}  // namespace tapehead

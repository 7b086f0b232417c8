#include "../../../cli/commands/example_seen.hpp"
#include "../../../cli/terminal/answer.hpp"
#include "../../../cli/terminal/progress_line.hpp"
#include "../../../train/config/options.hpp"
#include "../../../train/files/strings.hpp"
#include "../patching.hpp"
#include "experiments.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tapehead {
namespace {

using Column = Document::Column;

/// Parses a prompt; the model completes it if it has no completion. If the text is empty, returns a
/// validation example with its target as the completion.
Example prompt_with_answer(const LoadedRun& run, const std::string& text, Index number,
                           const char* option, const Terminal& terminal) {
  const bool has_answers = run.task->has_answers();
  if (text.empty()) {
    Example example = held_out_example(*run.task, number);
    if (has_answers) return example;
    constexpr Index glance = 32;  // number of tokens read from a plain text
    const Index read = std::min(glance, run.model->longest_question());
    example.tokens.resize(std::min(example.tokens.size(), static_cast<std::size_t>(read + 1)));
    example.question = static_cast<Index>(example.tokens.size()) - 1;
    return example;
  }
  if (has_answers && run.model->arch == "gpt") {
    const std::vector<int> tokens = run.task->parse_prompt(text);
    const Index question = prompt_length(tokens, run);
    if (question < static_cast<Index>(tokens.size())) return {tokens, question};
  }
  Example seen = example_to_show(run, &text, number, option, terminal);
  if (static_cast<Index>(seen.tokens.size()) > seen.question) return seen;
  SampleOptions one = greedy();
  one.tokens = 1;
  seen.tokens = generate(*run.model, seen.tokens, one);
  if (static_cast<Index>(seen.tokens.size()) == seen.question)
    throw UsageError("{}: the model predicts no token after this prompt", option);
  return seen;
}

/// Returns the first position in the completions where the two differ; -1 if there is none.
Index first_difference(const Example& a, const Example& b) {
  for (Index i = a.question; i < static_cast<Index>(std::min(a.tokens.size(), b.tokens.size()));
       ++i)
    if (a.tokens[i] != b.tokens[i]) return i - a.question;
  return -1;
}

struct Prompts {
  Example clean, corrupted;
  PatchPair pair;
};

Prompts prompts_of(const LoadedRun& run, const InspectArguments& asked, const Terminal& terminal) {
  Prompts p;
  p.clean = prompt_with_answer(run, asked.clean, 0, "--clean", terminal);
  Index differs = -1;
  if (!asked.corrupted.empty()) {
    p.corrupted = prompt_with_answer(run, asked.corrupted, 0, "--corrupted", terminal);
    if (p.clean.question != p.corrupted.question)
      throw UsageError("--clean has {} and --corrupted has {}; they must have the same length",
                       plural(p.clean.question, "token"), p.corrupted.question);
    differs = first_difference(p.clean, p.corrupted);
    if (differs < 0)
      throw UsageError(
          "--clean and --corrupted must have different completions, but both have '{}'",
          visible(run.task->show(answer_of(p.clean))));
  }
  constexpr Index most = 100;  // number of validation examples searched for a corrupted prompt
  for (Index i = 1; differs < 0 && i < std::min(most, held_out_size(*run.task)); ++i) {
    p.corrupted = prompt_with_answer(run, "", i, "--corrupted", terminal);
    if (p.clean.question == p.corrupted.question) differs = first_difference(p.clean, p.corrupted);
  }
  if (differs < 0)
    throw UsageError(
        "no validation example has the length of --clean and a different completion; pass a "
        "corrupted prompt with --corrupted");
  // A GPT or an encoder-decoder needs no tokens after the compared one, since they don't affect it.
  // An encoder predicts all tokens at once, so it keeps them.
  const bool writes = run.model->arch == "gpt" || run.model->arch == "encoder-decoder";
  for (Example* e : {&p.clean, &p.corrupted})
    if (writes) e->tokens.resize(e->question + differs + 1);
  p.pair.clean = run.model->batch({p.clean});
  p.pair.corrupted = run.model->batch({p.corrupted});
  p.pair.right = p.clean.tokens[p.clean.question + differs];
  p.pair.wrong = p.corrupted.tokens[p.clean.question + differs];
  p.pair.position = differs + (run.model->arch == "gpt" ? p.clean.question - 1 : 0);
  if (run.model->arch == "encoder-decoder") p.pair.source = p.clean.question;
  return p;
}

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
      grid.values.insert(grid.values.end(), part.shares.begin(), part.shares.end());
      estimates.values.insert(estimates.values.end(), part.estimates.begin(), part.estimates.end());
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
      shares.insert(shares.end(), part.shares.begin(), part.shares.end());
      estimates.insert(estimates.end(), part.estimates.begin(), part.estimates.end());
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

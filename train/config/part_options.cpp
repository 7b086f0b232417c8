// Options of parts; see options.hpp.
#include "options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace tapehead {
namespace {

/// An option of one part.
struct PartOption {
  std::string part;
  Option option;
};
using PartOptions = std::vector<PartOption>;

/// Returns the options of that name of all parts of a kind.
PartOptions owned(const PartList& kind, const std::string& name) {
  PartOptions found;
  for (const auto& part : kind.all())
    for (const Option& option : part->options)
      if (option.name == name) found.push_back({part->name, option});
  return found;
}

/// Returns `with adamw, lion: decay of the mean gradient`, without names if all parts of the kind
/// have the option. The help shows the first part's default; other defaults are appended here.
std::string shared_help(PartOptions all, std::size_t parts_of_kind) {
  const std::string shown = all[0].option.default_value;
  for (PartOption& each : all)
    if (const std::string& own = each.option.default_value; own != shown)
      each.option.help += fmt::format(", {} by default", own);
  std::vector<std::string> texts;
  for (const PartOption& each : all) {
    const std::string& help = each.option.help;
    std::vector<std::string> parts;
    for (const PartOption& other : all)
      if (other.option.help == help) parts.push_back(other.part);
    if (parts.size() == parts_of_kind) return help;
    const std::string text = fmt::format("with {}: {}", fmt::join(parts, ", "), help);
    if (!contains(texts, text)) texts.push_back(text);
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

Option shared_option(const PartList& kind, const std::string& name) {
  const auto all = std::make_shared<const PartOptions>(owned(kind, name));
  Option option = all->front().option;
  option.help = shared_help(*all, kind.all().size());
  // If the chosen part lacks the option, its value doesn't matter.
  const auto chosen = [field = kind.field(), all](const TrainConfig& config) -> const Option& {
    const auto found = std::find_if(all->begin(), all->end(), [&](const PartOption& each) {
      return each.part == config.*field;
    });
    return found == all->end() ? all->front().option : found->option;
  };
  option.get = [chosen](const TrainConfig& config) { return chosen(config).get(config); };
  option.default_by_parts = [chosen](const TrainConfig& config) {
    return chosen(config).default_value;
  };
  std::map<std::string, std::string> renamed;  // new name of the option, by part
  for (const auto& part : kind.all())
    for (const auto& [before, now] : part->renamed)
      if (before == name) renamed[part->name] = now;
  option.renamed = [field = kind.field(), renamed](const TrainConfig& config) {
    const auto found = renamed.find(config.*field);
    return found == renamed.end() ? "" : found->second;
  };
  option.check = [chosen](const TrainConfig& config) {
    if (const auto& check = chosen(config).check) check(config);
  };
  return option;
}

/// The parts of one kind that have an option.
struct OptionReaders {
  std::string kind;
  std::string TrainConfig::*chosen;
  std::vector<std::string> parts;
  bool in_blocks = false;  ///< parts of a transformer block
};

std::vector<OptionReaders> option_readers(const std::string& option, const Registry& registry) {
  const std::vector<const PartList*> of_blocks = {&registry.positions(), &registry.attentions(),
                                                  &registry.norms(), &registry.mlps()};
  std::vector<OptionReaders> all;
  for (const PartList* kind : registry.kinds()) {
    OptionReaders readers{kind->option(), kind->field(), {}};
    readers.in_blocks = contains(of_blocks, kind);
    for (const auto& part : kind->all())
      if (part->has(option)) readers.parts.push_back(part->name);
    if (!readers.parts.empty()) all.push_back(std::move(readers));
  }
  return all;
}

/// Returns whether an option applies to transformer blocks with any parts.
bool is_of_all_blocks(const std::string& option) {
  static const std::vector<std::string> all = {"position", "attention",   "norm",     "mlp",
                                               "biases",   "convolution", "residual", "zero-out"};
  return contains(all, option);
}

/// Returns the architectures with an option of blocks: those that consist of blocks or list it.
std::vector<std::string> architectures_with(const std::string& option, const Registry& registry) {
  std::vector<std::string> names;
  for (const auto& part : registry.architectures().all())
    if (registry.architectures().make(part->name).blocks || part->has(option))
      names.push_back(part->name);
  return names;
}

}  // namespace

std::vector<Option> shared_options(const PartList& kind) {
  std::vector<std::string> names;
  std::vector<Option> options;
  for (const auto& part : kind.all())
    for (const Option& own : part->options) {
      if (contains(names, own.name)) continue;
      names.push_back(own.name);
      options.push_back(shared_option(kind, own.name));
    }
  return options;
}

std::string has_no_effect(const std::string& option, const std::string& kind,
                          const std::string& chosen, const std::vector<std::string>& others) {
  return fmt::format(
      "--{} has no effect with --{} {}; remove it{}", option, kind, chosen,
      others.empty() ? "" : fmt::format(", or use --{} {}", kind, alternatives(others)));
}

std::function<std::string(const TrainConfig&)> refusal_of(const std::string& option,
                                                          const Registry& registry) {
  const bool of_all_blocks = is_of_all_blocks(option);
  std::vector<OptionReaders> all = option_readers(option, registry);
  if (all.empty() && !of_all_blocks) return {};
  return [=, with_blocks = architectures_with(option, registry)](const TrainConfig& config) {
    std::string refusal;
    const auto refuse = [&](const std::string& kind, const std::string& chosen,
                            const std::vector<std::string>& others) {
      if (refusal.empty()) refusal = has_no_effect(option, kind, chosen, others);
    };
    const bool has_blocks = contains(with_blocks, config.arch);
    if (of_all_blocks) {
      if (!has_blocks) refuse("arch", config.arch, with_blocks);
      return refusal;
    }
    for (const OptionReaders& readers : all) {
      const std::string& chosen = config.*readers.chosen;
      if (readers.in_blocks && !has_blocks)
        refuse("arch", config.arch, with_blocks);
      else if (contains(readers.parts, chosen))
        return std::string();
      else
        refuse(readers.kind, chosen, readers.parts);
    }
    return refusal;
  };
}

}  // namespace tapehead

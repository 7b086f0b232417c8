#pragma once
// The options that parts of a model or of training have: parts of one kind may share an option.
#include "registry.hpp"

namespace tapehead {

/// Whether a part of this kind has an option of its own of that name.
bool is_own_option(const PartList& kind, const std::string& name);
/// The options that parts of one kind have of their own, each name once: the chosen part says its
/// default and its range.
std::vector<Option> shared_options(const PartList& kind);

/// `--beta1 has no effect with --optimizer sgd; remove it, or use --optimizer adamw or lion`.
std::string has_no_effect(const std::string& option, const std::string& kind,
                          const std::string& chosen, const std::vector<std::string>& others);
/// What Option::refusal is for the option of that name; empty where every run has it.
std::function<std::string(const TrainConfig&)> refusal_of(const std::string& option,
                                                          const Registry& registry);

}  // namespace tapehead

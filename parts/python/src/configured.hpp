#pragma once
// Options of Python as those of `tapehead train`.
#include "bindings.hpp"

#include "../../../train/config/options.hpp"

namespace tapehead {

/// The defaults of the command with these settings, of options that `known` holds for.
template <class F>
TrainConfig configured(const std::string& what, const Settings& given, F known) {
  const std::vector<TrainOption>& all = common_options(registry());
  for (const auto& [name, value] : given)
    if (!known(find_option(all, name, ""))) throw ValueError("{}: has no option '{}'", what, name);
  TrainConfig config;
  apply(given, all, config);
  return config;
}

}  // namespace tapehead

#pragma once
// Options of Python as those of `tapehead train`.
#include "bindings.hpp"

#include "../../../train/config/options.hpp"

namespace tapehead {

/// A class or function of Python that takes options.
struct Configurable {
  std::string name;
  std::vector<Option> options;
  TrainConfig defaults = {};  ///< the defaults, which choose the parts
};
/// The options of tapehead.GPT.
const Configurable& gpt_options();
/// The options of an optimizer by its name in the registry, called `title` in Python.
Configurable optimizer_options(const std::string& name, const std::string& title);

/// The defaults with these settings. Throws ValueError that names the class
/// for an unknown option, a value out of range, or an option that no chosen part reads.
TrainConfig configured(const Configurable& what, const Settings& given);

/// The same text with options as Python spells them: `--min-lr` as `min_lr`.
std::string spelled_in_python(const std::string& text);
/// A line `name=default  help` for each option, for help(...).
std::string option_lines(const Configurable& what);

}  // namespace tapehead

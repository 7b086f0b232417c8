#pragma once
// Options of `tapehead train` as Python keyword arguments.
#include "bindings.hpp"

#include "../../../train/config/options.hpp"

namespace tapehead {

/// A Python class whose constructor takes options of `tapehead train`.
struct Configurable {
  std::string name;
  std::vector<Option> options;
  TrainConfig defaults = {};  ///< default values of the options
};
/// Returns the options of tapehead.GPT.
const Configurable& gpt_options();
/// Returns the options of an optimizer, by its name in the registry; `title` is its Python name.
Configurable optimizer_options(const std::string& name, const std::string& title);

/// Returns the defaults with these settings applied. Throws ValueError, which names the class, for
/// an unknown option, a value out of range, or an option without effect.
TrainConfig configured(const Configurable& what, const Settings& given);

/// Returns the text with option names in Python's spelling: `--min-lr` as `min_lr`.
std::string spelled_in_python(const std::string& text);
/// Returns one line `name=default  help` per option, for the class's docstring.
std::string option_lines(const Configurable& what);

}  // namespace tapehead

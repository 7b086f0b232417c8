#pragma once
#include "config.hpp"
#include "values.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tapehead {

/// What an option affects: the result of training; nothing but how it is computed and saved, so
/// that it may change when a run is resumed; or the run's folder, which no file records.
enum class Effect { result, none, folder };

/// An option of training, of a part or of a task: the only description there is. Command line,
/// help, config.toml, sweeps, recipes and range checks follow from it.
struct Option {
  std::string name, help;  ///< the name without dashes
  std::string default_value = {};
  std::string kind = {};                  ///< its value in the help: N, X, FILE, none|layer|head
  std::vector<std::string> choices = {};  ///< the names that it accepts; empty: no fixed names
  std::string group = {};                 ///< its heading in the help
  Effect effect = Effect::result;
  std::function<std::string(const TrainConfig&)> get = {};
  /// Throws UsageError that names the option, if the text isn't a value of its kind.
  std::function<void(TrainConfig&, const std::string&)> set = {};
  /// Throws UsageError that names the option, if its value is out of range; empty: any value is
  /// fine.
  std::function<void(const TrainConfig&)> check = {};

  // Of options that depend on the chosen parts.
  bool chooses_part = false;
  /// Returns the default.
  std::function<std::string(const TrainConfig&)> default_by_parts = {};
  /// Returns the error for giving it where the chosen parts don't have it, and an empty text where
  /// they do; empty: every run has it.
  std::function<std::string(const TrainConfig&)> refusal = {};
  /// Returns the option that this one is an older name of; or nothing.
  std::function<std::string(const TrainConfig&)> renamed = {};

  bool is_boolean() const { return kind == "true|false"; }
  bool is_read(const TrainConfig& config) const { return !refusal || refusal(config).empty(); }
  std::string default_in(const TrainConfig& config) const {
    return default_by_parts ? default_by_parts(config) : default_value;
  }
  bool is_default(const TrainConfig& config) const { return get(config) == default_in(config); }
  void reset(TrainConfig& config) const;  ///< to its default
};

/// The options that `visit` lists, of a configuration's own fields.
std::vector<Option> listed(const std::function<void(TrainConfig&, Fields&)>& visit);
/// The options that `visit` lists, of a part or a task. A configuration keeps their values as
/// texts.
std::vector<Option> own_options(const std::function<void(Fields&)>& visit);
/// The same of a struct with a member `options(Fields&)`, whose values are the defaults.
template <class Options>
std::vector<Option> options_of(const Options& defaults = {}) {
  return own_options([=](Fields& f) { Options(defaults).options(f); });
}

/// Of a part that has none.
struct NoOptions {
  void options(Fields&) {}
};

/// Sets what `visit` lists to these values. Throws UsageError that names an option whose text isn't
/// a value of its kind, or is out of range.
void set_fields(const std::function<void(Fields&)>& visit, const TaskOptions& values);

}  // namespace tapehead

#pragma once
#include "config.hpp"
#include "values.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tapehead {

/// What an option affects: the result of training; only how it is computed and saved, so that it
/// may change when a run is resumed; or the run folder, which isn't recorded.
enum class Effect { result, none, folder };

/// An option of training, of a part or of a task. Command line, help, config.toml, sweeps, default
/// configurations and range checks are derived from it.
struct Option {
  std::string name, help;  ///< `name` has no dashes
  std::string default_value = {};
  std::string kind = {};  ///< name of the value in the help: N, X, FILE, none|layer|head
  std::vector<std::string> choices = {};  ///< accepted values; empty: no fixed values
  std::string group = {};                 ///< the option's heading in the help
  Effect effect = Effect::result;
  std::string alias = {};  ///< a second name on the command line; empty: none
  std::function<std::string(const TrainConfig&)> get = {};
  /// Throws UsageError if the text isn't a value of the option's type.
  std::function<void(TrainConfig&, const std::string&)> set = {};
  /// Throws UsageError if the value is out of range; empty: all values are valid.
  std::function<void(const TrainConfig&)> check = {};

  // Whether the option chooses a part. The members below are for options that depend on parts.
  bool chooses_part = false;
  /// Returns the default with the chosen parts.
  std::function<std::string(const TrainConfig&)> default_by_parts = {};
  /// Returns the error if the chosen parts don't have the option, and an empty text if they do;
  /// empty: every run has it.
  std::function<std::string(const TrainConfig&)> refusal = {};
  /// Returns the new name, if this is an old name of an option; else an empty text.
  std::function<std::string(const TrainConfig&)> renamed = {};

  bool is_boolean() const { return kind == "true|false"; }
  bool is_read(const TrainConfig& config) const { return !refusal || refusal(config).empty(); }
  std::string default_in(const TrainConfig& config) const {
    return default_by_parts ? default_by_parts(config) : default_value;
  }
  bool is_default(const TrainConfig& config) const { return get(config) == default_in(config); }
  void reset(TrainConfig& config) const;  ///< sets the option to its default
};

/// Returns the options that `visit` declares for fields of TrainConfig.
std::vector<Option> listed(const std::function<void(TrainConfig&, Fields&)>& visit);
/// Returns the options that `visit` declares for a part or a task. Their values are stored as text.
std::vector<Option> own_options(const std::function<void(Fields&)>& visit);
/// Returns the options of a struct with a member `options(Fields&)`. Its values are the defaults.
template <class Options>
std::vector<Option> options_of(const Options& defaults = {}) {
  return own_options([=](Fields& f) { Options(defaults).options(f); });
}

/// The options of a part without options.
struct NoOptions {
  void options(Fields&) {}
};

/// Sets the fields that `visit` declares. Throws UsageError for a value that is invalid or out of
/// range.
void set_fields(const std::function<void(Fields&)>& visit, const TaskOptions& values);

}  // namespace tapehead

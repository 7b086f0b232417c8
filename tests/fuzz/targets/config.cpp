#include "../../../cli/options/config_file.hpp"
#include "../../../parts/parts.hpp"
#include "../../../train/config/validate.hpp"
#include "../../../train/files/files.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

namespace tapehead::fuzz {
namespace {

void expect_values_read_back(const Settings& settings) {
  for (const auto& [name, value] : settings) {
    const Settings again = parse_toml("a = " + toml_value(value), "again");
    promise(again.size() == 1 && again[0].second == value, "a value read back");
  }
}

void config(const std::string& input) {
  static const Registry registry = make_registry();
  try {
    const std::string text = require_utf8(input, "config.toml");
    expect_values_read_back(parse_toml(text, "config.toml"));
    const TrainConfig config = config_from_toml(text, "config.toml", registry);
    const std::string written = to_toml(config, registry);
    promise(to_toml(config_from_toml(written, "again", registry), registry) == written,
            "a configuration read back");
    validated(config, registry);
  } catch (const FileError&) {
  } catch (const UsageError&) {
  }
}
const Target config_target("config", config);

}  // namespace

}  // namespace tapehead::fuzz

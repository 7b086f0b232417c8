#include "known_circuit.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/files/json.hpp"

#include <filesystem>
#include <map>

namespace tapehead {
namespace {

/// Reads the members of a circuit.json.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    const std::optional<Json> json = parse_json(read_file(path));
    if (!json || (*json)["format"].integer() != 1) fail("expected JSON with \"format\": 1");
    for (const Json& direction : (*json)["directions"].items())
      directions_.emplace(text(direction, "name"), static_cast<Index>(directions_.size()));
    for (const Json& component : (*json)["components"].items()) {
      KnownCircuit::Component read{text(component, "name"), text(component, "sequence")};
      const Json::Array& neurons = component["neurons"].items();
      if (neurons.size() == 2) read.first = number(neurons[0]), read.end = number(neurons[1]);
      circuit.components.push_back(std::move(read));
    }
    for (const Json& edge : (*json)["edges"].items()) {
      KnownCircuit::Carried read{text(edge, "from"), text(edge, "to"), {}};
      for (const Json& name : edge["directions"].items()) {
        const auto found = directions_.find(name.string());
        if (found == directions_.end()) fail("an edge carries an unknown direction");
        read.directions.push_back(found->second);
      }
      circuit.edges.push_back(std::move(read));
    }
    if (circuit.components.empty() || circuit.edges.empty()) fail("no components or edges");
  }

  KnownCircuit circuit;

 private:
  [[noreturn]] void fail(const char* what) const {
    throw FileError("{}: {}; compile the program again", path_, what);
  }
  std::string text(const Json& json, const char* name) const {
    if (!json[name].is_string()) fail("a name is missing");
    return json[name].string();
  }
  Index number(const Json& json) const {
    if (!json.integer()) fail("a number of a neuron is missing");
    return *json.integer();
  }

  const std::string& path_;
  std::map<std::string, Index> directions_;
};

}  // namespace

bool KnownCircuit::has(const std::string& component) const {
  return has_named(components, component);
}

KnownCircuit read_known_circuit(const std::string& run) {
  const std::string path = run + "/circuit.json";
  if (!std::filesystem::exists(path))
    throw UsageError(
        "{}: no circuit.json, so the circuit isn't known; use a run written by tapehead compile",
        run);
  return Reader(path).circuit;
}

}  // namespace tapehead

#pragma once
#include "../../../train/model/architecture.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// The circuit that a run's circuit.json describes, as written by `tapehead compile`
/// (docs/interpret/known-circuits.md). All other components of the model have weights of 0.
struct KnownCircuit {
  /// A component that computes a sequence; an MLP computes it with the neurons [first, end).
  struct Component {
    std::string name, sequence;
    Index first = 0, end = 0;
  };
  /// An edge, named as in EdgeGraph, and the directions of the residual stream that it carries.
  struct Carried {
    std::string from, to;
    std::vector<Index> directions;
  };
  std::vector<Component> components;
  std::vector<Carried> edges;

  bool has(const std::string& component) const;
};

/// Reads circuit.json in a run folder. Throws UsageError if the run has none, and FileError if the
/// file is damaged or has another format.
KnownCircuit read_known_circuit(const std::string& run);

}  // namespace tapehead

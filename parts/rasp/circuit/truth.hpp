#pragma once
#include "../../../train/files/json.hpp"
#include "circuit.hpp"

namespace tapehead::rasp {

/// File in the run folder of a compiled program that describes its circuit.
constexpr const char* truth_name = "circuit.json";

/// An edge of the circuit: the values of a sequence that one component writes and another reads.
struct Edge {
  std::string from;      ///< embedding, head L.H, mlp L
  std::string to;        ///< head L.H query, head L.H key, head L.H value, mlp L, logits
  std::string sequence;  ///< name of the sequence; bos for the start token
  std::vector<std::string> directions;
};

/// Returns the edges of a circuit, by their end.
std::vector<Edge> edges(const Circuit& circuit, const Program& program);

/// Returns the document that docs/interpret/known-circuits.md describes.
Json truth(const Circuit& circuit, const Program& program);

}  // namespace tapehead::rasp

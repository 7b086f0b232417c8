#include "truth.hpp"
#include "../../../core/containers.hpp"
#include "../../../core/error.hpp"

#include <algorithm>

namespace tapehead::rasp {
namespace {

std::string head_name(std::size_t block, std::size_t head) {
  return fmt::format("head {}.{}", block, head);
}
std::string mlp_name(std::size_t block) { return fmt::format("mlp {}", block); }

/// Collects the edges, component by component in the order in which they compute.
class Edges {
 public:
  Edges(const Circuit& circuit, const Program& program)
      : circuit_(circuit), program_(program), writers_(circuit.directions.size()) {
    for (const auto* rows : {&circuit.embedding, &circuit.positions})
      for (const Row& row : *rows)
        for (const auto& term : row.terms) write("embedding", term.first);
    for (std::size_t b = 0; b < circuit.heads.size(); ++b) {
      for (std::size_t h = 0; h < circuit.heads[b].size(); ++h) {
        const Head& head = circuit.heads[b][h];
        read(head.queries, head_name(b, h) + " query");
        read(head.keys, head_name(b, h) + " key");
        read(head.values, head_name(b, h) + " value");
      }
      for (std::size_t h = 0; h < circuit.heads[b].size(); ++h)
        for (int direction : circuit.heads[b][h].writes) write(head_name(b, h), direction);
      std::vector<Row> inputs;
      for (const Neuron& neuron : circuit.neurons[b]) inputs.push_back(neuron.in);
      read(inputs, mlp_name(b));
      for (const Neuron& neuron : circuit.neurons[b])
        for (const auto& term : neuron.out) write(mlp_name(b), term.first);
    }
    read(circuit.logits, "logits");
  }

  std::vector<Edge> all;

 private:
  void write(const std::string& from, int direction) {
    std::vector<std::string>& known = writers_[direction];
    if (!contains(known, from)) known.push_back(from);
  }
  void read(const std::vector<Row>& rows, const std::string& to) {
    std::set<int> directions;
    for (const Row& row : rows)
      for (const auto& term : row.terms) directions.insert(term.first);
    const std::size_t first = all.size();
    for (int direction : directions)
      for (const std::string& from : writers_[direction]) {
        const Direction& read = circuit_.directions[direction];
        const std::string sequence =
            direction == 0 ? start_token : program_.sequences[read.sequence].name;
        const auto same = std::find_if(
            all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
            [&](const Edge& edge) { return edge.from == from && edge.sequence == sequence; });
        if (same == all.end())
          all.push_back({from, to, sequence, {read.name}});
        else
          same->directions.push_back(read.name);
      }
  }

  const Circuit& circuit_;
  const Program& program_;
  std::vector<std::vector<std::string>> writers_;  // by direction
};

Json names(const Circuit& circuit, const std::vector<int>& directions) {
  Json all = Json::array();
  for (int direction : directions) all.push_back(circuit.directions[direction].name);
  return all;
}

}  // namespace

std::vector<Edge> edges(const Circuit& circuit, const Program& program) {
  return Edges(circuit, program).all;
}

Json truth(const Circuit& circuit, const Program& program) {
  Json directions = Json::array(), components = Json::array(), carried = Json::array();
  for (const Direction& direction : circuit.directions)
    directions.push_back(
        Json{{"name", direction.name}, {"sequence", program.sequences[direction.sequence].name}});
  const auto component = [&](const std::string& name, Sequence s) {
    const Operation& line = program.sequences[s];
    return Json{{"name", name},
                {"line", line.place.line},
                {"sequence", line.name},
                {"computes", line.text}};
  };
  for (std::size_t b = 0; b < circuit.heads.size(); ++b) {
    for (std::size_t h = 0; h < circuit.heads[b].size(); ++h) {
      const Head& head = circuit.heads[b][h];
      Json json = component(head_name(b, h), head.sequence);
      if (!program.sequences[head.sequence].selector.name.empty())
        json["selector"] = program.sequences[head.sequence].selector.name;
      json["writes"] = names(circuit, head.writes);
      components.push_back(std::move(json));
    }
    const std::vector<Neuron>& neurons = circuit.neurons[b];
    for (std::size_t first = 0, end = 0; first < neurons.size(); first = end) {
      std::set<int> written;
      while (end < neurons.size() && neurons[end].sequence == neurons[first].sequence)
        for (const auto& term : neurons[end++].out) written.insert(term.first);
      Json json = component(mlp_name(b), neurons[first].sequence);
      json["neurons"] = std::vector<Index>{static_cast<Index>(first), static_cast<Index>(end)};
      json["writes"] = names(circuit, {written.begin(), written.end()});
      components.push_back(std::move(json));
    }
  }
  for (const Edge& edge : edges(circuit, program)) {
    carried.push_back({{"from", edge.from},
                       {"to", edge.to},
                       {"sequence", edge.sequence},
                       {"directions", edge.directions}});
  }
  return {{"format", 1},
          {"program", program.text},
          {"directions", directions},
          {"components", components},
          {"edges", carried}};
}

}  // namespace tapehead::rasp

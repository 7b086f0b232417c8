#pragma once
#include "../language/interpreter.hpp"

namespace tapehead::rasp {

/// A basis direction of the residual stream. Its name is SEQUENCE:VALUE for a direction that is 1
/// where the sequence has the value, and else 0; SEQUENCE for one that holds a number;
/// SEQUENCE.share and SEQUENCE.found for intermediate results of attention.
struct Direction {
  std::string name;
  Sequence sequence;
};

using Terms = std::map<int, double>;  ///< weights by direction

/// A linear function of the residual stream: a sum over directions, plus a bias.
struct Row {
  Terms terms;
  double bias = 0;
};

/// An attention head. The score of a query and a key is the product of their rows.
struct Head {
  Sequence sequence;  ///< the line that it implements
  std::vector<Row> queries = {}, keys = {}, values = {};
  std::vector<int> writes = {};  ///< the direction that receives each row of `values`
};

/// A neuron max(0, in), and its output weights.
struct Neuron {
  Sequence sequence;  ///< the line that it implements
  Row in;
  Terms out;
};

/// The transformer that computes a program: an encoder, or a gpt for a causal program. Its input
/// begins with a start token.
struct Circuit {
  std::vector<Direction> directions;
  std::vector<Value> vocabulary;             ///< see `vocabulary`
  std::vector<Row> embedding;                ///< by token
  std::vector<Row> positions;                ///< by position, counted from the start token
  std::vector<std::vector<Head>> heads;      ///< by block
  std::vector<std::vector<Neuron>> neurons;  ///< by block
  std::vector<Row> logits;                   ///< by token
};

/// Returns the tokens of a compiled model: the alphabet, other results of the program in ascending
/// order, and the start token. The interpreter must have run all inputs.
std::vector<Value> vocabulary(const Interpreter& interpreter);

/// Compiles a program of which the interpreter has run all inputs. Only values that occurred get
/// directions and neurons. Lines that the output doesn't depend on are left out.
Circuit make_circuit(const Interpreter& interpreter);

}  // namespace tapehead::rasp

#pragma once
// The parsed form of a RASP program.
#include "value.hpp"

#include <functional>
#include <optional>

namespace tapehead::rasp {

/// A place in a program's text, counted from 1.
struct Place {
  int line = 0, column = 0;
};

/// Number of a sequence in Program::sequences.
using Sequence = int;
constexpr Sequence no_sequence = -1, tokens = 0, indices = 1;
/// The token before each input of a compiled model.
constexpr const char* start_token = "bos";

/// An expression: a constant, a sequence, or an operator with its operands. `key` and `query` are
/// sequences at the two positions that a selector compares.
struct Expression {
  enum class Kind { constant, sequence, key, query, operation };
  Kind kind = Kind::constant;
  Place place = {};
  Value value = {};
  Sequence sequence = no_sequence;
  std::string operation = {};  ///< + - * / % == != < <= > >= and or not if min max negative pair
  std::vector<Expression> operands = {};
};

/// A condition of a selector. It depends on at most one sequence at the key's position and one at
/// the query's, each of which may be a hidden line of pairs.
struct Condition {
  Expression predicate;
  Sequence key = no_sequence, query = no_sequence;
};

/// Selects, for each query position, the key positions at which all conditions hold.
struct Selector {
  std::string name;  ///< empty if it was written inside another line
  int line = 0;
  Expression predicate;
  std::vector<Condition> conditions;  ///< the predicate, split at its outer `and`s
};

/// A sequence: the input, the result of one line, or a hidden line `(a, b)` with the pairs of two
/// sequences.
struct Operation {
  enum class Kind { tokens, indices, map, width, mean, pick };
  Kind kind;
  std::string name;
  Place place;
  std::string text = {};               ///< the line, without spaces at its ends
  Expression map = {};                 ///< of kind map
  std::vector<Sequence> reads = {};    ///< of kind map: at most two, perhaps hidden lines
  Selector selector = {};              ///< of kinds width, mean, pick
  Sequence value = no_sequence;        ///< of kinds mean, pick
  std::optional<Value> fallback = {};  ///< of kinds mean, pick: the value of an empty selection
};

struct Program {
  std::string name;  ///< begins its errors
  std::string text;
  std::string puzzle = {};  ///< name of the puzzle whose answer is this program; empty: none
  std::vector<Value> alphabet = {};
  Place lengths_place = {};
  bool is_causal = false;                 ///< no position selects later ones
  int shortest = 0, longest = 0;          ///< lengths of inputs
  std::vector<Operation> sequences = {};  ///< tokens, indices, then the lines in order
  std::vector<Selector> selectors = {};
  Sequence output = no_sequence;

  /// Throws FileError `NAME:LINE:COLUMN: text`.
  [[noreturn]] void fail(const Place& place, const std::string& text) const;
};

/// Parses a program. Throws FileError that names line and column.
Program parse(const std::string& name, const std::string& text);

/// Computes an expression, given the value of each sequence in it. Throws FileError for an
/// undefined result, such as 1 / 0.
Value evaluate(const Program& program, const Expression& expression,
               const std::function<Value(const Expression&)>& value_of);

}  // namespace tapehead::rasp

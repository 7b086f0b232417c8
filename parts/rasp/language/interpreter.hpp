#pragma once
#include "program.hpp"

#include <map>
#include <set>
#include <unordered_map>

namespace tapehead::rasp {

/// The results of one operation for all values that it has met. `a` and `b` are the numbers of the
/// values read; -1: none.
class Results {
 public:
  struct Row {
    int a, b, result;
  };
  /// Returns the number of the result, computed by `compute` if it isn't known yet.
  template <class Compute>
  int at(int a, int b, const Compute& compute) {
    const auto key = static_cast<std::uint64_t>(a + 1) << 32 | static_cast<std::uint32_t>(b + 1);
    const auto found = results_.find(key);
    if (found != results_.end()) return found->second;
    const int result = compute();
    results_.emplace(key, result);
    rows_.push_back({a, b, result});
    return result;
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::unordered_map<std::uint64_t, int> results_;
  std::vector<Row> rows_;
};

/// Runs a program, and remembers which values each of its lines met. Values are numbered in the
/// order in which they occur.
class Interpreter {
 public:
  explicit Interpreter(const Program& program);
  /// Values that replace the values of sequences, from the first position on.
  using Replaced = std::map<Sequence, std::vector<int>>;
  /// Returns the value of each sequence at each position, [sequence][position]. Throws FileError
  /// for an undefined value: an empty selection without a default, or a pick of different values.
  std::vector<std::vector<int>> run(const std::vector<Value>& input, const Replaced& replaced = {});
  /// Runs every input of the program, shortest first, and calls f with it and with all values.
  /// Throws FileError if there are too many.
  void run_all(const std::function<void(const std::vector<Value>& input,
                                        const std::vector<std::vector<int>>& values)>& f = {});

  const Program& program() const { return program_; }
  const Value& value(int number) const { return values_[number]; }
  std::vector<Value> values(const std::vector<int>& numbers) const;
  /// Returns how many values, results and conditions the runs have met. A run that adds none is one
  /// that a compiled model can compute.
  std::size_t count_met() const;
  /// Returns the values that a sequence has had, in ascending order.
  std::vector<int> met(Sequence s) const;
  /// Returns the results of a map for the values it has read.
  const Results& map(Sequence s) const { return maps_[s]; }
  /// Returns the results of a condition, 0 or 1, for the values at the key and at the query.
  const Results& condition(Sequence s, std::size_t i) const { return conditions_[s][i]; }
  /// Returns whether a selection was empty.
  bool has_met_empty(Sequence s) const { return empty_[s]; }

 private:
  int number(const Value& value);
  void run_map(Sequence s, std::vector<std::vector<int>>& values);
  void run_aggregate(Sequence s, std::vector<std::vector<int>>& values);
  int aggregated(Sequence s, const std::vector<int>& selected, const std::vector<int>& of,
                 std::size_t position);
  Value mean_of(Sequence s, const std::vector<int>& selected, const std::vector<int>& of) const;

  const Program program_;
  std::vector<Value> values_;
  std::map<Value, int> numbers_;
  std::vector<Results> maps_;                     // by sequence
  std::vector<std::vector<Results>> conditions_;  // by sequence and condition
  std::vector<std::set<int>> met_;
  std::vector<bool> empty_;
};

}  // namespace tapehead::rasp

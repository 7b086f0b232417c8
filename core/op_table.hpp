#pragma once
// The table of all ops: what each computes, and its gradient. `tapehead ops` prints it, and
// gradient checks and tests go through it.
#include <string>
#include <vector>

namespace tapehead {

struct OpRow {
  std::string name;     ///< as in core/ops.hpp
  std::string family;   ///< the heading there: "arithmetic", "layout", ...
  std::string formula;  ///< one line: "y = a b"
  /// One line: "da = dy b, db = dy a"; empty if it has none. Those of the inputs come in the order
  /// of the inputs, and what they are made of after a semicolon.
  std::string gradient = {};
};

/// A row for each op, in the order of core/ops.hpp.
const std::vector<OpRow>& op_table();
/// Adds the row of a program's own op, before anything else reads the table. Throws ValueError for
/// the name of another op.
void add_op(const OpRow& row);
/// The row of that name; null if there is none, as for an op of a user's own.
const OpRow* find_op(const std::string& name);

}  // namespace tapehead

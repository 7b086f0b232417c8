#pragma once
// The table of all ops: what each computes, its gradient, and how it is called by name. `tapehead
// ops` prints it, and gradient checks, `explain`, Python and tests go through it.
#include <string>
#include <vector>

namespace tapehead {

struct OpRow {
  std::string name;     ///< as in core/ops.hpp
  std::string family;   ///< the heading there: "arithmetic", "layout", ...
  std::string formula;  ///< one line: "y = a b"
  /// One line: "da = dy b, db = dy a"; empty if it has none. The gradients stand in the order of
  /// the inputs; what they are made of follows a semicolon.
  std::string gradient = {};
  /// How an expression calls it: `layer_norm(x, gain?, bias?, epsilon=1e-5)`. Tensors come first,
  /// `?` may be missing, `parts...` are any number; then options, each with its default, if it has
  /// one. Empty for an op of a program's own, whose entry names its tensors.
  std::string call = {};
};

/// A row for each op, in the order of core/ops.hpp.
const std::vector<OpRow>& op_table();
/// Adds the row of a program's own op, before anything else reads the table. Throws ValueError for
/// the name of another op.
void add_op(const OpRow& row);
/// The row of that name; null if there is none, as for an op of a user's own.
const OpRow* find_op(const std::string& name);

}  // namespace tapehead

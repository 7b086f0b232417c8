#pragma once
// What a page shows of an op's Jacobian: as the op's own rule gives it, never computed otherwise.
#include "steps.hpp"

namespace tapehead {

/// How the elements of an op's result depend on those of one of its inputs. Elements are counted
/// row by row.
struct Slopes {
  enum class Kind {
    unknown,  ///< also where there would be too many
    pairs,    ///< slope i is that of result `results[i]` by the input's element `inputs[i]`
    product   ///< of matrices: the slope by an element of one factor is that of the other
  };
  Kind kind = Kind::unknown;
  std::vector<double> results, inputs, slopes;
};

/// For each input of a step; none for one that backward doesn't reach. The form is found from what
/// the rule gives for a few gradients, and holds for a random one.
std::vector<Slopes> slopes_of(const Explained& explained, std::size_t step);

/// The Jacobian of several steps of one module, from a step outside of it: of a norm that is
/// recorded in primitive ops.
struct ModuleJacobian {
  std::size_t from = 0, to = 0;  ///< steps
  Index row = 0,
        width = 0;  ///< of the row, along the last axis, with the largest gradient of the result
  std::vector<double> slopes;  ///< (width, width)
};
ModuleJacobian jacobian_of(const Explained& explained, const std::string& module);

}  // namespace tapehead

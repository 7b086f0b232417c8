#pragma once
// Computes the parts of Jacobians that a page shows, from the backward functions of the ops.
#include "steps.hpp"

namespace tapehead {

/// The Jacobian of an op's result with respect to one input, in sparse form. Elements are numbered
/// in row-major order.
struct Slopes {
  enum class Kind {
    unknown,  ///< no known form, or too many elements
    pairs,    ///< slope i: d result[results[i]] / d input[inputs[i]]
    product   ///< matmul: the derivative by one factor is the other factor
  };
  Kind kind = Kind::unknown;
  std::vector<double> results, inputs, slopes;
};

/// Returns the Jacobian for each input of a step; unknown for inputs without a gradient. Infers the
/// sparse form from a few calls of the backward function, and verifies it with a random cotangent.
std::vector<Slopes> slopes_of(const Explained& explained, std::size_t step);

/// The Jacobian of a module of several steps, such as a norm recorded in primitive ops, with
/// respect to a step outside it.
struct ModuleJacobian {
  std::size_t from = 0, to = 0;  ///< steps
  /// The row along the last axis at which the result's gradient is largest, and its width.
  Index row = 0, width = 0;
  std::vector<double> slopes;  ///< (width, width)
};
/// Returns the Jacobian of a module.
ModuleJacobian jacobian_of(const Explained& explained, const std::string& module);

}  // namespace tapehead

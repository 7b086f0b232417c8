#pragma once
// Computes those parts of Jacobians that an HTML page shows, from the ops' backward functions.
#include "steps.hpp"

namespace tapehead {

/// The Jacobian of an op's result with respect to one input, in sparse form. Elements have
/// row-major numbers.
struct Slopes {
  enum class Kind {
    unknown,  ///< the Jacobian is dense or too large
    pairs,    ///< derivative i is slopes[i] = d result[results[i]] / d input[inputs[i]]
    product   ///< matmul: the derivative with respect to one factor is the other factor
  };
  Kind kind = Kind::unknown;
  std::vector<double> results, inputs, slopes;
};

/// Returns the Jacobian of a step for each of its inputs; `unknown` for an input without a
/// gradient. Infers the sparse form from a few calls of the backward function, and verifies it with
/// a random cotangent.
std::vector<Slopes> slopes_of(const Explained& explained, std::size_t step);

/// The Jacobian of a module that records several steps, such as a norm in primitive ops, with
/// respect to the module's input.
struct ModuleJacobian {
  std::size_t from = 0, to = 0;  ///< numbers of the input step and the result step
  /// The row (along the last axis) whose result gradient is largest, and the row's width.
  Index row = 0, width = 0;
  std::vector<double> slopes;  ///< (width, width)
};
/// Returns the Jacobian of the module with this path. It has no slopes if the module has no
/// gradient.
ModuleJacobian jacobian_of(const Explained& explained, const std::string& module);

}  // namespace tapehead

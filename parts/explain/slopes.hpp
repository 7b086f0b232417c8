#pragma once
// Computes the parts of ops' Jacobians that a page shows, from the ops' own backward functions.
#include "steps.hpp"

namespace tapehead {

/// The Jacobian of an op's result with respect to one input, in sparse form. Elements are numbered
/// in row-major order.
struct Slopes {
  enum class Kind {
    unknown,  ///< also if there would be too many
    pairs,    ///< slope i: d result[results[i]] / d input[inputs[i]]
    product   ///< matmul: the derivative by one factor is the other factor
  };
  Kind kind = Kind::unknown;
  std::vector<double> results, inputs, slopes;
};

/// Returns the Jacobian for each input of a step; unknown for inputs without gradient. Infers the
/// form from backward calls with a few gradients, and verifies it with a random one.
std::vector<Slopes> slopes_of(const Explained& explained, std::size_t step);

/// The Jacobian of a module of several steps, such as a norm recorded in primitive ops, with
/// respect to a step outside it.
struct ModuleJacobian {
  std::size_t from = 0, to = 0;  ///< steps
  Index row = 0,
        width = 0;             ///< row along the last axis where the result's gradient is largest
  std::vector<double> slopes;  ///< (width, width)
};
ModuleJacobian jacobian_of(const Explained& explained, const std::string& module);

}  // namespace tapehead

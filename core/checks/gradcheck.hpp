#pragma once
#include "../function.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// Options of gradcheck.
struct GradcheckOptions {
  double tolerance = 0;  ///< largest allowed relative error (0: 1e-6, or 2e-3 in f32)
  /// The step h of the finite differences is step * max(1, |x|). 0 stands for 1e-3, or 2^-5 in f32.
  /// h is reduced while the differences disagree with the gradient and haven't converged.
  double step = 0;
  int order = 4;      ///< order of the finite differences: 4, or 2 for (f(x+h) - f(x-h)) / 2h
  Index full = 4096;  ///< compare all Jacobian elements if there are at most this many
  Index each = 512;   ///< otherwise perturb each input element if there are at most this many
  /// Otherwise split each input into this many blocks, and perturb each block in a random
  /// direction.
  Index directions = 8;
  std::uint64_t seed = 1;               ///< seed of the cotangents and directions
  std::vector<std::string> names = {};  ///< names of the inputs, such as the default `input 3`
  bool forward = true;                  ///< also compare jvp with finite differences
  bool culprit = true;                  ///< on failure, find the op with the wrong gradient
};

/// The result of gradcheck: the number of comparisons and the largest error.
struct GradcheckResult {
  bool passed = true;
  std::string how;  ///< what was compared: "jacobian", "elements" or "directions"
  Index comparisons = 0;
  double error = 0;  ///< largest relative error, infinite for NaN; the next fields locate it
  std::size_t input = 0;
  std::string name;                 ///< name of the input
  Index element = 0, elements = 1;  ///< first perturbed element (row-major), and their number
  bool forward = false;             ///< the error is in jvp, along a random direction of all inputs
  Index output = -1;  ///< compared element of f(inputs); -1: a random weighted sum of all
  double analytic = 0, numeric = 0, step = 0;
  /// The reason why the comparison is inconclusive, and the place: randomness, a kink, or a value
  /// or derivative that isn't finite. Empty if it is conclusive.
  std::string doubt;
  std::string culprit;  ///< the op and the element of its wrong gradient, if `doubt` is empty
};
/// Returns one line: `input 1 element 7, output 0: backward 0.5003, difference quotient 0.5,
/// relative error 5e-04, step 1e-03`, followed by `doubt` and `culprit`.
std::string to_string(const GradcheckResult& result);

/// Returns |a - b| / max(|a|, |b|, floor): 0 for equal numbers, infinite if a or b is NaN.
double relative_error(double a, double b, double floor);

/// Compares the gradients of f with fourth-order central differences,
///   f'(x) = (8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / 12h + O(h^4).
/// Checks backward for random cotangents. Also checks jvp along a random direction of all inputs,
/// if every backward function is made of ops or has a decomposition.
///
/// Inputs and f(inputs) must have the same type: f64, or f32 (with coarser differences) if f
/// supports nothing else. The function runs under a tape that watches the inputs. Integer tensors
/// can't be inputs; capture them in f.
///
/// The floor of relative_error is 1e-4 max(1, |f|), or 0.1 max(1, |f|) in f32, because rounding
/// dominates small differences. With the default tolerance and values near 1, absolute errors up to
/// 1e-10 pass. An error of 0.05 % is detected in gradients of at least 2e-7.
///
/// Along a random direction over m elements, an error in one element is reduced by 1 / sqrt(m). So
/// gradcheck multiplies the measured error by sqrt(m) (not in f32), and finds the element by
/// bisection. The check fails if a value or a derivative isn't finite, and `doubt` says which.
GradcheckResult gradcheck(const Function& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});
/// Checks second-order gradients: runs gradcheck on a function of the inputs and the cotangent dy.
/// The function sums the gradients of f, multiplied by fixed random tensors. dy is the last input.
GradcheckResult gradcheck_second(const Function& f, const std::vector<Tensor>& inputs,
                                 const GradcheckOptions& options = {});

}  // namespace tapehead

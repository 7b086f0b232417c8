#pragma once
#include "../function.hpp"

#include <string>
#include <vector>

namespace tapehead {

struct GradcheckOptions {
  double tolerance = 0;  ///< largest allowed relative error (0: 1e-6, or 2e-3 in f32)
  /// Step of the finite differences, times max(1, |x|). 0: 1e-3, or 2^-5 in f32; it is reduced if
  /// the differences disagree with the gradient and still change.
  double step = 0;
  int order = 4;         ///< order of the differences: 4, or 2 for (f(x+h) - f(x-h)) / 2h
  Index full = 4096;     ///< compare the whole Jacobian if it has at most this many elements
  Index each = 512;      ///< else compare every input element if there are at most this many
  Index directions = 8;  ///< else compare this many blocks of each input, in random directions
  std::uint64_t seed = 1;
  std::vector<std::string> names = {};  ///< names of the inputs; default `input 3`
  bool forward = true;                  ///< compare jvp with differences, too
  bool culprit = true;                  ///< on failure, find the op with the wrong gradient
};

/// The number of comparisons and the largest error.
struct GradcheckResult {
  bool passed = true;
  std::string how;  ///< "jacobian", "elements" or "directions"
  Index comparisons = 0;
  double error = 0;  ///< largest relative error, infinite for NaN; the fields below say where
  std::size_t input = 0;
  std::string name;                 ///< name of the input
  Index element = 0, elements = 1;  ///< first input element (row-major), and the number moved
  bool forward = false;             ///< the error is in jvp, along a random direction of all inputs
  Index output = -1;                ///< element of the result; -1: all, with random weights
  double analytic = 0, numeric = 0, step = 0;
  /// The reason why the comparison is inconclusive, and the place: randomness, a kink, or a value
  /// or derivative that isn't finite.
  std::string doubt;
  std::string culprit;  ///< the op whose gradient is wrong, and the place, if `doubt` is empty
};
/// Returns one line: `input 1 element 7, output 0: backward 0.5003, difference quotient 0.5,
/// relative error 5e-04, step 1e-03`, and the doubt, if there is one.
std::string to_string(const GradcheckResult& result);

/// Returns |a - b| / max(|a|, |b|, floor): 0 for equal numbers, infinite if a or b is NaN.
double relative_error(double a, double b, double floor);

/// Compares gradients with fourth-order central differences,
///   f'(x) = (8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / 12h + O(h^4).
/// Checks backward for random cotangents. Also checks jvp along a random direction of all inputs,
/// if every backward function is made of ops or has a decomposition.
///
/// Inputs and f(inputs) must have one type: f64, or f32 for functions that support only f32, where
/// differences are coarse. f runs under a tape that watches the inputs. Capture integer tensors in
/// f; they can't be inputs.
///
/// The floor of the relative error is 1e-4 max(1, |f|), or 0.1 max(1, |f|) in f32, because rounding
/// dominates small differences. With the default tolerance and values near 1, differences may be
/// off by 1e-10. A gradient that is wrong by 0.05 % is detected from a magnitude of 2e-7 on.
///
/// If m elements are moved together, one element contributes 1 / sqrt(m), so the error is
/// multiplied by sqrt(m) (not in f32). An error is then narrowed down to one element. The check
/// fails if a value or a derivative isn't finite, and `doubt` says which.
GradcheckResult gradcheck(const Function& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});
/// Checks second-order gradients: runs gradcheck on (x, dy) -> sum over inputs of <gradient, fixed
/// random tensor>. The cotangent dy is the last input and is named dy.
GradcheckResult gradcheck_second(const Function& f, const std::vector<Tensor>& inputs,
                                 const GradcheckOptions& options = {});

}  // namespace tapehead

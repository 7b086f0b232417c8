#pragma once
#include "../function.hpp"

#include <string>
#include <vector>

namespace tapehead {

struct GradcheckOptions {
  double tolerance = 0;  ///< largest relative error allowed; 0: 1e-6, in f32 2e-3
  /// h of the difference quotient, times max(1, |x|); 0: 1e-3, in f32 2^-5, and shorter where the
  /// differences then disagree and still change
  double step = 0;
  int order = 4;         ///< of the differences: 4, or 2 for (f(x+h) - f(x-h)) / 2h
  Index full = 4096;     ///< the whole Jacobian is compared if it has at most this many entries
  Index each = 512;      ///< every input element is compared if there are at most this many
  Index directions = 8;  ///< otherwise this many blocks of each input, each along one direction
  std::uint64_t seed = 1;
  std::vector<std::string> names = {};  ///< of the inputs; without a name, one is `input 3`
  bool forward = true;                  ///< compare jvp with differences, too
  bool culprit = true;                  ///< on failure, look for the op whose rule is wrong
};

/// What was compared, and the worst disagreement.
struct GradcheckResult {
  bool passed = true;
  std::string how;  ///< "jacobian", "elements" or "directions"
  Index comparisons = 0;
  double error = 0;  ///< the largest relative error, infinite if one side is NaN; it occurred at:
  std::size_t input = 0;
  std::string name;                 ///< of the input
  Index element = 0, elements = 1;  ///< of the input, row-major: the first, and how many were moved
  bool forward = false;  ///< it is jvp's, along a random direction of all inputs together
  Index output = -1;     ///< the element of the result, or -1: all, weighted at random
  double analytic = 0, numeric = 0, step = 0;
  /// Why the comparison says nothing about the gradient: chance, a kink, or a value or derivative
  /// that isn't finite; and where.
  std::string doubt;
  std::string culprit;  ///< of a failure without doubt: the op whose rule is wrong, and where
};
/// One line: `input 1 element 7, output 0: backward 0.5003, difference quotient 0.5, relative error
/// 5e-04, step 1e-03`, and the doubt, if there is one.
std::string to_string(const GradcheckResult& result);

/// |a - b| / max(|a|, |b|, floor): 0 for equal numbers, infinite if one is NaN, or both are.
double relative_error(double a, double b, double floor);

/// Compares backward with central differences of fourth order,
///   f'(x) = (8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / 12h + O(h^4),
/// for random cotangents; and jvp with those along a random direction of all inputs, where every
/// rule is made of ops or has a decomposition. Inputs and f(inputs) must be of one type: f64, or
/// f32 for what exists in f32 alone, where differences are coarse. f runs under a tape that watches
/// the inputs. Integer tensors are no inputs: f holds them itself. The floor of the relative error
/// is 1e-4 max(1, |f|), in f32 0.1 max(1, |f|), because small differences drown in rounding: with
/// the default tolerance and values near 1, they may be 1e-10 off, and a gradient that is wrong by
/// 0.05 % shows from 2e-7 up. Of m elements that are moved together a single one counts by 1 /
/// sqrt(m), so their error is multiplied by sqrt(m), but not in f32; once seen, it is narrowed down
/// to its element. Fails where a value or a derivative isn't finite, and `doubt` says which.
GradcheckResult gradcheck(const Function& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});
/// The same for the gradient itself, (x, dy) -> sum over inputs of <gradient, fixed random tensor>.
/// The cotangent dy counts as one more input, the last, and is called dy.
GradcheckResult gradcheck_second(const Function& f, const std::vector<Tensor>& inputs,
                                 const GradcheckOptions& options = {});

}  // namespace tapehead

#pragma once
#include "gradcheck.hpp"

namespace tapehead {

/// An op whose backward function disagrees with finite differences of that op alone.
struct WrongGradient {
  std::string op, module;
  std::size_t checked = 0;  ///< number of backward functions that were checked
  std::size_t wrong = 0;    ///< number of wrong backward functions
  std::string at;           ///< place of the largest error: `dx[2]`, `db[0, 1]`, `d(input 3)[7]`
  GradcheckResult result;   ///< result of gradcheck on this op alone
};
/// Returns `my_softmax in blocks.0: wrong gradient at dx[2] (backward 0.184, finite differences
/// 0.131), the only wrong op`.
std::string to_string(const WrongGradient& wrong);

/// Checks the backward function of each op that f records, in order, with random cotangents. To
/// perturb the inputs of an op, runs f again and replaces them. So custom ops are checked like
/// built-in ones, and no op needs a second definition. Returns the first wrong op; `op` is empty if
/// there is none. An inconclusive check (a kink, or nondeterministic results) doesn't count as
/// wrong.
WrongGradient find_wrong_gradient(const Function& f, const std::vector<Tensor>& inputs,
                                  const GradcheckOptions& options = {});

}  // namespace tapehead

#pragma once
#include "gradcheck.hpp"

namespace tapehead {

/// An op whose gradient rule disagrees with finite differences of that op alone.
struct WrongGradient {
  std::string op, module;
  std::size_t checked = 0;  ///< the number of rules that were checked
  std::size_t wrong = 0;    ///< how many of them disagree
  std::string at;           ///< `dx[2]`, `db[0, 1]`, `d(input 3)[7]`
  GradcheckResult result;   ///< of the op alone
};
/// `my_softmax in blocks.0: its rule is wrong at dx[2] (given 0.184, differences say 0.131), the
/// first of 1 wrong op`
std::string to_string(const WrongGradient& wrong);

/// Checks the rule of every op that f records, each by itself, in their order. f runs again for
/// each difference, in the same order of ops, with the inputs of one op replaced while it computes;
/// so an op needs no second definition, and one of a user's own is checked like ours. Its rule gets
/// random gradients, whatever arrives there in f. `op` is empty if none is wrong. A failure with a
/// doubt (a kink, or two answers) accuses nobody.
WrongGradient find_wrong_gradient(const Function& f, const std::vector<Tensor>& inputs,
                                  const GradcheckOptions& options = {});

}  // namespace tapehead

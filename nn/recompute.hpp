#pragma once
#include "module.hpp"

namespace tapehead {

/// f(inputs, pass), of which backward finds nothing but the inputs: it computes f again, with the
/// same random numbers and so to the same bits (Chen et al., "Training Deep Nets with Sublinear
/// Memory Cost"). `parameters` are all that f uses; an input may be no tensor.
Tensor recompute(const std::vector<Tensor>& inputs, const std::vector<Parameter*>& parameters,
                 Pass& pass, const std::function<Tensor(const std::vector<Tensor>&, Pass&)>& f);

}  // namespace tapehead

#include "head_weights.hpp"
#include "../../core/kernels/functions/logarithms.hpp"

#include <algorithm>

namespace tapehead {

bool HeadWeights::causal() const {
  if (cross) return false;
  for (Index query = 0; query < queries; ++query)
    for (Index key = query + first_place() + 1; key < keys; ++key)
      if ((*this)(query, key) != 0) return false;
  return true;
}

double entropy(const HeadWeights& weights) {
  double sum = 0;
  for (double p : weights.values)
    if (p != 0) sum -= p * kernel::log(p);
  return sum / static_cast<double>(std::max<Index>(weights.queries, 1));
}

}  // namespace tapehead

#include "detection.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

Detection detect(const std::vector<bool>& truth, const std::vector<bool>& found,
                 const std::vector<double>& scores) {
  Index both = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) both += truth[i] && found[i];
  Detection all;
  all.items = static_cast<Index>(truth.size());
  all.truths = std::count(truth.begin(), truth.end(), true);
  all.found = std::count(found.begin(), found.end(), true);
  const auto share = [&](Index of) {
    return of == 0 ? std::nan("") : static_cast<double>(both) / static_cast<double>(of);
  };
  all.precision = share(all.found);
  all.recall = share(all.truths);
  all.area = roc_area(truth, scores);
  return all;
}

double roc_area(const std::vector<bool>& truth, const std::vector<double>& scores) {
  const auto is_less = [](double a, double b) { return std::isnan(a) ? !std::isnan(b) : a < b; };
  double wins = 0;
  Index pairs = 0;
  for (std::size_t t = 0; t < truth.size(); ++t)
    for (std::size_t f = 0; truth[t] && f < truth.size(); ++f) {
      if (truth[f]) continue;
      ++pairs;
      wins += is_less(scores[f], scores[t]) ? 1 : is_less(scores[t], scores[f]) ? 0 : 0.5;
    }
  return pairs == 0 ? std::nan("") : wins / static_cast<double>(pairs);
}

}  // namespace tapehead

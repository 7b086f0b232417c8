#include "samples.hpp"

#include <map>

namespace tapehead::TAPEHEAD_SAMPLES {

const std::vector<OpSample>& samples_of(const std::string& op) {
  static const std::map<std::string, std::vector<OpSample>> all = [] {
    std::map<std::string, std::vector<OpSample>> by_name;
    for (const auto family :
         {arithmetic_samples, activation_samples, reduction_samples, layout_samples,
          product_samples, normalisation_samples, loss_samples, attention_samples})
      for (OpSamples& each : family()) by_name[each.op] = std::move(each.samples);
    return by_name;
  }();
  static const std::vector<OpSample> none;
  const auto found = all.find(op);
  return found == all.end() ? none : found->second;
}

}  // namespace tapehead::TAPEHEAD_SAMPLES

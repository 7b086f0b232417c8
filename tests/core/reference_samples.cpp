// The samples of gradient checks, compiled where the names of ops mean their definitions.
#include "../../core/checks/gradcheck.hpp"
#include "../../parts/checks/samples/samples.hpp"

namespace tapehead {

/// What the samples of an op compute by the definitions.
std::vector<tapehead::Function> definitions_of(const std::string& op) {
  std::vector<tapehead::Function> all;
  for (const reference::OpSample& sample : reference::samples_of(op))
    all.push_back([f = sample.f](const std::vector<Tensor>& inputs) {
      return f({inputs.begin(), inputs.end()}).tensor;
    });
  return all;
}

}  // namespace tapehead

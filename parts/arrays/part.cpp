#include "../../cli/extensions.hpp"
#include "../../core/plural.hpp"
#include "npz.hpp"
#include "predictions.hpp"

namespace tapehead {
namespace {

std::string write_arrays(const LoadedRun& run, const std::string& path) {
  Arrays arrays;
  walk(*run.model->module,
       [&](const std::string& name, Parameter& p) { arrays[name] = p.value(); });
  save_npz(path, arrays);
  return plural(arrays.size(), "array");
}

/// (heads, queries, keys) of each layer, by its module.
std::string attention_npz(const AttentionFormat::Shown& shown) {
  Arrays arrays;
  for (const AttentionMap& map : shown.maps) arrays[map.module] = map.weights;
  return encode_npz(arrays);
}

}  // namespace

/// Adds archives of arrays, .npz: `export --format npz`, `attention --format npz` and
/// `eval --predictions`.
void add_arrays(Registry& registry) {
  registry.extend(ExportFormat{"npz", "the weights as arrays of NumPy's", write_arrays});
  registry.extend(AttentionFormat{"npz", "npz", attention_npz, false, AttentionFormat::To::file});
  registry.extend(EvalFile{"predictions",
                           "write inputs, targets and logits as arrays of NumPy's, .npz",
                           [](const LoadedRun& run, Index examples, const std::string& path) {
                             save_predictions(*run.model, *run.task, examples, path);
                           }});
}

}  // namespace tapehead

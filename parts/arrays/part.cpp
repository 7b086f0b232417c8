#include "../../cli/extensions.hpp"
#include "../../core/plural.hpp"
#include "../../train/files/memory_limit.hpp"
#include "npz.hpp"

#include <algorithm>

namespace tapehead {
namespace {

std::string write_arrays(const LoadedRun& run, const std::string& path) {
  Arrays arrays;
  walk(*run.model->module,
       [&](const std::string& name, Parameter& p) { arrays[name] = p.value(); });
  save_npz(path, arrays);
  return plural(arrays.size(), "array");
}

/// Encodes each layer's attention weights, (heads, queries, keys), under the name of its module.
std::string attention_npz(const AttentionFormat::Shown& shown) {
  Arrays arrays;
  for (const AttentionMap& map : shown.maps) arrays[map.module] = map.weights;
  return encode_npz(arrays);
}

/// Returns the shape of the logits. Throws UsageError if they don't fit into memory. `width` is the
/// size of an element in bytes.
Shape logits_shape(const Tensor& targets, Index classes, std::size_t width) {
  Shape shape = targets.shape();
  shape.push_back(classes);
  const double bytes = static_cast<double>(targets.size()) * static_cast<double>(classes) *
                       static_cast<double>(width);
  if (const MemoryLimit limit = memory_limit();
      2 * bytes > limit.bytes)  // memory holds both the logits and the encoded file
    throw UsageError(
        "--predictions: the logits of {} examples need {:.3g} GB of memory, but {} {:.3g} GB; "
        "use fewer with --examples",
        targets.dim(0), 2e-9 * bytes, limit.by, 1e-9 * limit.bytes);
  return shape;
}

/// Writes a model's predictions on the first validation examples to a NumPy .npz file: `inputs`,
/// i32 (examples, time); `targets`, i32, where -1 means none; and `logits`, f32 or f64
/// (targets' shape, vocabulary). Predictions use teacher forcing. Throws UsageError if the logits
/// don't fit into memory.
void save_predictions(const TaskModel& model, const Task& task, Index examples,
                      const std::string& path) {
  const Batch batch = model.batch(held_out_examples(task, 0, examples));
  const DType dtype = model.options.dtype;
  Tensor logits;
  const Index count = batch.inputs.dim(0), at_once = evaluation_batch_size(task);
  with_floats("predictions", dtype, [&](auto zero) {
    decltype(zero)* to = nullptr;
    for (Index first = 0; first < count; first += at_once) {
      const Pause pause;
      Pass pass = Pass::evaluation();
      const auto rows_of = [&](const Tensor& all) {
        return slice(all, 0, first, std::min(first + at_once, count));
      };
      Batch rows = {rows_of(batch.inputs)};  // all rows are padded to the longest example
      for (const auto& [name, all] : batch.named) rows.named[name] = rows_of(all);
      const Tensor part = logits_of(*model.module, rows, pass);
      if (!logits) {  // allocated here: only the model knows the number of classes
        logits = Tensor::empty(logits_shape(batch.targets, part.dim(-1), bytes_of(dtype)), dtype);
        to = logits.mutable_data<decltype(zero)>();
      }
      to = std::copy_n(part.data<decltype(zero)>(), part.size(), to);
    }
  });
  save_npz(path, {{"inputs", batch.inputs}, {"targets", batch.targets}, {"logits", logits}});
}

}  // namespace

/// Adds .npz files: `export --format npz`, `attention --format npz` and `eval --predictions`.
void add_arrays(Registry& registry) {
  registry.extend(ExportFormat{"npz", "weights as NumPy arrays", write_arrays});
  registry.extend(AttentionFormat{"npz", "npz", attention_npz, false, AttentionFormat::To::file});
  registry.extend(EvalFile{"predictions",
                           "NumPy file (.npz) to write inputs, targets and logits to",
                           [](const LoadedRun& run, Index examples, const std::string& path) {
                             save_predictions(*run.model, *run.task, examples, path);
                           }});
}

}  // namespace tapehead

#include "neurons.hpp"
#include "../../core/ops.hpp"
#include "../../core/runtime/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead {
namespace {

/// The values of an MLP's neurons at each position of an example, and the input tokens.
struct NeuronValues {
  std::vector<double> values;  // (time, hidden)
  std::vector<double> ids;     // (time)
};

NeuronValues read(const TaskModel& model, const Example& example, Index layer) {
  const Batch batch = model.batch({example});  // inputs of (1, time)
  const std::string mlp = fmt::format("blocks.{}.mlp", layer);
  NeuronValues found;
  found.ids = batch.inputs.values();
  Pass pass = Pass::evaluation();
  pass.hook = [&](const HookPoint& point, const Tensor& x) {
    if (point.module == mlp && point.name == std::string("neurons")) found.values = x.values();
    return x;
  };
  logits_of(*model.module, batch, pass);
  return found;
}

/// Returns the number of neurons in the layer. Throws UsageError unless it has the neurons [first,
/// end).
Index checked(const TaskModel& model, const Task& task, Index layer, Index first, Index end) {
  const ModelOptions& o = model.options;
  if (o.source > 0 || !model.position_names().empty())
    throw UsageError("inspect neurons supports --arch gpt and encoder, got {}", model.arch);
  if (layer < 0 || layer >= o.layers)
    throw UsageError("layer {}: the model has layers 0 to {}", layer, o.layers - 1);
  const NeuronValues one = read(model, held_out_example(task, 0), layer);
  if (one.values.empty()) throw UsageError("layer {} has no MLP neurons to read", layer);
  const auto hidden = static_cast<Index>(one.values.size() / one.ids.size());
  if (first < 0 || first >= hidden || end > hidden)
    throw UsageError("neuron {}: layer {} has neurons 0 to {}", std::max(first, end - 1), layer,
                     hidden - 1);
  return hidden;
}

/// Inserts a place into the list of a neuron's highest places, which has at most `most` elements.
void add(std::vector<NeuronPlace>& highest, const NeuronPlace& place, std::size_t most) {
  const auto lower = [](const NeuronPlace& a, const NeuronPlace& b) { return a.value > b.value; };
  highest.insert(std::upper_bound(highest.begin(), highest.end(), place, lower), place);
  if (highest.size() > most) highest.pop_back();
}

}  // namespace

Neurons neurons(const TaskModel& model, const Task& task, Index layer, Index first, Index end,
                Index examples, std::size_t highest,
                const std::function<void(double fraction)>& on_progress) {
  const Index hidden = checked(model, task, layer, first, end);
  Neurons all;
  all.examples = std::clamp<Index>(examples, 1, held_out_size(task));
  all.tokens.resize(task.vocabulary());
  all.neurons.resize((end < 0 ? hidden : end) - first);
  for (auto& neuron : all.neurons) neuron.means.resize(task.vocabulary());
  // Run a few examples at a time on all threads, and add their values in order.
  constexpr Index at_once = 64;
  double positions = 0;
  for (Index begin = 0; begin < all.examples; begin += at_once) {
    std::vector<NeuronValues> readings(std::min(at_once, all.examples - begin));
    parallel_for(static_cast<Index>(readings.size()), [&](Index i) {
      readings[i] = read(model, held_out_example(task, begin + i), layer);
    });
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const auto& [values, ids] = readings[i];
      positions += static_cast<double>(ids.size());
      for (double id : ids) ++all.tokens[static_cast<std::size_t>(id)];
      for (std::size_t n = 0; n < all.neurons.size(); ++n) {
        Neurons::Neuron& neuron = all.neurons[n];
        NeuronPlace best{begin + static_cast<Index>(i), 0,
                         -std::numeric_limits<double>::infinity()};
        for (std::size_t t = 0; t < ids.size(); ++t) {
          const double value = values[t * hidden + first + n];
          neuron.mean += value;
          neuron.deviation += value * value;
          neuron.active += value > 0;
          neuron.means[static_cast<std::size_t>(ids[t])] += value;
          if (value > best.value) best.position = static_cast<Index>(t), best.value = value;
        }
        add(neuron.highest, best, highest);
      }
    }
    if (on_progress)
      on_progress(static_cast<double>(begin + readings.size()) / static_cast<double>(all.examples));
  }
  for (auto& neuron : all.neurons) {
    neuron.mean /= positions;
    neuron.deviation =
        std::sqrt(std::max(neuron.deviation / positions - neuron.mean * neuron.mean, 0.0));
    neuron.active /= positions;
    for (std::size_t token = 0; token < neuron.means.size(); ++token)
      neuron.means[token] /= static_cast<double>(all.tokens[token]);  // NaN without occurrences
  }
  return all;
}

}  // namespace tapehead

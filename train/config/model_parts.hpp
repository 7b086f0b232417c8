#pragma once
// Registry entries for the parts of a model: architectures, attentions, positions, norms, MLPs.
#include "../../nn/gpt.hpp"
#include "parts.hpp"

namespace tapehead {

class Registry;
class TaskModel;

/// A layer for the checks: a factory for a small one, an input, and the layer's declared
/// properties.
struct LayerEntry {
  std::string name;
  std::string summary;
  std::function<std::unique_ptr<Module>()> make;
  Tensor input;                 ///< f64 (batch, time, width), or i32 ids
  double tolerance = 1e-6;      ///< tolerance of the gradient check
  double step = 1e-3;           ///< step size of the gradient check
  std::string first_only = {};  ///< why second derivatives aren't checked; empty: they are
  bool causal = false;          ///< true: no output position depends on a later input position
  bool keeps_shape = false;     ///< true: the output has the input's shape
  bool caches = false;          ///< true: the layer supports a KV cache
};

/// A part of a model. It modifies the model's options, given the values of its own options.
using ModelPart = Part<std::function<void(ModelOptions& model, const OwnValues& own)>>;

/// Makes a part whose layer is constructed as `Layer(given, options, rest...)`. `place` is the
/// factory in ModelOptions, and `given` and `rest` are its arguments.
template <class Layer, class Options, class Make>
ModelPart layer_part(const std::string& name, const std::string& summary,
                     std::vector<std::string> reads, Make ModelOptions::*place) {
  const auto make = [place](ModelOptions& model, const OwnValues& own) {
    model.*place = [options = own.as<Options>()](const auto& given, const auto&... rest) {
      return std::make_unique<Layer>(given, options, rest...);
    };
  };
  return {name, summary, make, std::move(reads), options_of<Options>()};
}

/// Returns the layer that the checks use for a part: attention alone, input positions as an
/// embedding, and other parts as a block.
LayerEntry layer_with(const std::string& kind, const ModelPart& part);

struct MakeArchitecture {
  /// Makes the model from the options, the values of the part's own options, and the task (null:
  /// any task). Throws what the model's constructor throws.
  std::function<std::unique_ptr<TaskModel>(const ModelOptions&, const OwnValues&, const Task*)>
      make;
  /// Sets the model's lengths from the task's examples.
  std::function<void(ModelOptions&, const Task&)> set_lengths;
  std::string like = {};  ///< architecture with the same tasks; empty: tasks must list the model
  /// Whether the model consists of transformer blocks and reads their options. If not, it accepts
  /// only the options that the part lists.
  bool blocks = false;
  /// The custom attention that its blocks accept: none; only causal attention; or any that masks
  /// padding.
  enum class OwnAttention { none, causal, any } own_attention = OwnAttention::none;
};
using ArchitecturePart = Part<MakeArchitecture>;

/// Returns the options of a configuration's model, without the values that the task determines.
ModelOptions model_options(const TrainConfig& config, const Registry& registry);

}  // namespace tapehead

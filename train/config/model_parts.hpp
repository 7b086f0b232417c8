#pragma once
// The parts of a model, as they are registered: architectures, attentions, positions, norms, MLPs.
#include "../../nn/gpt.hpp"
#include "parts.hpp"

namespace tapehead {

class Registry;
class TaskModel;

/// A layer that can be checked: how to make a small one, an input for it, and what it promises.
struct LayerEntry {
  std::string name;
  std::string summary;
  std::function<std::unique_ptr<Module>()> make;
  Tensor input;                 ///< f64 (batch, time, width), or i32 ids
  double tolerance = 1e-6;      ///< of the gradient check
  double step = 1e-3;           ///< of its difference quotients
  std::string first_only = {};  ///< why the gradient of its gradient isn't checked; empty: it is
  bool causal = false;          ///< no position of the result depends on a later one of the input
  bool keeps_shape = false;     ///< the result has the input's shape
  bool caches = false;          ///< with a cache in its pass it goes on with the tokens before
};

/// Part of a model: it changes the options that the model is made from, given the values of its own
/// options.
using ModelPart = Part<std::function<void(ModelOptions& model, const OwnValues& own)>>;

/// A part whose layer is made as `Layer(model, options)`; `place` is where a model keeps its maker.
template <class Layer, class Options>
ModelPart layer_part(const std::string& name, const std::string& summary,
                     std::vector<std::string> reads, ModelOptions::MakeLayer ModelOptions::*place) {
  const auto make = [place](ModelOptions& model, const OwnValues& own) {
    model.*place = [options = own.as<Options>()](const ModelOptions& o) {
      return std::make_unique<Layer>(o, options);
    };
  };
  return {name, summary, make, std::move(reads), options_of<Options>()};
}
/// The same of an MLP: `Layer(model, options, in, out)`.
template <class Layer, class Options>
ModelPart mlp_part(const std::string& name, const std::string& summary,
                   std::vector<std::string> reads) {
  const auto make = [](ModelOptions& model, const OwnValues& own) {
    model.mlp_layer = [options = own.as<Options>()](const ModelOptions& o, const Init& in,
                                                    const Init& out) {
      return std::make_unique<Layer>(o, options, in, out);
    };
  };
  return {name, summary, make, std::move(reads), options_of<Options>()};
}

/// A small layer with this part, to be checked: a block, or the embedding with its positions.
LayerEntry layer_with(const ModelPart& part);

struct MakeArchitecture {
  /// Given the values of its own options, too, and the task, null where it is for any. Throws what
  /// the model's constructor throws.
  std::function<std::unique_ptr<TaskModel>(const ModelOptions&, const OwnValues&, const Task*)>
      make;
  /// How much of the task's examples the model sees at a time.
  std::function<void(ModelOptions&, const Task&)> set_lengths;
  std::string like = {};  ///< it can learn what this other one can; empty: what a task allows
  /// It is made of transformer blocks, and reads their options. Else those are refused but for the
  /// ones that its part lists.
  bool blocks = false;
  /// The attention of a program's own that its blocks take: none; such as lets no position see a
  /// later one; any, which has to hide padding.
  enum class OwnAttention { none, causal, any } own_attention = OwnAttention::none;
};
using ArchitecturePart = Part<MakeArchitecture>;

/// The options of a configuration's model, made of its parts; without what follows from the task.
ModelOptions model_options(const TrainConfig& config, const Registry& registry);

}  // namespace tapehead

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

/// A part whose layer is made as `Layer(given, options, rest...)`: `place` is the function in a
/// model's options that makes the layer, and `given` and `rest` are its arguments.
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

/// Returns what a part of this kind is checked as: attention by itself, positions on the input as
/// an embedding, and others as a block.
LayerEntry layer_with(const std::string& kind, const ModelPart& part);

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

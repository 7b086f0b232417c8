#include "weight_gradients.hpp"
#include "../../core/trace.hpp"
#include "../../nn/recompute.hpp"
#include "../../optim/clip.hpp"
#include "../../train/evaluate.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/step/per_example.hpp"

#include <algorithm>
#include <unordered_map>

namespace tapehead {
namespace {

struct LinearMapUse {
  const Parameter* weight;
  std::string name;  // with shared layers, the name that the weight would have in this layer
  bool is_shared;    // whether there are several uses of the weight
  Tensor x, y;
};

/// Returns the path of a weight in the running module, which may share it with an earlier layer.
std::string name_here(const std::string& path) {
  const std::string module = ModuleScope::current();
  return starts_with(path, module) ? path : module + path.substr(path.rfind('.'));
}

/// Records each call of `linear` with a weight of the model that is a matrix or several stacked
/// ones.
struct LinearMapRecorder : TapeListener {
  explicit LinearMapRecorder(const Module& model) {
    walk(model, [&](const std::string&, const Parameter& p) {
      if (!p.matrices.empty()) weights[p.value().id()] = &p;
    });
  }
  void computed(const OpCall& call, const Tensor& y, const std::vector<Tensor>& inputs) override {
    if (call.name != std::string_view("linear")) return;
    const auto found = weights.find(inputs[1].id());
    if (found == weights.end()) return;
    bool is_shared = false;
    for (LinearMapUse& use : all)
      if (use.weight == found->second) is_shared = use.is_shared = true;
    all.push_back({found->second, name_here(found->second->path), is_shared, inputs[0], y});
  }

  std::unordered_map<std::uint64_t, const Parameter*> weights;  // by the id of their value
  std::vector<LinearMapUse> all;
};

/// Reshapes (..., columns) to (positions, columns).
Tensor flat(const Tensor& x) { return reshape(x, {-1, x.dim(-1)}); }

/// Adds the gradients of one use of a linear map: one for each matrix stacked in its weight.
void add(const LinearMapUse& use, const Gradients& gradients, Index width,
         std::vector<WeightGradient>& weights) {
  const std::vector<Index>& stacked = use.weight->matrices;
  const bool writes = ends_with(use.weight->path, "out.weight");
  const Tensor dy = flat(gradients[use.y]);
  Index first = 0;
  for (std::size_t i = 0; i < stacked.size(); ++i) {
    const Index end = first + stacked[i];
    WeightGradient one{use.name, flat(use.x), slice(dy, 1, first, end),
                       slice(gradients[use.weight->value()], 0, first, end)};
    if (use.is_shared) one.gradient = matmul(transpose(one.dy), one.x);
    if (stacked.size() == 3) one.name += fmt::format(" ({})", "qkv"[i]);
    if (stacked.size() == 2) one.name += i == 0 ? " (q)" : " (kv)";
    const Tensor w = slice(use.weight->value(), 0, first, end);  // (out, in)
    if (writes && w.dim(0) == width)
      one.stream_input = linear(one.x, w), one.stream_update = -one.dy;
    else if (!writes && w.dim(1) == width)
      one.stream_input = one.x, one.stream_update = -matmul(one.dy, w);
    weights.push_back(std::move(one));
    first = end;
  }
}

/// Returns the loss of a batch of one example, and the norm of the loss's gradient.
GradientNorm norm_over(const Module& model, const Batch& batch) {
  GradientNorm found{};
  each_example(model, batch, [&](Index, double loss, const Gradients& gradients) {
    found = {0, loss, global_norm(gradients)};
  });
  return found;
}

}  // namespace

ExampleGradients example_gradients(const GPT& model, const Batch& example) {
  const KeepActivations keep;  // the tape needs the results of linear maps
  const GradientNorm whole = norm_over(model, example);
  ExampleGradients found{whole.loss, whole.norm};
  LinearMapRecorder uses(model);
  Tape tape;
  for (const auto& [id, weight] : uses.weights)
    tape.watch(weight->value());  // including frozen weights
  Tensor stream;                  // residual stream before the first block, (1, time, width)
  Pass pass = Pass::evaluation();
  pass.hook = [&](const HookPoint& point, const Tensor& x) {
    if (!stream && point.name == std::string("in")) stream = x;
    return x;
  };
  Tensor loss;
  {
    const ListenerScope listening(&uses);
    loss = cross_entropy(logits_of(model, example, pass), example.targets);
  }
  tape.watch(stream);
  for (const LinearMapUse& use : uses.all) tape.watch(use.y);
  const Gradients gradients = tape.backward(loss, {false, false, true});

  for (const LinearMapUse& use : uses.all) add(use, gradients, model.options.width, found.weights);
  const Tensor dx = cast(flat(gradients[stream]), DType::f64);  // (time, width)
  const Tensor table = cast(model.embedding.tokens.weight.value(), DType::f64);
  const Tensor away = mean(table, {0}) - flat(gather_rows(table, example.inputs));
  found.costs = sum(dx * away, {-1}).values();
  found.norms = sqrt(sum(dx * dx, {-1})).values();
  return found;
}

std::vector<GradientNorm> gradient_norms(const TaskModel& model, const Task& task, Index examples,
                                         const std::function<void(double fraction)>& on_progress) {
  std::vector<GradientNorm> norms(std::clamp<Index>(examples, 0, held_out_size(task)));
  parallel_for_with_progress(static_cast<Index>(norms.size()), on_progress, [&](Index i) {
    norms[i] = norm_over(*model.module, model.batch({held_out_example(task, i)}));
    norms[i].example = i;
  });
  std::stable_sort(norms.begin(), norms.end(),
                   [](const GradientNorm& a, const GradientNorm& b) { return a.norm > b.norm; });
  return norms;
}

}  // namespace tapehead

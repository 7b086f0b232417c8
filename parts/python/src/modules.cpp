// Layers and models, their parameters, and optimizers.
#include "bindings.hpp"

#include "../../../optim/clip.hpp"
#include "../../../train/config/options.hpp"
#include "../../../train/model/architecture.hpp"
#include "../../../train/model/parts.hpp"

namespace tapehead {
namespace {

using Shared = std::shared_ptr<Module>;

/// Modules one after the other, named by their numbers.
struct Sequential : Module {
  explicit Sequential(std::vector<Shared> all) : modules(std::move(all)) {}
  Tensor forward(const Tensor& x, Pass& pass) const override {
    Tensor y = x;
    for (const Shared& module : modules) y = (*module)(y, pass);
    return y;
  }
  void visit(Visitor& v) override {
    for (std::size_t i = 0; i < modules.size(); ++i) v(fmt::format("{}", i), *modules[i]);
  }

  std::vector<Shared> modules;
};

/// The defaults of the command with these settings, of options that `known` holds for.
template <class F>
TrainConfig configured(const std::string& what, const Settings& given, F known) {
  const std::vector<TrainOption>& all = common_options(registry());
  for (const auto& [name, value] : given)
    if (!known(find_option(all, name, ""))) throw ValueError("{}: has no option '{}'", what, name);
  TrainConfig config;
  apply(given, all, config);
  return config;
}

Shared make_gpt(Index vocabulary, Index context, std::uint64_t seed, const Settings& given) {
  const auto known = [](const TrainOption& option) { return option.group == "Model"; };
  ModelOptions options = model_options(configured("GPT", given, known), registry());
  options.vocabulary = vocabulary, options.context = context, options.seed = seed;
  return std::make_shared<GPT>(options);
}

/// A layer of these sizes, or of these options, with its first weights.
template <class M, class... Sizes>
Shared make_layer(Sizes... sizes, std::uint64_t seed) {
  auto made = std::make_shared<M>(sizes...);
  initialise(*made, seed);
  return made;
}

Shared make_attention(Index width, Index heads, Index kv_heads, bool causal, std::uint64_t seed) {
  AttentionLayerOptions options;
  options.width = width, options.heads = heads, options.kv_heads = kv_heads;
  options.causal = causal;
  return make_layer<MultiHeadAttention, AttentionLayerOptions>(options, seed);
}

std::unique_ptr<Optimizer> make_optimizer(const std::string& name, const Shared& model,
                                          const Settings& given) {
  const auto& all = registry().optimizers();
  const auto known = [read = all.find(name).all_read()](const TrainOption& option) {
    return option.name == "lr" || std::count(read.begin(), read.end(), option.name) > 0;
  };
  return all.make(name).make(configured(name, given, known), *model);
}

py::dict parameters_of(const Module& module) {
  py::dict all;
  walk(module, [&](const std::string& path, const Parameter& p) { all[path.c_str()] = p.value(); });
  return all;
}

}  // namespace

void bind_modules(py::module_& module) {
  py::class_<Gradients>(module, "Gradients",
                        "The gradients of all that a tape watched: gradients[x] is that of x.")
      .def("__getitem__", [](const Gradients& all, const Tensor& x) { return all[x]; })
      .def_property_readonly("norm", py::cpp_function(&global_norm, Computing()),
                             "The length of all gradients together.")
      .def(
          "clip", [](const Gradients& all, double most) { return clip(all, most); }, "norm"_a,
          Computing(), "The same, scaled so that their norm is at most this.");
  py::class_<Module, Shared>(module, "Module",
                             "A layer or a model, with parameters. Called, it computes.")
      .def(
          "__call__",
          [](const Module& self, const py::object& x, const std::optional<Index>& step,
             std::uint64_t seed) {
            const Tensor input = to_tensor(x);
            Pass pass = step ? Pass::training(seed, *step) : Pass::evaluation();
            return without_gil([&] { return self(input, pass); });
          },
          "x"_a, "step"_a = py::none(), "seed"_a = 0, Computing(),
          "With the number of a training step, dropout acts.")
      .def_property_readonly("parameters", &parameters_of,
                             "The tensors of the weights by their paths, as tapes know them.")
      .def("__str__", [](const Module& self) { return tree(self); });
  py::class_<Optimizer>(module, "Optimizer", "Gives the parameters of a module new values.")
      .def_readwrite("lr", &Optimizer::lr, "The learning rate, which may be set before each step.")
      .def_readonly("steps", &Optimizer::steps, "How many steps it has made.")
      .def("step", &Optimizer::step, "gradients"_a, WithoutGil(), "One step down these gradients.");
  module.def("gpt", &make_gpt, Computing());
  module.def("optimizer", &make_optimizer, Computing(),
             py::keep_alive<0, 2>());  // it points to parameters
  module.def(
      "Linear",
      [](Index width, Index out, bool bias, std::uint64_t seed) {
        return make_layer<Linear, Index, Index, LinearOptions>(width, out, {bias}, seed);
      },
      "width"_a, "out"_a, "bias"_a = true, "seed"_a = 0, Computing(),
      "y = x w' + b: from (..., width) to (..., out).");
  module.def("Embedding", &make_layer<Embedding, Index, Index>, "rows"_a, "width"_a, "seed"_a = 0,
             Computing(), "The rows of a table by ids: from (...) to (..., width).");
  module.def(
      "LayerNorm", [](Index width) { return make_layer<LayerNorm, Index>(width, 0); }, "width"_a,
      Computing(), "Mean 0 and variance 1 along the last axis, times a gain, plus a bias.");
  module.def(
      "MLP",
      [](Index width, Index hidden, std::uint64_t seed) {
        MLPOptions options;
        options.hidden = hidden;
        return make_layer<MLP, Index, MLPOptions>(width, options, seed);
      },
      "width"_a, "hidden"_a, "seed"_a = 0, Computing(),
      "Two linear layers with a GELU between them, `hidden` wide.");
  module.def("Attention", &make_attention, "width"_a, "heads"_a, "kv_heads"_a = 0,
             "causal"_a = false, "seed"_a = 0, Computing(),
             "Self-attention of several heads: from (batch, time, width) to the same.");
  module.def("Sequential", [](const std::vector<Shared>& modules) -> Shared {
    return std::make_shared<Sequential>(modules);
  });
}

}  // namespace tapehead

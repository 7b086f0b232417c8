// Layers and models, including those written in Python.
#include "../../../core/plural.hpp"
#include "configured.hpp"
#include "hooks.hpp"
#include "python_module.hpp"

#include "../../../train/config/choices.hpp"
#include "../../../train/files/memory_limit.hpp"
#include "../../../train/model/architecture.hpp"
#include "../../../train/model/parts.hpp"
#include "../../checks/check.hpp"

namespace tapehead {
namespace {

using Shared = std::shared_ptr<Module>;

/// Throws ValueError if the module's weights won't fit in memory. Called before initializing them.
void check_weights_fit(const std::string& name, const Module& module, DType type) {
  double elements = 0;
  walk(module, [&](const std::string&, const Parameter& p) {
    elements += static_cast<double>(p.shape.size());
  });
  check_fits(name + ": its weights need", elements * static_cast<double>(bytes_of(type)));
}

Shared make_gpt(Index vocabulary, Index context, std::uint64_t seed, const Settings& given) {
  const TrainConfig config = configured(gpt_options(), given);
  if (config.dtype == "bf16")
    throw ValueError(
        "GPT: dtype must be f32 or f64, got bf16; only train(..., dtype=\"bf16\") supports it");
  ModelOptions options = model_options(config, registry());
  options.vocabulary = vocabulary, options.context = context, options.seed = seed;
  options.dtype = named(dtype_names, config.dtype);
  options.drawn = false;
  const auto made = std::make_shared<GPT>(options);
  check_weights_fit("GPT", *made, options.dtype);
  initialise(*made, seed, options.dtype);
  return made;
}

/// Creates a layer M(sizes...) with initial weights in f32.
template <class M, class... Sizes>
Shared make_layer(const char* name, Sizes... sizes, std::uint64_t seed) {
  auto made = std::make_shared<M>(sizes...);
  check_weights_fit(name, *made, DType::f32);
  initialise(*made, seed);
  return made;
}

Shared make_attention(Index width, Index heads, Index kv_heads, bool causal, std::uint64_t seed) {
  AttentionLayerOptions options;
  options.width = width, options.heads = heads, options.kv_heads = kv_heads;
  options.causal = causal;
  return make_layer<MultiHeadAttention, AttentionLayerOptions>("Attention", options, seed);
}

/// Converts a module's input: floats to the given type; integers stay i32, since they can be ids.
Tensor to_input(py::handle value, DType type) {
  const Tensor x = to_tensor(value, type);
  if (!x.is_float() || x.dtype() == type) return x;
  const Pause pause;
  return cast(x, type);
}

/// Returns the input of a C++ module: the given tensor, or another value converted to a tensor of
/// the type of the module's weights.
Tensor input_of(const Module& module, const py::args& given, const py::kwargs& named) {
  if (given.size() + named.size() != 1 || (named.size() == 1 && !named.contains("x")))
    throw py::type_error(
        fmt::format("a layer takes one input x, and the keywords step and seed; got {}",
                    plural(given.size() + named.size(), "input")));
  const py::object x = given.size() == 1 ? py::object(given[0]) : py::object(named["x"]);
  const Tensor* const tensor = tensor_in(x);
  return tensor ? *tensor : to_input(x, dtype_of_weights(module));
}

/// Returns whether a value is a list of numbers or of such lists. A tuple could be a shape.
bool is_list_of_numbers(py::handle value) {
  constexpr int most_axes = 64;  // NumPy's limit; needed because a list may contain itself
  py::object each = py::reinterpret_borrow<py::object>(value);
  for (int i = 0; i < most_axes && PyList_Check(each.ptr()) && PyList_GET_SIZE(each.ptr()) > 0; ++i)
    each = py::reinterpret_borrow<py::object>(PyList_GET_ITEM(each.ptr(), 0));
  return PyList_Check(value.ptr()) && (PyFloat_Check(each.ptr()) || PyLong_Check(each.ptr()));
}

/// Converts arrays and lists of numbers to tensors; keeps other arguments, since the forward of a
/// Python module can take any values.
py::tuple inputs_of(const Module& module, const py::args& given) {
  py::tuple all(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const py::object x = given[i];
    const bool becomes_tensor = py::isinstance<py::array>(x) || is_list_of_numbers(x);
    all[i] = becomes_tensor ? py::cast(to_input(x, dtype_of_weights(module))) : x;
  }
  return all;
}

/// Calls a module. Without a step, a module called by another module uses its caller's pass.
py::object run_module(const py::object& self, const py::args& given,
                      const std::optional<Index>& step, std::uint64_t seed,
                      const py::kwargs& named) {
  auto& module = self.cast<Module&>();
  Pass own = step ? Pass::training(seed, *step) : Pass::evaluation();
  Pass& pass = running_pass() && !step ? *running_pass() : own;
  if (&pass == &own) set_hooks(own, module);
  auto* const of_python = dynamic_cast<PythonModule*>(&module);
  if (!of_python) {
    const Tensor x = input_of(module, given, named);
    return py::cast(without_gil([&] { return module(x, pass); }));
  }
  if (!running_pass() && !of_python->named) name_parts(module);
  const RunningPassScope running(pass);
  const ModuleScope scope(module.path);
  return self.attr("forward")(*inputs_of(module, given), **named);
}

/// Returns (depth, name, type, object) of each module and parameter below a module.
py::list part_rows(const Shared& module) {
  py::list rows;
  for (const ModulePart& part : parts_of(module))
    rows.append(py::make_tuple(part.depth, part.name, part.type, part.object));
  return rows;
}

/// Returns (path, object) of each module and parameter below a module.
py::list parts_with_paths(const Shared& module) {
  py::list all;
  for (const ModulePart& part : parts_of(module))
    all.append(py::make_tuple(part.path, part.object));
  return all;
}

py::dict parameters_by_path(const Shared& module) {
  py::dict all;
  for (const ModulePart& part : named_parameters(module)) all[part.path.c_str()] = part.object;
  return all;
}

/// A gradient check of a module, in f64, with respect to its parameters and, if the input has
/// floats, the input. The destructor restores the weights.
class Checked {
 public:
  explicit Checked(const Shared& module) : Checked(module, named_parameters(module)) {
    if (Tape::current())
      throw TapeError(
          "gradcheck: changes the module's parameters, which isn't possible while a tape is "
          "recording");
    for (const auto& [parameter, before] : all_) replace(*parameter, cast(before, DType::f64));
  }
  ~Checked() {
    for (const auto& [parameter, before] : all_) try {
        replace(*parameter, before);
      } catch (const Error&) {  // another thread's tape prevents all changes to it
      }
  }
  Checked(const Checked&) = delete;
  Checked& operator=(const Checked&) = delete;

  GradcheckResult run(const Tensor& x, bool second) {
    std::vector<Tensor> inputs;
    for (const auto& each : all_) inputs.push_back(each.parameter->value());
    const Tensor fixed = x.is_float() ? Tensor() : x;
    if (!fixed) inputs.push_back(cast(x, DType::f64)), options.names.emplace_back("the input");
    const Function f = [this, fixed](const std::vector<Tensor>& given) {
      for (std::size_t i = 0; i < all_.size(); ++i)
        if (all_[i].parameter->value().id() != given[i].id()) all_[i].parameter->set(given[i]);
      Pass pass = Pass::training(1, 0);
      return (*module_)(fixed ? fixed : given.back(), pass);
    };
    return (second ? gradcheck_second : gradcheck)(f, inputs, options);
  }

  GradcheckOptions options;

 private:
  Checked(const Shared& module, const std::vector<ModulePart>& parameters) : module_(module) {
    for (const ModulePart& part : parameters) {
      if (part.parameter->dtype != DType::f32 && part.parameter->dtype != DType::f64) continue;
      all_.push_back({part.parameter, part.parameter->value()});
      options.names.push_back(part.path);
    }
  }
  struct Before {
    std::shared_ptr<Parameter> parameter;
    Tensor value;
  };
  static void replace(Parameter& parameter, const Tensor& value) {
    const DType before = std::exchange(parameter.dtype, value.dtype());
    try {
      parameter.set(value);
    } catch (const Error&) {
      parameter.dtype = before;
      throw;
    }
  }

  Shared module_;
  std::vector<Before> all_;
};

GradcheckResult module_gradchecked(const Shared& module, const py::object& x, double tolerance,
                                   double step, int order, bool second) {
  Checked checked(module);
  checked.options.tolerance = tolerance, checked.options.step = step, checked.options.order = order;
  const Tensor input = to_tensor(x);
  return without_gil([&] { return checked.run(input, second); });
}

}  // namespace

void check_fits(const std::string& what, double bytes) {
  if (const MemoryLimit limit = memory_limit(); bytes > limit.bytes)
    throw ValueError("{} {:.3g} GB; {} {:.3g} GB", what, 1e-9 * bytes, limit.by,
                     1e-9 * limit.bytes);
}

void bind_modules(py::module_& module) {
  py::class_<Module, PythonModule, Shared>(
      module, "Module",
      "A layer or a model with parameters; call it to compute its result. A custom module derives "
      "from it, has Parameters and modules as attributes, and defines forward.",
      py::custom_type_setup(&bind_attributes))
      .def(py::init_alias<>())
      .def("__call__", &run_module, "step"_a = py::none(), "seed"_a = 0, Computing(),
           "Computes the module's result. Dropout is active if `step`, a training step, is given.");
  module.def("parts_of", &part_rows, "module"_a.none(false));
  module.def("parts_with_paths", &parts_with_paths, "module"_a.none(false));
  module.def("parameters_of", &parameters_by_path, "module"_a.none(false));
  module.def("type_name", &python_type_name, "module"_a);
  module.def("gradcheck_module", &module_gradchecked, "module"_a.none(false), "x"_a, "tolerance"_a,
             "step"_a, "order"_a, "second"_a, Computing());
  module.def("GPT", &make_gpt, "vocabulary"_a, "context"_a, "seed"_a, "options"_a, Computing());
  module.def("gpt_options", [] { return option_lines(gpt_options()); });
  module.def(
      "Linear",
      [](Index width, Index out, bool bias, std::uint64_t seed) {
        return make_layer<Linear, Index, Index, LinearOptions>("Linear", width, out, {bias}, seed);
      },
      "width"_a, "out"_a, "bias"_a = true, "seed"_a = 0, Computing(),
      "Computes y = x w' + b: (..., width) to (..., out).");
  module.def(
      "Embedding",
      [](Index rows, Index width, std::uint64_t seed) {
        return make_layer<Embedding, Index, Index>("Embedding", rows, width, seed);
      },
      "rows"_a, "width"_a, "seed"_a = 0, Computing(),
      "Looks up rows of a table: ids (...) to (..., width).");
  module.def(
      "LayerNorm", [](Index width) { return make_layer<LayerNorm, Index>("LayerNorm", width, 0); },
      "width"_a, Computing(),
      "Normalizes the last axis to mean 0 and variance 1, then applies a gain and a bias.");
  module.def(
      "MLP",
      [](Index width, Index hidden, std::uint64_t seed) {
        MLPOptions options;
        options.hidden = hidden;
        return make_layer<MLP, Index, MLPOptions>("MLP", width, options, seed);
      },
      "width"_a, "hidden"_a, "seed"_a = 0, Computing(),
      "Two linear layers with a GELU of width `hidden` between them.");
  module.def("Attention", &make_attention, "width"_a, "heads"_a, "kv_heads"_a = 0,
             "causal"_a = false, "seed"_a = 0, Computing(),
             "Multi-head self-attention: (batch, time, width) to the same shape.");
}

}  // namespace tapehead

#include "check.hpp"
#include "../../core/recording.hpp"
#include "probes.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr std::size_t none = -1;

/// Collects the distinct inputs of a sample. Returns the input's number for each tensor, or `none`
/// for a constant.
std::vector<std::size_t> inputs_by_tensor(const OpSample& sample, std::vector<Tensor>& inputs) {
  std::vector<std::size_t> places;
  for (const Tensor& x : sample.tensors) {
    const auto is_x = [&](const Tensor& input) { return input.id() == x.id(); };
    const auto& fixed = sample.constants;
    const bool is_fixed = contains(fixed, places.size());
    if (!x || !x.is_float() || is_fixed) {
      places.push_back(none);
      continue;
    }
    places.push_back(find_if(inputs, is_x) - inputs.begin());
    if (places.back() == inputs.size()) inputs.push_back(x);
  }
  return places;
}

/// Returns the names of the ops that run during a call.
std::vector<std::string> computed_by(const std::function<Tensor()>& call) {
  const Tape tape;
  const TapeRecording recording(0);
  call();
  std::vector<std::string> names;
  for (const RecordedStep& step : recording.steps()) names.push_back(step.op);
  return names;
}

constexpr double value_tolerance = 1e-12, gradient_tolerance = 1e-10;

/// Stores the largest error of b's elements in `result`: relative to a, or absolute below 1.
void compare(GradcheckResult& result, const Tensor& a, const Tensor& b, double tolerance,
             bool is_value) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype())
    throw ShapeError("gradcheck: the op returns {} {}, but its decomposition {} {}", a.dtype(),
                     a.shape(), b.dtype(), b.shape());
  for (Index i = 0; i < a.size(); ++i) {
    const double x = a(i), y = b(i);
    const double error = relative_error(x, y, 1);
    if (result.comparisons++ > 0 && error <= result.error) continue;
    result.passed = error <= tolerance;
    result.error = error;
    (is_value ? result.output : result.element) = i;
    result.analytic = x;
    result.numeric = y;
  }
}

GradcheckResult decomposition_value(const SampleCall& call) {
  GradcheckResult result;
  compare(result, call.f(call.inputs), (*call.decomposition)(call.inputs), value_tolerance, true);
  return result;
}

std::vector<Tensor> gradients_of(const Function& f, const std::vector<Tensor>& inputs) {
  Tape tape;
  for (const Tensor& x : inputs) tape.watch(x);
  const Tensor y = f(inputs);
  tape.watch(y);  // a result that depends on no input isn't tracked yet
  const Gradients gradients = tape.backward(y, normal_sample(y.shape(), 1), {false, false, true});
  std::vector<Tensor> all;
  for (const Tensor& x : inputs) all.push_back(gradients[x]);
  return all;
}

GradcheckResult decomposition_gradient(const SampleCall& call) {
  const std::vector<Tensor> mine = gradients_of(call.f, call.inputs);
  const std::vector<Tensor> decompositions = gradients_of(*call.decomposition, call.inputs);
  GradcheckResult worst;
  for (std::size_t input = 0; input < mine.size(); ++input) {
    GradcheckResult result;
    result.input = input;
    result.name = fmt::format("input {}", input);
    compare(result, mine[input], decompositions[input], gradient_tolerance, false);
    if (result.error >= worst.error) worst = result;
  }
  return worst;
}

}  // namespace

SampleCall make_call(const Op& op, const OpSample& sample) {
  SampleCall call;
  const std::vector<std::size_t> places = inputs_by_tensor(sample, call.inputs);
  const auto with = [=](const std::vector<Tensor>& inputs) {
    OpArguments arguments{sample.tensors, sample.options};
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i] != none) arguments.tensors[i] = inputs[places[i]];
    return arguments;
  };
  call.f = [=](const std::vector<Tensor>& inputs) { return op(with(inputs)); };
  const Function decomposed = [=](const std::vector<Tensor>& inputs) {
    return op.decomposed(with(inputs));
  };
  const auto ops_of = [&](const Function& f) {
    return computed_by([&] { return f(call.inputs); });
  };
  if (ops_of(call.f) != ops_of(decomposed)) call.decomposition = decomposed;
  return call;
}

const char* to_string(Check::Kind kind) {
  switch (kind) {
    case Check::Kind::gradient:
      return "gradient";
    case Check::Kind::second:
      return "second gradient";
    case Check::Kind::decomposition_value:
      return "decomposition's value";
    case Check::Kind::decomposition_gradient:
      return "decomposition's gradient";
  }
  return "";
}

std::string to_string(const Check& check) {
  const GradcheckResult& r = check.result;
  std::string text = to_string(r);
  if (check.kind == Check::Kind::decomposition_value)
    text = fmt::format("element {}: op {:.17g}, decomposition {:.17g}, relative error {:.1e}",
                       r.output, r.analytic, r.numeric, r.error);
  if (check.kind == Check::Kind::decomposition_gradient)
    text = fmt::format("{} element {}: op {:.17g}, decomposition {:.17g}, relative error {:.1e}",
                       r.name, r.element, r.analytic, r.numeric, r.error);
  const std::string sample = check.sample.empty() ? "" : check.sample + ", ";
  return fmt::format("{}{}: {}", sample, to_string(check.kind), text);
}

bool CheckReport::passed() const {
  return all_of(checks, [](const Check& c) { return c.result.passed; });
}

const Check& CheckReport::worst() const {
  return *std::max_element(checks.begin(), checks.end(), [](const Check& a, const Check& b) {
    if (a.result.passed != b.result.passed) return a.result.passed;
    // A wrong gradient makes the second-order gradient wrong, too, so its kind comes first.
    if (!a.result.passed && a.kind != b.kind) return a.kind > b.kind;
    return a.result.error < b.result.error;
  });
}

CheckReport check(const Op& op, const std::vector<OpSample>& samples,
                  const GradcheckOptions& options) {
  CheckReport report{op.name, {}};
  for (const OpSample& sample : samples) {
    const SampleCall call = make_call(op, sample);
    const auto note = [&](Check::Kind kind, const GradcheckResult& result) {
      report.checks.push_back({kind, sample.what, result});
    };
    // Values are compared first, because second-order gradients come from the decomposition.
    GradcheckResult value;
    if (call.decomposition) value = decomposition_value(call);
    note(Check::Kind::gradient, gradcheck(call.f, call.inputs, options));
    note(Check::Kind::second, gradcheck_second(call.f, call.inputs, options));
    if (call.decomposition) {
      note(Check::Kind::decomposition_value, value);
      note(Check::Kind::decomposition_gradient, decomposition_gradient(call));
    }
  }
  return report;
}

LayerFunction::LayerFunction(const LayerEntry& entry) : layer(entry.make()) {
  initialise(*layer, 1, DType::f64);
  perturb_parameters(*layer);
  const std::vector<Parameter*> all = parameters(*layer);
  options.tolerance = entry.tolerance;
  options.step = entry.step;
  for (const Parameter* parameter : all) {
    inputs.push_back(parameter->value());
    options.names.push_back(parameter->path);
  }
  const Tensor ids = entry.input.is_float() ? Tensor() : entry.input;
  if (!ids) {
    inputs.push_back(entry.input);
    options.names.push_back("the input");
  }
  f = [all, ids, module = layer.get()](const std::vector<Tensor>& x) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i]->value().id() != x[i].id()) all[i]->set(x[i]);
    Pass pass = Pass::training(1, 0);
    const Tensor y = (*module)(ids ? ids : x.back(), pass);
    return append_losses(y, pass);
  };
}

CheckReport check_layer(const LayerEntry& entry) {
  const LayerFunction layer(entry);
  const auto& [module, inputs, options, f] = layer;
  CheckReport report{entry.name, {{Check::Kind::gradient, "", gradcheck(f, inputs, options)}}};
  if (entry.first_only.empty())
    report.checks.push_back({Check::Kind::second, "", gradcheck_second(f, inputs, options)});
  return report;
}

}  // namespace tapehead

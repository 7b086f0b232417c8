// Chapter 5: learning rate, clipping and AdamW.
#include "../../../core/kernels/functions/angles.hpp"
#include "../../../core/kernels/functions/logarithms.hpp"
#include "../../../core/ops.hpp"
#include "../../../optim/adamw.hpp"
#include "../../../optim/clip.hpp"
#include "../../../train/config/registry.hpp"
#include "task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr double pi = 3.141592653589793, least = 0.0001;  // learning rate after the last step
constexpr AdamWOptions adamw = {0, 0.9, 0.99, 1e-8, 0.1};

CourseTask learning_rate_task(const TrainConfig& config, const Registry& registry) {
  const Tensor steps = tensor({0, 1, 10, 19, 20, 21, 100, 160, 298, 299});
  const auto rates_of = [&](const std::function<double(double step)>& rate) {
    std::vector<double> rates;
    for (Index i = 0; i < steps.size(); ++i) rates.push_back(rate(steps(i)));
    return CourseTensors{{"rates", tensor(rates)}};
  };
  const auto schedule = registry.schedules().make(config.schedule)(config);
  const double lr = config.lr, all = static_cast<double>(config.steps);
  const auto warmup = static_cast<double>(config.warmup);
  // A warmup of lr (step + first) / whole, if whole isn't 0; then a cosine that begins at step
  // `begin` and falls to `end`.
  const auto other = [&](double first, double whole, double begin, double end) {
    return rates_of([=](double step) {
      if (whole > 0 && step < warmup) return lr * (step + first) / whole;
      return end + 0.5 * (1 + kernel::cos(pi * (step - begin) / (all - begin))) * (lr - end);
    });
  };
  CourseTask task{"learning_rate", {{"steps", steps}}, rates_of([&](double step) {
                    return schedule(static_cast<Index>(step));
                  })};
  task.mistakes = {
      {"step 0 already has a rate: multiply by step + 1", other(0, warmup + 1, warmup, least)},
      {"the warmup ends one step after step 19: divide by 21", other(1, warmup, warmup, least)},
      {"the cosine begins at step 20, not at step 0", other(1, warmup + 1, 0, least)},
      {"the warmup is missing", other(1, 0, warmup, least)},
      {"the rate falls to 0.0001, not to 0", other(1, warmup + 1, warmup, 0)}};
  return task;
}

CourseTask clipping_task() {
  const CourseTensors all = {
      {"a", drawn({4, 5}, 50)}, {"b", drawn({5}, 51) * 0.1}, {"c", drawn({3, 3}, 52)}};
  const auto norm_of = [](const Tensor& x) { return std::sqrt(sum(x * x).item()); };
  const auto scaled = [&](double norm, const auto& factor) {
    CourseTensors results = {{"norm", tensor({norm}, Shape())}};
    for (const auto& [name, x] : all) results.push_back({name, x * factor(x)});
    return results;
  };
  std::vector<std::pair<Tensor, Tensor>> pairs;
  for (const auto& [name, x] : all) pairs.push_back({x, x});
  double norm = 0, norms = 0;
  const Gradients gradients = clip(Gradients::from_pairs(pairs), 1, &norm);
  for (const auto& [name, x] : all) norms += norm_of(x);
  CourseTask task{"clipping", all, {{"norm", tensor({norm}, Shape())}}};
  for (const auto& [name, x] : all) task.expected.push_back({name, gradients[x]});
  const auto once = [=](const Tensor&) { return 1 / norm; };
  task.mistakes = {
      {"each tensor is clipped by its own norm; scale all by 1 / the norm of all together",
       scaled(norm, [&](const Tensor& x) { return std::min(1.0, 1 / norm_of(x)); })},
      {"the norm of all numbers together isn't the sum of the tensors' norms: add squares",
       {{"norm", tensor({norms}, Shape())}}},
      {"take the root of the sum of squares", {{"norm", tensor({norm * norm}, Shape())}}},
      {"return the norm before clipping", {{"norm", tensor({1}, Shape())}}},
      {"the norm exceeds 1: multiply each gradient by 1 / norm, in place",
       scaled(norm, [](const Tensor&) { return 1.0; })},
      {"divide by the norm, not by its square",
       scaled(norm, [&](const Tensor& x) { return once(x) * once(x); })}};
  task.advice = "add the squares in float64 (double) and multiply by the factor as a float";
  return task;
}

/// How a student's AdamW may differ.
struct Update {
  bool corrects_first = true, corrects_second = true;
  bool decays_all = false, decays = true;
  bool decay_in_gradient = false;  ///< L2 regularization, as in Adam without the W
  bool scales_decay = true;        ///< multiplies the decay by the learning rate
  bool epsilon_in_root = false;
  int first_t = 1;
};

/// Returns the parameters after each step of an AdamW that differs.
CourseTensors updated(const CourseTensors& inputs, const Update& how) {
  const AdamWOptions& o = adamw;
  CourseTensors results;
  std::map<std::string, Tensor> p, m, v;
  for (const char* name : {"weight", "bias"}) {
    p[name] = find(inputs, name);
    m[name] = v[name] = zeros(p[name].shape(), p[name].dtype());
  }
  for (int step = 1; step <= 3; ++step)
    for (const char* name : {"weight", "bias"}) {
      const double rate = find(inputs, "rate")(step - 1), t = step - 1 + how.first_t;
      const bool wanted = how.decays && (how.decays_all || p[name].rank() == 2);
      const double decay = wanted ? o.weight_decay : 0;
      Tensor g = find(inputs, fmt::format("g_{}_{}", name, step));
      if (how.decay_in_gradient) g = g + p[name] * decay;
      m[name] = m[name] * o.beta1 + g * (1 - o.beta1);
      v[name] = v[name] * o.beta2 + g * g * (1 - o.beta2);
      const Tensor first = m[name] / (how.corrects_first ? 1 - kernel::pow(o.beta1, t) : 1);
      const Tensor second = v[name] / (how.corrects_second ? 1 - kernel::pow(o.beta2, t) : 1);
      const Tensor size = how.epsilon_in_root ? sqrt(second + o.epsilon) : sqrt(second) + o.epsilon;
      const double shrink = how.decay_in_gradient ? 0 : decay * (how.scales_decay ? rate : 1);
      p[name] = p[name] * (1 - shrink) - first / size * rate;
      results.push_back({fmt::format("{}_{}", name, step), p[name]});
    }
  return results;
}

CourseTask adamw_task() {
  // Some gradients are so small that epsilon matters.
  CourseTask task{"adamw",
                  {{"weight", drawn({4, 5}, 60)},
                   {"bias", drawn({5}, 61)},
                   {"rate", tensor({0.02, 0.05, 0.01})}},
                  {}};
  for (int step = 1; step <= 3; ++step)
    for (const char* name : {"weight", "bias"}) {
      const Shape shape = find(task.inputs, name).shape();
      const auto number = static_cast<std::uint32_t>(62 + 2 * step + shape.rank());
      const Tensor g = drawn(shape, number) * drawn({shape[-1]}, number + 10);
      task.inputs.push_back({fmt::format("g_{}_{}", name, step), g * (step == 1 ? 1e-5 : 1)});
    }
  std::map<std::string, Tensor> m, v;
  std::map<std::string, Parameter> parameters;
  for (const char* name : {"weight", "bias"}) {
    const Tensor value = find(task.inputs, name);
    Parameter& p = parameters[name] =
        Parameter(value.shape(), Init::constant(0), value.rank() == 2);
    p.initialise({}, DType::f32);
    p.set(value);
    m[name] = zeros(value.shape(), DType::f32);
    v[name] = zeros(value.shape(), DType::f32);
  }
  for (int step = 1; step <= 3; ++step)
    for (const char* name : {"weight", "bias"}) {
      AdamWOptions options = adamw;
      options.lr = find(task.inputs, "rate")(step - 1);
      adamw_step(parameters[name], m[name], v[name],
                 find(task.inputs, fmt::format("g_{}_{}", name, step)), 1, step, options);
      task.expected.push_back({fmt::format("{}_{}", name, step), parameters[name].value() + 0.0});
    }
  const auto mistake = [&](const char* note, const auto& change) {
    Update how;
    change(how);
    task.mistakes.push_back({note, updated(task.inputs, how)});
  };
  mistake("the bias correction is missing: divide m and v by 1 - beta^t",
          [](Update& u) { u.corrects_first = u.corrects_second = false; });
  mistake("m has no bias correction: divide it by 1 - beta1^t",
          [](Update& u) { u.corrects_first = false; });
  mistake("v has no bias correction: divide it by 1 - beta2^t",
          [](Update& u) { u.corrects_second = false; });
  mistake("only matrices decay: this bias decayed, too", [](Update& u) { u.decays_all = true; });
  mistake("matrices should decay", [](Update& u) { u.decays = false; });
  mistake("the decay is added to the gradient, so Adam rescales it; subtract rate * decay * p",
          [](Update& u) { u.decay_in_gradient = true; });
  mistake("multiply the decay by the learning rate", [](Update& u) { u.scales_decay = false; });
  mistake("add epsilon to the root of v', not to v'", [](Update& u) { u.epsilon_in_root = true; });
  mistake("t is 1 in the first step, not 2", [](Update& u) { u.first_t = 2; });
  task.advice = "follow the last sentences of the comment above AdamW";
  return task;
}

}  // namespace

std::vector<CourseTask> optimizer_tasks(const Registry& registry) {
  const TrainConfig config = course_config(registry, 300);
  return {learning_rate_task(config, registry), clipping_task(), adamw_task()};
}

}  // namespace tapehead

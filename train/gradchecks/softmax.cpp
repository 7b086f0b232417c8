#include "catalog.hpp"

#include <cmath>
#include <limits>

namespace tapehead {
namespace {

// Expected numbers: PyTorch in double precision, unless a name says otherwise.
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Inputs = std::vector<Tensor>;

Tensor f64(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::f64);
}
Tensor x(const Shape& shape, std::uint64_t seed = 1) { return normal_sample(shape, seed); }

const std::vector<double> rows{1, 2, 3, -1, 0.5, 4};         // (2, 3)
const std::vector<double> drows{0.5, -1, 2, 1, 0.25, -0.5};  // the gradient of a result like them

std::function<Tensor()> value(const Function& f, const Inputs& inputs) {
  return [=] { return f(inputs); };
}

using AxisOp = Tensor (*)(const Tensor&, int);
using AxisTwin = Tensor (*)(const Tensor&, const Axes&);

/// What softmax, log_softmax and logsumexp are checked with alike.
std::vector<OpSample> axis_samples(AxisOp op, AxisTwin decomposition) {
  const auto along = [=](int axis) { return [=](const Inputs& in) { return op(in[0], axis); }; };
  const auto decomposition_along = [=](int axis) {
    return [=](const Inputs& in) { return decomposition(in[0], {axis}); };
  };
  return {
      {"rows", {x({3, 5})}, along(-1), decomposition_along(-1)},
      {"rows longer than registers", {x({2, 19})}, along(-1), decomposition_along(-1)},
      {"columns", {x({4, 3})}, along(0), decomposition_along(0)},
      {"a middle axis", {x({2, 3, 2})}, along(1), decomposition_along(1)},
      {"the last of four", {x({2, 1, 2, 3})}, along(3), decomposition_along(3)},
      {"one axis", {x({4})}, along(0), decomposition_along(0)},
      {"rows of one element", {x({3, 1})}, along(1), decomposition_along(1)},
      {"equal elements", {zeros({2, 3}, DType::f64)}, along(1), decomposition_along(1)},
      {"no rows", {x({0, 3})}, along(1)},
      {"rows of no elements", {x({3, 0})}, along(1)},
      {"an element far above", {f64({30, 1, 0, -2}, {1, 4})}, along(1), decomposition_along(1)},
  };
}

OpRow softmax_row() {
  const Function last = [](const Inputs& in) { return softmax(in[0]); };
  const Tensor matrix = f64(rows, {2, 3}), dy = f64(drows, {2, 3});
  const Tensor dark = f64({-infinity, -infinity, 0, 0}, {2, 2});
  return {"softmax",
          "normalisation",
          "y = exp(x) / sum(exp(x)), the sum along an axis",
          "dx = y (dy - sum(dy y))",
          axis_samples(
              [](const Tensor& v, int axis) { return softmax(v, axis); },
              [](const Tensor& v, const Axes& axes) { return exp(v) / sum(exp(v), axes, true); }),
          {
              {"rows", value(last, {matrix}),
               f64({0.09003057317038045, 0.2447284710547976, 0.6652409557748218,
                    0.00649794331566194, 0.0291217615374784, 0.9643802951468596},
                   {2, 3}),
               1e-15},
              {"columns", [=] { return softmax(matrix, 0); },
               f64({0.8807970779778823, 0.8175744761936437, 0.2689414213699951, 0.1192029220221175,
                    0.1824255238063563, 0.7310585786300049},
                   {2, 3}),
               1e-15},
              {"its gradient", gradient_call(last, {matrix}, dy),
               f64({-0.05678847003696693, -0.5214597727496746, 0.5782482427866417,
                    0.009541656405700507, 0.02092141607324034, -0.03046307247894086},
                   {2, 3}),
               1e-15},
              {"f32 far from zero",
               [] {
                 return softmax(tensor({1e4, 9998, 9999, 0}));
               },
               tensor({0.6652409557748218, 0.09003057317038045, 0.2447284710547976, 0}), 2e-7},
              {"the largest numbers",
               [] {
                 return softmax(tensor({3e38, 3e38, -3e38, 0}));
               },
               tensor({0.5, 0.5, 0, 0})},
              {"minus infinity has no share",
               [] {
                 return softmax(tensor({-infinity, 0}));
               },
               tensor({0, 1})},
              {"a row of minus infinities", value(last, {dark}), f64({0, 0, 0.5, 0.5}, {2, 2})},
              {"its gradient is zero", gradient_call(last, {dark}, f64({3, 1, 3, 1}, {2, 2})),
               f64({0, 0, 0.5, -0.5}, {2, 2})},
              {"infinity",
               [] {
                 return softmax(tensor({infinity, 0}));
               },
               tensor({nan, nan})},
              {"NaN stays in its row", value(last, {f64({nan, -infinity, 0, 0}, {2, 2})}),
               f64({nan, nan, 0.5, 0.5}, {2, 2})},
          },
          {
              {[] {
                 softmax(zeros({2, 3}), 2);
               },
               "softmax: axis 2 of a tensor of shape (2, 3), which has 2 axes"},
              {[] { softmax(scalar(1)); },
               "softmax: axis -1 of a tensor of shape (), which has 0 axes"},
              {[] { softmax(zeros({2}, DType::i32)); },
               "softmax: takes f32 or f64, not i32; convert with cast(x, DType::f32)"},
          }};
}

OpRow log_softmax_row() {
  const Function last = [](const Inputs& in) { return log_softmax(in[0]); };
  const Tensor matrix = f64(rows, {2, 3}), dy = f64(drows, {2, 3});
  const Tensor dark = f64({-infinity, -infinity, 0, 0}, {2, 2});
  const double log2 = std::log(2.0);
  return {
      "log_softmax",
      "normalisation",
      "y = x - log(sum(exp(x))), the sum along an axis",
      "dx = dy - exp(y) sum(dy)",
      axis_samples(
          [](const Tensor& v, int axis) { return log_softmax(v, axis); },
          [](const Tensor& v, const Axes& axes) { return v - log(sum(exp(v), axes, true)); }),
      {
          {"rows", value(last, {matrix}),
           f64({-2.407605964444381, -1.40760596444438, -0.4076059644443804, -5.036269565124779,
                -3.536269565124779, -0.03626956512477912},
               {2, 3}),
           1e-15},
          {"columns", [=] { return log_softmax(matrix, 0); },
           f64({-0.1269280110429726, -0.2014132779827525, -1.313261687518223, -2.126928011042973,
                -1.701413277982752, -0.3132616875182229},
               {2, 3}),
           1e-15},
          {"its gradient", gradient_call(last, {matrix}, dy),
           f64({0.3649541402444293, -1.367092706582197, 1.002138566337767, 0.9951265425132535,
                0.2281586788468912, -1.223285221360145},
               {2, 3}),
           1e-15},
          {"f32 far from zero",
           [] {
             return log_softmax(tensor({1e4, 9998, 9999, 0}));
           },
           tensor({-0.4076059644443804, -2.407605964444381, -1.40760596444438, -10000.40760596444}),
           2e-7},
          {"f32, one element far above: -log(1 + exp(-20))",
           [] {
             return log_softmax(tensor({20, 0})) * 1e9;
           },
           tensor({-2.0611536203106065, -20000000002.061153}), 2e-7},
          {"a row of minus infinities", value(last, {dark}),
           f64({-infinity, -infinity, -log2, -log2}, {2, 2}), 1e-15},
          {"it passes no NaN back", gradient_call(last, {dark}, f64({0, 0, 1, 0}, {2, 2})),
           f64({0, 0, 0.5, -0.5}, {2, 2}), 1e-15},
          {"infinity",
           [] {
             return log_softmax(tensor({infinity, 0}));
           },
           tensor({nan, nan})},
          {"NaN",
           [] {
             return log_softmax(tensor({-infinity, nan}));
           },
           tensor({nan, nan})},
      },
      {{[] {
          log_softmax(zeros({2, 3}), -3);
        },
        "log_softmax: axis -3 of a tensor of shape (2, 3), which has 2 axes"}}};
}

OpRow logsumexp_row() {
  const Function last = [](const Inputs& in) { return logsumexp(in[0]); };
  const Tensor matrix = f64(rows, {2, 3});
  const Tensor dark = f64({-infinity, -infinity, 0, 0}, {2, 2});
  OpRow row{
      "logsumexp",
      "normalisation",
      "y = log(sum(exp(x))), the sum along an axis",
      "dx = dy exp(x - y)",
      axis_samples([](const Tensor& v, int axis) { return logsumexp(v, axis); },
                   [](const Tensor& v, const Axes& axes) { return log(sum(exp(v), axes)); }),
      {
          {"rows", value(last, {matrix}), f64({3.407605964444381, 4.036269565124779}, {2}), 1e-15},
          {"columns, the axis kept", [=] { return logsumexp(matrix, 0, true); },
           f64({1.126928011042973, 2.201413277982752, 4.313261687518223}, {1, 3}), 1e-15},
          {"its gradient", gradient_call(last, {matrix}, tensor({2, -1}, DType::f64)),
           f64({0.1800611463407609, 0.4894569421095952, 1.330481911549643, -0.006497943315661942,
                -0.02912176153747841, -0.96438029514686},
               {2, 3}),
           1e-15},
          {"one element far above: log(1 + exp(-30))",
           [] {
             return logsumexp(tensor({0, -30})) * 1e13;
           },
           scalar(0.9357622968839862), 2e-7},
          {"a row of minus infinities", value(last, {dark}), f64({-infinity, std::log(2.0)}, {2}),
           1e-15},
          {"its gradient is zero", gradient_call(last, {dark}, f64({5, 1}, {2})),
           f64({0, 0, 0.5, 0.5}, {2, 2})},
          {"rows of no elements",
           [] {
             return logsumexp(zeros({2, 0}));
           },
           tensor({-infinity, -infinity})},
          {"infinity",
           [] {
             return logsumexp(tensor({infinity, 0, -infinity}));
           },
           scalar(infinity)},
          {"NaN beside infinity",
           [] {
             return logsumexp(tensor({infinity, nan}));
           },
           scalar(nan)},
      },
      {{[] { logsumexp(scalar(1)); },
        "logsumexp: axis -1 of a tensor of shape (), which has 0 axes"}}};
  row.samples.push_back({"the axis kept", {x({2, 3, 2})}, [](const Inputs& in) {
                           return logsumexp(in[0], 1, true);
                         }});
  return row;
}

}  // namespace

std::vector<OpRow> softmax_rows() { return {softmax_row(), log_softmax_row(), logsumexp_row()}; }

}  // namespace tapehead

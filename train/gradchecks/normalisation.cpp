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

OpRow layer_norm_row() {
  const Function plain = [](const Inputs& in) { return layer_norm(in[0]); };
  const Function full = [](const Inputs& in) { return layer_norm(in[0], in[1], in[2]); };
  const Function plain_decomposition = [](const Inputs& in) {
    return (in[0] - mean(in[0], {-1}, true)) / sqrt(var(in[0], {-1}, true) + 1e-5);
  };
  const Function full_decomposition = [=](const Inputs& in) {
    return plain_decomposition(in) * in[1] + in[2];
  };
  const Inputs given{f64(rows, {2, 3}), f64({1.5, 0.5, -1}, {3}), f64({0.1, 0.2, 0.3}, {3})};
  const Tensor dy = f64(drows, {2, 3});
  const Tensor far = tensor({10000, 10001, 9998.5}, {1, 3});  // no f32 is their mean
  return {"layer_norm",
          "normalisation",
          "y = n gain + bias, n = (x - mean(x)) / sqrt(var(x) + epsilon), each row by itself",
          "dx = (dn - mean(dn) - n mean(dn n)) / sqrt(var + epsilon), dn = dy gain; dgain = dy n, "
          "dbias = dy",
          {
              {"rows", {x({3, 5}), x({5}, 2), x({5}, 3)}, full, full_decomposition},
              {"rows longer than registers",
               {x({2, 19}), x({19}, 2), x({19}, 3)},
               full,
               full_decomposition},
              {"three axes", {x({2, 2, 3}), x({3}, 2), x({3}, 3)}, full, full_decomposition},
              {"one row", {x({4}), x({4}, 2), x({4}, 3)}, full, full_decomposition},
              {"no gain, no bias", {x({2, 5})}, plain, plain_decomposition},
              {"rows of two", {x({2, 2})}, plain, plain_decomposition},
              {"rows of one element", {x({3, 1}), x({1}, 2), x({1}, 3)}, full, full_decomposition},
              {"gain and bias the same",
               {x({2, 3}), x({3}, 2)},
               [](const Inputs& in) { return layer_norm(in[0], in[1], in[1]); }},
              {"all three the same",
               {x({3})},
               [](const Inputs& in) { return layer_norm(in[0], in[0], in[0]); }},
              {"a larger epsilon",
               {x({2, 3})},
               [](const Inputs& in) { return layer_norm(in[0], {}, {}, 0.5); }},
              {"no rows", {x({0, 3}), x({3}, 2), x({3}, 3)}, full},
              {"rows of no elements", {x({2, 0}), x({0}, 2), x({0}, 3)}, full},
          },
          {
              {"with gain and bias", value(full, given),
               f64({-1.737103528862585, 0.2, -0.9247356859083902, -1.451334936800082,
                    0.04088872443076089, -1.052445842338532},
                   {2, 3}),
               1e-15},
              {"without", value(plain, given),
               f64({-1.22473568590839, 0, 1.22473568590839, -1.034223291200054, -0.3182225511384782,
                    1.352445842338532},
                   {2, 3}),
               1e-15},
              {"epsilon 0.5", [=] { return layer_norm(given[0], given[1], given[2], 0.5); },
               f64({-1.288730149658827, 0.2, -0.6258200997725516, -1.369867804816598,
                    0.04924432771111817, -0.9814232144554953},
                   {2, 3}),
               1e-15},
              {"x's gradient", gradient_call(full, given, dy),
               f64({-0.05100539378489177, 0.1020613071590324, -0.05105591337414106,
                    0.2273381307479068, -0.3247681626243334, 0.09743003187642663},
                   {2, 3}),
               1e-14},
              {"gain's gradient", gradient_call(full, given, dy, 1),
               f64({-1.646591134154249, -0.07955563778461955, 1.773248450647514}, {3}), 1e-15},
              {"bias's gradient", gradient_call(full, given, dy, 2), f64({1.5, -0.75, 1.5}, {3})},
              {"f32 far from zero", value(plain, {far}),
               tensor({0.1622206527183431, 1.135544569031943, -1.297765221752056}, {1, 3}), 1e-6},
              {"its gradient", gradient_call(plain, {far}, tensor({1, 0.5, -1}, {1, 3})),
               tensor({0.7043801610252558, -0.4226204125507138, -0.281759748472723}, {1, 3}), 1e-6},
              {"f32 whose squares are too large",
               [] {
                 return layer_norm(tensor({1e30, -1e30}));
               },
               tensor({1, -1}), 1e-6},
              {"equal elements give the bias",
               [] {
                 return layer_norm(tensor({0.1, 0.1, 0.1}), ones({3}), tensor({4, 5, 6}));
               },
               tensor({4, 5, 6}), 1e-5},
              {"NaN stays in its row",
               [] {
                 return layer_norm(tensor({nan, 0, -1, 1}, {2, 2}), {}, {}, 0);
               },
               tensor({nan, nan, -1, 1}, {2, 2})},
          },
          {
              {[] {
                 layer_norm(zeros({2, 3}), ones({3}));
               },
               "layer_norm: a gain without a bias; give both, or neither"},
              {[] {
                 layer_norm(zeros({2, 3}), {}, ones({3}));
               },
               "layer_norm: a bias without a gain; give both, or neither"},
              {[] {
                 layer_norm(zeros({2, 3}), ones({3}), ones({1, 3}));
               },
               "layer_norm: x is (2, 3), so the bias must be (3), not (1, 3)"},
              {[] {
                 layer_norm(zeros({2, 3}), ones({3}, DType::f64), ones({3}));
               },
               "layer_norm: f32 and f64 differ; convert one with cast(x, DType::f32)"},
              {[] {
                 layer_norm(zeros({2, 3}), {}, {}, -1);
               },
               "layer_norm: epsilon is -1, and may not be negative"},
              {[] { layer_norm(scalar(1)); },
               "layer_norm: axis -1 of a tensor of shape (), which has 0 axes"},
              {[] { layer_norm(zeros({2}, DType::i32)); },
               "layer_norm: takes f32 or f64, not i32; convert with cast(x, DType::f32)"},
          }};
}

OpRow rms_norm_row() {
  const Function plain = [](const Inputs& in) { return rms_norm(in[0]); };
  const Function full = [](const Inputs& in) { return rms_norm(in[0], in[1]); };
  const Function plain_decomposition = [](const Inputs& in) {
    return in[0] / sqrt(mean(in[0] * in[0], {-1}, true) + 1e-5);
  };
  const Function full_decomposition = [=](const Inputs& in) {
    return plain_decomposition(in) * in[1];
  };
  const Function heads_decomposition = [=](const Inputs& in) {
    std::vector<Tensor> parts;
    const Index heads = in[1].dim(0), width = in[1].dim(1);
    for (Index h = 0; h < heads; ++h)
      parts.push_back(plain_decomposition({slice(in[0], -1, h * width, (h + 1) * width)}) *
                      reshape(slice(in[1], 0, h, h + 1), Shape{width}));
    parts.push_back(slice(in[0], -1, heads * width, in[0].dim(-1)));
    return concat(parts, -1);
  };
  const Inputs given{f64(rows, {2, 3}), f64({1.5, 0.5, -1}, {3})};
  const Tensor dy = f64(drows, {2, 3});
  return {
      "rms_norm",
      "normalisation",
      "y = n gain, n = x / sqrt(mean(x^2) + epsilon), each row by itself; with a gain (heads, "
      "width), each head of a row",
      "dx = (dn - n mean(dn n)) / sqrt(mean(x^2) + epsilon), dn = dy gain; dgain = dy n",
      {
          {"rows", {x({3, 5}), x({5}, 2)}, full, full_decomposition},
          {"rows longer than registers", {x({2, 19}), x({19}, 2)}, full, full_decomposition},
          {"three axes", {x({2, 2, 3}), x({3}, 2)}, full, full_decomposition},
          {"one row", {x({4}), x({4}, 2)}, full, full_decomposition},
          {"no gain", {x({2, 5})}, plain, plain_decomposition},
          {"rows of one element", {nonzero_sample({3, 1}, 1), x({1}, 2)}, full, full_decomposition},
          {"x and gain the same",
           {x({4})},
           [](const Inputs& in) { return rms_norm(in[0], in[0]); }},
          {"heads", {x({2, 3, 6}), x({2, 3}, 2)}, full, heads_decomposition},
          {"heads, and columns that are passed on",
           {x({2, 2, 7}), x({2, 2}, 2)},
           full,
           heads_decomposition},
          {"a head longer than registers", {x({2, 45}), x({2, 19}, 2)}, full, heads_decomposition},
          {"heads of one row", {x({5}), x({2, 2}, 2)}, full, heads_decomposition},
          {"no heads", {x({2, 3}), x({0, 3}, 2)}, full},
          {"no rows of heads", {x({0, 6}), x({2, 2}, 2)}, full},
          {"no rows", {x({0, 3}), x({3}, 2)}, full},
          {"rows of no elements", {x({2, 0}), x({0}, 2)}, full},
      },
      {
          {"with gain", value(full, given),
           f64({0.6943643308680291, 0.4629095539120194, -1.388728661736058, -0.6255426982212885,
                0.1042571163702147, -1.668113861923436},
               {2, 3}),
           1e-15},
          {"without", value(plain, given),
           f64({0.4629095539120194, 0.9258191078240388, 1.388728661736058, -0.417028465480859,
                0.2085142327404295, 1.668113861923436},
               {2, 3}),
           1e-15},
          {"two heads, and a column passed on",
           [] {
             return rms_norm(tensor({3, 4, 0, 2, 7}, {1, 5}), tensor({1, 1, 5, 0.5}, {2, 2}), 0);
           },
           tensor({3 / std::sqrt(12.5), 4 / std::sqrt(12.5), 0, std::sqrt(0.5), 7}, {1, 5}), 1e-6},
          {"epsilon 0.5", [=] { return rms_norm(given[0], given[1], 0.5); },
           f64({0.6599120175960899, 0.4399413450640599, -1.31982403519218, -0.6, 0.1, -1.6},
               {2, 3}),
           1e-15},
          {"x's gradient", gradient_call(full, given, dy),
           f64({0.5538377734541489, 0.1818564390842589, -0.3058522837636358, 0.6391414288804805,
                0.04532919285551133, 0.1541193101036612},
               {2, 3}),
           1e-14},
          {"gain's gradient", gradient_call(full, given, dy, 1),
           f64({-0.1855736885248493, -0.8736905496389313, 1.943400392510398}, {3}), 1e-15},
          {"f32 whose squares are too large",
           [] {
             return rms_norm(tensor({3e30, 4e30}));
           },
           tensor({3 / std::sqrt(12.5), 4 / std::sqrt(12.5)}), 1e-6},
          {"zeros stay",
           [] {
             return rms_norm(zeros({2, 2}));
           },
           zeros({2, 2})},
      },
      {
          {[] {
             rms_norm(zeros({2, 3}), ones({2}));
           },
           "rms_norm: x is (2, 3), so the gain must be (3), not (2)"},
          {[] {
             rms_norm(zeros({2, 7}), ones({2, 4}));
           },
           "rms_norm: x is (2, 7), whose rows don't hold the heads of a gain (2, 4)"},
          {[] {
             rms_norm(zeros({2, 3}), {}, nan);
           },
           "rms_norm: epsilon is nan, and may not be negative"},
      }};
}

OpRow dropout_row() {
  const RandomKey zero{0, Draw::dropout}, key{7, Draw::dropout, 3, 1, 5};
  // Random123's known answer for counter 0 and key 0 begins with 6627e8d5 e169c58d, of which
  // elements take the lower half first: 0.910, 0.399, 0.772 and 0.880 of 2^16.
  const std::vector<double> halves{0xe8d5p0, 0x6627p0, 0xc58dp0, 0xe169p0};
  const auto drop = [=](double p) {
    return [=](const Inputs& in) { return dropout(in[0], p, key); };
  };
  const auto scaled = [=](double p) {
    return
        [=](const Inputs& in) { return in[0] * dropout(ones(in[0].shape(), DType::f64), p, key); };
  };
  const auto four = [=](double p) { return [=] { return dropout(ones({1, 4}), p, zero); }; };
  return {"dropout",
          "normalisation",
          "y = x / (1 - p), or 0 with probability p",
          "dx = dy / (1 - p), or 0 where x was dropped",
          {
              {"rows", {x({4, 5})}, drop(0.4), scaled(0.4)},
              {"three axes", {x({2, 3, 4})}, drop(0.7), scaled(0.7)},
              {"one axis", {x({6})}, drop(0.5), scaled(0.5)},
              {"a scalar", {x({})}, drop(0.1), scaled(0.1)},
              {"p = 0", {x({2, 3})}, drop(0)},
              {"p = 1", {x({2, 3})}, drop(1)},
              {"more than a block of draws", {x({1, 1100})}, drop(0.5), scaled(0.5), false},
              {"no examples", {x({0, 3})}, drop(0.5)},
              {"no elements", {x({3, 0})}, drop(0.5)},
          },
          {
              {"a draw below p is dropped", four(0.5), tensor({2, 0, 2, 2}, {1, 4})},
              {"p = 7/8", four(0.875), tensor({8, 0, 0, 8}, {1, 4})},
              {"a draw equal to p is kept", four(halves[1] / 0x1p16),
               tensor(std::vector<double>(4, 1 / (1 - halves[1] / 0x1p16)), {1, 4}), 1e-7},
              {"the next p drops it",
               [=] {
                 return slice(dropout(ones({1, 4}), (halves[1] + 0.5) / 0x1p16, zero), 1, 1, 2);
               },
               zeros({1, 1})},
              {"p = 0 changes nothing",
               [] {
                 return dropout(tensor({nan, -0.0, 3}), 0, {});
               },
               tensor({nan, -0.0, 3})},
              {"p = 1 gives zeros, of infinities too",
               [] {
                 return dropout(tensor({infinity, nan, 3}), 1, {});
               },
               zeros({3})},
              {"the smallest p", [] { return dropout(ones({8}), 1e-300, {}); }, ones({8})},
              {"NaN in an element dropped",
               [=] {
                 return dropout(tensor({1, nan, 1, 1}, {1, 4}), 0.5, zero);
               },
               tensor({2, 0, 2, 2}, {1, 4})},
              {"its gradient is dropped alike",
               gradient_call([=](const Inputs& in) { return dropout(in[0], 0.5, zero); },
                             {f64({1, nan, 1, 1}, {1, 4})}, f64({1, infinity, 2, 3}, {1, 4})),
               f64({2, 0, 4, 6}, {1, 4})},
              {"the second row is the first of the next example",
               [=] {
                 RandomKey next = key;
                 next.example++;
                 const Tensor both = dropout(ones({2, 3, 50}), 0.5, key);
                 return sum(abs(slice(both, 0, 1, 2) - dropout(ones({1, 3, 50}), 0.5, next)));
               },
               scalar(0)},
              {"the mean stays",
               [=] {
                 return mean(dropout(ones({100, 1000}, DType::f64), 0.3, key));
               },
               scalar(1, DType::f64), 0.01},
          },
          {
              {[] { dropout(zeros({2}), 1.5, {}); },
               "dropout: p is 1.5, and a probability lies in [0, 1]"},
              {[] { dropout(zeros({2}), -0.1, {}); },
               "dropout: p is -0.1, and a probability lies in [0, 1]"},
              {[] { dropout(zeros({2}), nan, {}); },
               "dropout: p is nan, and a probability lies in [0, 1]"},
              {[] { dropout(zeros({2}, DType::i32), 0.5, {}); },
               "dropout: takes f32 or f64, not i32; convert with cast(x, DType::f32)"},
          }};
}

}  // namespace

std::vector<OpRow> normalisation_rows() {
  std::vector<OpRow> all = softmax_rows();
  for (OpRow& row : std::vector<OpRow>{layer_norm_row(), rms_norm_row(), dropout_row()})
    all.push_back(std::move(row));
  return all;
}

}  // namespace tapehead

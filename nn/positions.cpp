#include "positions.hpp"
#include "../core/kernels/functions/angles.hpp"
#include "../core/kernels/functions/logarithms.hpp"
#include "../core/ops.hpp"
#include "model_options.hpp"

#include <cmath>

namespace tapehead {
namespace {

double real(Index n) { return static_cast<double>(n); }

std::vector<double> slopes_of_power(Index heads) {
  std::vector<double> slopes;
  for (Index h = 1; h <= heads; ++h) slopes.push_back(kernel::exp2(-8 * real(h) / real(heads)));
  return slopes;
}

struct LearnedScheme : PositionScheme {
  LearnedScheme(Index tokens, Index width, const Init& init) : vectors(tokens, width, init) {}
  Tensor add(const Tensor& x, const Tensor&, Index first, Pass&) const override {
    return x + slice(vectors.weight, 0, first, first + x.dim(1));
  }
  void visit(Visitor& v) override { v("positions", vectors); }

  Embedding vectors;  // (tokens, width)
};

struct SinusoidalScheme : PositionScheme {
  Tensor add(const Tensor& x, const Tensor&, Index first, Pass&) const override {
    const Index width = x.dim(2);
    return x * scalar(std::sqrt(real(width)), x.dtype()) +
           sinusoids(first, x.dim(1), width, x.dtype());
  }
};

}  // namespace

std::unique_ptr<PositionScheme> LearnedPositions::operator()(const ModelOptions& o,
                                                             Index tokens) const {
  return std::make_unique<LearnedScheme>(tokens, o.width, default_init(o));
}

std::unique_ptr<PositionScheme> SinusoidalPositions::operator()(const ModelOptions&, Index) const {
  return std::make_unique<SinusoidalScheme>();
}

Tensor sinusoids(Index first, Index time, Index width, DType dtype) {
  std::vector<double> values;
  for (Index t = first; t < first + time; ++t)
    for (Index i = 0; i < width; ++i) {
      const double angle = real(t) / kernel::pow(10000.0, real(i / 2 * 2) / real(width));
      values.push_back(i % 2 == 0 ? kernel::sin(angle) : kernel::cos(angle));
    }
  return tensor(values, {time, width}, dtype);
}

std::vector<double> alibi_slopes(Index heads) {
  Index power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> slopes = slopes_of_power(power);
  const std::vector<double> more = slopes_of_power(2 * power);
  for (Index i = 0; i < heads - power; ++i) slopes.push_back(more[2 * i]);
  return slopes;
}

Tensor alibi_bias(Index heads, Index queries, Index keys, DType dtype) {
  std::vector<double> values;
  for (double slope : alibi_slopes(heads))
    for (Index distance = 1 - keys; distance < queries; ++distance)
      values.push_back(-slope * real(std::abs(distance)));
  return tensor(values, {heads, std::max<Index>(queries + keys - 1, 0)}, dtype);
}

Index t5_bucket(Index distance, bool two_sided, Index buckets, Index max_distance) {
  const Index side = two_sided ? buckets / 2 : buckets;
  const Index start = two_sided && distance > 0 ? side : 0;
  const Index away = two_sided ? std::abs(distance) : std::max<Index>(-distance, 0);
  const Index exact = side / 2;
  if (away < exact) return start + away;
  const double far =
      kernel::log(real(away) / real(exact)) / kernel::log(real(max_distance) / real(exact));
  return start + std::min(exact + static_cast<Index>(far * real(side - exact)), side - 1);
}

}  // namespace tapehead

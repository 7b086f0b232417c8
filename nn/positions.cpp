#include "positions.hpp"
#include "../core/kernels/functions/angles.hpp"
#include "../core/kernels/functions/logarithms.hpp"
#include "../core/ops.hpp"
#include "../core/plural.hpp"
#include "model_options.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

namespace tapehead {
namespace {

double real(Index n) { return static_cast<double>(n); }

std::vector<double> slopes_of_power(Index heads) {
  std::vector<double> slopes;
  for (Index h = 1; h <= heads; ++h) slopes.push_back(kernel::exp2(-8 * real(h) / real(heads)));
  return slopes;
}

/// Returns the sinusoids of these positions, (positions, width).
Tensor sinusoids_of(const std::vector<Index>& positions, Index width, DType dtype) {
  std::vector<double> divisors, values;
  for (Index i = 0; i < width; ++i)
    divisors.push_back(kernel::pow(10000.0, real(i / 2 * 2) / real(width)));
  values.reserve(positions.size() * divisors.size());
  for (const Index position : positions)
    for (Index i = 0; i < width; ++i) {
      const double angle = real(position) / divisors[i];
      values.push_back(i % 2 == 0 ? kernel::sin(angle) : kernel::cos(angle));
    }
  return tensor(values, {static_cast<Index>(positions.size()), width}, dtype);
}

/// Draws n different positions below `range` by Floyd's algorithm.
std::set<Index> random_choice(Index n, Index range, const RandomKey& key) {
  Random random(key);
  std::set<Index> chosen;
  for (Index last = range - n; last < range; ++last) {
    const Index drawn = random.below(last + 1);
    chosen.insert(chosen.count(drawn) > 0 ? last : drawn);
  }
  return chosen;
}

struct LearnedScheme : PositionScheme {
  LearnedScheme(Index tokens_, Index range_, Index width, const Init& init)
      : tokens(tokens_), range(range_), vectors(range > 0 ? range : tokens, width, init) {}
  Tensor add(const Tensor& x, const Tensor&, Index first, Pass& pass) const override {
    if (range == 0) return x + slice(vectors.weight, 0, first, first + x.dim(1));
    return x + vectors(random_positions(x.dim(0), first, x.dim(1), tokens, range, pass), pass);
  }
  void visit(Visitor& v) override { v("positions", vectors); }

  Index tokens, range;
  Embedding vectors;  // (range or tokens, width)
};

struct SinusoidalScheme : PositionScheme {
  SinusoidalScheme(Index tokens_, Index range_) : tokens(tokens_), range(range_) {}
  Tensor add(const Tensor& x, const Tensor&, Index first, Pass& pass) const override {
    const Index time = x.dim(1), width = x.dim(2);
    const Tensor scaled = x * scalar(std::sqrt(real(width)), x.dtype());
    if (range == 0) return scaled + sinusoids(first, time, width, x.dtype());
    const Tensor ids = random_positions(x.dim(0), first, time, tokens, range, pass);
    const auto* id = ids.data<std::int32_t>();
    return scaled + reshape(sinusoids_of({id, id + ids.size()}, width, x.dtype()), x.shape());
  }

  Index tokens, range;
};

}  // namespace

void RandomPositions::options(Fields& f) {
  f("random-positions", range, 0, 1 << 16,
    "tokens get random positions below this, in ascending order (0 = positions 0, 1, 2, ...)");
}

Index RandomPositions::checked(Index tokens) const {
  if (range > 0 && tokens == 0)
    throw ValueError("attention: random positions need `tokens`, the longest sequence");
  if (range > 0 && range < tokens)
    throw ValueError(
        "--random-positions {} is too few for a model that reads {} tokens; train with at least {}",
        range, tokens, tokens);
  return range;
}

std::unique_ptr<PositionScheme> LearnedPositions::operator()(const ModelOptions& o,
                                                             Index tokens) const {
  return std::make_unique<LearnedScheme>(tokens, random.checked(tokens), o.width, default_init(o));
}

std::unique_ptr<PositionScheme> SinusoidalPositions::operator()(const ModelOptions&,
                                                                Index tokens) const {
  return std::make_unique<SinusoidalScheme>(tokens, random.checked(tokens));
}

Tensor sinusoids(Index first, Index time, Index width, DType dtype) {
  std::vector<Index> positions(time);
  std::iota(positions.begin(), positions.end(), first);
  return sinusoids_of(positions, width, dtype);
}

Tensor random_positions(Index rows, Index first, Index time, Index tokens, Index range,
                        Pass& pass) {
  Tensor ids = Tensor::empty({rows, time}, DType::i32);
  auto* id = ids.mutable_data<std::int32_t>();
  RandomKey key = pass.train ? pass.next_key() : RandomKey();
  std::set<Index> chosen;
  for (Index row = 0; row < rows; ++row, ++key.example) {
    // In evaluation, all rows have the same positions, so that a result doesn't depend on the batch
    // or on the number of tokens read so far.
    if (pass.train || row == 0)
      chosen = random_choice(pass.train ? first + time : tokens, range, key);
    id = std::copy_n(std::next(chosen.begin(), first), time, id);
  }
  return ids;
}

std::vector<Index> shared_random_positions(Index first, Index time, Index tokens, Index range,
                                           const Pass& pass) {
  constexpr std::uint32_t last_site = (1U << 24U) - 1;  // no layer has it
  if (first + time > tokens)
    throw ShapeError("random positions: {}, expected at most {}", plural(first + time, "token"),
                     tokens);
  RandomKey key;
  if (pass.train) key = {pass.key.seed, pass.key.draw, pass.key.step, last_site, 0};
  const std::set<Index> chosen = random_choice(pass.train ? first + time : tokens, range, key);
  const auto begin = std::next(chosen.begin(), first);
  return {begin, std::next(begin, time)};
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

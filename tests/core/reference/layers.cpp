// Matmuls, normalisation, dropout and losses.
#include "array.hpp"

#if __has_include(<xtensor-blas/xblas.hpp>)
#include <xtensor-blas/xblas.hpp>
#endif

namespace tapehead {

namespace reference {
namespace {

enum class Reduced { mean, sum, none };

/// Returns means over the last axis, which keeps size 1.
Array row_means(const Array& a) {
  const Sizes last{a.dimension() - 1};
  return xt::sum(a, last, xt::keep_dims) / static_cast<double>(a.shape().back());
}

/// Returns the maximum along an axis, or 0 instead of minus infinity, so that exp(a - top) is 0.
Array top(const Array& a, const Sizes& axis) {
  const Array highest = largest(a, axis);
  return xt::where(xt::equal(highest, -infinity), 0, highest);
}
Array log_softmax_along(const Array& a, std::size_t axis) {
  const Sizes along{axis};
  const Array rest = a - top(a, along);
  const Array sum = xt::sum(xt::exp(rest), along, xt::keep_dims);
  return xt::where(xt::equal(sum, 0), -infinity, rest - xt::log(sum));
}

}  // namespace

Array softmax_along(const Array& a, std::size_t axis) {
  const Sizes along{axis};
  const Array e = xt::exp(a - top(a, along));
  const Array sum = xt::sum(e, along, xt::keep_dims);
  return xt::where(xt::equal(sum, 0), 0, e / sum);
}

// ---- products

Array product(const Array& a, const Array& b) {
  const std::size_t rank = std::max(a.dimension(), b.dimension());
  const std::size_t m = a.shape(a.dimension() - 2), k = a.shape().back(), n = b.shape().back();
  Sizes batch(rank - 2, 1);  // the leading axes, broadcast
  xt::broadcast_shape(Sizes(a.shape().begin(), a.shape().end() - 2), batch);
  xt::broadcast_shape(Sizes(b.shape().begin(), b.shape().end() - 2), batch);
  const auto matrices = [&](const Array& x, std::size_t rows, std::size_t columns) {
    Sizes shape = batch;
    shape.insert(shape.end(), {rows, columns});
    const Array all = xt::broadcast(x, shape);
    const std::size_t count = xt::compute_size(batch);
    return Array(xt::reshape_view(all, Sizes{count, rows, columns}));
  };
  const Array lefts = matrices(a, m, k), rights = matrices(b, k, n);
  Array y = xt::zeros<double>({lefts.shape(0), m, n});
  for (std::size_t i = 0; i < y.shape(0) && k > 0; ++i) {
    const xt::xtensor<double, 2> left = xt::view(lefts, i), right = xt::view(rights, i);
    xt::xtensor<double, 2> one = xt::zeros<double>({m, n});
    xt::blas::gemm(left, right, one);
    xt::view(y, i) = one;
  }
  batch.insert(batch.end(), {m, n});
  return xt::reshape_view(y, batch);
}

namespace {

Tensor multiplied(const Tensor& a, const Tensor& b) { return like(a, product(array(a), array(b))); }
Tensor affine(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  Sizes shape = sizes(x.shape());
  const Array rows = xt::atleast_2d(array(x));
  const Array y = product(rows, xt::transpose(array(weight)));
  shape.back() = y.shape().back();
  return like(x, xt::reshape_view(bias ? Array(y + array(bias)) : y, shape));
}

// ---- normalisation

Op along_axis(const char* name, Array (*f)(const Array&, std::size_t axis)) {
  return define(name,
                [f](const Tensor& x, int axis) { return like(x, f(array(x), front(x, axis))); });
}
Tensor log_of_sum(const Tensor& x, int axis, bool keep) {
  const Sizes along{front(x, axis)};
  const Array a = array(x), highest = largest(a, along);
  const Array shift = xt::where(xt::isinf(highest), 0, highest);
  const Array y = shift + xt::log(xt::sum(xt::exp(a - shift), along, xt::keep_dims));
  return like(x, keep ? y : Array(xt::squeeze(y, along)));
}

Tensor standardized(const Tensor& x, const Tensor& gain, const Tensor& bias, double epsilon) {
  const Array a = array(x), centred = a - row_means(a);
  const Array n = centred / xt::sqrt(row_means(xt::square(centred)) + epsilon);
  return like(x, gain ? Array(n * array(gain) + array(bias)) : n);
}
Tensor by_mean_square(const Tensor& x, const Tensor& gain, double epsilon) {
  const std::size_t last = front(x, -1);
  Shape parts = x.shape().with(-1, 1);  // (..., heads, width)
  parts.push_back(x.dim(-1));
  if (gain && gain.rank() == 2) {
    parts[-2] = gain.dim(0);
    parts[-1] = gain.dim(1);
  }
  const Index done = parts[-2] * parts[-1];
  const Array a = reshaped(part(array(x), last, 0, done), parts);
  Array n = a / xt::sqrt(row_means(xt::square(a)) + epsilon);
  if (gain) n = n * array(gain);
  const Array rest = part(array(x), last, done, x.dim(-1));
  return like(x, joined({reshaped(n, x.shape().with(-1, done)), rest}, last));
}

Tensor dropped_out(const Tensor& x, double p, Index seed) {
  constexpr double numbers =
      1 << 16;  // an element is kept if its 16 random bits are at least `least`
  const double least = std::round(p * numbers),
               scale = least < numbers ? 1 / (1 - least / numbers) : 0;
  const Index examples = x.rank() > 0 ? x.dim(0) : 1;
  const Index n = x.size() / std::max<Index>(examples, 1);
  Array drawn = xt::zeros<double>(sizes({examples, n}));
  for (Index example = 0; example < examples; ++example) {
    RandomKey key{static_cast<std::uint64_t>(seed), Draw::test, 1, 1};
    key.example += static_cast<std::uint32_t>(example);
    std::vector<std::uint32_t> words((n + 1) / 2);  // two elements to a word, the lower half first
    random_bits(key, 0, static_cast<Index>(words.size()), words.data());
    for (Index i = 0; i < n; ++i) drawn(example, i) = words[i / 2] >> 16 * (i % 2) & 0xFFFF;
  }
  return like(x, xt::where(reshaped(drawn, x.shape()) >= least, array(x) * scale, 0));
}

// ---- losses

Tensor entropy(const Tensor& logits, const Tensor& targets, Reduced reduction, double smoothing,
               Index ignored) {
  const Index classes = logits.dim(-1);
  const Array ids = array(targets);
  const Array counted = xt::not_equal(ids, static_cast<double>(ignored));
  const Array hot = xt::equal(xt::expand_dims(ids, ids.dimension()), range(classes));
  const Array q = (1 - smoothing) * hot + smoothing / static_cast<double>(classes);
  const Array weights = q * xt::expand_dims(counted, counted.dimension());
  const Array log_p = log_softmax_along(array(logits), front(logits, -1));  // (..., classes)
  const Array terms = xt::where(weights > 0, -weights * log_p, 0);
  if (reduction == Reduced::none) return like(logits, xt::sum(terms, Sizes{terms.dimension() - 1}));
  const double sum = xt::sum(terms)();
  return like(logits, reduction == Reduced::mean ? sum / xt::sum(counted)() : sum);
}

Tensor squared_error(const Tensor& x, const Tensor& target, Reduced reduction) {
  const Array square = xt::square(array(x) - array(target));
  if (reduction == Reduced::none) return like(x, square);
  const double sum = xt::sum(square)();
  return like(x, reduction == Reduced::mean ? sum / static_cast<double>(x.size()) : sum);
}

}  // namespace
}  // namespace reference

template <>
struct EnumNames<reference::Reduced> {
  using Reduced = reference::Reduced;
  static constexpr Choice<Reduced> all[] = {
      {"mean", Reduced::mean}, {"sum", Reduced::sum}, {"none", Reduced::none}};
};

namespace reference {

std::vector<Op> layer_definitions() {
  return {
      define("matmul", multiplied),         define("linear", affine),
      along_axis("softmax", softmax_along), along_axis("log_softmax", log_softmax_along),
      define("logsumexp", log_of_sum),      define("layer_norm", standardized),
      define("rms_norm", by_mean_square),   define("dropout", dropped_out),
      define("cross_entropy", entropy),     define("mse", squared_error),
  };
}

}  // namespace reference
}  // namespace tapehead

// Products, normalisation, dropout and losses.
#include "array.hpp"

#if __has_include(<xtensor-blas/xblas.hpp>)
#include <xtensor-blas/xblas.hpp>
#endif

namespace tapehead::reference {
namespace {

/// Means over the last axis, which stays with size 1.
Array row_means(const Array& a) {
  const Sizes last{a.dimension() - 1};
  return xt::sum(a, last, xt::keep_dims) / static_cast<double>(a.shape().back());
}

/// The largest along an axis; 0 in place of minus infinity, so that exp(a - top) is 0 there.
Array top(const Array& a, const Sizes& axis) {
  const Array highest = largest(a, axis);
  return xt::where(xt::equal(highest, -infinity), 0, highest);
}

Value in_f64(const Value& x) { return as(DType::f64, array(x)); }

}  // namespace

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

Value matmul(const Value& a, const Value& b) { return like(a, product(array(a), array(b))); }

Value linear(const Value& x, const Value& weight, const Value& bias) {
  Sizes shape = sizes(x.tensor.shape());
  const Array rows = xt::atleast_2d(array(x));
  const Array y = product(rows, xt::transpose(array(weight)));
  shape.back() = y.shape().back();
  return like(x, xt::reshape_view(bias.tensor ? Array(y + array(bias)) : y, shape));
}

// ---- normalisation

Value softmax(const Value& x, int axis) {
  const Sizes along{front(x, axis)};
  const Array a = array(x), e = xt::exp(a - top(a, along));
  const Array sum = xt::sum(e, along, xt::keep_dims);
  return like(x, xt::where(xt::equal(sum, 0), 0, e / sum));
}
Value log_softmax(const Value& x, int axis) {
  const Sizes along{front(x, axis)};
  const Array a = array(x), rest = a - top(a, along);
  const Array sum = xt::sum(xt::exp(rest), along, xt::keep_dims);
  return like(x, xt::where(xt::equal(sum, 0), -infinity, rest - xt::log(sum)));
}
Value logsumexp(const Value& x, int axis, bool keep) {
  const Sizes along{front(x, axis)};
  const Array a = array(x), highest = largest(a, along);
  const Array shift = xt::where(xt::isinf(highest), 0, highest);
  const Array y = shift + xt::log(xt::sum(xt::exp(a - shift), along, xt::keep_dims));
  return keep ? like(x, y) : like(x, xt::squeeze(y, along));
}

Value layer_norm(const Value& x, const Value& gain, const Value& bias, double epsilon) {
  const Array a = array(x), centred = a - row_means(a);
  const Array n = centred / xt::sqrt(row_means(xt::square(centred)) + epsilon);
  return like(x, gain.tensor ? Array(n * array(gain) + array(bias)) : n);
}
Value rms_norm(const Value& x, const Value& gain, double epsilon) {
  const Index columns = x.tensor.dim(-1);
  Shape parts = x.tensor.shape().with(-1, 1);  // (..., heads, width)
  parts.push_back(columns);
  if (gain.tensor && gain.tensor.rank() == 2) {
    parts[-2] = gain.tensor.dim(0);
    parts[-1] = gain.tensor.dim(1);
  }
  const Index done = parts[-2] * parts[-1];
  const Array a = array(reshape(slice(in_f64(x), -1, 0, done), parts));
  Array n = a / xt::sqrt(row_means(xt::square(a)) + epsilon);
  if (gain.tensor) n = n * array(gain);
  const Value normed = reshape(as(DType::f64, n), x.tensor.shape().with(-1, done));
  return like(x, array(concat({normed, slice(in_f64(x), -1, done, columns)}, -1)));
}

Value dropout(const Value& x, double p, const RandomKey& key) {
  constexpr double numbers = 1 << 16;  // an element stays where 16 random bits are at least `least`
  const double least = std::round(p * numbers),
               scale = least < numbers ? 1 / (1 - least / numbers) : 0;
  const Index examples = x.tensor.rank() > 0 ? x.tensor.dim(0) : 1;
  const Index n = x.tensor.size() / std::max<Index>(examples, 1);
  Array drawn = xt::zeros<double>(sizes({examples, n}));
  for (Index example = 0; example < examples; ++example) {
    RandomKey own = key;
    own.example += static_cast<std::uint32_t>(example);
    std::vector<std::uint32_t> words((n + 1) / 2);  // two elements to a word, the lower half first
    random_bits(own, 0, static_cast<Index>(words.size()), words.data());
    for (Index i = 0; i < n; ++i) drawn(example, i) = words[i / 2] >> 16 * (i % 2) & 0xFFFF;
  }
  const Array kept = xt::reshape_view(drawn, sizes(x.tensor.shape()));
  return like(x, xt::where(kept >= least, array(x) * scale, 0));
}

// ---- losses

Value cross_entropy(const Value& logits, const Value& targets, const CrossEntropyOptions& options) {
  const Index classes = logits.tensor.dim(-1);
  const double smoothing = options.label_smoothing;
  const Array counted = xt::not_equal(array(targets), static_cast<double>(options.ignored));
  const Array hot = array(one_hot(targets, classes));
  const Array q = (1 - smoothing) * hot + smoothing / static_cast<double>(classes);
  const Array weights = q * xt::expand_dims(counted, counted.dimension());
  const Array log_p = array(log_softmax(in_f64(logits)));  // (..., classes)
  const Array terms = xt::where(weights > 0, -weights * log_p, 0);
  if (options.reduction == Reduction::none)
    return like(logits, xt::sum(terms, Sizes{terms.dimension() - 1}));
  const double sum = xt::sum(terms)();
  const bool averaged = options.reduction == Reduction::mean;
  return like(logits, averaged ? sum / xt::sum(counted)() : sum);
}

Value mse(const Value& x, const Value& target, Reduction reduction) {
  const Array square = xt::square(array(x) - array(target));
  if (reduction == Reduction::none) return like(x, square);
  const double sum = xt::sum(square)();
  return like(x, reduction == Reduction::mean ? sum / static_cast<double>(x.tensor.size()) : sum);
}

}  // namespace tapehead::reference

#include <tapehead/core/ops.hpp>
#include <tapehead/core/simd.hpp>

#include <cmath>

namespace tapehead {
namespace {

enum class About { mean, zero };

/// How a row is normalised: to n = (x - shift) * scale + offset. Of the mean, `shift` is what the
/// type can hold and `offset` the rest, scaled, so that a row far from zero keeps all its digits.
template <class T>
struct RowStatistics {
  static constexpr Index stored = 3;
  T shift, scale, offset;

  RowStatistics(const T* x, Index n, About about, double epsilon) {
    const T count = static_cast<T>(n);
    shift = about == About::mean ? sum_row(x, n) / count : 0;
    const auto distance = [s = Vec<T>(shift)](auto v) { return v - s; };
    const T rest = about == About::mean ? sum_row(n, distance, x) / count : 0;
    const auto square = [=, r = Vec<T>(rest)](auto v) {
      const auto d = distance(v) - r;
      return d * d;
    };
    const T spread = sum_row(n, square, x) / count;
    scale = 1 / std::sqrt(spread + static_cast<T>(epsilon));
    offset = -rest * scale;
    if (!std::isfinite(spread)) measure_widely(x, n, about, epsilon);
  }

  /// The same where a square is beyond what T can hold.
  void measure_widely(const T* x, Index n, About about, double epsilon) {
    const long double count = static_cast<long double>(n);
    long double mean = 0, spread = 0;
    for (Index i = 0; about == About::mean && i < n; ++i) mean += x[i] / count;
    for (Index i = 0; i < n; ++i) spread += (x[i] - mean) * (x[i] - mean) / count;
    const long double factor = 1 / std::sqrt(spread + epsilon);
    shift = static_cast<T>(mean), scale = static_cast<T>(factor);
    offset = static_cast<T>((shift - mean) * factor);
  }

  explicit RowStatistics(const T* from) : shift(from[0]), scale(from[1]), offset(from[2]) {}
  void store(T* to) const { to[0] = shift, to[1] = scale, to[2] = offset; }

  /// x -> n, on batches.
  auto normalise() const {
    return [a = Vec<T>(shift), b = Vec<T>(scale), c = Vec<T>(offset)](auto v) {
      return (v - a) * b + c;
    };
  }
};

/// y = n gain + bias. The statistics of each row are what backward needs beside x: (rows, 3).
template <class T>
void forward(const Tensor& x, const Tensor& gain, const Tensor& bias, About about, double epsilon,
             T* statistics, T* y) {
  const Index width = x.dim(-1);
  for (Index at = 0; at < x.size(); at += width, statistics += RowStatistics<T>::stored) {
    const RowStatistics<T> row(x.data<T>() + at, width, about, epsilon);
    row.store(statistics);
    const auto scaled = [n = row.normalise()](auto v, auto g, auto b) { return n(v) * g + b; };
    map_row(y + at, width, scaled, x.data<T>() + at, gain.data<T>(), bias.data<T>());
  }
}

/// dx = (dn - mean(dn) - n mean(dn n)) scale with dn = dy gain; about zero there is no mean(dn).
/// dgain = sum(dy n) and dbias = sum(dy) add up row by row. What is null isn't wanted.
template <class T>
void backward(const Tensor& x, const Tensor& gain, const Tensor& dy, About about,
              const T* statistics, T* dx, T* dgain, T* dbias) {
  const Index width = x.dim(-1);
  const T count = static_cast<T>(width), *factor = gain.data<T>();
  for (Index at = 0; at < x.size(); at += width, statistics += RowStatistics<T>::stored) {
    const RowStatistics<T> row(statistics);
    const auto n = row.normalise();
    const T *in = x.data<T>() + at, *out = dy.data<T>() + at;
    if (dx) {
      const auto dn = [](auto d, auto g) { return d * g; };
      const auto dn_n = [=](auto d, auto g, auto v) { return d * g * n(v); };
      const Vec<T> scale(row.scale), slope(sum_row(width, dn_n, out, factor, in) / count);
      const Vec<T> mean(about == About::mean ? sum_row(width, dn, out, factor) / count : 0);
      const auto rule = [=](auto d, auto g, auto v) {
        return (d * g - mean - n(v) * slope) * scale;
      };
      map_row(dx + at, width, rule, out, factor, in);
    }
    if (dgain) {
      const auto add = [=](auto sum, auto d, auto v) { return sum + d * n(v); };
      map_row(dgain, width, add, static_cast<const T*>(dgain), out, in);
    }
    if (dbias) add_row(dbias, out, width);
  }
}

/// A gain or bias as wide as x's rows; none stands for `otherwise` throughout.
Tensor along_rows(const char* op, const char* name, const Tensor& x, const Tensor& given,
                  double otherwise) {
  const Shape shape{x.dim(-1)};
  if (!given) return full(shape, otherwise, x.dtype());
  check_same_type(op, x, given);
  if (given.shape() != shape)
    throw ShapeError("{}: x is {}, so the {} must be {}, not {}", op, x.shape(), name, shape,
                     given.shape());
  return given;
}

Tensor normalise(const char* op, const Tensor& x, const Tensor& given_gain,
                 const Tensor& given_bias, About about, double epsilon) {
  axis_of(op, x.shape(), -1);
  if (!(epsilon >= 0)) throw ValueError("{}: epsilon is {}, and may not be negative", op, epsilon);
  const Tensor gain = along_rows(op, "gain", x, given_gain, 1);
  const Tensor bias = along_rows(op, "bias", x, given_bias, 0);
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  Tensor statistics = Tensor::empty(x.shape().with(-1, 3), x.dtype());
  dispatch_float(op, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    forward(x, gain, bias, about, epsilon, statistics.fresh<T>(), y.fresh<T>());
  });
  const auto rule = [=, x_wanted = tracked(x), gain_wanted = tracked(gain),
                     bias_wanted = tracked(bias)](const Tensor& dy) {
    Tensor dx = x_wanted ? Tensor::empty(x.shape(), x.dtype()) : Tensor();
    Tensor dgain = gain_wanted ? zeros(gain.shape(), x.dtype()) : Tensor();
    Tensor dbias = bias_wanted ? zeros(bias.shape(), x.dtype()) : Tensor();
    dispatch_float(op, x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto elements = [](Tensor& t) { return t ? t.fresh<T>() : nullptr; };
      backward(x, gain, dy, about, statistics.data<T>(), elements(dx), elements(dgain),
               elements(dbias));
    });
    return Grads{dx, dgain, dbias};
  };
  const auto twin = [=] {
    const Tensor centred = about == About::mean ? x - mean(x, {-1}, true) : x;
    return centred / sqrt(mean(centred * centred, {-1}, true) + epsilon) * gain + bias;
  };
  return record(op, y, {x, gain, bias}, rule, twin);
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double epsilon) {
  if (bool(gain) != bool(bias))
    throw ValueError("layer_norm: a {} without a {}; give both, or neither", gain ? "gain" : "bias",
                     gain ? "bias" : "gain");
  return normalise("layer_norm", x, gain, bias, About::mean, epsilon);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double epsilon) {
  return normalise("rms_norm", x, gain, {}, About::zero, epsilon);
}

}  // namespace tapehead

#include "../ops.hpp"
#include "elementwise.hpp"

#include <algorithm>
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

  [[gnu::always_inline]] RowStatistics(const T* x, Index n, About about, double epsilon) {
    const T count = static_cast<T>(n);
    shift = about == About::mean ? sum_row(x, n) / count : 0;
    const Vec<T> coarse(shift);
    const auto distance = [&](auto v) { return v - coarse; };
    const T rest = about == About::mean ? sum_row(n, distance, x) / count : 0;
    // Both sums of distances at once: the square of so small a rest takes no digits away.
    const auto square = [&](auto v) { return distance(v) * distance(v); };
    const T spread = std::max(sum_row(n, square, x) / count - rest * rest, T{0});
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

/// What is normalised by itself: `heads` parts of `width` columns of each line of x, one after the
/// other; with a gain for each, (heads, width). The columns that follow are passed on.
struct Heads {
  Index lines, columns, heads, width, first = 0;

  Heads(const Tensor& x, Index count, Index wide)
      : lines(x.dim(-1) == 0 ? 0 : x.size() / x.dim(-1)),
        columns(x.dim(-1)),
        heads(count),
        width(wide) {}
  /// The same of the lines from `from` to end - 1.
  Heads of_lines(Index from, Index end) const {
    Heads some = *this;
    some.first = from, some.lines = end - from;
    return some;
  }
  /// What to normalise a line costs: some four passes.
  double line_cost() const { return 4 * element_cost * static_cast<double>(columns); }
  /// f(where a part begins in x, and in the gain)
  template <class F>
  void each(F f) const {
    for (Index line = first; line < first + lines; ++line)
      for (Index head = 0; head < heads; ++head) f(line * columns + head * width, head * width);
  }
  template <class T>
  void pass_on(const T* from, T* to) const {
    const Index done = heads * width;
    for (Index line = first; done < columns && line < first + lines; ++line)
      std::copy_n(from + line * columns + done, columns - done, to + line * columns + done);
  }
};

/// Calls work(width), a constant for rows of 1, 2, 4 or 8 registers: what is inlined into it then
/// has no loops, and reads a row once.
template <class T, Index registers = 8, class Work>
void with_width(Index width, const Work& work) {
  constexpr Index constant = registers * lanes<T>;
  if (width == constant) return work(std::integral_constant<Index, constant>{});
  if constexpr (registers > 1) return with_width<T, registers / 2>(width, work);
  work(width);
}

/// y = n gain + bias. The statistics of each part are what backward needs beside x: (parts, 3).
template <class T>
void forward(const Tensor& x, const Heads& heads, const Tensor& gain, const Tensor& bias,
             About about, double epsilon, T* statistics, T* y) {
  statistics += heads.first * heads.heads * RowStatistics<T>::stored;
  const T *in = x.data<T>(), *factor = gain.data<T>(), *offset = bias.data<T>();
  with_width<T>(heads.width, [&](auto width) {
    heads.each([&](Index at, Index column) __attribute__((always_inline)) {
      const RowStatistics<T> row(in + at, width, about, epsilon);
      row.store(statistics);
      statistics += RowStatistics<T>::stored;
      const auto n = row.normalise();
      const auto scaled = [&](auto v, auto g, auto b) { return n(v) * g + b; };
      map_row(y + at, width, scaled, in + at, factor + column, offset + column);
    });
  });
  heads.pass_on(in, y);
}

/// dx = (dn - mean(dn) - n mean(dn n)) scale with dn = dy gain; about zero there is no mean(dn).
/// dgain = sum(dy n) and dbias = sum(dy) add up line by line. What is null isn't wanted.
template <class T>
void backward(const Tensor& x, const Heads& heads, const Tensor& gain, const Tensor& dy,
              About about, const T* statistics, T* dx, T* dgain, T* dbias) {
  statistics += heads.first * heads.heads * RowStatistics<T>::stored;
  const T count = static_cast<T>(heads.width);
  const T *xs = x.data<T>(), *dys = dy.data<T>(), *gains = gain.data<T>();
  with_width<T>(heads.width, [&](auto width) {
    heads.each([&](Index at, Index column) __attribute__((always_inline)) {
      const RowStatistics<T> row(statistics);
      statistics += RowStatistics<T>::stored;
      const auto n = row.normalise();
      const T *in = xs + at, *out = dys + at, *factor = gains + column;
      if (dx) {
        const auto dn = [](auto d, auto g) { return d * g; };
        const auto dn_n = [&](auto d, auto g, auto v) { return d * g * n(v); };
        const Vec<T> scale(row.scale), slope(sum_row(width, dn_n, out, factor, in) / count);
        const Vec<T> mean(about == About::mean ? sum_row(width, dn, out, factor) / count : 0);
        const auto rule = [&](auto d, auto g, auto v) {
          return (d * g - mean - n(v) * slope) * scale;
        };
        map_row(dx + at, width, rule, out, factor, in);
      }
      if (dgain) {
        const auto add = [&](auto sum, auto d, auto v) { return sum + d * n(v); };
        map_row(dgain + column, width, add, static_cast<const T*>(dgain + column), out, in);
      }
      if (dbias) add_row(dbias + column, width, out);
    });
  });
  if (dx) heads.pass_on(dys, dx);
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

/// The same of ops, whose gradient can be differentiated again.
Tensor composite(const Tensor& x, const Heads& heads, const Tensor& gain, const Tensor& bias,
                 About about, double epsilon) {
  const Index done = heads.heads * heads.width;
  Shape parts = x.shape().with(-1, heads.heads);
  parts.push_back(heads.width);
  const Tensor part = reshape(slice(x, -1, 0, done), parts);  // (..., heads, width)
  const Tensor centred = about == About::mean ? part - mean(part, {-1}, true) : part;
  const Tensor n = centred / sqrt(mean(centred * centred, {-1}, true) + epsilon);
  const Tensor y = reshape(n * gain + bias, x.shape().with(-1, done));
  return done < heads.columns ? concat({y, slice(x, -1, done, heads.columns)}, -1) : y;
}

Tensor normalise(const char* op, const Tensor& x, const Heads& heads, const Tensor& gain,
                 const Tensor& bias, About about, double epsilon) {
  if (!(epsilon >= 0)) throw ValueError("{}: epsilon is {}, and may not be negative", op, epsilon);
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  Tensor statistics = Tensor::empty({heads.lines * heads.heads, 3}, x.dtype());
  dispatch_float(op, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T *const kept = statistics.mutable_data<T>(), *const out = y.mutable_data<T>();
    const auto some = [&](Index first, Index end) {
      forward(x, heads.of_lines(first, end), gain, bias, about, epsilon, kept, out);
    };
    in_pieces(heads.lines, some, heads.line_cost());
  });
  const auto rule = [=, x_wanted = tracked(x), gain_wanted = tracked(gain),
                     bias_wanted = tracked(bias)](const Tensor& dy) {
    const double cost = heads.line_cost() * static_cast<double>(heads.lines);
    const Index cut = std::min(fixed_split(cost), std::max<Index>(heads.lines, 1));
    // A sum for each piece; the engine adds them up.
    const Shape sums = cut == 1 ? gain.shape() : Shape{cut, heads.heads, heads.width};
    Tensor dx = x_wanted ? Tensor::empty(x.shape(), x.dtype()) : Tensor();
    Tensor dgain = gain_wanted ? zeros(sums, x.dtype()) : Tensor();
    Tensor dbias = bias_wanted ? zeros(sums, x.dtype()) : Tensor();
    dispatch_float(op, x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto elements = [](Tensor& t) { return t ? t.mutable_data<T>() : nullptr; };
      T *const to = elements(dx), *const gains = elements(dgain), *const biases = elements(dbias);
      const auto piece = [&](Index i) {
        const auto row = [&](T* all) { return all ? all + i * gain.size() : nullptr; };
        const Heads some = heads.of_lines(heads.lines * i / cut, heads.lines * (i + 1) / cut);
        backward(x, some, gain, dy, about, statistics.data<T>(), to, row(gains), row(biases));
      };
      cut == 1 ? piece(0) : parallel_for(cut, piece);
    });
    return Grads{dx, dgain, dbias};
  };
  const auto decomposition = [=] { return composite(x, heads, gain, bias, about, epsilon); };
  return record(op, y, {x, gain, bias}, rule, decomposition);
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double epsilon) {
  if (bool(gain) != bool(bias))
    throw ValueError("layer_norm: a {} without a {}; give both, or neither", gain ? "gain" : "bias",
                     gain ? "bias" : "gain");
  axis_of("layer_norm", x.shape(), -1);
  return normalise("layer_norm", x, Heads(x, 1, x.dim(-1)),
                   along_rows("layer_norm", "gain", x, gain, 1),
                   along_rows("layer_norm", "bias", x, bias, 0), About::mean, epsilon);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double epsilon) {
  axis_of("rms_norm", x.shape(), -1);
  const auto of = [&](const Heads& heads, const Tensor& factor) {
    const Tensor none = zeros(factor.shape(), x.dtype());
    return normalise("rms_norm", x, heads, factor, none, About::zero, epsilon);
  };
  if (!gain || gain.rank() != 2)
    return of(Heads(x, 1, x.dim(-1)), along_rows("rms_norm", "gain", x, gain, 1));
  check_same_type("rms_norm", x, gain);
  if (gain.size() > x.dim(-1))
    throw ShapeError("rms_norm: x is {}, whose rows don't hold the heads of a gain {}", x.shape(),
                     gain.shape());
  return of(Heads(x, gain.dim(0), gain.dim(1)), gain);
}

}  // namespace tapehead

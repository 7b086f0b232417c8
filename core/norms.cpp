#include <tapehead/core/ops.hpp>
#include <tapehead/core/simd.hpp>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

enum class About { mean, zero };

/// How rows are normalised: to n = (x - shift) * scale + offset. Of the mean, `shift` is what the
/// type can hold and `offset` the rest, scaled, so that a row far from zero keeps all its digits.
/// Several rows at once, since one alone waits for each of its sums.
template <class T, Index rows>
struct Statistics {
  T shift[rows], scale[rows], offset[rows];

  Statistics(const T* x, Index apart, Index n, About about, double epsilon) {
    const T count = static_cast<T>(n);
    const bool centred = about == About::mean;
    unrolled<rows>([&](auto r) { shift[r] = 0; });
    if (centred) {
      const auto means = sum_registers<T, rows>(n, [&](Index i, auto part, auto& sums) {
        unrolled<rows>([&](auto r) { sums[r] += load_part(x + r * apart + i, part); });
      });
      unrolled<rows>([&](auto r) { shift[r] = means[r] / count; });
    }
    // Both sums of distances at once: the square of so small a rest takes no digits away.
    const auto sums = sum_registers<T, 2 * rows>(n, [&](Index i, auto part, auto& to) {
      unrolled<rows>([&](auto r) {
        const auto d = within(load_part(x + r * apart + i, part) - Vec<T>(shift[r]), part);
        if (centred) to[r] += d;
        to[rows + r] += d * d;
      });
    });
    unrolled<rows>([&](auto r) {
      const T rest = sums[r] / count;
      const T spread = std::max(sums[rows + r] / count - rest * rest, T{0});
      scale[r] = 1 / std::sqrt(spread + static_cast<T>(epsilon));
      offset[r] = -rest * scale[r];
      if (!std::isfinite(spread)) measure_widely(r, x + r * apart, n, about, epsilon);
    });
  }

  /// The same of a row with a square beyond what T can hold.
  void measure_widely(Index r, const T* x, Index n, About about, double epsilon) {
    const long double count = static_cast<long double>(n);
    long double mean = 0, spread = 0;
    for (Index i = 0; about == About::mean && i < n; ++i) mean += x[i] / count;
    for (Index i = 0; i < n; ++i) spread += (x[i] - mean) * (x[i] - mean) / count;
    const long double factor = 1 / std::sqrt(spread + epsilon);
    shift[r] = static_cast<T>(mean), scale[r] = static_cast<T>(factor);
    offset[r] = static_cast<T>((shift[r] - mean) * factor);
  }

  /// From where they are stored, three numbers a row, and to it.
  Statistics(const T* from, Index apart) {
    unrolled<rows>([&](auto r) {
      const T* const row = from + r * apart;
      shift[r] = row[0], scale[r] = row[1], offset[r] = row[2];
    });
  }
  void store(T* to, Index apart) const {
    unrolled<rows>([&](auto r) {
      T* const row = to + r * apart;
      row[0] = shift[r], row[1] = scale[r], row[2] = offset[r];
    });
  }

  /// x of row r -> n, on batches.
  template <class R>
  [[gnu::always_inline]] Vec<T> normalise(R r, const Vec<T>& x) const {
    return (x - Vec<T>(shift[r])) * Vec<T>(scale[r]) + Vec<T>(offset[r]);
  }
};
constexpr Index stored = 3;  // numbers a row

/// What is normalised by itself: `heads` parts of `width` columns of each line of x, one after the
/// other; with a gain for each, (heads, width). The columns that follow are passed on.
struct Heads {
  Index lines, columns, heads, width;

  Heads(const Tensor& x, Index count, Index wide)
      : lines(x.dim(-1) == 0 ? 0 : x.size() / x.dim(-1)),
        columns(x.dim(-1)),
        heads(count),
        width(wide) {}
  /// f(rows, part, at, column) for as many lines at once, a constant: the number of the first part,
  /// and where it begins in x and in the gain. The next line's is `heads` parts on.
  template <class F>
  void each(const F& f) const {
    constexpr Index together = 4;
    Index line = 0;
    const auto of = [&](auto rows) {
      for (Index head = 0; head < heads; ++head)
        f(rows, line * heads + head, line * columns + head * width, head * width);
      line += rows;
    };
    while (line + together <= lines) of(std::integral_constant<Index, together>{});
    while (line < lines) of(std::integral_constant<Index, 1>{});
  }
  template <class T>
  void pass_on(const T* from, T* to) const {
    const Index done = heads * width;
    for (Index at = done; done < columns && at < lines * columns; at += columns)
      std::copy_n(from + at, columns - done, to + at);
  }
};

/// y = n gain + bias. The statistics of each part are what backward needs beside x: (parts, 3).
template <class T>
void forward(const Tensor& x, const Heads& heads, const Tensor& gain, const Tensor& bias,
             About about, double epsilon, T* statistics, T* y) {
  const T *in = x.data<T>(), *factor = gain.data<T>(), *offset = bias.data<T>();
  const Index apart = heads.columns;
  heads.each([&](auto rows, Index part, Index at, Index column) {
    const Statistics<T, rows> row(in + at, apart, heads.width, about, epsilon);
    row.store(statistics + part * stored, heads.heads * stored);
    each_register<T>(heads.width, [&](Index i, auto n) {
      const Vec<T> g = load_part(factor + column + i, n), b = load_part(offset + column + i, n);
      unrolled<rows>([&](auto r) {
        const Index here = at + r * apart + i;
        store_part(y + here, n, row.normalise(r, load_part(in + here, n)) * g + b);
      });
    });
  });
  heads.pass_on(in, y);
}

/// dx = (dn - mean(dn) - n mean(dn n)) scale with dn = dy gain; about zero there is no mean(dn).
/// dgain = sum(dy n) and dbias = sum(dy) add up line by line. What is null isn't wanted.
template <class T>
void backward(const Tensor& x, const Heads& heads, const Tensor& gain, const Tensor& dy,
              About about, const T* statistics, T* dx, T* dgain, T* dbias) {
  const T *in = x.data<T>(), *out = dy.data<T>(), *factor = gain.data<T>();
  const Index apart = heads.columns;
  const T count = static_cast<T>(heads.width);
  heads.each([&](auto rows, Index part, Index at, Index column) {
    const Statistics<T, rows> row(statistics + part * stored, heads.heads * stored);
    T mean[rows], slope[rows];
    if (dx) {
      const auto add = [&](Index i, auto n, auto& sums) {
        const Vec<T> g = load_part(factor + column + i, n);
        unrolled<rows>([&](auto r) {
          const Index here = at + r * apart + i;
          const Vec<T> dn = load_part(out + here, n) * g;
          sums[r] += within(dn, n);
          sums[rows + r] += within(dn * row.normalise(r, load_part(in + here, n)), n);
        });
      };
      const auto sums = sum_registers<T, 2 * rows>(heads.width, add);
      unrolled<rows>([&](auto r) {
        mean[r] = about == About::mean ? sums[r] / count : 0;
        slope[r] = sums[rows + r] / count;
      });
    }
    each_register<T>(heads.width, [&](Index i, auto n) {
      const Vec<T> g = load_part(factor + column + i, n), zero(T{0});
      Vec<T> dg = dgain ? load_part(dgain + column + i, n) : zero;
      Vec<T> db = dbias ? load_part(dbias + column + i, n) : zero;
      unrolled<rows>([&](auto r) {
        const Index here = at + r * apart + i;
        const Vec<T> d = load_part(out + here, n), v = row.normalise(r, load_part(in + here, n));
        if (dx) {
          const Vec<T> distance = d * g - Vec<T>(mean[r]) - v * Vec<T>(slope[r]);
          store_part(dx + here, n, distance * Vec<T>(row.scale[r]));
        }
        dg = dg + d * v, db = db + d;
      });
      if (dgain) store_part(dgain + column + i, n, dg);
      if (dbias) store_part(dbias + column + i, n, db);
    });
  });
  if (dx) heads.pass_on(out, dx);
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
    forward(x, heads, gain, bias, about, epsilon, statistics.fresh<T>(), y.fresh<T>());
  });
  const auto rule = [=, x_wanted = tracked(x), gain_wanted = tracked(gain),
                     bias_wanted = tracked(bias)](const Tensor& dy) {
    Tensor dx = x_wanted ? Tensor::empty(x.shape(), x.dtype()) : Tensor();
    Tensor dgain = gain_wanted ? zeros(gain.shape(), x.dtype()) : Tensor();
    Tensor dbias = bias_wanted ? zeros(bias.shape(), x.dtype()) : Tensor();
    dispatch_float(op, x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto elements = [](Tensor& t) { return t ? t.fresh<T>() : nullptr; };
      backward(x, heads, gain, dy, about, statistics.data<T>(), elements(dx), elements(dgain),
               elements(dbias));
    });
    return Grads{dx, dgain, dbias};
  };
  const auto twin = [=] { return composite(x, heads, gain, bias, about, epsilon); };
  return record(op, y, {x, gain, bias}, rule, twin);
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

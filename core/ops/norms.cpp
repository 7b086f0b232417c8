#include "../kernels/kernels.hpp"
#include "../ops.hpp"
#include "families.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Returns `given`, a gain or bias, after checking that it is as wide as the rows of x. If it is
/// null, returns a tensor filled with `otherwise`.
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

Tensor decomposition(const Tensor& x, const NormRows& rows, const Tensor& gain, const Tensor& bias,
                     Centre centre, double epsilon) {
  const Index done = rows.heads * rows.width;
  Shape parts = x.shape().with(-1, rows.heads);
  parts.push_back(rows.width);
  const Tensor part = reshape(slice(x, -1, 0, done), parts);  // (..., heads, width)
  const Tensor centred = centre == Centre::mean ? part - mean(part, {-1}, true) : part;
  const Tensor n = centred / sqrt(mean(centred * centred, {-1}, true) + epsilon);
  const Tensor y = reshape(n * gain + bias, x.shape().with(-1, done));
  return done < rows.columns ? concat({y, slice(x, -1, done, rows.columns)}, -1) : y;
}

Tensor normalise(const char* op, const Tensor& x, const NormRows& rows, const Tensor& gain,
                 const Tensor& bias, Centre centre, double epsilon) {
  if (!(epsilon >= 0)) throw ValueError("{}: epsilon is {}, expected at least 0", op, epsilon);
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  Tensor statistics = Tensor::empty({rows.lines * rows.heads, NormRows::statistics}, x.dtype());
  with_floats(op, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T *const kept = statistics.mutable_data<T>(), *const out = y.mutable_data<T>();
    const auto part = [&](Index first, Index end) {
      kernels<T>().norm_forward(rows.slice_lines(first, end), centre, epsilon, x.data<T>(),
                                gain.data<T>(), bias.data<T>(), kept, out);
    };
    parallel_elements(rows.lines, part, rows.line_cost());
  });
  const auto backward = [=, x_known = is_tracked(x), gain_known = is_tracked(gain),
                         bias_known = is_tracked(bias)](const Tensor& dy) {
    const Index pieces = std::min(fixed_split(x.size()), std::max<Index>(rows.lines, 1));
    // Each piece of the rows has its own gradient of gain and bias; the tape adds these gradients.
    const Shape sums = pieces == 1 ? gain.shape() : Shape{pieces, rows.heads, rows.width};
    Tensor dx = x_known ? Tensor::empty(x.shape(), x.dtype()) : Tensor();
    Tensor dgain = gain_known ? zeros(sums, x.dtype()) : Tensor();
    Tensor dbias = bias_known ? zeros(sums, x.dtype()) : Tensor();
    with_floats(op, x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto elements = [](Tensor& t) { return t ? t.mutable_data<T>() : nullptr; };
      T *const dxs = elements(dx), *const dgains = elements(dgain),
               *const dbiases = elements(dbias);
      const auto piece = [&](Index i) {
        const auto own = [&](T* all) { return all ? all + i * gain.size() : nullptr; };
        const NormRows some =
            rows.slice_lines(rows.lines * i / pieces, rows.lines * (i + 1) / pieces);
        kernels<T>().norm_backward(some, centre, x.data<T>(), gain.data<T>(), dy.data<T>(),
                                   statistics.data<T>(), dxs, own(dgains), own(dbiases));
      };
      pieces == 1 ? piece(0) : parallel_for(pieces, piece);
    });
    return Grads{dx, dgain, dbias};
  };
  return record({op, {{"epsilon", epsilon}}}, y, {x, gain, bias}, backward,
                [=] { return decomposition(x, rows, gain, bias, centre, epsilon); });
}

/// Returns the NormRows for `heads` groups of `width` columns in each line of x.
NormRows rows_of(const Tensor& x, Index heads, Index width) {
  const Index columns = x.dim(-1);
  return {columns == 0 ? 0 : x.size() / columns, columns, heads, width};
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double epsilon) {
  check_present("layer_norm", x);
  if (bool(gain) != bool(bias))
    throw ValueError("layer_norm: a {} without a {}; give both, or neither", gain ? "gain" : "bias",
                     gain ? "bias" : "gain");
  axis_of("layer_norm", x.shape(), -1);
  return normalise("layer_norm", x, rows_of(x, 1, x.dim(-1)),
                   along_rows("layer_norm", "gain", x, gain, 1),
                   along_rows("layer_norm", "bias", x, bias, 0), Centre::mean, epsilon);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double epsilon) {
  check_present("rms_norm", x);
  axis_of("rms_norm", x.shape(), -1);
  const auto of = [&](const NormRows& rows, const Tensor& factor) {
    const Tensor none = zeros(factor.shape(), x.dtype());
    return normalise("rms_norm", x, rows, factor, none, Centre::zero, epsilon);
  };
  if (!gain || gain.rank() != 2)
    return of(rows_of(x, 1, x.dim(-1)), along_rows("rms_norm", "gain", x, gain, 1));
  check_same_type("rms_norm", x, gain);
  if (gain.size() > x.dim(-1))
    throw ShapeError("rms_norm: the rows of x {} are shorter than gain {}", x.shape(),
                     gain.shape());
  return of(rows_of(x, gain.dim(0), gain.dim(1)), gain);
}

std::vector<Op> norm_ops() {
  return {{"layer_norm",
           "y = n gain + bias, n = (x - mean(x)) / sqrt(var(x) + epsilon), each row independently",
           {"dx = (dn - mean(dn) - n mean(dn n)) / sqrt(var + epsilon)", "dgain = dy n",
            "dbias = dy; dn = dy gain"},
           layer_norm,
           {"x", optional("gain"), optional("bias"), {"epsilon", 1e-5}}},
          {"rms_norm",
           "y = n gain, n = x / sqrt(mean(x^2) + epsilon), each row independently; with a gain "
           "(heads, width), each head of a row",
           {"dx = (dn - n mean(dn n)) / sqrt(mean(x^2) + epsilon)", "dgain = dy n; dn = dy gain"},
           rms_norm,
           {"x", optional("gain"), {"epsilon", 1e-5}}}};
}

}  // namespace tapehead

// Tensors created from a shape.
#include "bindings.hpp"

#include <atomic>

namespace tapehead {
namespace {

/// Parses the shape in `zeros(2, 3)` or `zeros((2, 3))`.
Shape shape_in(const py::tuple& sizes) {
  const bool one_list = sizes.size() == 1 && !PyIndex_Check(py::object(sizes[0]).ptr());
  const py::object all = one_list ? py::object(sizes[0]) : py::object(sizes);
  try {
    return Shape(all.cast<std::vector<Index>>());
  } catch (const py::cast_error&) {
    throw py::type_error(fmt::format("a shape must be integers, as in zeros(2, 3), got {}",
                                     std::string(py::repr(all))));
  }
}

/// Draws from a normal distribution. Without a seed, each call draws other numbers; the sequence of
/// calls is the same in every process.
Tensor drawn(const py::args& sizes, const py::object& seed, const py::object& dtype) {
  static std::atomic<std::uint32_t> calls{0};
  RandomKey key;
  key.draw = Draw::sample;
  try {
    key.seed = seed.is_none() ? 0 : seed.cast<std::uint64_t>();
  } catch (const py::cast_error&) {
    throw ValueError("randn: seed must be an integer of at most 64 bits, got {}",
                     std::string(py::repr(seed)));
  }
  key.site = seed.is_none() ? ++calls & 0xffffff : 0;
  return random_normal(shape_in(sizes), key, dtype_in(dtype));
}

Tensor range(const py::object& start, const py::object& stop, const py::object& step,
             const py::object& dtype) {
  const py::object all = py::module_::import("numpy").attr("arange")(
      stop.is_none() ? py::object(py::int_(0)) : start, stop.is_none() ? start : stop, step);
  const Tensor x = to_tensor(all);  // f64 for floats, i32 for integers
  return cast(x, dtype.is_none() ? x.is_float() ? DType::f32 : DType::i32 : dtype_in(dtype));
}

}  // namespace

void bind_creation(py::module_& module) {
  const auto filled = [&](const char* name, double value, const char* text) {
    module.def(
        name,
        [value](const py::args& shape, const py::object& dtype) {
          return full(shape_in(shape), value, dtype_in(dtype));
        },
        "dtype"_a = "f32", Computing(), text);
  };
  filled("zeros", 0, "Returns a tensor of zeros: zeros(2, 3).");
  filled("ones", 1, "Returns a tensor of ones: ones(2, 3).");
  module.def(
      "full",
      [](const py::object& shape, double value, const py::object& dtype) {
        return full(shape_in(PyIndex_Check(shape.ptr()) ? py::make_tuple(shape) : py::tuple(shape)),
                    value, dtype_in(dtype));
      },
      "shape"_a, "value"_a, "dtype"_a = "f32", Computing(),
      "Returns a tensor of this shape filled with a number.");
  module.def("randn", &drawn, "seed"_a = py::none(), "dtype"_a = "f32", Computing(),
             "Returns samples of the standard normal distribution: randn(2, 3, seed=1). "
             "Without a seed, each call draws other numbers, the same in every run of a program.");
  module.def(
      "arange", &range, "start"_a, "stop"_a = py::none(), "step"_a = 1, "dtype"_a = py::none(),
      Computing(),
      "Returns 0 to start - 1, or start to stop (exclusive): i32 for integers, otherwise f32.");
}

}  // namespace tapehead

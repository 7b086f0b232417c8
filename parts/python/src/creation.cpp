// Tensors that are made of nothing but a shape.
#include "bindings.hpp"

#include <atomic>

namespace tapehead {
namespace {

/// `zeros(2, 3)` or `zeros((2, 3))`.
Shape shape_in(const py::tuple& sizes) {
  const bool one_list = sizes.size() == 1 && !PyIndex_Check(py::object(sizes[0]).ptr());
  const py::object all = one_list ? py::object(sizes[0]) : py::object(sizes);
  try {
    return Shape(all.cast<std::vector<Index>>());
  } catch (const py::cast_error&) {
    throw py::type_error(fmt::format("a shape is whole numbers, as in zeros(2, 3), not {}",
                                     std::string(py::repr(all))));
  }
}

/// Without a seed, each call draws other numbers, the same whenever a program runs.
Tensor drawn(const py::args& sizes, const py::object& seed, const py::object& dtype) {
  static std::atomic<std::uint32_t> calls{0};
  RandomKey key;
  key.draw = Draw::sample;
  try {
    key.seed = seed.is_none() ? 0 : seed.cast<std::uint64_t>();
  } catch (const py::cast_error&) {
    throw ValueError("randn: seed is a whole number of at most 64 bits, not {}",
                     std::string(py::repr(seed)));
  }
  key.site = seed.is_none() ? ++calls & 0xffffff : 0;
  return random_normal(shape_in(sizes), key, dtype_in(dtype));
}

Tensor range(const py::object& start, const py::object& stop, const py::object& step,
             const py::object& dtype) {
  const py::object all = py::module_::import("numpy").attr("arange")(
      stop.is_none() ? py::object(py::int_(0)) : start, stop.is_none() ? start : stop, step);
  const Tensor x = to_tensor(all);  // f64 or i32
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
  filled("zeros", 0, "Zeros of this shape: zeros(2, 3).");
  filled("ones", 1, "Ones of this shape: ones(2, 3).");
  module.def(
      "full",
      [](const py::object& shape, double value, const py::object& dtype) {
        return full(shape_in(PyIndex_Check(shape.ptr()) ? py::make_tuple(shape) : py::tuple(shape)),
                    value, dtype_in(dtype));
      },
      "shape"_a, "value"_a, "dtype"_a = "f32", Computing(),
      "One number, everywhere in this shape.");
  module.def("randn", &drawn, "seed"_a = py::none(), "dtype"_a = "f32", Computing(),
             "Numbers of a normal distribution with mean 0 and deviation 1: randn(2, 3, seed=1). "
             "Without a seed each call draws others, the same whenever the program runs.");
  module.def("arange", &range, "start"_a, "stop"_a = py::none(), "step"_a = 1,
             "dtype"_a = py::none(), Computing(),
             "0 to start - 1, or start to before stop: i32 of whole numbers, else f32.");
}

}  // namespace tapehead

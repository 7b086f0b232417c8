// Compares your sums with the library's gradients of broadcast tensors.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

/// Returns the library's gradient of b in op(x, b), where dy is the result's gradient.
Tensor known(Tensor (*op)(const Tensor&, const Tensor&), const Tensor& x, const Tensor& b,
             const Tensor& dy) {
  Tape tape;
  tape.watch(b);
  return tape.backward(op(x, b), dy)[b];
}
Tensor plus(const Tensor& x, const Tensor& b) { return x + b; }
Tensor times(const Tensor& x, const Tensor& b) { return x * b; }

void check(learn::Check& c) {
  c.part("by hand", [&] {
    using learn::whole;
    const Tensor dy = tensor({whole(301), whole(302), whole(303), whole(304)}, {2, 2}, DType::f64);
    const Tensor x = zeros({2, 2}, DType::f64);
    const Tensor db = known(plus, x, zeros({2}, DType::f64), dy);
    const ByHand mine = by_hand();
    c.by_hand("db0", mine.db0, db(0));
    c.by_hand("db1", mine.db1, db(1));
    c.by_hand("ds", mine.ds, known(plus, x, scalar(0, DType::f64), dy).item(), mine.db0 + mine.db1);
  });
  c.part("bias", [&] {
    for (const Shape& shape : {Shape{3, 4}, Shape{5, 2}, Shape{1, 3}}) {
      const Tensor dy = c.normal(shape), b = zeros({shape[1]}, DType::f64);
      c.equal("db", bias_gradient(dy), known(plus, dy, b, dy));
    }
  });
  c.part("scale", [&] {
    for (const Shape& shape : {Shape{3, 4}, Shape{5, 2}}) {
      const Tensor x = c.normal(shape), dy = c.normal(shape), scale = c.normal({shape[0], 1});
      c.equal("dc", scale_gradient(x, dy), known(times, x, scale, dy));
    }
  });
  c.part("any shape", [&] {
    const Tensor dy = c.normal({2, 3, 4});
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{4}, Shape{3, 4}, Shape{1, 4}, Shape{3, 1},
                               Shape{2, 1, 4}, Shape{1, 1, 1}, Shape{}})
      c.equal(fmt::format("the sum to shape {}, at", shape), summed_to(dy, shape),
              known(plus, dy, zeros(shape, DType::f64), dy));
  });
}

// Compares your numbers and gradients with the library's attention.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

Tensor known_attention(const Tensor& q, const Tensor& k, const Tensor& v, double scale) {
  return matmul(softmax(matmul(q, transpose(k)) * scale), v);
}

/// Returns the gradient of x for y = f(x) and dy = 2.
Tensor gradient(const Tensor& x, const std::function<Tensor(const Tensor&)>& f) {
  Tape tape;
  tape.watch(x);
  return tape.backward(f(x), tensor({2}, {1, 1}, DType::f64))[x];
}

void check(learn::Check& c) {
  c.part("by hand", [&] {
    const Tensor q = tensor({learn::size(1301), 1, learn::size(1302), 0}, {1, 4}, DType::f64);
    const Tensor k = tensor({1, 1, 0, 0, 0, -1, 1, 2}, {2, 4}, DType::f64);
    const Tensor v = tensor({learn::given(1303), learn::given(1304)}, {2, 1}, DType::f64);
    const auto output = [&](const Tensor& scores) { return matmul(softmax(scores), v); };
    const auto of_queries = [&](const Tensor& x) { return known_attention(x, k, v, 0.5); };
    const auto of_keys = [&](const Tensor& x) { return known_attention(q, x, v, 0.5); };
    const Tensor dots = matmul(q, transpose(k)), scores = dots * 0.5, w = softmax(scores);
    const Tensor ds = gradient(scores, output);
    const ByHand n = by_hand();
    c.by_hand("dot0", n.dot0, dots(0));
    c.by_hand("dot1", n.dot1, dots(1));
    c.by_hand("w0", n.w0, w(0));
    c.by_hand("w1", n.w1, w(1));
    c.by_hand("y", n.y, output(scores)(0));
    c.by_hand("first", n.first, v(0));
    c.by_hand("leak", n.leak, softmax(scores - 1000.0)(0));
    c.by_hand("dv0", n.dv0, 2 * w(0));
    c.by_hand("dv1", n.dv1, 2 * w(1));
    c.by_hand("ds0", n.ds0, ds(0));
    c.by_hand("ds1", n.ds1, ds(1));
    c.by_hand("dq0", n.dq0, gradient(q, of_queries)(0));
    c.by_hand("dk10", n.dk10, gradient(k, of_keys)(4));
    c.by_hand("unscaled", n.unscaled, gradient(dots, output)(0));
  });
  c.part("gradient", [&] {
    c.gradients(
        {"q", "k", "v"}, [](const auto& in) { return my_attention(in[0], in[1], in[2]); },
        [](const auto& in) { return known_attention(in[0], in[1], in[2], 1 / std::sqrt(3.0)); },
        {c.normal({2, 3}), c.normal({4, 3}), c.normal({4, 5})});
  });
}

// Compares your tangents with the library's tangents.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

/// Compares your function of two random dual numbers with jvp of the library's function.
void compare(learn::Check& c, const std::string& what, const std::function<Dual(Dual, Dual)>& mine,
             const Function& known) {
  for (int i = 0; i < 4; ++i) {
    const std::vector<double> at = c.normal({2}).values(), along = c.normal({2}).values();
    const auto number = [](double value) { return scalar(value, DType::f64); };
    const auto [y, dy] = jvp(known, {number(at[0]), number(at[1])},
                             {number(along[0]), number(along[1])}, Unused::zeros);
    const Dual given = mine({at[0], along[0]}, {at[1], along[1]});
    c.equal("the value of " + what, given.value, y.item());
    c.equal("the tangent of " + what, given.tangent, dy.item());
  }
}

void check(learn::Check& c) {
  c.part("by hand", [&] {
    const double a = learn::given(1501), b = learn::given(1502);
    const ByHand n = by_hand();
    c.by_hand("ab", n.ab, 1 * b + a * 2);
    c.by_hand("aa", n.aa, 2 * a);
    c.by_hand("y", n.y, b + 2 * a + 2 * a, n.ab + n.aa);
    c.by_hand("walks", n.walks, 12);
  });
  c.part("dual", [&] {
    compare(
        c, "a + b", [](Dual a, Dual b) { return sum(a, b); },
        [](const Tensor& a, const Tensor& b) { return a + b; });
    compare(
        c, "a b", [](Dual a, Dual b) { return product(a, b); },
        [](const Tensor& a, const Tensor& b) { return a * b; });
    compare(
        c, "e^a", [](Dual a, Dual) { return exponential(a); },
        [](const Tensor& a, const Tensor&) { return exp(a); });
    compare(
        c, "e^(a b) a + b",
        [](Dual a, Dual b) { return sum(product(exponential(product(a, b)), a), b); },
        [](const Tensor& a, const Tensor& b) { return exp(a * b) * a + b; });
  });
  c.part("from backward", [&] {
    const Tensor x = c.normal({3, 4}), w = c.normal({3, 4});
    const auto f = [](const Tensor& z) { return softmax(z * z) + exp(z); };
    c.equal("the tangent of softmax(x x) + e^x", forward(f, x, w), jvp(f, {x}, {w}).second);
    const auto rows = [](const Tensor& z) { return tapehead::sum(sin(z), {1}); };
    c.equal("the tangent of the sums of rows", forward(rows, x, w), jvp(rows, {x}, {w}).second);
  });
}

// Exercise 1: the chain rule, by hand. exercise.md has the task; each `todo` is a hole to fill.
#include "exercise.hpp"

#include <cmath>

using learn::todo;

// ---- by hand: w = @101@, x = @102@, b = @103@, t = @104@; u = w x, y = u + b, L = (y - t)^2
struct ByHand {
  double u, y, L;             // the values, forwards
  double dy, du, dw, dx, db;  // the derivatives of L by y, u, w, x and b, backwards
};
ByHand by_hand() {
  ByHand n{};
  n.u = todo;
  n.y = todo;
  n.L = todo;
  n.dy = todo;
  n.du = todo;
  n.dw = todo;
  n.dx = todo;
  n.db = todo;
  return n;
}

struct Line {
  double dw, db;  // the derivatives of L by w and b
};

// ---- line: L = (w x + b - t)^2
Line line(double w, double x, double b, double t) {
  const double y = w * x + b;
  const double dy = todo;
  return {todo, todo};
}

// ---- neuron: L = (tanh(w x + b) - t)^2
Line neuron(double w, double x, double b, double t) {
  const double y = std::tanh(w * x + b);
  const double dy = todo;
  const double du = todo;  // of u = w x + b, before the tanh
  return {todo, todo};
}

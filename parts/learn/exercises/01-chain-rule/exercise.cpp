// Exercise 1: the chain rule by hand. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

#include <cmath>

using learn::todo;

// ---- by hand: w = @101@, x = @102@, b = @103@, t = @104@; u = w x, y = u + b, L = (y - t)^2
struct ByHand {
  double u, y, L;             // values
  double dy, du, dw, dx, db;  // derivatives of L with respect to y, u, w, x, b
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
  double dw, db;  // derivatives of L with respect to w and b
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
  const double du = todo;  // u = w x + b
  return {todo, todo};
}

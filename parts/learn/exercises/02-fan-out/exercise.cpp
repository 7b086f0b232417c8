// Exercise 2: fan-out and the tape. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;

// ---- by hand: L = a b + a a with a = @201@, b = @202@
struct ByHand {
  double from_ab, from_aa;  // gradients that a b and a a send to a
  double da, db;
};
ByHand by_hand() {
  ByHand n{};
  n.from_ab = todo;
  n.from_aa = todo;
  n.da = todo;
  n.db = todo;
  return n;
}

// ---- backward, and used twice
struct Step {
  char op;              // '+' or '*' of steps a and b; 'x' is a given number
  int a = -1, b = -1;   // indices of its inputs in the list
  double value = 0;     // already computed
  double gradient = 0;  // dL with respect to value: to be computed
};

/// Computes the gradients of all steps. The last step is the loss.
void backward(std::vector<Step>& steps) {
  steps.back().gradient = todo;
  // Visit the steps in which order? Which gradients does a sum or product add to steps[a] and
  // steps[b]?
}

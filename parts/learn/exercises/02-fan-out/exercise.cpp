// Exercise 2: fan-out and the tape. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;

// ---- by hand: L = a b + a a with a = @201@, b = @202@
struct ByHand {
  double from_ab, from_aa;  // gradients that the steps a b and a a send to a
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
  char op;              // '+' or '*'; 'x' for a given number
  int a = -1, b = -1;   // indices of the step's inputs in the list; -1 for 'x'
  double value = 0;     // result of the step, already computed
  double gradient = 0;  // derivative of the loss with respect to value: compute this
};

/// Computes the gradients of all steps. The last step's value is the loss.
void backward(std::vector<Step>& steps) {
  steps.back().gradient = todo;
  // In which order must you visit the steps? Which gradients does '+' or '*' add to its inputs,
  // steps[a] and steps[b]?
}

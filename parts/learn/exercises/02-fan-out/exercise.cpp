// Exercise 2: fan-out, and a tape of your own. exercise.md has the task; fill each `todo`.
#include "exercise.hpp"

using learn::todo;

// ---- by hand: L = a b + a a with a = @201@, b = @202@
struct ByHand {
  double from_ab, from_aa;  // what the products a b and a a send to a
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
  char op;              // '+' or '*' of steps a and b; 'x' for a number that was given
  int a = -1, b = -1;   // the places of its inputs in the list, before its own
  double value = 0;     // already computed
  double gradient = 0;  // of the last step by this one: yours to fill in
};

/// Fills in the gradients of all steps. The last step is the loss.
void backward(std::vector<Step>& steps) {
  steps.back().gradient = todo;
  // For each step, in which order? If it is a sum or a product, what does it send to steps[a] and
  // to steps[b]?
}

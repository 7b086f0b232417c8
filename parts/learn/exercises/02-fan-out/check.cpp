// Compares the gradients of your loop with the library's gradients for the same steps.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

/// Appends a step both to your list and to the library's tape.
void append(std::vector<Step>& steps, std::vector<Tensor>& known, char op, int a, int b) {
  const Tensor y = op == '+' ? known[a] + known[b] : known[a] * known[b];
  Tape::current()->watch(y);
  known.push_back(y);
  steps.push_back({op, a, b, y.item(), 0});
}

/// Compares the gradients of all steps of random lists. A list begins with four numbers; `made`
/// appends the other steps.
void compare(learn::Check& c, void (*made)(std::vector<Step>&, std::vector<Tensor>&, Random&)) {
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::vector<Step> steps;
    std::vector<Tensor> known;
    Tape tape;
    for (const double number : c.normal({4}).values()) {
      known.push_back(scalar(number, DType::f64));
      tape.watch(known.back());
      steps.push_back({'x', -1, -1, number, 0});
    }
    Random random(RandomKey{learn::student, Draw::test, 200, i});
    made(steps, known, random);
    const Gradients gradients = tape.backward(known.back(), {false, false, true});
    backward(steps);
    for (int step = static_cast<int>(steps.size()) - 1; step >= 0; --step)
      c.equal(fmt::format("the gradient of step {} of {} ('{}' of {} and {})", step, steps.size(),
                          steps[step].op, steps[step].a, steps[step].b),
              steps[step].gradient, gradients[known[step]].item());
  }
}

void each_once(std::vector<Step>& steps, std::vector<Tensor>& known, Random&) {
  append(steps, known, '*', 0, 1);
  append(steps, known, '+', 4, 2);
  append(steps, known, '*', 5, 3);
}
void several_times(std::vector<Step>& steps, std::vector<Tensor>& known, Random& random) {
  append(steps, known, '*', 0, 0);
  while (steps.size() < 10) {
    const auto any = static_cast<Index>(steps.size());
    append(steps, known, random.below(2) == 0 ? '+' : '*', static_cast<int>(random.below(any)),
           static_cast<int>(random.below(any)));
  }
  append(steps, known, '+', 9, 4);
  append(steps, known, '*', 10, 0);
}

void check(learn::Check& c) {
  c.part("by hand", [&] {
    const double a = learn::given(201), b = learn::given(202);
    const auto product = [](const std::vector<Tensor>& in) { return in[0] * in[1]; };
    const auto square = [](const std::vector<Tensor>& in) { return in[0] * in[0]; };
    const ByHand mine = by_hand();
    c.by_hand("from_ab", mine.from_ab, c.slopes(product, {a, b})[0]);
    c.by_hand("from_aa", mine.from_aa, c.slopes(square, {a})[0]);
    const auto all = [=](const std::vector<Tensor>& in) { return product(in) + square(in); };
    c.by_hand("da", mine.da, c.slopes(all, {a, b})[0], mine.from_ab + mine.from_aa);
    c.by_hand("db", mine.db, c.slopes(all, {a, b})[1]);
  });
  c.part("backward", [&] { compare(c, each_once); });
  c.part("used twice", [&] { compare(c, several_times); });
}

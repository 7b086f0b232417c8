// Measures the overhead of the tape with chains of ops on scalars; the arithmetic takes almost no
// time. Prints a JSON line for each chain and type: nanoseconds per op of forward (to compute and
// record the op) and of backward (to call its backward function and free its record). Values are
// medians over several rounds.
//
//   bench_tape [OPS [ROUNDS]]
#include "../core/ops.hpp"
#include "../train/watch/timing.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace tapehead;

namespace {

/// Returns the CPU time of this thread. Other programs don't affect it.
double nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

struct Chain {
  const char* name;
  int ops;  // number of ops per call
  Tensor (*call)(const Tensor& y, const Tensor& x);
};

// The values of each chain stay near 1, far from infinity and denormal numbers.
const Chain chains[] = {
    {"add", 1, [](const Tensor& y, const Tensor& x) { return y + x; }},
    {"mul", 1, [](const Tensor& y, const Tensor& x) { return y * x; }},
    {"exp, neg", 2, [](const Tensor& y, const Tensor&) { return exp(-y); }},
    {"tanh", 1, [](const Tensor& y, const Tensor&) { return tanh(y); }},
    {"mul, add, tanh", 3, [](const Tensor& y, const Tensor& x) { return tanh(y * x + x); }}};

void measure(const Chain& chain, DType dtype, int ops, int rounds) {
  const Tensor x = scalar(1, dtype);
  std::vector<double> forward, backward;
  for (int round = 0; round <= rounds; ++round) {
    double recorded = 0;
    const double start = nanoseconds();
    {
      Tape tape;
      tape.watch(x);
      Tensor y = x;
      for (int i = 0; i < ops; i += chain.ops) y = chain.call(y, x);
      recorded = nanoseconds();
      tape.backward(y);
    }
    if (round == 0) continue;  // round 0 fills the memory pools
    forward.push_back((recorded - start) / ops);
    backward.push_back((nanoseconds() - recorded) / ops);
  }
  fmt::print(
      "{{\"chain\": \"{}\", \"dtype\": \"{}\", \"ops\": {}, \"forward\": {:.1f}, "
      "\"backward\": {:.1f}}}\n",
      chain.name, to_string(dtype), ops, median(forward), median(backward));
}

}  // namespace

int main(int argc, char** argv) {
  const int ops = argc > 1 ? std::atoi(argv[1]) : 3000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 21;
  if (ops < 6 || rounds < 1) {
    std::fputs("usage: bench_tape [OPS [ROUNDS]]\n", stderr);
    return 2;
  }
  for (const DType dtype : {DType::f64, DType::f32})
    for (const Chain& chain : chains) measure(chain, dtype, ops - ops % 6, rounds);
}

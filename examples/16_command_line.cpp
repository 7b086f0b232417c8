// The complete command line. A program like this one can add layers, tasks, optimizers and ops.
//   $ ./mine ops
#include <tapehead/cli.hpp>

using namespace tapehead;

int main(int argc, char** argv) {
  Registry registry = make_registry();
  return run(argc, argv, registry);
}

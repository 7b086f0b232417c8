// A learning-rate schedule: cosines with restarts (Loshchilov and Hutter, "SGDR", 2017).
//   $ ./mine train copy --length 6 --symbols 8 --schedule restarts --cycles 2 --out run
//   $ ./mine eval run | grep "exact match 100"
#include <tapehead/cli.hpp>

using namespace tapehead;

struct RestartOptions {
  Index cycles = 3;
  double min_lr = 1e-4;
  void options(Fields& f) {
    f("cycles", cycles, 1, 1000, "number of cosine cycles");
    f("min-lr", min_lr, Range::not_negative(), "learning rate at the end of a cycle");
  }
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  const auto make = [](const TrainConfig& config) {
    const auto options = config.own.as<RestartOptions>();
    return [=](Index step) {
      if (step < config.warmup)
        return config.lr * static_cast<double>(step + 1) / static_cast<double>(config.warmup);
      const Index remaining = config.steps - config.warmup;
      const Index length = std::max<Index>(remaining / options.cycles, 1);
      const double progress =
          static_cast<double>((step - config.warmup) % length) / static_cast<double>(length);
      const double min_lr = options.min_lr;
      return min_lr + (config.lr - min_lr) * (1 + std::cos(M_PI * progress)) / 2;
    };
  };
  registry.schedule({"restarts", "cosines with restarts", make, options_of<RestartOptions>()});
  return run(argc, argv, registry);
}

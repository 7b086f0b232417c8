// Gradients at another point: sharpness-aware minimization (Foret et al., 2021) takes an AdamW step
// with the gradients at the worst point nearby.
//   $ ./mine train copy --length 6 --symbols 8 --optimizer sam | grep "exact match 100"
#include <tapehead/cli.hpp>

using namespace tapehead;

struct SAMOptions : AdamWOptions {
  double radius = 0.05;
  void options(Fields& f) {
    AdamWOptions::options(f);
    f("radius", radius, Range::positive(), "distance to the worst point");
  }
};

struct SAM : AdamW {
  SAM(Module& model, const SAMOptions& o) : AdamW(model, o), radius(o.radius) {}
  void apply(const Gradients& gradients, const StepLoss& loss) override {
    const double norm = global_norm(gradients);
    if (norm == 0) return AdamW::apply(gradients, loss);  // there is no worst direction
    std::vector<Tensor> here;
    for (Parameter* p : trained()) {
      here.push_back(p->value());
      if (gradients.contains(here.back()))
        p->set(here.back() + gradients[here.back()] * (radius / norm));
    }
    const Gradients there = loss.again().second;
    std::vector<std::pair<Tensor, Tensor>> moved;  // (value here, gradient there)
    for (std::size_t i = 0; i < here.size(); ++i) {
      Parameter& p = *trained()[i];
      if (there.contains(p.value())) moved.push_back({here[i], there[p.value()]});
      p.set(here[i]);
    }
    here.clear();
    AdamW::apply(Gradients::from_pairs(moved), loss);
  }
  double radius;
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.optimizer<SAM>("sam", "AdamW at the worst point nearby", SAMOptions());
  return run(argc, argv, registry);
}

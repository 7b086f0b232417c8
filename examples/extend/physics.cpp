// A loss with derivatives, and numbers instead of tokens: the damped spring of 12_physics.cpp, u''
// + 0.4 u' + u = 0 with u(0) = 1 and u'(0) = 0, as a task of the command line (Raissi, Perdikaris
// and Karniadakis, "Physics-informed neural networks", 2019).
//   $ ./mine check solution
//   $ ./mine train spring --out run
//   $ ./mine eval run | grep "squared residual 0.000"
//   $ ./mine sweep spring --grid width=8,16 --steps 60 --seeds 2
#include <tapehead/cli.hpp>
#include <tapehead/train/data/numbers.hpp>

using namespace tapehead;

struct Solution : Module {
  explicit Solution(const ModelOptions& o)
      : in(1, o.width, {true, Init::normal(1)}),
        inner(o.width, o.width, {true, Init::normal(0.3)}),
        out(o.width, 1) {
    finish_construction(*this, o);
  }
  Tensor forward(const Tensor& t, Pass& pass) const override {  // (times, 1) -> same
    return out(tanh(inner(tanh(in(t, pass)), pass)), pass);
  }
  void visit(Visitor& v) override { v("in", in), v("inner", inner), v("out", out); }
  Linear in, inner, out;
};

/// Computes dy/dt, where each y depends only on its t.
Tensor slope(const Function& y, const Tensor& t) {
  return jvp(y, {t}, {ones(t.shape(), t.dtype())}).second;
}

struct Spring : NumberTask {  // examples are times from 0 to 8
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    return {{}, 0, {}, {8 * example_random(seed, step, number).uniform()}};
  }
  Index held_out_size() const override { return 65; }
  Example held_out_example(Index number) const override { return {{}, 0, {}, {number / 8.0}}; }
  std::optional<Loss> loss(const TaskModel& model) const override {
    const auto squared = [&model](const Batch& batch, Pass& pass) {
      const auto u = [&](const Tensor& t) { return (*model.module)(t, pass); };
      const auto du = [&](const Tensor& t) { return slope(u, t); };
      const Tensor &t = batch.inputs, start = zeros({1, 1}, t.dtype());
      const Tensor residual = slope(du, t) + du(t) * 0.4 + u(t);  // (times, 1)
      return mean(residual * residual) + mse(u(start), start + 1) + mse(du(start), start);
    };
    return Loss{"squared residual", "", squared};
  }
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.number_model("solution", "a function of time",
                        [](const auto& o, const Task*) { return std::make_unique<Solution>(o); });
  registry.task("spring", "learn a damped spring from its equation",
                recipe("--arch solution --width 32 --batch 64 --lr 0.003 --steps 3000"),
                [] { return std::make_unique<Spring>(); });
  return run(argc, argv, registry);
}

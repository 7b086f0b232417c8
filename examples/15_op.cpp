// A custom op, y = log(1 + exp(s x)) / s, available in `ops`, `gradcheck` and `explain`, and an MLP
// that uses it, `--mlp sharp_softplus_mlp`.
//   $ ./mine gradcheck sharp_softplus
//   $ ./mine explain "sharp_softplus(x)" x=2
#include <tapehead/cli.hpp>

using namespace tapehead;

Tensor sharp_softplus_op(const Tensor& x, double s) {
  const Tensor value = x.detached();  // not recorded: the op is one entry of the tape
  const Tensor y = relu(value) + log1p(exp(abs(value) * -s)) / s;
  // The backward function is made of ops, so it can be differentiated again.
  return record({"sharp_softplus", {{"s", s}}}, y, {x},
                [=](const Tensor& dy) { return Grads{dy * sigmoid(s * x)}; });
}

struct SharpSoftplusSettings {
  double sharpness = 1;
  void options(Fields& f) { f("sharpness", sharpness, Range::positive(), "s of softplus"); }
};

struct SharpSoftplusMLP : Module {
  SharpSoftplusMLP(const ModelOptions& o, const SharpSoftplusSettings& own, const Init& first,
                   const Init& last)
      : sharpness(own.sharpness),
        in(o.width, 4 * o.width, {true, first}),
        out(4 * o.width, o.width, {true, last}) {}

  Tensor forward(const Tensor& x, Pass& pass) const override {  // (..., width) -> same
    return out(sharp_softplus_op(in(x, pass), sharpness), pass);
  }
  void visit(Visitor& v) override {
    v("in", in);
    v("out", out);
  }

  double sharpness;
  Linear in, out;
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.op({"sharp_softplus",
               "y = log(1 + exp(s x)) / s",
               {"dx = dy sigmoid(s x)"},
               sharp_softplus_op,
               {"x", {"s", 1.0}}},
              {{normal_sample({3, 4}, 1)}, {uniform_sample({5}, -20, 20, 2)}});
  registry.mlp<SharpSoftplusMLP, SharpSoftplusSettings>("sharp_softplus_mlp", "softplus");
  return run(argc, argv, registry);
}

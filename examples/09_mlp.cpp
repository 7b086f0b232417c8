// A custom MLP with an option: GEGLU, a gated MLP (Shazeer, "GLU Variants Improve Transformer").
//   $ ./mine gradcheck geglu
//   $ ./mine check geglu
//   $ ./mine train copy --length 6 --symbols 8 --mlp geglu --hidden 3 | grep "exact match 100"
#include <tapehead/cli.hpp>

using namespace tapehead;

struct GEGLUOptions {
  Index hidden = 2;
  void options(Fields& f) { f("hidden", hidden, 1, 64, "hidden width, in widths of the model"); }
};

/// Computes out(gelu(gate(x)) * in(x)).
struct GEGLU : Module {
  GEGLU(const ModelOptions& o, const GEGLUOptions& own, const Init& first, const Init& last)
      : gate(o.width, own.hidden * o.width, {true, first}),
        in(o.width, own.hidden * o.width, {true, first}),
        out(own.hidden * o.width, o.width, {true, last}) {}

  Tensor forward(const Tensor& x, Pass& pass) const override {  // (..., width) -> same
    return out(gelu(gate(x, pass)) * in(x, pass), pass);        // hidden layer: (..., hidden)
  }
  void visit(Visitor& v) override {
    v("gate", gate);
    v("in", in);
    v("out", out);
  }

  Linear gate, in, out;
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.mlp<GEGLU, GEGLUOptions>("geglu", "gated by GELU");
  return run(argc, argv, registry);
}

// Your own MLP: GEGLU, a gated one (Shazeer, "GLU Variants Improve Transformer"), with an option of
// its own: `09_mlp train copy --mlp geglu --hidden 3`.
#include "expect.hpp"
#include "runs.hpp"

using namespace tapehead;

struct GEGLUOptions {
  Index hidden = 2;
  void options(Fields& f) { f("hidden", hidden, 1, 64, "hidden width, in widths of the model"); }
};

/// gelu(gate(x)) times in(x), then back to the width.
struct GEGLU : Module {
  GEGLU(const ModelOptions& o, const GEGLUOptions& own, const Init& first, const Init& last)
      : gate(o.width, own.hidden * o.width, {true, first}),
        in(o.width, own.hidden * o.width, {true, first}),
        out(own.hidden * o.width, o.width, {true, last}) {}

  Tensor forward(const Tensor& x, Pass& pass) const override {  // (..., width) -> same
    return out(gelu(gate(x, pass)) * in(x, pass), pass);        // between: (..., hidden)
  }
  void visit(Visitor& v) override {
    v("gate", gate);
    v("in", in);
    v("out", out);
  }

  Linear gate, in, out;
};

int main(int argc, char** argv) {
  Registry registry = everything();
  registry.mlp<GEGLU, GEGLUOptions>("geglu", "gated by GELU");
  if (argc > 1) return run(argc, argv, registry);

  ModelOptions options{.vocabulary = 8, .context = 11, .layers = 1, .width = 32};
  const Index without = count_parameters(GPT(options));
  registry.mlps().make("geglu")(options, {{{"hidden", "3"}}});
  expect(count_parameters(GPT(options)) - without == 3 * 32 * 96 + 2 * 96 - 2 * 32 * 128 - 128,
         "three matrices take the place of two");
  expect(command("gradcheck geglu", registry) == 0, "its gradients are right");
  expect(command("check geglu", registry) == 0, "it keeps the shape, and sees no other position");
  const Folder folder;
  const std::string path = folder.path + "/run";
  const std::string line = "train copy --length 6 --symbols 8 --mlp geglu --hidden 3 --steps 100";
  expect(command(line + " --out " + path, registry) == 0, "it trains");
  expect(last_metrics(path).find("\"exact_match\":1.0") != std::string::npos, "and learns to copy");
}

// Your own layer: gated attention. Its gradient is checked, checkpoints save it, and the whole
// command line can use it (`04_custom_layer train copy --attention gated`), without any other
// change.
#include "expect.hpp"
#include "runs.hpp"

using namespace tapehead;

struct GatedAttention : Module {
  GatedAttention(Index width, Index heads)
      : attention(presets::gpt2(width, heads)), gate(width, width) {}

  Tensor forward(const Tensor& x, Pass& pass) const override {  // (batch, time, width) -> same
    return sigmoid(gate(x, pass)) * attention(x, pass);
  }
  void visit(Visitor& v) override {
    v("attention", attention);
    v("gate", gate);
  }

  MultiHeadAttention attention;
  Linear gate;
};

int main(int argc, char** argv) {
  Registry registry = everything();
  registry.attention("gated", [](const ModelOptions& o) {
    return std::make_unique<GatedAttention>(o.width, o.heads);
  });
  if (argc > 1) return run(argc, argv, registry);

  GatedAttention layer(64, 4);
  fmt::print("{}\n", tree(layer));
  expect(count_parameters(layer) == 4 * 64 * 64 + 4 * 64 + 64 * 64 + 64,
         "its parameters are counted");

  // Without arguments: `gradcheck gated` and `check gated`.
  expect(command("gradcheck gated", registry) == 0, "its gradient is right");
  expect(command("check gated", registry) == 0, "it is causal and keeps the shape");
}

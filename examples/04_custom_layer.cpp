// A custom attention layer, `--attention gated`: attention times a gate. Checkpoints save it, and
// the whole command line can use it.
//   $ ./mine gradcheck gated
//   $ ./mine check gated
#include <tapehead/cli.hpp>

using namespace tapehead;

struct GatedSettings {  // an option is a field and a line in options()
  double open = 0;
  void options(Fields& f) {
    const Range near{[](double x) { return std::abs(x) <= 10; }, "from -10 to 10"};
    f("open", open, near, "the gate's bias, where training begins");
  }
};

struct GatedAttentionLayer : Module {
  GatedAttentionLayer(const AttentionLayerOptions& o, const GatedSettings& own)
      : attention(presets::gpt2(o.width, o.heads)), gate(o.width, o.width) {
    gate.bias.init = Init::constant(own.open);
  }

  Tensor forward(const Tensor& x, Pass& pass) const override {  // (batch, time, width) -> same
    return sigmoid(gate(x, pass)) * attention(x, pass);
  }
  void visit(Visitor& v) override {  // lists the parameters to train and save
    v("attention", attention);
    v("gate", gate);
  }

  MultiHeadAttention attention;
  Linear gate;
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.attention<GatedAttentionLayer, GatedSettings>("gated", "attention times a gate");
  return run(argc, argv, registry);
}

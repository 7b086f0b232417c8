#include "narrow_weights.hpp"
#include "../../nn/layers.hpp"

namespace tapehead {
namespace {

struct Narrowing : Visitor {
  void enter(const std::string& name, Module& module) override {
    if (auto* layer = dynamic_cast<Linear*>(&module)) layer->weight.dtype = DType::bf16;
    if (auto* table = dynamic_cast<Embedding*>(&module); table && name == "tokens")
      table->weight.dtype = DType::bf16;
  }
};

}  // namespace

void narrow_weights(Module& model) {
  Narrowing narrowing;
  model.visit(narrowing);
}

}  // namespace tapehead

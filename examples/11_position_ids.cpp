// A custom position scheme that reads the tokens: digits of the same place value share a learned
// vector, so that a model trained on short numbers can add longer ones. Coupled positions (Cho et
// al., "Position Coupling") give + and = the place before a number's first digit. Abacus (McLeish
// et al., "Transformers Can Do Arithmetic with the Right Embeddings") only gives digits a place.
//   $ ./mine
//   $ ./mine gradcheck coupled
//   $ ./mine check abacus
//   $ ./mine train add --reversed all --layers 1 --steps 1500 --position coupled | grep "match 100"
#include <tapehead/cli.hpp>

#include "expect.hpp"

using namespace tapehead;

/// A learned vector for each place in a number. Numbers are written from their last digit. Digits
/// are the tokens below 10. In training, numbers start at a random place, and the places form a
/// ring (an option of Cho et al.). So all vectors are trained equally, also for numbers longer than
/// those in training.
struct Places : PositionScheme {
  Places(Index width, bool coupled_) : coupled(coupled_), vectors(places + 1, width) {}

  Tensor add(const Tensor& x, const Tensor& ids, Index first, Pass& pass) const override {
    const Tensor all = vectors(places_of(ids, pass), pass);  // (batch, first + time, width)
    return x + slice(all, 1, first, first + x.dim(1));
  }
  void visit(Visitor& v) override { v("places", vectors); }

  Tensor places_of(const Tensor& ids, Pass& pass) const {  // i32 (batch, time) -> same
    Tensor result = Tensor::empty(ids.shape(), DType::i32);
    const auto* id = ids.data<std::int32_t>();
    auto* place = result.mutable_data<std::int32_t>();
    RandomKey key = pass.next_key();
    for (Index row = 0; row < ids.dim(0); ++row, ++key.example) {
      const Index start = pass.train ? Random(key).below(places) : 0;
      for (Index t = 0, digits = 0; t < ids.dim(1); ++t) {
        digits = *id++ < 10 ? digits + 1 : 0;
        const bool has_place = digits > 0 || coupled;
        *place++ = static_cast<std::int32_t>(has_place ? (start + digits) % places : places);
      }
    }
    return result;
  }

  static constexpr Index places = 128;
  bool coupled;
  Embedding vectors;  // (places + 1, width); the last row is for tokens without a place
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  const auto add = [&](const char* name, const char* summary, bool coupled) {
    const auto make = [=](ModelOptions& model, const OwnValues&) {
      model.position = [=](const ModelOptions& o, Index) {
        return std::make_unique<Places>(o.width, coupled);
      };
    };
    registry.position({name, summary, make});
  };
  add("coupled", "a vector for each place in a number, + and = before it", true);
  add("abacus", "a vector for each place in a number", false);
  if (argc > 1) return run(argc, argv, registry);

  const Tensor ids = tensor({1, 2, 10, 9, 3, 11, 0}, {1, 7}, DType::i32);  // 1 2 + 9 3 = 0
  const auto places = [&](bool coupled) {
    Pass pass;
    return Places(4, coupled).places_of(ids, pass).values();
  };
  expect(places(true) == std::vector<double>{1, 2, 0, 1, 2, 0, 1}, "+ and = are before a number");
  expect(places(false) == std::vector<double>{1, 2, 128, 1, 2, 128, 1}, "or have no place");
}

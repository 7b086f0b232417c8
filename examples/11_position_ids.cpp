// Your own positions that read the tokens: digits of the same place value share a learned vector,
// so that an adder of short numbers adds longer ones. Coupled positions (Cho et al., "Position
// Coupling") give + and = the place before a number's first digit; Abacus (McLeish et al.,
// "Transformers Can Do Arithmetic with the Right Embeddings") gives all but digits none:
// `11_position_ids train add --digits 20 --shorter true --reversed all --position coupled`.
#include "expect.hpp"
#include "runs.hpp"

using namespace tapehead;

/// Numbers are written from their last digit, and digits are the tokens below 10. The first places
/// are learned as well as the last ones, since training begins anywhere.
struct Places : PositionScheme {
  Places(Index width, Index context, bool coupled_)
      : longest(context / 3), coupled(coupled_), vectors(places, width) {}

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
      const Index start = pass.train ? Random(key).below(std::max<Index>(places - longest, 1)) : 0;
      for (Index t = 0, digits = 0; t < ids.dim(1); ++t) {
        digits = *id++ < 10 ? digits + 1 : 0;
        const Index here = digits > 0 || coupled ? std::min(start + digits, places - 1) : 0;
        *place++ = static_cast<std::int32_t>(here);
      }
    }
    return result;
  }

  static constexpr Index places = 128;
  Index longest;  // number in an addition, which has three
  bool coupled;
  Embedding vectors;  // (places, width)
};

int main(int argc, char** argv) {
  Registry registry = Registry::standard();
  const auto add = [&](const char* name, const char* summary, bool coupled) {
    const auto make = [=](ModelOptions& model, const OwnValues&) {
      model.input_positions = [=](const ModelOptions& o, Index context) {
        return std::make_unique<Places>(o.width, context, coupled);
      };
    };
    registry.position({name, summary, make});
  };
  add("coupled", "a vector for each place in a number, + and = before it", true);
  add("abacus", "a vector for each place in a number", false);
  if (argc > 1) return run(argc, argv, registry);
}

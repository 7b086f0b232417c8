// A loss that a layer adds. It trains the router of a mixture of experts to give all experts
// equally many tokens (Fedus, Zoph and Shazeer, "Switch Transformers", 2021).
//   $ ./mine check switch
//   $ ./mine gradcheck switch
//   $ ./mine train copy --length 6 --symbols 8 --mlp switch --balance 0.02 --out run
//   $ ./mine eval run | grep "exact match 100"
//   $ ./mine eval run --json | grep '"balance": 1.'
#include <tapehead/cli.hpp>

using namespace tapehead;

struct ExpertsOptions {
  Index count = 4;
  double weight = 0.01;
  void options(Fields& f) {
    f("experts-count", count, 2, 64, "number of experts");
    f("balance", weight, Range::not_negative(), "weight of the balancing loss");
  }
};

/// Several MLPs. A router chooses one of them for each token.
struct Experts : Module {
  Experts(const ModelOptions& o, const ExpertsOptions& own, const Init& in, const Init& out)
      : router(o.width, own.count, {false}), weight(own.weight) {
    for (Index i = 0; i < own.count; ++i)
      experts.emplace_back(o.width, MLPOptions{4 * o.width, Activation::gelu, true, in, out});
  }
  Tensor forward(const Tensor& x, Pass& pass) const override {  // (batch, time, width) -> same
    const Tensor p = softmax(router(x, pass));                  // (batch, time, count)
    const Tensor chosen = cast(equal(p, amax(p, {-1}, true)), x.dtype());
    const Tensor share = mean(chosen, {0, 1}), routed = mean(p, {0, 1});             // (count)
    pass.add_loss("balance", sum(share * routed) * double(experts.size()), weight);  // 1 at best
    const Tensor gate = p * chosen;
    Tensor y;
    for (std::size_t i = 0; i < experts.size(); ++i) {
      const Tensor one = experts[i](x, pass) * slice(gate, -1, Index(i), Index(i) + 1);
      y = y ? y + one : one;
    }
    return y;
  }
  void visit(Visitor& v) override { v("router", router), v("experts", experts); }
  Linear router;
  std::vector<MLP> experts;
  double weight;
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.mlp<Experts, ExpertsOptions>("switch", "one expert for each token");
  return run(argc, argv, registry);
}

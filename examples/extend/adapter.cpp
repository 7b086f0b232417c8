// LoRA adapters on the first matrix of each MLP of a trained run (Hu et al., "LoRA", 2021), and an
// export format that merges them into a plain model.
//   $ ./mine check adapted
//   $ ./mine train copy --length 6 --symbols 8 --out base | grep "exact match 100"
//   $ ./mine train copy --length 6 --symbols 8 --mlp adapted --init base --init-missing fresh
//       --freeze 'tokens*,positions*,norm*,*attention*,*mlp_norm*,*mlp.in*,*mlp.out*'
//       --lr 0.01 --steps 50 --out adapted
//   $ ./mine export adapted merged.safetensors --format merged
//   $ ./mine train copy --length 6 --symbols 8 --init merged.safetensors --lr 1e-9 --min-lr 0
//       --steps 1 --out merged
//   $ ./mine eval merged --json | grep '"exact_match"' >merged.txt
//   $ ./mine eval adapted --json | grep '"exact_match"' | cmp - merged.txt
#include <tapehead/cli.hpp>
#include <tapehead/cli/extensions.hpp>
#include <tapehead/train/safetensors/safetensors.hpp>

using namespace tapehead;

struct AdapterOptions {
  Index rank = 4;
  void options(Fields& f) { f("rank", rank, 1, 64, "rank of the adapters"); }
};

/// An MLP whose first matrix is W + up down, where down has few rows. W has the same name as in the
/// plain MLP, so --init finds it.
struct Adapted : Module {
  Adapted(const ModelOptions& o, const AdapterOptions& own, const Init& in, const Init& out)
      : plain(o.width, {4 * o.width, Activation::gelu, true, in, out}),
        down(Shape{own.rank, o.width}, Init::normal(0.02), false),
        up(Shape{4 * o.width, own.rank}, Init::constant(0), false) {}
  Tensor merged() const { return plain.in.weight + matmul(up, down); }  // (4 width, width)
  Tensor forward(const Tensor& x, Pass& pass) const override {
    return functional_call(plain, {merged(), plain.in.bias, plain.out.weight, plain.out.bias}, x,
                           pass);
  }
  void visit(Visitor& v) override { plain.visit(v), v("down", down), v("up", up); }
  MLP plain;
  Parameter down, up;
};

/// Writes a plain model with merged matrices.
std::string merge(const LoadedRun& run, const std::string& path) {
  std::map<std::string, Tensor> tensors;
  walk(*run.model->module,
       [&](const std::string& name, const Parameter& p) { tensors[name] = p.value(); });
  for (const Block& block : static_cast<GPT&>(*run.model->module).blocks) {
    const std::string name = fmt::format("{}.", block.mlp->path);
    tensors[name + "in.weight"] = static_cast<Adapted&>(*block.mlp).merged();
    tensors.erase(name + "down"), tensors.erase(name + "up");
  }
  write_safetensors(path, {{}, tensors});
  return fmt::format("{} tensors", tensors.size());
}

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.mlp<Adapted, AdapterOptions>("adapted", "a plain MLP with LoRA adapters");
  registry.extend(ExportFormat{"merged", "a plain model with merged adapters", merge});
  return run(argc, argv, registry);
}

// Functions, optimizers and models compared with PyTorch.
#include "../shared/golden.hpp"
#include "../../nn/gpt.hpp"
#include "../../optim/optimizers.hpp"
#include "../shared/build.hpp"

#include <filesystem>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(golden)

namespace {

/// Checks f(inputs): y, and d.name for each input that the file has.
template <class F>
void check_function(GoldenCase& c, const std::map<std::string, Tensor>& inputs, const F& f) {
  Tape tape;
  for (const auto& [name, x] : inputs)
    if (x) tape.watch(x);
  const Tensor y = f();
  c.expect("y", y);
  const Gradients gradients = tape.backward(y, c.get("dy"));
  for (const auto& [name, x] : inputs)
    if (x) c.expect("d." + name, gradients[x]);
}

void check_layer_norm(GoldenCase& c) {
  const Tensor x = c.get("x"), gain = c.find("gain"), bias = c.find("bias");
  check_function(c, {{"x", x}, {"gain", gain}, {"bias", bias}},
                 [&] { return layer_norm(x, gain, bias, c.options.at("epsilon")); });
}

void check_gelu(GoldenCase& c) {
  const Tensor x = c.get("x");
  check_function(c, {{"x", x}},
                 [&] { return gelu(x, c.options.at("erf") ? Gelu::erf : Gelu::tanh); });
}

void check_cross_entropy(GoldenCase& c) {
  const Tensor logits = c.get("logits"), targets = c.get("targets");
  CrossEntropyOptions o;
  o.ignored = c.options.at("ignored");
  o.label_smoothing = c.options.at("label_smoothing");
  o.reduction = c.options.at("sum") ? Reduction::sum : Reduction::mean;
  check_function(c, {{"logits", logits}}, [&] { return cross_entropy(logits, targets, o); });
}

void check_rotary(GoldenCase& c) {
  const Tensor x = c.get("x");
  const auto& o = c.options;
  check_function(c, {{"x", x}}, [&] {
    return rotary(x, o.at("heads"), o.at("width"), o.at("first"), o.at("base"));
  });
}

void check_t5_buckets(GoldenCase& c) {
  const Tensor ids = c.get("ids");
  for (Index i = 0; i < ids.size(); ++i) {
    const Index distance = c.options.at("first").get<Index>() + i;
    BOOST_TEST(t5_bucket(distance, c.options.at("two_sided"), c.options.at("buckets"),
                         c.options.at("max_distance")) == static_cast<Index>(ids(i)),
               "distance " << distance);
  }
}

void check_alibi_slopes(GoldenCase& c) {
  const Index heads = c.get("slopes").size();
  c.expect("slopes", tensor(alibi_slopes(heads), c.dtype));
}

/// Checks ten steps with given gradients: the value after each step, and the final moments.
template <class O, class Options>
void check_optimizer(GoldenCase& c, const Options& options) {
  std::map<std::string, Parameter> parameters;
  std::vector<Parameter*> all;
  for (const auto& [name, start] : c.group("start.")) {
    Parameter& p = parameters[name];
    p = Parameter(start.shape(), Init::constant(0), name == "decayed");
    p.path = name, p.dtype = start.dtype(), p.set(start);
    all.push_back(&p);
  }
  O optimizer(all, options);
  const Tensor rates = c.get("lr");
  std::map<std::string, std::vector<Tensor>> values;
  for (Index t = 0; t < rates.size(); ++t) {
    Tape tape;
    Tensor loss = zeros({}, c.dtype);  // sum of p * its gradient
    for (auto& [name, p] : parameters) {
      const Tensor gradient = reshape(slice(c.get("gradient." + name), 0, t, t + 1), p.shape);
      loss = loss + sum(static_cast<const Tensor&>(p) * gradient);
    }
    optimizer.lr = rates(t);
    optimizer.step(tape.backward(loss));
    for (const auto& [name, p] : parameters) values[name].push_back(p.value());
  }
  for (const auto& [name, steps] : values) c.expect("value." + name, stack(steps));
  for (const auto& state : optimizer.state()) c.expect(state.name, *state.tensor);
}

void check_adamw(GoldenCase& c) {
  AdamWOptions o;
  o.lr = c.options.at("lr"), o.weight_decay = c.options.at("weight_decay");
  o.beta1 = c.options.at("betas").at(0), o.beta2 = c.options.at("betas").at(1);
  o.epsilon = c.options.at("eps");
  check_optimizer<AdamW>(c, o);
}

void check_sgd(GoldenCase& c) {
  SGDOptions o;
  o.lr = c.options.at("lr"), o.momentum = c.options.at("momentum");
  o.weight_decay = c.options.at("weight_decay");
  check_optimizer<SGD>(c, o);
}

void check_gpt(GoldenCase& c) {
  ModelOptions o;
  o.vocabulary = c.options.at("vocabulary"), o.context = c.options.at("context");
  o.layers = c.options.at("layers"), o.heads = c.options.at("heads");
  o.width = c.options.at("width"), o.dtype = c.dtype;
  GPT model(o);
  c.expect_training(model, "targets");
}

/// Checks TransformerEncoderLayer, or TransformerDecoderLayer with causal and cross-attention.
void check_block(GoldenCase& c) {
  const bool cross = c.options.at("cross");
  ModelOptions o;
  o.heads = c.options.at("heads"), o.width = c.options.at("width");
  Block block(o, cross, cross);
  initialise(block, 1, c.dtype);
  c.load(block);
  const Tensor x = c.get("x"), source = c.find("source");
  const Tensor symbols = equal(c.get("padding"), zeros({}, DType::i32));
  Tape tape;
  tape.watch(x);
  if (cross) tape.watch(source);
  Pass pass;
  if (!cross) pass.padding = symbols;
  const Tensor y = cross ? block(x, source, symbols, pass) : block(x, pass);
  c.expect("y", y);
  const Gradients gradients = tape.backward(y, c.get("dy"));
  c.expect("d.x", gradients[x]);
  if (cross) c.expect("d.source", gradients[source]);
  c.expect_gradients(block, gradients);
}

void check(GoldenCase& c) {
  static const std::map<std::string, void (*)(GoldenCase&)> kinds = {
      {"layer_norm", check_layer_norm},
      {"gelu", check_gelu},
      {"cross_entropy", check_cross_entropy},
      {"rotary", check_rotary},
      {"t5", check_t5_buckets},
      {"alibi", check_alibi_slopes},
      {"adamw", check_adamw},
      {"sgd", check_sgd},
      {"gpt", check_gpt},
      {"block", check_block}};
  kinds.at(c.options.at("kind"))(c);
}

}  // namespace

BOOST_AUTO_TEST_CASE(functions) { each_golden_case("functions", check); }

BOOST_AUTO_TEST_CASE(optimizers) { each_golden_case("optimizers", check); }

BOOST_AUTO_TEST_CASE(models) { each_golden_case("models", check); }

BOOST_AUTO_TEST_CASE(every_file_is_read) {  // suites of tests/nn and parts read the others
  std::set<std::string> files;
  for (const auto& file :
       std::filesystem::directory_iterator(source_dir + std::string("/tests/golden")))
    if (file.path().extension() == ".safetensors") files.insert(file.path().stem().string());
  const std::set<std::string> read = {"attention",  "functions", "mha", "models",
                                      "optimizers", "vit",       "zoo"};
  BOOST_TEST(files == read, per_element());
}

BOOST_AUTO_TEST_CASE(what_is_off_shows) {
  const Tensor expected = tensor({4, -2, 0.5}, DType::f64);
  BOOST_TEST(golden_error(expected, expected) == 0);
  BOOST_TEST(golden_error(tensor({4, -2, 0.5 + 4e-9}, DType::f64), expected) == 1e-9,
             boost::test_tools::tolerance(1e-6));
  BOOST_TEST(golden_error(tensor({0.0}, DType::f64), tensor({1e-3}, DType::f64)) == 0.01,
             boost::test_tools::tolerance(1e-12));
  for (const Tensor& other : {Tensor(), tensor({4, -2}, DType::f64), cast(expected, DType::f32),
                              tensor({4, NAN, 0.5}, DType::f64)})
    BOOST_TEST(std::isinf(golden_error(other, expected)));
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../nn/recompute.hpp"
#include "../../core/runtime/memory.hpp"
#include "../../nn/encoder_decoder.hpp"
#include "../../nn/gpt.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(recompute)

namespace {

ModelOptions options_of(bool recompute) {
  ModelOptions options;
  options.vocabulary = 7, options.context = 32, options.layers = 6, options.width = 16;
  options.heads = 2, options.dropout = 0.2, options.source = 4;
  options.recompute = recompute;
  return options;
}

struct Outcome {
  std::vector<double> logits;
  std::vector<std::vector<double>> gradients;
  std::size_t peak;
};
template <class Model>
Outcome run(bool recompute, Index time) {
  Model model(options_of(recompute));
  std::vector<double> symbols;
  for (Index i = 0; i < 4 * time; ++i) symbols.push_back(static_cast<double>(i * i % 7));
  const Tensor ids = tensor(symbols, {4, time}, DType::i32);
  const auto step = [&] {
    Tape tape;
    Pass pass = Pass::training(3, 5);
    const Tensor logits = model(ids, pass);
    const Gradients gradients = tape.backward(sum(logits * logits));
    Outcome outcome{logits.values(), {}, 0};
    for (Parameter* p : parameters(model))
      outcome.gradients.push_back(gradients[p->value()].values());
    return outcome;
  };
  step();
  const std::size_t before = memory_use().live;
  reset_memory_peak();
  Outcome outcome = step();
  outcome.peak = memory_use().peak - before;
  return outcome;
}

template <class Model>
void expect_same_bits(Index time) {
  const Outcome plain = run<Model>(false, time), again = run<Model>(true, time);
  BOOST_TEST((plain.logits == again.logits));
  BOOST_TEST((plain.gradients == again.gradients));
  BOOST_TEST(2 * again.peak < plain.peak, again.peak << " of " << plain.peak);
}

}  // namespace

BOOST_AUTO_TEST_CASE(gives_the_same_bits_from_less_memory) {
  expect_same_bits<GPT>(32);
  expect_same_bits<Encoder>(32);
  expect_same_bits<EncoderDecoder>(32);
}

BOOST_AUTO_TEST_CASE(unlisted_parameters_are_refused) {
  const std::string text =
      "recompute: the function uses a tensor of shape (2) that isn't one of its inputs or "
      "parameters, so its gradient would be lost; add it to the inputs";
  Parameter listed({2}, Init::constant(3), false), other({2}, Init::constant(5), false);
  for (Parameter* parameter : {&listed, &other}) parameter->initialise({}, DType::f64);
  const Tensor x = tensor({1, 2}, DType::f64);
  Pass pass;
  const auto gradients = [&](const std::function<Tensor(const Tensor& in, const Tensor& w)>& f) {
    Tape tape;
    tape.watch(x);
    const Tensor w = x * 2.0;
    const auto of_inputs = [=](const std::vector<Tensor>& in, Pass&) { return f(in[0], w); };
    return tape.backward(sum(recompute({x}, {&listed}, pass, of_inputs)));
  };
  const Gradients grads = gradients([&](const Tensor& in, const Tensor&) { return in * listed; });
  expect_equal(grads[x], {3, 3});
  expect_equal(grads[listed.value()], {1, 2});
  expect_error<TapeError>(
      [&] { gradients([](const Tensor& in, const Tensor& w) { return in * w; }); }, text);
  expect_error<TapeError>(
      [&] { gradients([&](const Tensor& in, const Tensor&) { return in * other; }); }, text);
}

BOOST_AUTO_TEST_CASE(can_be_differentiated_again) {
  std::vector<std::vector<double>> seconds;
  for (bool recompute : {false, true}) {
    ModelOptions options = options_of(recompute);
    options.layers = 1, options.dtype = DType::f64;
    GPT model(options);
    const Tensor ids = tensor({1, 2, 3, 0}, {2, 2}, DType::i32);
    Tape tape;
    Pass pass = Pass::training(3, 5);
    const Tensor y = model(ids, pass);
    const Tensor& w = dynamic_cast<const MLP&>(*model.blocks[0].mlp).in.weight.value();
    const Gradients first = tape.backward(sum(y * y), {true});
    const Gradients second = tape.backward(sum(first[w] * first[w]));
    seconds.push_back(second[w].values());
  }
  for (std::size_t i = 0; i < seconds[0].size(); ++i)
    BOOST_TEST(relative_error(seconds[0][i], seconds[1][i], 1) < 1e-10);
}

BOOST_AUTO_TEST_SUITE_END()

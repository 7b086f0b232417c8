// Compares the two forms of the linear recurrence, and tests states.
#include "../../../tests/shared/support.hpp"
#include "../mixers.hpp"

using namespace tapehead;
using zoo::Recurrence, zoo::RecurrenceResult;

BOOST_AUTO_TEST_SUITE(recurrence_forms)

namespace {

enum class Kind { scalar, columns, delta };

/// A random recurrence. Decays are near exp(-exp(spread)) to 1.
struct RandomRecurrence {
  Recurrence r;
  Tensor start;

  RandomRecurrence(Kind kind, Index n, DType dtype) {
    RandomKey key{static_cast<std::uint64_t>(n)};
    const auto normal = [&](Shape shape) {
      ++key.site;
      return random_normal(shape, key, dtype);
    };
    const Index batch = 1 + n % 2, heads = 1 + n % 3, time = n % 5 == 0 ? 1 : 1 + n * 37 % 100;
    const Index d = 1 + n % 7, e = 1 + n % 6;
    const double spread = n % 3 == 0 ? 0.5 : n % 3 == 1 ? 3 : 9;  // up to decays of exp(-1e10)
    const Index shared = kind == Kind::scalar && n % 4 == 0 ? 1 : heads;
    r.q = normal({batch, shared, time, d});
    r.k = normal({batch, shared, time, d});
    r.v = normal({batch, heads, time, e});
    r.log_decay = -exp(normal({batch, heads, time, kind == Kind::columns ? d : 1}) * spread);
    if (kind == Kind::delta) {
      r.k = r.k / sqrt(sum(r.k * r.k, {-1}, true) + 1e-6);
      r.beta = sigmoid(normal({batch, heads, time, 1}));
    }
    if (n % 2 == 1) start = normal({batch, heads, d, e});
  }

  /// Returns y, the last state, and the gradients of a weighted sum of them.
  template <class Run>
  std::vector<Tensor> all_of(const Run& run) const {
    std::vector<Tensor> inputs = {r.q, r.k, r.v, r.log_decay};
    if (r.beta) inputs.push_back(r.beta);
    if (start) inputs.push_back(start);
    Tape tape;
    for (const Tensor& x : inputs) tape.watch(x);
    const RecurrenceResult done = run(r, start);
    const auto weighted = [&](const Tensor& x, std::uint64_t seed) {
      return sum(x * random_normal(x.shape(), RandomKey{seed}, x.dtype()));
    };
    BackwardOptions options;
    options.zeros = true;
    const Gradients gradients =
        tape.backward(weighted(done.y, 1) + weighted(done.state, 2), options);
    std::vector<Tensor> all = {done.y, done.state};
    for (const Tensor& x : inputs) all.push_back(gradients[x]);
    return all;
  }
};

double relative(const Tensor& x, const Tensor& expected) {
  return amax(abs(x - expected)).item() / std::max(amax(abs(expected)).item(), 1e-3);
}

}  // namespace

BOOST_AUTO_TEST_CASE(both_forms_agree) {
  for (const DType dtype : {DType::f64, DType::f32})
    for (const Kind kind : {Kind::scalar, Kind::columns, Kind::delta})
      for (Index n = 1; n <= 50; ++n) {
        const RandomRecurrence one(kind, n, dtype);
        const auto steps = one.all_of(zoo::run_by_steps);
        const auto chunks = one.all_of(
            [&](const auto& r, const Tensor& start) { return run_by_chunks(r, start, 32); });
        for (std::size_t i = 0; i < steps.size(); ++i)
          BOOST_TEST(relative(chunks[i], steps[i]) < (dtype == DType::f64 ? 1e-12 : 1e-5),
                     to_string(dtype) << ", kind " << static_cast<int>(kind) << ", case " << n
                                      << ", tensor " << i << ": " << relative(chunks[i], steps[i]));
      }
}

BOOST_AUTO_TEST_CASE(any_chunk_gives_the_same) {
  const RandomRecurrence one(Kind::delta, 11, DType::f64);
  const Tensor whole = run_by_chunks(one.r, one.start, 128).y;
  for (const Index chunk : {1, 2, 8, 64})
    BOOST_TEST(relative(run_by_chunks(one.r, one.start, chunk).y, whole) < 1e-13);
}

BOOST_AUTO_TEST_CASE(decays_of_0_forget_and_of_1_keep) {
  const auto row = [](std::vector<double> x) {
    const Index n = static_cast<Index>(x.size());
    return tensor(x, {1, 1, n, 1}, DType::f64);
  };
  Recurrence r{row({1, 1, 1, 1}), row({1, 1, 1, 1}), row({1, 2, 4, 8}), row({0, 0, -1e300, 0})};
  expect_equal(zoo::run_by_steps(r, {}).y, {1, 3, 4, 12});
  expect_equal(zoo::run_by_chunks(r, {}).y, {1, 3, 4, 12});
  r.log_decay = row({0, 0, 0, 0});
  r.beta = row({1, 1, 1, 1});  // each value replaces the one before it
  expect_equal(zoo::run_by_steps(r, {}).y, {1, 2, 4, 8});
  expect_equal(zoo::run_by_chunks(r, {}).y, {1, 2, 4, 8});
}

BOOST_AUTO_TEST_CASE(mixers_without_a_matching_option_are_refused) {
  AttentionLayerOptions o;
  o.width = 8, o.heads = 2;
  o.kv_heads = 1;
  EXPECT_ERROR(ValueError, zoo::Mamba2{o},
               "mamba2 requires --kv-heads equal to --heads, got 1 and 2");
}

BOOST_AUTO_TEST_SUITE_END()

#include "../probes.hpp"
#include "../../../core/ops.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../tests/shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(probes)

namespace {

/// Sequences of six random tokens below 5; the model reads the first five.
struct RandomTokens : BareTask {
  Index vocabulary() const override { return 5; }
  Index context() const override { return 6; }
  Index held_out_size() const override { return 400; }
  bool has_answers() const override { return false; }
  Example held_out_example(Index number) const override {
    Random random({1, Draw::test, 0, 0, static_cast<std::uint32_t>(number)});
    Example example{std::vector<int>(6), 0};
    for (int& token : example.tokens) token = static_cast<int>(random.below(5));
    return example;
  }
};

const RandomTokens task;

Tensor tokens(const Batch& batch) { return batch.inputs; }

/// Returns 1 where a token equals the one before it; the first position has no label.
Tensor repeats(const Batch& batch) {
  const Tensor &x = batch.inputs, none = full({x.dim(0), 1}, -1, DType::i32);
  return concat({none, equal(slice(x, 1, 1, x.dim(1)), slice(x, 1, 0, -1))}, 1);
}

std::unique_ptr<TaskModel> model() {
  ModelOptions o = small_options(5, 6, 2);
  o.width = 16;
  return opinionated_model(o);
}

}  // namespace

BOOST_AUTO_TEST_CASE(solves_a_positive_definite_system) {
  const Tensor x = random_normal({6, 4}, {2, Draw::test}, DType::f64);
  const Tensor a = matmul(transpose(x), x), b = slice(x, 0, 0, 4);
  const Tensor error = matmul(a, solve_positive(a, b)) - b;
  BOOST_TEST(amax(abs(error)).item() < 1e-9);
  BOOST_CHECK_THROW(solve_positive(neg(a), b), Error);
}

BOOST_AUTO_TEST_CASE(tokens_are_linear_in_the_embedding) {
  const auto of = model();
  const std::vector<std::string> points = probe_points(*of, task);
  BOOST_TEST(points.front() == "blocks.0.in");
  BOOST_TEST(points.back() == "blocks.1.out");
  const Probes found = probe(*of, task, points, tokens, 400);
  BOOST_TEST(found.examples == 200);
  BOOST_TEST(found.positions == 1000);
  BOOST_TEST(found.classes == 5);
  BOOST_TEST(found.majority > 0.15);
  BOOST_TEST(found.majority < 0.25);
  BOOST_TEST(found.points[0].accuracy == 1);
  // 25 pairs of token and position have random labels, which 16 columns can't separate.
  BOOST_TEST(found.points[0].control < 0.9);
  BOOST_TEST(found.points[0].control > 0.2);
}

BOOST_AUTO_TEST_CASE(a_property_of_two_tokens_is_not_in_the_embedding) {
  const auto of = model();
  const Probes found = probe(*of, task, {"blocks.0.in"}, repeats, 400);
  BOOST_TEST(found.classes == 2);
  BOOST_TEST(found.positions == 800);  // the first of five positions has no label
  BOOST_TEST(std::abs(found.points[0].accuracy - found.majority) < 0.05);
}

BOOST_AUTO_TEST_CASE(equal_labels_are_refused) {
  const auto of = model();
  const auto same = [](const Batch& batch) { return zeros(batch.inputs.shape(), DType::i32); };
  BOOST_CHECK_THROW(probe(*of, task, {"blocks.0.in"}, same, 100), UsageError);
  BOOST_CHECK_THROW(probe(*of, task, {"blocks.0.in"}, tokens, 1), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()

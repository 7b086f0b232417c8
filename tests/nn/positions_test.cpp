#include "../../nn/positions.hpp"
#include "../../core/ops.hpp"
#include "../../nn/gpt.hpp"
#include "../shared/small_models.hpp"

#include <algorithm>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(positions)

namespace {

std::vector<std::int32_t> drawn(Index rows, Index first, Index time, Pass pass) {
  const Tensor ids = random_positions(rows, first, time, 20, 50, pass);
  const auto* id = ids.data<std::int32_t>();
  return {id, id + ids.size()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(random_positions_ascend) {
  constexpr Index rows = 400, time = 8;
  const auto all = drawn(rows, 0, time, Pass::training(1, 2));
  std::vector<int> counts(50);
  for (Index row = 0; row < rows; ++row) {
    const auto* first = all.data() + row * time;
    for (Index i = 0; i < time; ++i) ++counts.at(first[i]);
    for (Index i = 1; i < time; ++i) BOOST_TEST(first[i - 1] < first[i]);
  }
  for (const int count : counts) BOOST_TEST(std::abs(count - rows * time / 50) < 40, count);
  // They depend on the seed, the step and the example's number, not on the shard.
  BOOST_TEST((all == drawn(rows, 0, time, Pass::training(1, 2))));
  BOOST_TEST((all != drawn(rows, 0, time, Pass::training(1, 3))));
  const auto shard = drawn(100, 0, time, Pass::training(1, 2, 300));
  BOOST_TEST(std::equal(shard.begin(), shard.end(), all.end() - 100 * time));
}

BOOST_AUTO_TEST_CASE(random_positions_in_evaluation_are_fixed) {
  const auto all = drawn(1, 0, 20, Pass::evaluation());
  BOOST_TEST(std::is_sorted(all.begin(), all.end()));
  const auto later = drawn(2, 5, 3, Pass::evaluation());
  BOOST_TEST(std::equal(later.begin(), later.begin() + 3, all.begin() + 5));
  BOOST_TEST(std::equal(later.begin() + 3, later.end(), all.begin() + 5));
}

BOOST_AUTO_TEST_CASE(models_with_random_positions) {
  LearnedPositions learned;
  SinusoidalPositions sinusoidal;
  learned.random.range = sinusoidal.random.range = 30;
  for (const Positions& position : {Positions(learned), Positions(sinusoidal)}) {
    ModelOptions options = small_options(7, 6, 2);
    options.position = position;
    const GPT model(options);
    const Tensor ids = tensor({1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5}, {2, 6}, DType::i32);
    Pass whole = Pass::evaluation(), cached = Pass::evaluation();
    const Tensor all = model(ids, whole);
    Cache cache;
    cached.cache = &cache;
    model(slice(ids, 1, 0, 4), cached);
    const Tensor last = model(slice(ids, 1, 4, 6), cached), wanted = slice(all, 1, 4, 6);
    const std::vector<double> a = last.values(), b = wanted.values();
    for (std::size_t i = 0; i < a.size(); ++i) BOOST_TEST(std::abs(a[i] - b[i]) < 1e-5);
    Pass training = Pass::training(0, 0);
    BOOST_TEST((model(ids, training).values() != all.values()));
    options.context = 31;
    EXPECT_ERROR(ValueError, GPT(options),
                 "--random-positions 30 is too few for a model that reads 31 tokens; train with at "
                 "least 31");
  }
}

BOOST_AUTO_TEST_SUITE_END()

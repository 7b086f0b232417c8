#include "../../nn/positions.hpp"
#include "../../core/ops.hpp"
#include "../../nn/encoder_decoder.hpp"
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

BOOST_AUTO_TEST_CASE(shared_random_positions_depend_on_the_step) {
  const auto drawn = [](Index first, Index time, const Pass& pass) {
    return shared_random_positions(first, time, 20, 50, pass);
  };
  const auto all = drawn(0, 12, Pass::training(1, 2));
  for (std::size_t i = 1; i < all.size(); ++i) BOOST_TEST(all[i - 1] < all[i]);
  BOOST_TEST(all.back() < 50);
  // All layers and shards of a step have the same positions, and the queries are the last tokens.
  Pass later = Pass::training(1, 2, 300);
  later.next_key();
  BOOST_TEST(all == drawn(0, 12, later));
  BOOST_TEST((drawn(9, 3, later) == std::vector<Index>(all.begin() + 9, all.end())));
  BOOST_TEST((all != drawn(0, 12, Pass::training(1, 3))));
  BOOST_TEST((all != drawn(0, 12, Pass::training(2, 2))));
  // In evaluation, they don't depend on the number of tokens read so far.
  const auto fixed = drawn(0, 20, Pass::evaluation());
  BOOST_TEST((drawn(5, 3, Pass::evaluation()) ==
              std::vector<Index>(fixed.begin() + 5, fixed.begin() + 8)));
}

namespace {

template <class Kind>
Positions random_kind(Index range) {
  Kind kind;
  kind.random.range = range;
  return kind;
}

using Make = Positions (*)(Index range);
constexpr Make kinds[] = {random_kind<LearnedPositions>, random_kind<SinusoidalPositions>,
                          random_kind<RotaryPositions>, random_kind<AlibiPositions>,
                          random_kind<T5Positions>};

}  // namespace

/// If there are as many positions as tokens, they are 0, 1, 2 and so on: results and gradients are
/// as without random positions, which other code computes.
BOOST_AUTO_TEST_CASE(as_many_random_positions_as_tokens) {
  const Tensor ids = tensor({1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5}, {2, 6}, DType::i32);
  for (const Make make : kinds)
    for (const Index kv_heads : {1, 2}) {
      ModelOptions options = small_options(7, 6, 2, DType::f64);
      options.kv_heads = kv_heads;
      options.init_std = 0.5;
      const auto result = [&](Index range) {
        options.position = make(range);
        GPT model(options);
        Tape tape;
        Pass pass = Pass::training(0, 0);
        const Tensor y = model(ids, pass);
        std::vector<double> all = y.values();
        for (const Tensor& gradient : tape.backward(sum(y * y)).all())
          for (const double value : gradient.values()) all.push_back(value);
        return all;
      };
      const std::vector<double> a = result(0), b = result(6), c = result(7);
      BOOST_TEST_REQUIRE(a.size() == b.size());
      double most = 0, other = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(a[i] - b[i]) / (1 + std::abs(a[i])));
        other = std::max(other, std::abs(a[i] - c[i]));
      }
      BOOST_TEST(most < 1e-11, &make - kinds);
      BOOST_TEST(other > 1e-9, &make - kinds);
    }
}

BOOST_AUTO_TEST_CASE(models_with_random_positions) {
  for (const Make make : kinds) {
    const Positions position = make(30);
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
    EncoderDecoder both([&] {
      ModelOptions longer = options;
      longer.source = 9;
      return longer;
    }());
    Pass reading = Pass::evaluation();
    BOOST_TEST(both(tensor(std::vector<double>(13, 1), {1, 13}, DType::i32), reading).dim(1) == 4);
    options.context = 31;
    EXPECT_ERROR(ValueError, GPT(options),
                 "--random-positions 30 is too few for a model that reads 31 tokens; train with at "
                 "least 31");
  }
  AttentionLayerOptions alone;
  alone.position = random_kind<RotaryPositions>(30);
  EXPECT_ERROR(ValueError, MultiHeadAttention(alone),
               "attention: random positions need `tokens`, the longest sequence");
  alone.tokens = 5;
  alone.position = random_kind<AlibiPositions>(30);
  MultiHeadAttention layer(alone);
  initialise(layer, 1);
  Pass pass = Pass::evaluation();
  EXPECT_ERROR(ShapeError, layer(zeros({1, 6, 64}, DType::f32), pass),
               "random positions: 6 tokens, expected at most 5");
  const Tensor x = zeros({1, 3, 64}, DType::f32);
  EXPECT_ERROR(ValueError, layer(x, x, x, pass, {tensor({1, 1, 1}, {3}, DType::i32)}),
               "attention: random positions can't be combined with a mask; remove one");
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../core/random.hpp"
#include "../../core/kernels/random/draws.hpp"
#include "../shared/support.hpp"

#include <cmath>
#include <numeric>

namespace tapehead {  // in a namespace, because the C library has a function named `random`
BOOST_AUTO_TEST_SUITE(random)

namespace {

using Block = std::array<std::uint32_t, 4>;

std::vector<std::uint32_t> bits(const RandomKey& key, Index first, Index n) {
  std::vector<std::uint32_t> out(n);
  random_bits(key, first, n, out.data());
  return out;
}

/// Returns the mean of x^power.
double moment(const std::vector<double>& values, int power) {
  double total = 0;
  for (const double x : values) total += std::pow(x, power);
  return total / static_cast<double>(values.size());
}

}  // namespace

BOOST_AUTO_TEST_CASE(philox_gives_the_known_answers_of_its_authors) {
  BOOST_TEST(
      (philox({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  BOOST_TEST((philox({ones, ones, ones, ones}, {ones, ones}) ==
              Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  BOOST_TEST((philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
              Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

BOOST_AUTO_TEST_CASE(a_key_names_its_counter) {
  const RandomKey key{0x0123456789abcdef, Draw::batch, 7, 0x00fedcba, 9};
  const Block block = philox({2, 9, 0x02fedcba, 7}, {0x89abcdef, 0x01234567});
  BOOST_TEST(bits(key, 8, 4) == std::vector<std::uint32_t>(block.begin(), block.end()),
             per_element());
}

BOOST_AUTO_TEST_CASE(any_stretch_of_a_sequence_is_the_same) {
  const RandomKey key{5, Draw::dropout, 3, 2, 1};
  const std::vector<std::uint32_t> all = bits(key, 0, 300);
  for (const Index first : {0, 4, 60, 64, 68, 128, 200})
    for (const Index n : {0, 1, 3, 4, 5, 16, 63, 64, 65, 100}) {
      const auto at = all.begin() + first;
      BOOST_TEST(bits(key, first, n) == std::vector<std::uint32_t>(at, at + n), per_element());
    }
  Random random(key);
  for (const std::uint32_t word : all) BOOST_TEST_REQUIRE(random.bits() == word);
}

BOOST_AUTO_TEST_CASE(equal_keys_agree_and_others_differ) {
  const RandomKey key{1, Draw::dropout, 2, 3, 4};
  std::vector<RandomKey> others(6, key);
  others[0].seed = 2;
  others[1].seed = 1 + (std::uint64_t{1} << 32);
  others[2].draw = Draw::weights;
  others[3].step = 3;
  others[4].site = 4;
  others[5].example = 5;
  BOOST_TEST(bits(key, 0, 4) == bits(key, 0, 4));
  for (const RandomKey& other : others) BOOST_TEST(bits(key, 0, 4) != bits(other, 0, 4));
}

BOOST_AUTO_TEST_CASE(below_is_uniform_and_stays_below) {
  for (const Index n : {1, 2, 3, 10, 97}) {
    constexpr Index draws = 20'000;
    Random random({static_cast<std::uint64_t>(n)});
    std::vector<double> counts(n);
    for (Index i = 0; i < draws; ++i) {
      const Index value = random.below(n);
      BOOST_TEST_REQUIRE((value >= 0 && value < n));
      counts[value]++;
    }
    // Chi squared: mean n - 1, deviation sqrt(2 (n - 1)).
    const double expected = static_cast<double>(draws) / static_cast<double>(n);
    double chi = 0;
    for (const double count : counts) chi += (count - expected) * (count - expected) / expected;
    const double freedom = n - 1;
    BOOST_TEST(std::abs(chi - freedom) <= 4 * std::sqrt(2 * freedom));
  }
}

BOOST_AUTO_TEST_CASE(below_is_fair_where_the_range_does_not_divide_the_bits) {
  // With n = 3 * 2^30, each third of the range should get a third of all draws. bits() % n would
  // give half of them to the lowest third.
  constexpr Index n = Index{3} << 30;
  Random random({1});
  int low = 0;
  for (int i = 0; i < 30'000; ++i) low += random.below(n) < n / 3 ? 1 : 0;
  BOOST_TEST(std::abs(low - 10'000) < 400);
  BOOST_TEST(random.below(Index{1} << 32) >= 0);
}

BOOST_AUTO_TEST_CASE(below_refuses_empty_and_too_large_ranges) {
  Random random({1});
  EXPECT_ERROR(ValueError, random.below(0), "below: n is 0, expected 1 to 2^32");
  EXPECT_ERROR(ValueError, random.below(-3), "below: n is -3, expected 1 to 2^32");
  EXPECT_ERROR(ValueError, random.below((Index{1} << 32) + 1),
               "below: n is 4294967297, expected 1 to 2^32");
}

BOOST_AUTO_TEST_CASE(uniform_fills_its_range_evenly) {
  const auto values = random_uniform({100'000}, -2, 4, {1}, DType::f64).values();
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  BOOST_TEST((*low >= -2 && *low < -1.999 && *high < 4 && *high > 3.999));
  BOOST_TEST(std::abs(moment(values, 1) - 1) < 0.02);
  BOOST_TEST(std::abs(moment(values, 2) - 4) < 0.05);
}

BOOST_AUTO_TEST_CASE(normal_has_its_moments) {
  const auto values = random_normal({100'000}, {1}, DType::f64).values();
  BOOST_TEST(std::abs(moment(values, 1)) < 0.01);
  BOOST_TEST(std::abs(moment(values, 2) - 1) < 0.02);
  BOOST_TEST(std::abs(moment(values, 3)) < 0.05);
  BOOST_TEST(std::abs(moment(values, 4) - 3) < 0.1);
  const auto beyond =
      std::count_if(values.begin(), values.end(), [](double x) { return std::abs(x) > 1.959964; });
  BOOST_TEST(std::abs(static_cast<double>(beyond) - 5000) < 300);
}

BOOST_AUTO_TEST_CASE(tensors_of_either_type_hold_the_same_draws) {
  const RandomKey key{3, Draw::weights};
  expect_equal(random_normal({7, 3}, key).detached(),
               tensor(random_normal({7, 3}, key, DType::f64).values(), {7, 3}));
  BOOST_TEST(random_normal({0, 3}, key).size() == 0);
  EXPECT_ERROR(TypeError, random_normal({2}, key, DType::i32),
               "random_normal: expected f32 or f64, got i32; convert with cast(x, "
               "DType::f32)");
  EXPECT_ERROR(TypeError, random_uniform({2}, 0, 1, key, DType::i32),
               "random_uniform: expected f32 or f64, got i32; convert with cast(x, "
               "DType::f32)");
}

BOOST_AUTO_TEST_CASE(an_f32_uniform_stays_below_its_upper_end) {
  const auto values = random_uniform({2'000'000}, 0, 1, {1}).values();
  BOOST_TEST(*std::max_element(values.begin(), values.end()) < 1);
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace tapehead

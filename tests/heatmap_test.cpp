#include <tapehead/cli/heatmap.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <sstream>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(heatmap)

namespace {

using Key = std::function<std::int64_t(std::int64_t)>;

/// Each query looks at key(query); where that is none, evenly at what it may see.
HeadWeights looking_at(std::int64_t size, const Key& key, bool causal = false) {
  HeadWeights weights{size, size, std::vector<double>(static_cast<std::size_t>(size * size), 0)};
  for (std::int64_t query = 0; query < size; ++query) {
    double* row = weights.values.data() + query * size;
    const std::int64_t seen = causal ? query + 1 : size;
    const std::int64_t found = key(query);
    if (found >= 0 && found < seen)
      row[found] = 1;
    else
      std::fill(row, row + seen, 1.0 / static_cast<double>(seen));
  }
  return weights;
}

std::vector<std::string> tokens(std::int64_t count, const std::string& token = "a") {
  return std::vector<std::string>(static_cast<std::size_t>(count), token);
}

void expect_fits(const std::string& text, int width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) BOOST_TEST(display_width(line) <= width, line);
}

}  // namespace

BOOST_AUTO_TEST_CASE(finds_the_pattern_of_a_head) {
  const auto name = [](const Key& key, bool causal) {
    return find_pattern(looking_at(16, key, causal)).name;
  };
  for (bool causal : {false, true}) {
    BOOST_TEST(name([](auto q) { return q; }, causal) == "same token");
    BOOST_TEST(name([](auto q) { return q - 1; }, causal) == "previous token");
    BOOST_TEST(name([](auto q) { return q - 5; }, causal) == "5 back");
    BOOST_TEST(name([](auto) { return 0; }, causal) == "first token");
    BOOST_TEST(name([](auto q) { return 15 - q; }, causal) == "anti-diagonal");
    BOOST_TEST(name([](auto q) { return 18 - q; }, causal) == "anti-diagonal");
    BOOST_TEST(name([](auto) { return -1; }, causal) == "");  // evenly
  }
}

BOOST_AUTO_TEST_CASE(the_score_is_the_mean_weight) {
  HeadWeights weights = looking_at(
      4, [](auto q) { return q - 1; }, true);
  BOOST_TEST(find_pattern(weights).score == 1);
  weights.values[4] = 0.7, weights.values[5] = 0.3;  // query 1
  BOOST_TEST(find_pattern(weights).score == 0.9, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(few_tokens_have_no_pattern_by_chance) {
  BOOST_TEST(find_pattern(looking_at(
                              1, [](auto q) { return q; }, true))
                 .name == "");
  BOOST_TEST(find_pattern({0, 0, {}}).name == "");
}

BOOST_AUTO_TEST_CASE(tokens_stand_on_both_axes) {
  const HeadWeights weights = looking_at(4, [](auto q) { return 3 - q; });
  BOOST_TEST(tapehead::heatmap(weights, {"4", "0", "9", "3"}, Terminal()) ==
             "     4 0 9 3\n"
             "  4  · · · █\n"
             "  0  · · █ ·\n"
             "  9  · █ · ·\n"
             "  3  █ · · ·\n");
}

BOOST_AUTO_TEST_CASE(what_a_causal_head_cannot_see_stays_empty) {
  const HeadWeights weights = looking_at(
      3, [](auto) { return -1; }, true);
  BOOST_TEST(tapehead::heatmap(weights, {"a", "b", "c"}, Terminal()) ==
             "     a b c\n"
             "  a  █\n"
             "  b  ▒ ▒\n"
             "  c  ░ ░ ░\n");
}

BOOST_AUTO_TEST_CASE(shades_and_a_nan) {
  const HeadWeights weights{1, 6, {0.1, 0.2, 0.5, 0.7, 0.9, std::nan("")}};
  BOOST_TEST(tapehead::heatmap(weights, tokens(6), Terminal()) ==
             "     a a a a a a\n"
             "  a  · ░ ▒ ▓ █ ?\n");
}

BOOST_AUTO_TEST_CASE(wide_tokens_and_spaces) {
  const HeadWeights weights = looking_at(3, [](auto q) { return 2 - q; });
  BOOST_TEST(tapehead::heatmap(weights, {"10", " ", "\n"}, Terminal()) ==
             "      10 ␣  ↵\n"
             "  10  ·· ·· ██\n"
             "   ␣  ·· ██ ··\n"
             "   ↵  ██ ·· ··\n");
}

BOOST_AUTO_TEST_CASE(colour_takes_the_place_of_shades) {
  Terminal terminal;
  terminal.colour = true;
  const std::string text =
      tapehead::heatmap(looking_at(2, [](auto q) { return 1 - q; }), tokens(2), terminal);
  BOOST_TEST(text ==
             "     a a\n"
             "  a  \x1b[48;5;234m  \x1b[0m\x1b[48;5;230m  \x1b[0m\n"
             "  a  \x1b[48;5;230m  \x1b[0m\x1b[48;5;234m  \x1b[0m\n");
}

BOOST_AUTO_TEST_CASE(long_tokens_stand_upright) {
  const std::string text =
      tapehead::heatmap(looking_at(20, [](auto q) { return q; }), tokens(20, "word"), Terminal());
  expect_fits(text, 80);
  BOOST_TEST(text.rfind("        w w w", 0) == 0);
}

BOOST_AUTO_TEST_CASE(sixty_four_tokens_have_a_column_each) {
  const std::string text =
      tapehead::heatmap(looking_at(64, [](auto q) { return q; }), tokens(64), Terminal());
  expect_fits(text, 80);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 65);
}

BOOST_AUTO_TEST_CASE(more_than_fit_share_cells) {
  for (std::int64_t size : {76, 100, 1000}) {
    const std::string text =
        tapehead::heatmap(looking_at(size, [](auto q) { return q; }), tokens(size), Terminal());
    expect_fits(text, 80);
    BOOST_TEST(text.find("keys added up") != std::string::npos);
    BOOST_TEST(text.find("█") != std::string::npos);  // sums of keys stay a share of 1
    BOOST_TEST(text.find("▓") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(any_width_will_do) {
  Terminal terminal;
  terminal.width = 40;
  for (std::int64_t size : {1, 10, 17, 34, 35, 200})
    expect_fits(tapehead::heatmap(looking_at(
                                      size, [](auto q) { return q; }, true),
                                  tokens(size), terminal),
                40);
}

BOOST_AUTO_TEST_SUITE_END()

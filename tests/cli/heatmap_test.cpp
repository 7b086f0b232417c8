#include "../../cli/attention/heatmap.hpp"
#include "../shared/suite.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(heatmap)

namespace {

using Key = std::function<std::int64_t(std::int64_t)>;

/// Returns weights where each query attends to key(query), or evenly to all visible keys if there
/// is none.
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

/// Draws the map of a sequence that attends to itself.
std::string map_of(const HeadWeights& weights, const std::vector<std::string>& all,
                   const Terminal& terminal = Terminal()) {
  return tapehead::heatmap(weights, all, all, terminal);
}

void expect_fits(const std::string& text, int width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) BOOST_TEST(display_width(line) <= width, line);
}

}  // namespace

BOOST_AUTO_TEST_CASE(tokens_label_both_axes) {
  const HeadWeights weights = looking_at(4, [](auto q) { return 3 - q; });
  BOOST_TEST(map_of(weights, {"4", "0", "9", "3"}) ==
             "     4 0 9 3\n"
             "  4  · · · █\n"
             "  0  · · █ ·\n"
             "  9  · █ · ·\n"
             "  3  █ · · ·\n");
}

BOOST_AUTO_TEST_CASE(masked_cells_of_a_causal_head_stay_empty) {
  const HeadWeights weights = looking_at(
      3, [](auto) { return -1; }, true);
  BOOST_TEST(map_of(weights, {"a", "b", "c"}) ==
             "     a b c\n"
             "  a  █\n"
             "  b  ▒ ▒\n"
             "  c  ░ ░ ░\n");
}

BOOST_AUTO_TEST_CASE(shades_and_nan) {
  const HeadWeights weights{1, 6, {0.1, 0.2, 0.5, 0.7, 0.9, std::nan("")}};
  BOOST_TEST(tapehead::heatmap(weights, {"a"}, tokens(6), Terminal()) ==
             "     a a a a a a\n"
             "  a  · ░ ▒ ▓ █ ?\n");
}

BOOST_AUTO_TEST_CASE(wide_tokens_and_spaces) {
  const HeadWeights weights = looking_at(3, [](auto q) { return 2 - q; });
  BOOST_TEST(map_of(weights, {"10", " ", "\n"}) ==
             "      10 ␣  ↵\n"
             "  10  ·· ·· ██\n"
             "   ␣  ·· ██ ··\n"
             "   ↵  ██ ·· ··\n");
}

BOOST_AUTO_TEST_CASE(colour_replaces_shades) {
  Terminal terminal;
  terminal.colour = true;
  const std::string text = map_of(looking_at(2, [](auto q) { return 1 - q; }), tokens(2), terminal);
  BOOST_TEST(text ==
             "     a a\n"
             "  a  \x1b[48;5;234m  \x1b[0m\x1b[48;5;230m  \x1b[0m\n"
             "  a  \x1b[48;5;230m  \x1b[0m\x1b[48;5;234m  \x1b[0m\n");
}

BOOST_AUTO_TEST_CASE(long_tokens_are_vertical) {
  const std::string text = map_of(looking_at(20, [](auto q) { return q; }), tokens(20, "word"));
  expect_fits(text, 80);
  BOOST_TEST(text.rfind("        w w w", 0) == 0);
}

BOOST_AUTO_TEST_CASE(sixty_four_tokens_have_a_column_each) {
  const std::string text = map_of(looking_at(64, [](auto q) { return q; }), tokens(64));
  expect_fits(text, 80);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 65);
}

BOOST_AUTO_TEST_CASE(keys_share_cells_if_they_do_not_fit) {
  for (std::int64_t size : {76, 100, 1000}) {
    const std::string text = map_of(looking_at(size, [](auto q) { return q; }), tokens(size));
    expect_fits(text, 80);
    BOOST_TEST(text.find("keys, mean over") != std::string::npos);
    BOOST_TEST(text.find("█") != std::string::npos);  // weights summed over keys stay at most 1
    BOOST_TEST(text.find("▓") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(every_width_is_supported) {
  Terminal terminal;
  terminal.width = 40;
  for (std::int64_t size : {1, 10, 17, 34, 35, 200})
    expect_fits(map_of(looking_at(
                           size, [](auto q) { return q; }, true),
                       tokens(size), terminal),
                40);
}

BOOST_AUTO_TEST_CASE(queries_and_keys_may_be_different_sequences) {
  const HeadWeights weights{2, 3, {0, 0, 1, 0, 1, 0}, /*cross=*/true};
  BOOST_TEST(tapehead::heatmap(weights, {"ab", "c"}, {"1", "2", "3"}, Terminal()) ==
             "      1 2 3\n"
             "  ab  · · █\n"
             "   c  · █ ·\n");
}

BOOST_AUTO_TEST_CASE(fewer_queries_than_keys_are_the_last_positions) {
  const HeadWeights weights{2, 4, {0, 0, 1, 0, 0, 1, 0, 0}};
  BOOST_TEST(tapehead::heatmap(weights, {"c", "d"}, {"a", "b", "c", "d"}, Terminal()) ==
             "     a b c d\n"
             "  c  · · █\n"
             "  d  · █ · ·\n");
}

BOOST_AUTO_TEST_CASE(shared_cells_of_the_last_positions_are_all_shown) {
  // The last query attends to the last key. Its cell must not be cut.
  HeadWeights weights{97, 100, std::vector<double>(9700, 0)};
  for (std::int64_t query = 0; query < 97; ++query)
    weights.values[static_cast<std::size_t>(query * 100 + query + 3)] = 1;
  const std::string text = tapehead::heatmap(weights, tokens(97), tokens(100), Terminal());
  expect_fits(text, 80);
  BOOST_TEST(text.rfind("█\n") == text.size() - std::string("█\n").size());
}

BOOST_AUTO_TEST_SUITE_END()

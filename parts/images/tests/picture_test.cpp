#include "../picture.hpp"
#include "../../../tests/shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(picture)

namespace {

Terminal coloured() {
  Terminal terminal;
  terminal.live = terminal.colour = true;
  return terminal;
}
/// Returns a row of grey pixels, from 0 to 9 ninths.
Picture row_of(const std::vector<int>& ninths) {
  Picture result{1, static_cast<Index>(ninths.size()), {}};
  for (const int n : ninths) result.colours.push_back({n / 9.0, n / 9.0, n / 9.0});
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(levels_and_channels_of_an_image) {
  const Picture grey = make_picture({2, 1, 1, 5, 3}, {3, 7});
  BOOST_TEST(grey.rows == 2);
  BOOST_TEST((grey.colours[0] == std::array<double, 3>{0, 0, 0}));
  BOOST_TEST((grey.colours[1] == std::array<double, 3>{1, 1, 1}));
  const Picture colour = make_picture({1, 2, 3, 3, 2}, {2, 3, 4, 4, 3, 2});
  BOOST_TEST((colour.colours[0] == std::array<double, 3>{0, 0.5, 1}));
  BOOST_TEST((colour.colours[1] == std::array<double, 3>{1, 0.5, 0}));
}

BOOST_AUTO_TEST_CASE(brightness_in_characters) {
  // A picture with few columns is drawn at double width; a line holds two rows.
  BOOST_TEST(render(row_of({0, 1, 5, 9}), {}) == "  ..++@@\n");
  std::vector<int> wide;
  for (int i = 0; i < 20; ++i) wide.push_back(i / 2);
  BOOST_TEST(render(row_of(wide), {}) == "  ..::--==++**##%%@@\n");
  Picture column{4, 20, {}};  // the rows are 0, 8, 8, 8
  for (int i = 0; i < 80; ++i) column.colours.push_back(row_of({i < 20 ? 0 : 8}).colours[0]);
  BOOST_TEST(render(column, {}) == std::string(20, '=') + "\n" + std::string(20, '%') + "\n");
}

BOOST_AUTO_TEST_CASE(colours_of_the_terminal) {
  Picture two{2, 13, {}};
  for (int i = 0; i < 26; ++i) two.colours.push_back({0, 0, 0});
  two.colours[1] = {1, 1, 1};
  two.colours[2] = {1, 0, 0};
  two.colours[15] = {0.4, 0.4, 0.4};
  const std::string text = render(two, coloured());
  BOOST_TEST(
      text.rfind("\x1b[38;5;16;48;5;16m▀\x1b[38;5;231;48;5;16m▀\x1b[38;5;196;48;5;241m▀", 0) == 0u);
  BOOST_TEST(has(text, "▀\x1b[0m\n"));
  BOOST_TEST(display_width(text.substr(0, text.find('\n'))) == 13);
}

BOOST_AUTO_TEST_CASE(no_wider_than_the_terminal) {
  Terminal narrow;
  narrow.width = 40;
  Picture large{100, 100, {}};
  for (int i = 0; i < 10000; ++i) large.colours.push_back({0.5, 0.5, 0.5});
  const std::string text = render(large, narrow);
  BOOST_TEST(text.find('\n') == 32u);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 16);
}

BOOST_AUTO_TEST_CASE(resizing_repeats_or_averages) {
  const Picture small = row_of({0, 9});
  const Picture large = resize(small, 2, 6);
  for (int i = 0; i < 12; ++i) BOOST_TEST(large.colours[i][1] == (i % 6 < 3 ? 0 : 1));
  BOOST_TEST(resize(large, 1, 1).colours[0][0] == 0.5);
}

BOOST_AUTO_TEST_CASE(weights_cover_a_picture) {
  const Picture weights = make_picture(1, 2, {0.1, 0.4});
  BOOST_TEST(weights.colours[0][0] == 0.25);
  BOOST_TEST(weights.colours[1][2] == 1);
  const Picture both = blend(row_of({0, 0, 9, 9}), weights);
  BOOST_TEST(both.colours[0][0] == 0.6 * 0.25);
  BOOST_TEST(both.colours[3][0] == 1);
  BOOST_TEST(both.colours[3][2] == 0.4);
  BOOST_TEST(make_picture(1, 2, {0, 0}).colours[0][0] == 0);
  BOOST_TEST(make_picture(1, 2, {std::nan(""), 1}).colours[0][0] == 0);
}

BOOST_AUTO_TEST_SUITE_END()

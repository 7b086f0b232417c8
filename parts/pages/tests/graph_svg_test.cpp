// The SVG of the graph that explain writes.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/support.hpp"
#include "browser.hpp"

#include <algorithm>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(graph_svg, Elsewhere)

namespace {

std::string picture_of(const std::string& what) {
  done("explain " + what + " --out graph.svg");
  return contents("graph.svg");
}

/// Returns the texts of a class, in order.
std::vector<std::string> texts(const std::string& svg, const std::string& kind) {
  std::vector<std::string> result;
  const std::string start = "class=\"" + kind + "\"";
  for (std::size_t at = 0; (at = svg.find(start, at)) != std::string::npos; ++at) {
    const std::size_t begin = svg.find('>', at) + 1;
    result.push_back(svg.substr(begin, svg.find('<', begin) - begin));
  }
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_expression_has_values_gradients_and_what_its_edges_contribute) {
  const std::string svg = picture_of("'a*b + a' a=2 b=3");
  expect_well_formed(svg);
  BOOST_TEST(texts(svg, "title") == (std::vector<std::string>{"a*b + a", "a", "b", "mul", "add"}),
             per_element());
  const std::vector<std::string> values = texts(svg, "value"), gradients = texts(svg, "gradient");
  BOOST_TEST(std::vector<std::string>(values.begin(), values.begin() + 4) ==
                 (std::vector<std::string>{"2.0000", "3.0000", "6.0000", "8.0000"}),
             per_element());
  BOOST_TEST(std::vector<std::string>(gradients.begin(), gradients.begin() + 4) ==
                 (std::vector<std::string>{"4.0000", "2.0000", "1.0000", "1.0000"}),
             per_element());
  // The gradient 4 is 3 through the product plus 1 through the sum.
  BOOST_TEST(texts(svg, "gradient label") ==
                 (std::vector<std::string>{"3.0000", "1.0000", "2.0000", "1.0000"}),
             per_element());
}

BOOST_AUTO_TEST_CASE(an_expression_has_tangents_along_a_direction) {
  const std::string svg = picture_of("'a*b + a' a=2 b=3 --forward a=1");
  expect_well_formed(svg);
  BOOST_TEST(texts(svg, "tangent") == (std::vector<std::string>{"1.0000", "0.0000", "3.0000",
                                                                "4.0000", "tangents, forward →"}),
             per_element());
  BOOST_TEST(texts(picture_of("x*x x=3"), "tangent").empty());
}

BOOST_AUTO_TEST_CASE(small_matrices_have_their_elements_and_large_ones_their_size) {
  const std::string svg =
      picture_of("'softmax(x) * w + sum(y)' 'x=[0,1;2,0]' 'w=[1,2]' 'y=randn(9,9)'");
  expect_well_formed(svg);
  const std::vector<std::string> values = texts(svg, "value");
  BOOST_TEST(values[0] == "0.0000  1.0000");
  BOOST_TEST(values[1] == "2.0000  0.0000");
  BOOST_TEST(values[2] == "1.0000  2.0000");
  BOOST_TEST(values[3].find("mean ") == 0u, values[3]);
  const std::vector<std::string> labels = texts(svg, "gradient label");
  BOOST_TEST(std::count(labels.begin(), labels.end(), "Σ 1.1497 0.8503") == 1, labels[1]);
}

BOOST_AUTO_TEST_CASE(one_variable_used_twice_by_one_op_has_two_edges) {
  const std::string svg = picture_of("x*x x=3");
  BOOST_TEST(texts(svg, "gradient label") == (std::vector<std::string>{"3.0000", "3.0000"}),
             per_element());
}

BOOST_AUTO_TEST_CASE(a_model_stands_by_module) {
  done(
      "train reverse --arch gpt --length 4 --symbols 5 --width 8 --heads 2 --layers 2 --steps 5 "
      "--eval-every 0 --out r&n");
  const std::string svg = picture_of("r&n --example 1");
  expect_well_formed(svg);
  const std::vector<std::string> titles = texts(svg, "title");
  for (const char* title :
       {"Backpropagation in r&amp;n", "blocks.0.attention.qkv", "44 softmax", "loss"})
    BOOST_TEST(std::count(titles.begin(), titles.end(), title) == 1, title);
  BOOST_TEST(count(svg, "marker-end") > 150u);
  BOOST_TEST(svg.find("nan") == std::string::npos);
  BOOST_TEST(svg.size() < 200'000u);
}

BOOST_AUTO_TEST_SUITE_END()

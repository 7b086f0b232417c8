// The picture and the page that `attention` writes.
#include "../../../tests/shared/attention_run.hpp"
#include "../../../tests/shared/awkward_maps.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../attention/attention.hpp"
#include "browser.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(attention_pages)

BOOST_AUTO_TEST_CASE(svg_is_well_formed_whatever_the_tokens) {
  std::vector<AttentionMap> maps = awkward_maps();
  maps[0].patterns = {{named("token <")}, {}};
  const std::string svg = attention_svg(maps, "<a & \"b\">\x01");
  expect_well_formed(svg);
  BOOST_TEST(has(svg, "<title>&lt;a &amp; &quot;b&quot;&gt;␁</title>"));
  BOOST_TEST(count(svg, "class=\"title\"") == 3U);
  for (const char* token : {">&lt;<", ">&amp;<", ">&quot;<", ">↵<", ">␣<", ">&lt;/script&gt;<"})
    BOOST_TEST(count(svg, token) == 4U, token);  // on both axes of two heads
  BOOST_TEST(has(svg, ">layer 0 head 0</text>"));
  BOOST_TEST(has(svg, ">token &lt; 0.50</text>"));
  BOOST_TEST(!has(svg, "<script"));
}

BOOST_AUTO_TEST_CASE(svg_draws_each_weight) {
  AttentionMap map;
  map.queries = {"a", "b"}, map.keys = {"x", "y", "z"};
  map.cross = true;
  map.weights = tensor({1, 0, 0, 0.2, 0.4, 0.4}, {1, 2, 3});
  const std::string svg = attention_svg({map}, "");
  BOOST_TEST(has(svg, R"(<path class="ink" fill-opacity="1.00" d="M0 0h1v1h-1z"/>)"));
  BOOST_TEST(has(svg, R"(<path class="ink" fill-opacity="0.44" d="M0 1h1v1h-1z"/>)"));
  BOOST_TEST(has(svg, R"(<path class="ink" fill-opacity="0.64" d="M1 1h2v1h-2z"/>)"));
  BOOST_TEST(count(svg, "<path") == 3U);
  map.weights = tensor({std::numeric_limits<double>::quiet_NaN()}, {1, 1, 1});
  map.queries = map.keys = {"a"};
  BOOST_TEST(has(attention_svg({map}, ""), R"(<path class="wrong" )"));
}

BOOST_AUTO_TEST_CASE(svg_of_a_run) {
  const AttentionRun run;
  const Output output = run.show({"--format", "svg"});
  BOOST_TEST(output.status == 0, output.errors);
  expect_well_formed(output.text);
  BOOST_TEST(has(output.text, "<title>Attention of run</title>"));
  BOOST_TEST(count(output.text, "class=\"title\"") == 4U);
  BOOST_TEST(count(run.show({"--format", "svg", "--head", "1"}).text, "class=\"title\"") == 2U);
}

BOOST_AUTO_TEST_CASE(html_carries_the_weights) {
  const AttentionRun run;
  BOOST_TEST(run.show({"--out", "map.html"}).status == 0);  // the extension selects the format
  const json data = data_of(contents("map.html"));
  std::vector<float> weights;
  for (const auto& map : data["maps"])
    for (const auto& head : map["heads"])
      for (const auto& row : head["weights"])
        for (const auto& weight : row) weights.push_back(weight.get<float>());
  BOOST_TEST(weights == run.weights(), per_element());
  BOOST_TEST(data["maps"][1]["module"] == "blocks.1.attention");
  BOOST_TEST(data["maps"][1]["queries"] == (Words{"0", "1", "2", "3", "0"}));
}

BOOST_AUTO_TEST_CASE(format_option_overrides_the_file_ending) {
  const AttentionRun run;
  BOOST_TEST(run.show({"--format", "svg", "--out", "map.html"}).status == 0);
  BOOST_TEST(contents("map.html").rfind("<svg", 0) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

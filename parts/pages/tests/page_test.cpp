// The page of attention maps: its data, and what a browser shows.
#include "../../../tests/shared/awkward_maps.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/support.hpp"
#include "../attention/attention.hpp"
#include "browser.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(page)

namespace {

std::string awkward_page() { return attention_page(awkward_maps(), "Attention of <a & b>"); }

/// Uses the page like a reader, and records what it shows.
const std::string visitor = R"(
const look = name => seen[name] = ['title', 'rule', 'value'].map(id => $(id).textContent)
    .concat(location.hash, document.querySelector('[aria-pressed=true]').getAttribute('data-head'));
seen.window = document.title;
const type = key => press(document.activeElement, key);
const address = hash => { history.replaceState(null, '', hash); window.dispatchEvent(new HashChangeEvent('hashchange')); };
const pointer = (type, query, key) => {
  const box = $('cells').getBoundingClientRect();
  $('cells').dispatchEvent(new MouseEvent(type, { bubbles: true,
    clientX: box.left + (key + 0.5) * box.width / viewer.layer.keys.length,
    clientY: box.top + (query + 0.5) * box.height / viewer.layer.queries.length }));
};
look('address');
seen.pixels = [...$('cells').getContext('2d').getImageData(0, 0, $('cells').width, $('cells').height).data].filter((_, i) => i % 4 === 3);
seen.labels = [...$('keys').children].map(each => each.textContent);
seen.thumbnails = $('overview').querySelectorAll('button').length;
seen.overflow = document.documentElement.scrollWidth - innerWidth;
pointer('pointermove', 2, 1);
look('pointed');
pointer('pointerleave', 2, 1);
look('left');
pointer('click', 7, 6);
look('tapped');
address('#layer=99&head=x&query=1&key=99');
look('unknown');
type('ArrowRight');
look('right');
type('ArrowRight');
look('last');
type('ArrowDown');
look('down');
$('map').focus();
type('ArrowDown');
look('focused');
type('ArrowRight');
type('ArrowDown');
look('moved');
$('overview').querySelector('button').focus();
$('overview').querySelector('button').click();
look('clicked');
type('ArrowRight');
seen.focus = document.activeElement.dataset.head;
$('layer').value = 1;
$('layer').dispatchEvent(new Event('change'));
look('selected');
)";

}  // namespace

BOOST_AUTO_TEST_CASE(carries_the_weights_and_their_tokens) {
  const std::vector<AttentionMap> maps = awkward_maps();
  const json data = data_of(awkward_page());
  BOOST_TEST(data["title"] == "Attention of <a & b>");
  BOOST_TEST_REQUIRE(data["maps"].size() == 2U);
  for (std::size_t layer = 0; layer < maps.size(); ++layer) {
    const json& map = data["maps"][layer];
    BOOST_TEST(map["module"] == maps[layer].module);
    BOOST_TEST(map["queries"] == labels(maps[layer].queries));
    BOOST_TEST(map["keys"] == labels(maps[layer].keys));
    std::vector<double> weights;
    for (const json& head : map["heads"])
      for (const json& row : head["weights"])
        for (const json& weight : row) weights.push_back(weight.get<float>());
    expect_equal(maps[layer].weights, weights);
  }
  for (const json& head : data["maps"][0]["heads"]) BOOST_TEST(head["rule"] == "");
  BOOST_TEST(data["maps"][1]["extra"] == 1);
}

BOOST_AUTO_TEST_CASE(a_chosen_head_keeps_its_number) {
  const json data = data_of(attention_page(chosen(awkward_maps(), 0, 1), ""));
  BOOST_TEST(data["maps"].size() == 1U);
  BOOST_TEST(data["maps"][0]["heads"][0]["head"] == 1);
}

BOOST_AUTO_TEST_CASE(queries_that_are_the_last_positions_know_which) {
  AttentionMap map;
  map.queries = {"c"}, map.keys = {"+", "a", "b", "c"};
  map.weights = tensor({0, 0, 1, 0}, {1, 1, 4});
  map.extra = 1;
  BOOST_TEST(data_of(attention_page({map}, ""))["maps"][0]["first"] == 2);
}

BOOST_AUTO_TEST_CASE(what_is_no_number_is_null) {
  AttentionMap map;
  map.queries = map.keys = {"a"};
  map.weights = tensor({std::nan("")}, {1, 1, 1});
  BOOST_TEST(data_of(attention_page({map}, ""))["maps"][0]["heads"][0]["weights"][0][0] == nullptr);
}

BOOST_AUTO_TEST_CASE(no_token_ends_the_script) {
  const std::string page = awkward_page();
  BOOST_TEST(page.rfind("<!doctype html>\n<html lang=\"en\">", 0) == 0);
  BOOST_TEST(between(page, "<title>", "</title>") == "Attention of &lt;a &amp; b&gt;");
  BOOST_TEST(count(page, "</script>") == 2U);
  BOOST_TEST(page.find("<img") == std::string::npos);
  // The page needs no network: the only address is an XML namespace.
  BOOST_TEST(count(page, "://") == count(page, "'http://www.w3.org/2000/svg'"));
}

BOOST_AUTO_TEST_CASE(a_browser_shows_what_is_asked_for,
                     *boost::unit_test::precondition(has_browser)) {
  const json seen = visit(awkward_page(), visitor, 360, "#layer=0&head=1&query=3&key=0");
  // The arguments: title, pattern, value, address, pressed thumbnail.
  const auto expect = [&](const char* name, const std::vector<std::string>& shown) {
    BOOST_TEST(seen[name].get<std::vector<std::string>>() == shown,
               name << ": " << seen[name].dump());
  };
  const std::string hint = "Point at a weight, or tap it, to read it.";
  expect("address",
         {"layer 0 head 1", "", "↵ (position 3) attends to < (position 0) with weight 0.2500",
          "#layer=0&head=1&query=3&key=0", "1"});
  const HeadWeights even = awkward_maps()[0].head(1);
  BOOST_TEST_REQUIRE(seen["pixels"].size() == even.values.size());
  for (std::size_t i = 0; i < even.values.size(); ++i)
    BOOST_TEST(seen["pixels"][i] == std::lround(255 * std::sqrt(even.values[i])));
  BOOST_TEST(seen["labels"] == labels(awkward_tokens));
  BOOST_TEST(seen["thumbnails"] == 3);
  BOOST_TEST(seen["window"] == "layer 0 head 1 · Attention of <a & b>");
  BOOST_TEST(seen["focus"] == "1");  // focus follows the arrow keys
  BOOST_TEST(seen["overflow"].get<int>() <= 0);

  const std::string start = "#layer=0&head=1&query=3&key=0";
  expect("pointed", {"layer 0 head 1", "",
                     "\" (position 2) attends to & (position 1) with weight 0.3333", start, "1"});
  expect("left", {"layer 0 head 1", "",
                  "↵ (position 3) attends to < (position 0) with weight 0.2500", start, "1"});
  expect("tapped", {"layer 0 head 1", "",
                    "� (position 7) attends to </script> (position 6) with weight 0.1250",
                    "#layer=0&head=1&query=7&key=6", "1"});
  expect("unknown", {"layer 0 head 0", "", hint, "#layer=99&head=x&query=1&key=99", "0"});
  expect("right", {"layer 0 head 1", "", hint, "#layer=0&head=1", "1"});
  expect("last", {"layer 0 head 1", "", hint, "#layer=0&head=1", "1"});
  const std::string image = "<img src=x onerror=alert(1)> (position 0) attends to ";
  expect("down", {"layer 1 head 0", "", hint, "#layer=1&head=0", "0"});
  expect("focused", {"layer 1 head 0", "", image + "+ (no token) with weight 0.2500",
                     "#layer=1&head=0&query=0&key=0", "0"});
  expect("moved",
         {"layer 1 head 0", "", "b (position 1) attends to x (position 0) with weight 0.1000",
          "#layer=1&head=0&query=1&key=1", "0"});
  expect("clicked", {"layer 0 head 0", "", hint, "#layer=0&head=0", "0"});
  expect("selected", {"layer 1 head 0", "", hint, "#layer=1&head=0", "0"});
}

BOOST_AUTO_TEST_CASE(speaks_german, *boost::unit_test::precondition(has_browser)) {
  const Browsed german = browse(awkward_page(), "?lang=de");
  BOOST_TEST(german.dom.find("<html lang=\"de\">") != std::string::npos);
  BOOST_TEST(german.dom.find("Zeilen sind Queries, Spalten Keys") != std::string::npos);
  BOOST_TEST(german.console == "");
}

BOOST_AUTO_TEST_CASE(a_fault_would_be_seen_on_the_console,
                     *boost::unit_test::precondition(has_browser)) {
  std::string page = awkward_page();
  page.insert(page.rfind("</script>"), "missing();\n");
  BOOST_TEST(browse(page, "").console.find("missing is not defined") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

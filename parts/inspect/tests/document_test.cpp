#include "../command/document.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../pages/tests/browser.hpp"

#include <cmath>
#include <limits>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(document)

namespace {

using Kind = Document::Column::Kind;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Document::Grid small_grid() {
  return {"Shares",          "part",
          "position",        {"in", "out"},
          {"a", " ", "b/c"}, {0, 0.25, -0.001, 1, nan, -2}};
}
Document::Table small_table() {
  return {"Costs",
          {{"part", Kind::text}, {"loss"}, {"right", Kind::share}},
          {{"head 0.1", 1.25, 0.5}, {"mlp 0", nan, 1.0}},
          1};
}
Document whole() {
  Document document{"Found <b> · step 3", {"A note."}, {small_grid()}, {small_table()}};
  document.curves = checkpoint_curves({document, document}, {3, 1200});
  return document;
}

std::string grid_text(const Document::Grid& grid, int width = 80, bool colour = false) {
  Terminal terminal;
  terminal.width = width;
  terminal.colour = colour;
  const std::string text = to_text(Document{"", {}, {grid}}, terminal);
  return text.substr(text.find(grid.title));
}

/// Returns forty columns, 0 to 39, with numbers from -1 to 1.
Document::Grid long_grid() {
  Document::Grid grid{"Long", "", "", {"row"}, {}, {}};
  for (int i = 0; i < 40; ++i) {
    grid.columns.push_back(fmt::format("{}", i));
    grid.values.push_back((i - 20) / 20.0);
  }
  return grid;
}

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_are_shown_if_they_fit) {
  BOOST_TEST(grid_text(small_grid()) ==
             "Shares\n"
             "part  position\n"
             "          a     ␣   b/c\n"
             "  in   0.00  0.25  0.00\n"
             " out   1.00       -2.00\n");
}

BOOST_AUTO_TEST_CASE(shades_are_shown_otherwise) {
  BOOST_TEST(grid_text(small_grid(), 16) ==
             "Shares\n"
             "part  position\n"
             "      a ␣ b\n"
             "          /\n"
             "          c\n"
             "  in  · ░ ·\n"
             " out  ▒   #\n"
             "· is 0, █ 2, # -2\n");
  for (int width : {20, 40, 80}) {
    const std::string text = grid_text(long_grid(), width);
    for (const std::string& line : lines_of(text)) BOOST_TEST(display_width(line) <= width, line);
    BOOST_TEST(count(text, "#") + count(text, "≡") == 3u + 5 + 1);  // 1 in the legend
  }
}

BOOST_AUTO_TEST_CASE(colours_are_the_background_of_numbers) {
  const std::string text = grid_text(small_grid(), 80, true);
  // The colour of half the strongest value.
  BOOST_TEST(has(text, "\x1b[48;5;160m\x1b[38;5;255m 1.00\x1b[0m"));
  BOOST_TEST(has(text, "\x1b[48;5;39m\x1b[38;5;255m-2.00\x1b[0m"));
  BOOST_TEST(has(text, "\x1b[48;5;234m\x1b[38;5;255m 0.00\x1b[0m"));
}

BOOST_AUTO_TEST_CASE(texts_replace_numbers) {
  Document::Grid grid = small_grid();
  grid.texts = {"x", "a long text", "", "y", "z", "\n"};
  BOOST_TEST(grid_text(grid) ==
             "Shares\n"
             "part  position\n"
             "      a        ␣        b/c\n"
             "  in  x        a long …\n"
             " out  y        z        ↵\n");
}

BOOST_AUTO_TEST_CASE(tables_and_curves_are_aligned) {
  BOOST_TEST(to_text(whole(), Terminal())
                 .find("Costs\n"
                       "part        loss     right\n"
                       "head 0.1  1.2500   50.00 %\n"
                       "mlp 0          –  100.00 %\n") != std::string::npos);
  BOOST_TEST(has(to_text(whole(), Terminal()),
                 "Costs over checkpoints: loss\n"
                 "step          3   1200\n"
                 "head 0.1  1.250  1.250\n"
                 "mlp 0         –      –\n"));
  expect_plain(to_text(whole(), Terminal()));
}

BOOST_AUTO_TEST_CASE(missing_values_leave_a_gap) {
  Document before = whole();
  before.tables[0].rows.erase(before.tables[0].rows.begin());
  const auto curves = checkpoint_curves({before, whole()}, {1, 2});
  BOOST_TEST(curves.size() == 1u);
  BOOST_TEST(std::isnan(curves[0].lines[0].values[0]));
  BOOST_TEST(curves[0].lines[0].values[1] == 1.25);
  before.tables.clear();
  BOOST_TEST(std::isnan(checkpoint_curves({before, whole()}, {1, 2})[0].lines[0].values[0]));
  Document none = whole();
  none.tables[0].tracked_column = 0;
  EXPECT_ERROR(UsageError, checkpoint_curves({none, none}, {1, 2}),
               "--checkpoints: this experiment has no number to track; remove --checkpoints");
}

BOOST_AUTO_TEST_CASE(json_is_exact) {
  Document document = whole();
  document.tables[0].rows[0][1] = 1.0 / 3;
  const json found = json::parse(to_text(to_json(document)));
  BOOST_TEST(found["title"] == document.title);
  BOOST_TEST(found["notes"] == json({"A note."}));
  BOOST_TEST(found["grids"][0]["values"] == json({{0.0, 0.25, -0.001}, {1.0, nullptr, -2.0}}));
  BOOST_TEST(found["grids"][0]["full"] == 2.0);
  const json& table = found["tables"][0];
  BOOST_TEST(table["shares"] == json({"right"}));
  BOOST_TEST(table["rows"][0] == json({{"part", "head 0.1"}, {"loss", 1.0 / 3}, {"right", 0.5}}));
  BOOST_TEST(table["rows"][1]["loss"].is_null());
  BOOST_TEST(found["curves"][0]["steps"] == json({3, 1200}));
  BOOST_TEST(found["curves"][0]["lines"]["head 0.1"] == json({1.25, 1.25}));
  BOOST_TEST(!found.contains("numbers"));
  document.numbers["loss"] = 1.0 / 3;
  BOOST_TEST(json::parse(to_text(to_json(document)))["numbers"] == json({{"loss", 1.0 / 3}}));
}

BOOST_AUTO_TEST_CASE(the_strongest_colour_is_given_or_the_largest) {
  Document::Grid grid = small_grid();
  BOOST_TEST(grid.strongest() == 2);
  grid.full = 1;
  BOOST_TEST(grid.strongest() == 1);
  BOOST_TEST((Document::Grid{"", "", "", {"a"}, {"b"}, {nan}}).strongest() == 1);
}

BOOST_AUTO_TEST_CASE(a_page_shows_all, *boost::unit_test::precondition(has_browser)) {
  Document document = whole();
  document.grids.push_back(long_grid());
  for (int width : {390, 1300}) {
    const json seen = visit(to_page(document), R"(
      seen.title = one('h1').textContent;
      seen.headings = all('h2').map(each => each.textContent);
      seen.cells = [...one('#grid-0 table').querySelectorAll('td')].map(each => each.textContent);
      seen.columns = [...one('#grid-0 thead').querySelectorAll('th')].map(each => each.textContent);
      seen.colours = [...one('#grid-0 table').querySelectorAll('td')].map(
        each => getComputedStyle(each).backgroundColor);
      const last = [...one('#grid-1 table').querySelectorAll('td')].pop();
      last.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      seen.read = one('#grid-1 .read').textContent;
      seen.rows = [...one('#table-0 tbody').rows].map(row => row.textContent);
      seen.lines = all('#curves-0 .line').length;
      seen.fits = document.documentElement.scrollWidth <= innerWidth;)",
                            width);
    BOOST_TEST(seen["title"] == "Found <b> · step 3");
    BOOST_TEST(seen["headings"] == json({"Shares", "Long", "Costs", "Costs over checkpoints"}));
    BOOST_TEST(seen["cells"] == json({"0.00", "0.25", "0.00", "1.00", "", "-2.00"}));
    BOOST_TEST(seen["columns"] == json({"part", "a", "␣", "b/c"}));
    std::set<std::string> colours;
    for (const auto& colour : seen["colours"]) colours.insert(colour);
    BOOST_TEST(colours.size() == 5u);  // empty cells have the same colour as 0
    BOOST_TEST(seen["read"] == "row, 39: 0.95");
    BOOST_TEST(seen["rows"] == json({"head 0.11.2550 %", "mlp 0–100 %"}));
    BOOST_TEST(seen["fits"] == true);
  }
}

BOOST_AUTO_TEST_CASE(a_page_draws_the_graph, *boost::unit_test::precondition(has_browser)) {
  Document document{"Found", {}};
  document.graphs = {{"Graph",
                      "effect",
                      {{"embedding", 0}, {"head 0.0", 1}, {"mlp 0", 2}, {"logits", 3}},
                      {{"embedding", "head 0.0", "key", 0.5},
                       {"embedding", "logits", "", -2},
                       {"head 0.0", "mlp 0", "", 0.25}}}};
  const json seen = visit(to_page(document), R"(
      seen.nodes = all('.component').map(each => each.textContent);
      seen.edges = all('.flow').map(each => each.textContent);
      seen.negative = all('.flow.negative').length;
      const count = one('input[type=range]');
      count.value = 1;
      count.dispatchEvent(new Event('input'));
      seen.strongest = all('.flow').map(each => each.textContent);
      count.value = 3;
      count.dispatchEvent(new Event('input'));
      const head = all('.component')[1];
      head.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
      seen.pressed = head.getAttribute('aria-pressed');
      seen.selected = one('#graph-0 [role=status]').textContent;
      head.dispatchEvent(new MouseEvent('click', { bubbles: true }));
      seen.all = one('#graph-0 [role=status]').textContent;
      seen.fits = document.documentElement.scrollWidth <= innerWidth;)",
                          390);
  BOOST_TEST(seen["nodes"] == json({"embedding", "head 0.0qkv", "mlp 0", "logits"}));
  BOOST_TEST(seen["edges"] ==
             json({"head 0.0 → mlp 0: effect 0.25", "embedding → head 0.0 key: effect 0.5",
                   "embedding → logits: effect -2"}));
  BOOST_TEST(seen["negative"] == 1);
  BOOST_TEST(seen["strongest"] == json({"embedding → logits: effect -2"}));
  BOOST_TEST(seen["pressed"] == "true");
  BOOST_TEST(seen["selected"] == "2 edges of head 0.0; 3 in all");
  BOOST_TEST(seen["all"] == "3 edges; 3 in all");
  BOOST_TEST(seen["fits"] == true);
}

BOOST_AUTO_TEST_SUITE_END()

// The page of a sweep.
#include "../../../tests/shared/small_sweep.hpp"
#include "../../../tests/shared/support.hpp"
#include "browser.hpp"

#include <filesystem>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(sweep_page)

BOOST_AUTO_TEST_CASE(as_a_page) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const Output output = small_sweep(
      out, {"--grid", "lr=1e-3,1e-2", "layers=1,2", "--seeds", "3", "--eval-every", "0"});
  BOOST_TEST(has(output.text, "\nwrote a page:"));
  BOOST_TEST(has(output.text, out + "/report.html\n"));
  const json data = data_of(contents(out + "/report.html"))["sweep"];
  BOOST_TEST(data["task"] == "copy");
  BOOST_TEST(data["table"].size() == 5u);
  BOOST_TEST(data["table"][0] ==
             json({"lr", "layers", "best exact match", "worst", "mean ± 95 %", "deviation", "last",
                   "best validation loss", "worst", "mean ± 95 %", "deviation", "last", "steps"}));
  BOOST_TEST(data["table"][2][0] == "1e-3");
  BOOST_TEST(data["table"][2][1] == "2");
  BOOST_TEST(data["names"].size() == 4u);
  BOOST_TEST(data["names"][2] == "lr 1e-2 · layers 1");
  BOOST_TEST(data["charts"].size() == 2u);
  BOOST_TEST(data["charts"][0]["measure"] == "Exact match");
  BOOST_TEST(data["charts"][1]["measure"] == "Validation loss");
  const json& one = data["charts"][1]["combinations"][2];
  BOOST_TEST(one["results"].size() == 3u);
  BOOST_TEST(one["median"] == one["results"][1]);
}

/// Names that are too long to fit next to their lines are placed above them. Each axis has several
/// numbers.
BOOST_AUTO_TEST_CASE(a_page_on_a_phone, *boost::unit_test::precondition(has_browser)) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  small_sweep(
      out, {"--grid", "lr=1e-3,1e-2", "layers=1", "weight-decay=0.01,0.02", "--eval-every", "0"});
  const json seen = visit(contents(out + "/report.html"), R"(
const labels = all('#results .plot svg').map(chart => [...chart.querySelectorAll('text')].map(text => text.textContent));
seen.names = labels[1].filter(text => text.includes('lr'));
seen.numbers = labels.map(each => each.filter(text => !text.includes('lr')).length);
)",
                          320);
  BOOST_TEST(
      seen["names"] ==
      json({"lr 1e-3 · layers 1 · weight-decay 0.01", "lr 1e-3 · layers 1 · weight-decay 0.02",
            "lr 1e-2 · layers 1 · weight-decay 0.01", "lr 1e-2 · layers 1 · weight-decay 0.02"}));
  for (const json& numbers : seen["numbers"]) BOOST_TEST(numbers.get<int>() >= 2, seen.dump());
}

BOOST_AUTO_TEST_CASE(what_was_given_up, *boost::unit_test::precondition(has_browser)) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  small_sweep(out, {"--grid", "lr=1e-3,1e-2", "--halving", "2"});
  const json seen = visit(contents(out + "/report.html"), R"(
const chart = all('#results figure').pop();
seen.stopped = chart.querySelectorAll('.stopped .marker').length;
seen.all = chart.querySelectorAll('.marker').length;
seen.told = chart.textContent.includes('Faint runs were stopped early');
)");
  BOOST_TEST(seen["all"] == 2);
  BOOST_TEST(seen["stopped"] == 1);
  BOOST_TEST(seen["told"] == true);
}

/// The table is sorted by a column and links to runs that have a page. Curves have bands.
BOOST_AUTO_TEST_CASE(a_page_in_use, *boost::unit_test::precondition(has_browser)) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  small_sweep(out,
              {"--grid", "lr=1e-3,1e-2,1e-4", "--seeds", "2", "--eval-every", "1", "--reports"});
  BOOST_TEST(std::filesystem::exists(out + "/lr=1e-2,seed=1/report.html"));
  const json seen = visit(contents(out + "/report.html"), R"(
const rates = () => all('tbody tr').map(row => row.cells[0].textContent);
seen.before = rates();
seen.best = all('tr.best').map(row => row.cells[0].textContent);
const first = one('thead th button');
first.click();
seen.up = rates();
seen.state = one('thead th').getAttribute('aria-sort');
first.click();
seen.down = rates();
seen.links = all('tbody a').map(link => link.getAttribute('href'));
seen.bands = all('path.band').length;
seen.charts = all('figure').map(each => each.dataset.chart).filter(Boolean);
const loss = one('figure[data-chart="Validation loss"]');
loss.querySelector('input').click();
seen.log = [...loss.querySelectorAll('path')].every(path => !path.getAttribute('d').includes('NaN'));
seen.wide = document.documentElement.scrollWidth > innerWidth;
)",
                          390);
  BOOST_TEST(seen["before"] == json({"1e-3", "1e-2", "1e-4"}));
  BOOST_TEST(seen["up"] == json({"1e-4", "1e-3", "1e-2"}));
  BOOST_TEST(seen["down"] == json({"1e-2", "1e-3", "1e-4"}));
  BOOST_TEST(seen["state"] == "ascending");
  BOOST_TEST(seen["best"] == json({"1e-2"}));
  BOOST_TEST(seen["links"].size() == 6u);
  BOOST_TEST(seen["links"][1] == "lr%3D1e-2%2Cseed%3D1/report.html");
  BOOST_TEST(seen["charts"] == json({"Validation loss", "Exact match", "Training loss"}));
  BOOST_TEST(seen["bands"] == 9);
  BOOST_TEST(seen["log"] == true);
  BOOST_TEST(seen["wide"] == false);
}

/// A line for each combination that has one; the legend hides lines.
BOOST_AUTO_TEST_CASE(accuracy_by_length, *boost::unit_test::precondition(has_browser)) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  BOOST_TEST(command("sweep copy --symbols 4 --lengths 2..4 --eval-lengths 2..8 --layers 1 "
                     "--heads 1 --width 8 --steps 4 --grid position=none,learned,alibi --seeds 2 "
                     "--out " +
                     out)
                 .status == 0);
  const json seen = visit(contents(out + "/report.html"), R"(
const part = one('#lengths');
seen.text = part.querySelector('p').textContent;
const lines = () => part.querySelectorAll('.plot .line').length;
seen.lines = [lines(), part.querySelectorAll('path.band').length];
seen.names = [...part.querySelectorAll('.legend button')].map(each => each.textContent).sort();
part.querySelector('.legend button').click();
seen.lines.push(lines());
seen.labels = [...part.querySelectorAll('.plot text')].map(each => each.textContent);
seen.wide = document.documentElement.scrollWidth > innerWidth;
)",
                          390);
  BOOST_TEST(seen["text"] ==
             "Longest length in training: 4. Lines: mean over the seeds; bands: "
             "its 95 % confidence interval.");
  BOOST_TEST(seen["lines"] == json({2, 2, 1}));
  BOOST_TEST(seen["names"] == json({"position alibi", "position none"}));
  BOOST_TEST(missing(seen["labels"].dump(), {"\"length\"", "\"2\"", "\"8\"", "\"1\""}) == "");
  BOOST_TEST(seen["wide"] == false);
  const std::string to = scratch.file("figures");
  BOOST_TEST(command({"report", out, "--figures", to}).status == 0);
  const std::vector<std::string> csv = lines_of(contents(to + "/exact-match-by-length.csv"));
  BOOST_TEST(csv.size() == 8u);
  BOOST_TEST(std::count(csv[0].begin(), csv[0].end(), ',') == 6);
}

BOOST_AUTO_TEST_CASE(of_a_run_that_diverges) {
  const Scratch scratch;
  const std::string out = scratch.file("all");
  const Output output = small_sweep(
      out, {"--grid", "lr=1e30,1e-3", "--optimizer", "sgd", "--warmup", "0", "--clip", "0"});
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(has(output.text, "\nwrote a page:"));
  BOOST_TEST(has(contents(out + "/report.html"), "diverged at step "));
}

BOOST_AUTO_TEST_CASE(takes_the_place_of_a_link) {
  const Scratch scratch;
  const std::string out = scratch.file("all"), mine = scratch.write("mine", "mine");
  std::filesystem::create_directory(out);
  std::filesystem::create_symlink(mine, out + "/report.html");
  BOOST_TEST(small_sweep(out, {"--grid", "layers=1"}).status == 0);
  BOOST_TEST(contents(mine) == "mine");
  BOOST_TEST(has(contents(out + "/report.html"), "<html"));
}

BOOST_AUTO_TEST_SUITE_END()

// The page of a report: its data, and what a browser shows.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../parts.hpp"
#include "../report/page.hpp"
#include "browser.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(report_page)

namespace {

const std::string image = "<img src=x onerror=alert(1)>", closing = "</script><b>";

/// Returns two runs of a small copy task. The second has a name, a curve and a token that contain
/// markup.
json awkward_runs() {
  const Elsewhere elsewhere;
  for (const char* seed : {"0", "1"}) {
    const Output output = command({"train",        "copy",
                                   "--length",     "4",
                                   "--symbols",    "4",
                                   "--layers",     "2",
                                   "--heads",      "2",
                                   "--width",      "8",
                                   "--batch",      "8",
                                   "--steps",      "12",
                                   "--eval-every", "6",
                                   "--seed",       seed,
                                   "--out",        std::string("run") + seed});
    BOOST_TEST_REQUIRE(output.status == 0, output.errors);
  }
  json runs = json::array();
  for (const char* path : {"run0", "run1"})
    runs.push_back(parsed(run_json(path, make_registry(), "tapehead", {})));
  json& second = runs[1];
  second["name"] = image;
  second["notes"].push_back(closing);
  json curve = second["curves"][0];
  curve["chart"] = curve["key"] = curve["name"] = closing;
  second["curves"].push_back(curve);
  second["maps"]["examples"][0]["layers"][0]["keys"][0] = image;
  second["mistakes"]["wrong"][0]["question"][0] = image;
  return runs;
}

std::string page_of(const json& runs) { return ::tapehead::report_page(unparsed(runs)); }

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_in_the_data_is_markup) {
  const std::string page = page_of(awkward_runs());
  BOOST_TEST(count(page, "</script>") == 2U);
  BOOST_TEST(count(page, "<img") == 0U);
  BOOST_TEST(count(page, "<b>") == 0U);
  BOOST_TEST(between(page, "<title>", "</title>") == "run0 and 1 more");
}

/// Returns curves of 100 steps that fall from 10 to 1 and 1.1, with noise.
json long_runs() {
  json runs = awkward_runs();
  for (std::size_t run = 0; run < 2; ++run) {
    runs[run]["state"] = run == 0 ? "running" : "interrupted";
    runs[run]["left"] = "about 5 s";
    runs[run]["texts"] = json::array();
    for (int step : {6, 12})
      runs[run]["texts"].push_back(
          {{"step", step}, {"samples", {{{"prompt", "a<b"}, {"text", fmt::format("t{}", step)}}}}});
    json& loss = runs[run]["curves"][0];
    loss["steps"] = loss["values"] = json::array();
    for (int step = 1; step <= 100; ++step) {
      const double end = run == 0 ? 1 : 1.1;
      loss["steps"].push_back(step);
      loss["values"].push_back(step < 15 ? 10 : end + 0.05 * (step % 2));
    }
  }
  return runs;
}

BOOST_AUTO_TEST_CASE(charts_can_be_smoothed_and_zoomed,
                     *boost::unit_test::precondition(has_browser)) {
  const json seen = visit(page_of(long_runs()), R"(
const loss = one('.chart');
const labels = () => [...loss.querySelectorAll('.plot > svg > text')].map(each => Number(each.textContent));
const lines = () => loss.querySelectorAll('.plot .line:not(.raw)').length;
const choose = (name, value) => change(one(`.view [aria-label="${name}"]`), value);
seen.states = all('#results .state').map(each => each.textContent);
seen.fitted = Math.max(...labels().slice(0, 5));
one('.view input[type=checkbox]').click();
seen.whole = Math.max(...labels().slice(0, 5));
choose('First step shown', 50);
seen.zoomed = labels().filter(label => label >= 50 && label <= 100).length > 2;
seen.near = Math.max(...labels().filter(label => label < 50));
one('.view .steps button').click();
const plot = loss.querySelector('.plot'), box = plot.getBoundingClientRect();
const point = (type, share) => plot.dispatchEvent(new PointerEvent(type, { button: 0, buttons: 1, clientX: box.left + share * box.width }));
const ends = () => all('.view .steps input').map(each => Number(each.value));
point('pointerdown', 0.5), point('pointermove', 0.8), point('pointerup', 0.8);
seen.dragged = ends();
plot.dispatchEvent(new MouseEvent('dblclick'));
seen.all = ends();
seen.raw = [loss.querySelectorAll('.raw').length];
change(one('.view input[type=range]'), 0.9);
seen.raw.push(loss.querySelectorAll('.raw').length);
press(loss.querySelector('.plot'), 'End');
seen.smoothed = loss.querySelector('.read').textContent;
seen.lines = [lines()];
one('.view .legend button').click();
seen.lines.push(lines());
seen.pressed = all('.view .legend [aria-pressed]').map(each => each.getAttribute('aria-pressed'));
seen.samples = all('#samples tr').map(row => [...row.cells].map(cell => cell.textContent));
)");
  BOOST_TEST(seen["states"] == json({"running · about 5 s left", "interrupted"}));
  BOOST_TEST(seen["fitted"].get<double>() < 2);  // the axis excludes the fall from 10
  BOOST_TEST(seen["whole"].get<double>() >= 8);
  BOOST_TEST(seen["zoomed"] == true);
  BOOST_TEST(seen["near"].get<double>() < 2);
  BOOST_TEST(std::abs(seen["dragged"][0].get<int>() - 50) < 10, seen["dragged"]);
  BOOST_TEST(std::abs(seen["dragged"][1].get<int>() - 80) < 10, seen["dragged"]);
  BOOST_TEST(seen["all"] == json({0, 100}));
  BOOST_TEST(seen["raw"] == json({0, 2}));
  // The moving average is between the two values of the noise.
  BOOST_TEST(seen["smoothed"].get<std::string>().find("0 training 1.02") != std::string::npos,
             seen["smoothed"]);
  BOOST_TEST(seen["lines"] == json({4, 2}));
  BOOST_TEST(seen["pressed"] == json({"false", "true"}));
  BOOST_TEST(seen["samples"] == json::array({{"Step", "a<b"}, {"12", "t12"}, {"6", "t6"}}));
}

BOOST_AUTO_TEST_CASE(needs_no_network) {
  json runs = awkward_runs();
  runs.erase(1);
  const std::string page = page_of(runs);
  // The only address is an XML namespace.
  BOOST_TEST(count(page, "://") == count(page, "'http://www.w3.org/2000/svg'"));
  BOOST_TEST(count(page, "default-src 'none'") == 1U);
  for (const char* part : {" src=", "url(", "@import", "fetch(", "<link rel=\"stylesheet\""})
    BOOST_TEST(count(page, part) == 0U, part);
}

BOOST_AUTO_TEST_CASE(a_browser_shows_several_runs, *boost::unit_test::precondition(has_browser)) {
  const json seen = visit(page_of(awkward_runs()), R"(
seen.overflow = document.documentElement.scrollWidth - innerWidth;
seen.sections = all('section > h2').map(each => each.textContent);
seen.runs = all('#results tbody th').map(each => each.textContent.trim());
seen.notes = all('.note').map(each => each.textContent);
seen.charts = all('.chart').map(each => each.dataset.chart);
const loss = one('.chart');
seen.legend = [...loss.querySelectorAll('.legend button')].map(each => each.textContent);
seen.legends = all('.view .legend').map(each => each.textContent);
seen.lines = new Set([...loss.querySelectorAll('.plot .line')].map(each => each.getAttribute('style') + each.getAttribute('stroke-dasharray'))).size;
const plot = loss.querySelector('.plot'), read = loss.querySelector('.read');
press(plot, 'End'), seen.end = read.textContent;
press(plot, 'Home'), seen.home = read.textContent;
press(plot, 'ArrowRight'), seen.next = read.textContent;
const count = () => loss.querySelectorAll('.plot .line').length;
seen.drawn = [count()];
loss.querySelector('.legend button').click(), seen.drawn.push(count());
seen.pressed = loss.querySelector('.legend button').getAttribute('aria-pressed');
loss.querySelector('input').click(), seen.drawn.push(count());
seen.differ = all('#configuration > .scroll tbody tr').map(each => [...each.children].map(cell => cell.textContent));
seen.csv = csv().split('\n');
seen.images = all('img, b i').length;
change(one('#heads select'), 1);
seen.keys = one('#map .keys span').textContent;
change(one('#answers select'), 1);
seen.asked = one('#answers .tokens span:nth-child(2)').textContent;
seen.unnamed = all('button, select, input, [tabindex]').filter(each => !(each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.length)).map(each => each.outerHTML);
)");
  BOOST_TEST(seen["overflow"].get<int>() <= 0);
  BOOST_TEST(seen["sections"] == json({"Results", "Curves", "Attention maps", "Mistakes", "Model",
                                       "Configuration", "Provenance"}));
  BOOST_TEST(seen["runs"] == json({"0 run0", "1 " + image}));
  BOOST_TEST(seen["notes"] == json({image + ": " + closing}));
  BOOST_TEST(seen["charts"] ==
             json({"Loss", "Exact match", "Learning rate", "Gradient norm", "Speed",
                   "Update-to-weight ratio", "Attention entropy", closing}));
  BOOST_TEST(seen["legend"] == json({"training", "validation"}));
  BOOST_TEST(seen["legends"] == json({"seed01AllNone"}));  // one legend for all charts
  BOOST_TEST(seen["lines"] == 2);  // each run has a colour and a dash pattern
  BOOST_TEST(seen["drawn"] == json({4, 2, 2}));
  BOOST_TEST(seen["pressed"] == "false");
  const auto end = seen["end"].get<std::string>();
  BOOST_TEST(end.rfind("step 12 · 0 training ", 0) == 0, end);
  BOOST_TEST(end.find("(at") == std::string::npos, end);
  const auto home = seen["home"].get<std::string>();
  BOOST_TEST(home.rfind("step 1 · 0 training ", 0) == 0, home);
  BOOST_TEST(home.find("validation ") != std::string::npos, home);
  BOOST_TEST(home.find("(at 6)") != std::string::npos, home);
  BOOST_TEST(seen["next"].get<std::string>().rfind("step 2 ", 0) == 0);
  BOOST_TEST(seen["differ"] == json({{"seed", "0", "1"}}));
  BOOST_TEST(seen["csv"].size() == 26U);  // header, 12 lines per run, and an empty end
  const auto heading = seen["csv"][0].get<std::string>();
  BOOST_TEST(heading.rfind("run,step,loss,val_loss,exact_match,lr,grad_norm,", 0) == 0, heading);
  BOOST_TEST(seen["csv"][24].get<std::string>().rfind(image + ",12,", 0) == 0);
  BOOST_TEST(seen["images"] == 0);
  BOOST_TEST(seen["keys"] == image);
  BOOST_TEST(seen["asked"] == image);
  BOOST_TEST(seen["unnamed"] == json::array());
}

BOOST_AUTO_TEST_CASE(a_browser_shows_one_run, *boost::unit_test::precondition(has_browser)) {
  json runs = awkward_runs();
  runs.erase(1);
  // A second checkpoint, recognizable by its first attention weights.
  json& checkpoints = runs[0]["maps"]["checkpoints"];
  checkpoints = json::array({checkpoints.back()});
  checkpoints.insert(checkpoints.begin(), checkpoints[0]);
  checkpoints[0]["step"] = 3, checkpoints[0]["last"] = checkpoints[0]["best"] = false;
  auto& weights = checkpoints[0]["examples"][0][1][1]["weights"].get_ref<std::string&>();
  weights.replace(0, 8, "/3///wAA");  // 0.5 and NaN
  const json seen = visit(page_of(runs), R"(
seen.title = one('h1').textContent;
seen.facts = all('.facts dt').map(each => each.textContent);
seen.command = one('pre.box').textContent;
seen.heads = all('#overview button').length;
seen.step = one('#heads output').textContent;
change(one('#checkpoint'), 0);
seen.before = one('#heads output').textContent;
all('#overview button')[3].click();
seen.chosen = [one('#layer').value, one('#head').value, one('#heads h3').textContent];
press(one('#map'), 'ArrowRight');
seen.weight = one('#value').textContent;
press(one('#map'), 'ArrowRight');
seen.second = one('#value strong').textContent;
press(one('#map'), 'ArrowDown'), press(one('#map'), 'ArrowUp'), press(one('#map'), 'ArrowLeft');
seen.back = one('#value').textContent;
seen.address = location.hash;
seen.pixel = [...one('.cells canvas').getContext('2d').getImageData(0, 0, 1, 1).data][3];
const address = hash => {
  history.replaceState(null, '', hash);
  dispatchEvent(new HashChangeEvent('hashchange'));
};
address('#layer=0&head=1&example=3&step=12&query=1&key=0');
seen.visited = [one('#heads h3').textContent, one('#example').selectedIndex, one('#heads output').textContent.slice(0, 7)];
address('#layer=1&head=1&example=1&step=3&query=0&key=0');
seen.again = one('#value').textContent;
one('#overview button').focus();
press(one('#overview button'), 'ArrowDown');
seen.down = [one('#layer').value, document.activeElement.dataset.layer];
address('#layer=1&head=1&example=1&step=3');
change(one('#example'), 1), seen.example = one('#value').textContent;
seen.mistakes = all('.mistakes li').length;
seen.wrong = all('.mistakes li').every(each => each.querySelector('.wrong'));
seen.tree = one('#model pre').textContent.split('\n')[0];
seen.alike = all('#configuration details tbody tr').length + all('#configuration > .scroll tbody tr').length;
dispatchEvent(new Event('beforeprint'));
seen.open = all('details').every(each => each.open);
)",
                          1000);
  BOOST_TEST(seen["title"] == "run0");
  BOOST_TEST(seen["facts"] == json({"Exact match", "Validation loss", "Best step", "Steps", "Time",
                                    "Speed", "Parameters", "Weight hash", "Seed"}));
  BOOST_TEST(seen["command"] == runs[0]["command"].get<std::string>());
  BOOST_TEST(seen["heads"] == 4);
  BOOST_TEST(seen["step"].get<std::string>().rfind("step 12", 0) == 0);
  BOOST_TEST(seen["before"] == "step 3");
  BOOST_TEST(seen["chosen"] == json({"1", "1", "layer 1 head 1"}));
  const auto weight = seen["weight"].get<std::string>();
  BOOST_TEST(weight.find(" (position 0) attends to ") != std::string::npos, weight);
  BOOST_TEST(weight.find("with weight 0.5000") != std::string::npos, weight);
  BOOST_TEST(seen["second"] == "not a number");
  BOOST_TEST(seen["back"] == weight);
  BOOST_TEST(seen["pixel"] == 180);
  BOOST_TEST(seen["address"] == "#layer=1&head=1&query=0&key=0&example=1&step=3");
  BOOST_TEST(seen["visited"] == json({"layer 0 head 1", 2, "step 12"}));
  BOOST_TEST(seen["again"] == weight);
  BOOST_TEST(seen["down"] == json({"1", "1"}));
  BOOST_TEST(seen["example"] == "Point at a weight, or tap it, to read it.");
  BOOST_TEST(seen["mistakes"].get<std::size_t>() == runs[0]["mistakes"]["wrong"].size());
  BOOST_TEST(seen["wrong"] == true);
  BOOST_TEST(seen["tree"].get<std::string>().rfind("GPT", 0) == 0);
  BOOST_TEST(seen["alike"].get<std::size_t>() == runs[0]["options"].size());
  BOOST_TEST(seen["open"] == true);
}

BOOST_AUTO_TEST_CASE(distributions_over_the_steps, *boost::unit_test::precondition(has_browser)) {
  const Elsewhere elsewhere;
  done(
      "train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 --steps 12 "
      "--eval-every 4 --histograms true --out run");
  const auto report_of = [](const ReportBudget& budget) {
    return parsed(run_json("run", make_registry(), "tapehead", budget));
  };
  const json runs = json::array({report_of({})});
  const json weights = runs[0]["histograms"]["weights"];
  BOOST_TEST(weights[0]["name"] == "tokens.weight");
  BOOST_TEST(weights[0]["steps"] == json({4, 8, 12}));
  BOOST_TEST(weights[0]["counts"].size() == 3u);
  // A selection of checkpoints includes the first and the last.
  ReportBudget budget;
  budget.columns = 2;
  BOOST_TEST(report_of(budget)["histograms"]["weights"][0]["steps"] == json({4, 12}));
  const json seen = visit(page_of(runs), R"(
change(one('#distributions select'), 'weights');
seen.weights = all('.distribution').length;
seen.label = one('.distribution canvas').getAttribute('aria-label');
seen.ink = Math.max(...one('.distribution canvas').getContext('2d').getImageData(0, 0, 3, 120).data);
change(one('#distributions select'), 'activations');
seen.activations = all('.distribution').map(each => each.querySelector('figcaption span').textContent);
)");
  BOOST_TEST(seen["weights"] == weights.size());
  BOOST_TEST(has(seen["label"].get<std::string>(), "tokens.weight: from -"));
  BOOST_TEST(seen["ink"] == 255);
  BOOST_TEST(seen["activations"].size() == runs[0]["histograms"]["activations"].size());
}

/// The report has the graph of `explain` for the first validation example. Arrow keys step through
/// it only inside its section.
BOOST_AUTO_TEST_CASE(an_example_s_gradients_are_a_graph,
                     *boost::unit_test::precondition(has_browser)) {
  const Elsewhere elsewhere;
  done("train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --steps 4 --out run");
  done("report run");
  const json seen = visit(contents("run/report.html"), R"(
seen.boxes = all('#gradients .node.box .title').map(each => each.textContent);
seen.about = one('#gradients .about').textContent;
press(document.body, 'Home');
seen.outside = one('#gradients .caption').textContent.slice(0, 3);
press(one('#gradients .play'), 'Home');
seen.inside = one('#gradients .caption').textContent.slice(0, 3);
)");
  BOOST_TEST(seen["boxes"].dump().find("blocks.0") != std::string::npos);
  BOOST_TEST(seen["about"].get<std::string>().find(", loss ") != std::string::npos);
  BOOST_TEST(seen["outside"] == "All");
  BOOST_TEST(seen["inside"] != "All");
}

BOOST_AUTO_TEST_CASE(a_long_run_stays_small, *boost::unit_test::precondition(has_browser)) {
  std::string lines;
  for (int step = 1; step <= 100'000; ++step)
    lines += fmt::format("{{\"step\":{},\"loss\":{},\"lr\":0.001,\"grad_norm\":{}}}\n", step,
                         1.0 / step + (step == 50'000 ? 7 : 0), step % 97);
  const Elsewhere elsewhere;
  BOOST_TEST_REQUIRE(command({"train", "copy", "--steps", "1", "--out", "run"}).status == 0);
  std::ofstream("run/metrics.jsonl") << lines;
  const std::string page = ::tapehead::report_page(
      unparsed(json::array({parsed(run_json("run", make_registry(), "tapehead", {}))})));
  BOOST_TEST(page.size() < 1'000'000U);
  const json seen = visit(page, R"(
const chart = one('.chart');
seen.top = Math.max(...runs[0].curves[0].values);
seen.labels = [...chart.querySelectorAll('text')].map(each => each.textContent);
seen.said = one('#curves > .choose .soft').textContent;
)");
  BOOST_TEST(seen["top"].get<double>() > 7);
  BOOST_TEST(seen["said"].get<std::string>().rfind("Downsampled from up to 100,000 points", 0) ==
             0);
  BOOST_TEST(count(seen["labels"].dump(), "\"100k\"") == 1U, seen["labels"].dump());
}

BOOST_AUTO_TEST_SUITE_END()

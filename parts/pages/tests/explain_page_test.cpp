// Tests the page of explain. A browser steps through it, and compares its numbers with
// `explain --json`.
#include "../../../core/op.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/registered.hpp"
#include "../../../tests/shared/support.hpp"
#include "../explain/page.hpp"
#include "browser.hpp"

#include <cmath>
#include <filesystem>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(explain_page)

namespace {

/// A run of two blocks with several checkpoints.
struct Fixture : Elsewhere {
  void copy() const {
    done(
        "train copy --length 4 --symbols 5 --layers 2 --heads 2 --width 8 --steps 60 "
        "--eval-every 20 --keep 9 --out run");
  }
  void induction() const {
    done(
        "train induction --length 8 --symbols 6 --width 8 --steps 60 --eval-every 20 --keep 9 "
        "--out run");
  }
};

std::string page_of(const std::string& what) {
  done("explain " + what + " --out page.html");
  return contents("page.html");
}

/// Selects each step when everything is known, and records all that the page shows of it.
const std::string selecting = R"(
const numbersOf = part => {
  const unknown = part.querySelector('.unknown');
  if (unknown) return unknown.textContent;
  part.querySelector('details.all > summary')?.click();
  return [...part.querySelectorAll('td')].map(cell => cell.textContent);
};
const fact = name => one(`.facts .${name}`).textContent;
seen.steps = [...explainer.trace.steps.keys()].map(step => {
  explainer.see(step);
  all('.element button').filter(each => each.textContent.startsWith('show all')).forEach(each => each.click());
  return {
    step: one('.panel h2').textContent,
    numbers: {
      value: numbersOf(one('.panel .quantities .value')),
      gradient: numbersOf(one('.panel .quantities .gradient')),
    },
    index: explainer.index,
    element: one('.element h3').textContent,
    value: fact('value'),
    gradient: fact('gradient'),
    difference: fact('finite'),
    uses: all('.element .use').map((use, i) => ({
      ...explainer.trace.uses[step][i],
      sent: use.querySelector('.sent').textContent,
      products: [...use.querySelectorAll('tbody tr')].map(row => row.lastChild.textContent),
    })),
  };
});
)";

double number_in(const std::string& text) {
  if (text == "inf" || text == "-inf") return text == "inf" ? infinity : -infinity;
  if (text == "nan") return std::nan("");
  std::size_t read = 0;
  const double number = std::stod(text, &read);
  BOOST_TEST(read == text.size(), text);
  return number;
}
/// Returns whether a text shows a number with four digits. The page stores numbers with at least 16
/// bits.
bool shows(const std::string& text, double number) {
  const double shown = number_in(text);
  if (std::isnan(number)) return !std::isfinite(shown);  // JSON has no infinities
  return std::abs(shown - number) <= 6e-4 * std::abs(number) + 1e-37;
}
double real(const json& number) { return number.is_null() ? std::nan("") : number.get<double>(); }

/// The engine's results for the steps of an expression or a run.
class Engine {
 public:
  explicit Engine(const json& document)
      : steps_(document[document.count("steps") ? "steps" : "lines"]) {}

  std::size_t size() const { return steps_.size(); }
  const json& at(std::size_t step) const { return steps_[step]; }
  bool has_gradient(std::size_t step) const { return steps_[step].count("gradient") > 0; }
  bool is_op(std::size_t step) const { return !steps_[step]["inputs"].empty(); }
  static std::vector<double> list(const json& numbers) {
    if (!numbers.is_array()) return {real(numbers)};
    std::vector<double> result;
    for (const json& number : numbers) result.push_back(real(number));
    return result;
  }
  /// Returns the gradient that step `user` sends to its input, summed to the input's shape.
  std::vector<double> sent(std::size_t user, std::size_t input) const {
    const auto from = steps_[user]["inputs"][input].get<std::size_t>();
    if (steps_[user].count("sent") == 0) {
      std::size_t place = 0;  // position among equal inputs
      for (std::size_t i = 0; i < input; ++i) place += steps_[user]["inputs"][i] == from;
      for (const json& each : steps_[from]["contributions"])
        if (each["line"] == user && place-- == 0) return list(each["gradient"]);
      return {};
    }
    const std::vector<double> raw = list(steps_[user]["sent"][input]);
    const Shape to = shape(from);
    const Shape came = static_cast<Index>(raw.size()) == to.size() ? to : shape(user);
    return sum_to(tensor(raw, came, DType::f64), to).values();
  }

 private:
  Shape shape(std::size_t step) const {
    std::vector<Index> sizes;
    if (steps_[step].count("shape"))
      for (const json& size : steps_[step]["shape"]) sizes.push_back(size.get<Index>());
    return Shape(sizes);
  }
  json steps_;
};

void expect_shown(const json& shown, const std::vector<double>& numbers, const std::string& what) {
  BOOST_TEST_REQUIRE(shown.is_array(), what << ": " << shown.dump());
  BOOST_TEST_REQUIRE(shown.size() == numbers.size(), what);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!shows(shown[i].get<std::string>(), numbers[i]))
      BOOST_TEST(shown[i] == std::to_string(numbers[i]), what << " at " << i);
}

/// Compares what is shown of each step with the engine's results.
void compare(const json& seen, const Engine& engine) {
  BOOST_TEST_REQUIRE(seen["steps"].size() == engine.size());
  std::size_t measured = 0, terms = 0;
  for (std::size_t step = 0; step < engine.size(); ++step) {
    const json& at = seen["steps"][step];
    BOOST_TEST_CONTEXT(at["step"]) {
      BOOST_TEST(at["step"].get<std::string>().find(std::to_string(step) + " ") == 0u);
      expect_shown(at["numbers"]["value"], Engine::list(engine.at(step)["value"]), "value");
      if (!engine.has_gradient(step)) {
        BOOST_TEST(!at["numbers"]["gradient"].is_array());
        continue;
      }
      expect_shown(at["numbers"]["gradient"], Engine::list(engine.at(step)["gradient"]),
                   "gradient");
      // An element's gradient is the sum of its uses' contributions, each the sum of its terms.
      const double gradient = number_in(at["gradient"].get<std::string>());
      const double size = std::abs(gradient);
      const auto difference = at["difference"].get<std::string>();
      if (difference.find("n") == std::string::npos) {
        ++measured;
        BOOST_TEST(std::abs(number_in(difference) - gradient) <= 1e-3 * size + 1e-9);
      }
      double total = 0, largest = 0;
      for (const json& use : at["uses"]) {
        const double sent = number_in(use["sent"].get<std::string>());
        const std::vector<double> all =
            engine.sent(use["step"].get<std::size_t>(), use["input"].get<std::size_t>());
        BOOST_TEST(shows(use["sent"].get<std::string>(), all[at["index"].get<std::size_t>()]));
        double products = 0, largest_product = 0;
        for (const json& product : use["products"]) {
          products += number_in(product.get<std::string>());
          largest_product =
              std::max(largest_product, std::abs(number_in(product.get<std::string>())));
          ++terms;
        }
        BOOST_TEST(std::abs(products - sent) <= 4e-3 * (largest_product + std::abs(sent)),
                   at["element"] << ": " << products << " " << sent);
        total += sent;
        largest = std::max(largest, std::abs(sent));
      }
      if (step + 1 != engine.size()) BOOST_TEST(std::abs(total - gradient) <= 2e-3 * largest);
    }
  }
  BOOST_TEST(measured > 0u);
  BOOST_TEST(terms > engine.size() / 2);
}

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_are_packed_into_text) {
  BOOST_TEST(packed_numbers({}, false) == "");
  BOOST_TEST(packed_numbers({1}, false) == "P4AA");  // 3f8000, the upper bits of 3f800000
  BOOST_TEST(packed_numbers({-1, 1}, false) == "v4AAP4AA");
  BOOST_TEST(packed_numbers({0, 0}, false) == "AAAAAAAA");
  BOOST_TEST(packed_numbers({0, 0, 0, 1}, false) == "AAAA*2;P4AA");
  BOOST_TEST(packed_numbers({1 + 2e-5}, false) == "P4AB");  // rounded, not truncated: 3f8000a8
  BOOST_TEST(packed_numbers({infinity, -infinity}, false) == "f4AA/4AA");
  BOOST_TEST(packed_numbers({1, 1, 1}, true) == "P/AAAAAA*2;");
  BOOST_TEST(packed_numbers({infinity}, true) == "f/AAAAAA");
}

BOOST_AUTO_TEST_CASE(every_op_has_lines_of_source) {
  for (const Op& op : ops()) BOOST_TEST(!op_code().at(op.name).empty(), op.name);
  BOOST_TEST(op_code().at("softmax").find("Grads{y * (dy - sum(dy * y, {-1}, true))}") !=
             std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_trained_copy_is_shown_as_the_engine_computed_it, Fixture,
                        *boost::unit_test::precondition(has_browser)) {
  copy();
  compare(visit(page_of("run --example 2"), selecting, 1280),
          Engine(json_of("explain run --example 2 --json")));
}

BOOST_FIXTURE_TEST_CASE(a_trained_induction_is_shown_as_the_engine_computed_it, Fixture,
                        *boost::unit_test::precondition(has_browser)) {
  induction();
  compare(visit(page_of("run --checkpoint last"), selecting, 1280),
          Engine(json_of("explain run --json")));
}

BOOST_FIXTURE_TEST_CASE(an_expression_is_shown_as_the_engine_computed_it, Fixture,
                        *boost::unit_test::precondition(has_browser)) {
  const std::string expression =
      "'softmax(x @ x.T) * w + layer_norm(x @ x.T, w, w) + sum(x)*x*0.5' "
      "'x=[0.3,1,-2;2,0.1,0.4;1,-1,0.5]' 'w=[1,2,3]'";
  compare(visit(page_of(expression), selecting, 1280),
          Engine(json_of("explain " + expression + " --json")));
}

/// No number is shown before the moment when it is computed.
BOOST_FIXTURE_TEST_CASE(a_number_is_shown_when_it_is_computed, Fixture,
                        *boost::unit_test::precondition(has_browser)) {
  const json seen = visit(page_of("'tanh(a*b + c)*d' a=2 b=-3 c=7 d=4"), R"(
const textsOf = what => all(`.node .${what} .scalar`).map(each => each.textContent).join(' ');
seen.all = [one('.caption').textContent, textsOf('value'), textsOf('gradient')];
press(document.body, 'Home');
seen.moments = [];
do {
  seen.moments.push([one('.caption p').textContent, textsOf('value'), textsOf('gradient')]);
  press(document.body, 'ArrowRight');
} while (!one('.caption').textContent.startsWith('All'));
seen.edges = all('.edge .flowed').map(each => each.textContent);
seen.names = all('.node .head').map(each => each.getAttribute('aria-label'));
)",
                          1280);
  BOOST_TEST(seen["all"][1] == "2 -3 7 4 -6 1 0.7616 3.046");
  BOOST_TEST(seen["all"][2] == "-5.04 3.36 1.68 0.7616 1.68 1.68 4 1");
  const json& moments = seen["moments"];
  BOOST_TEST_REQUIRE(moments.size() == 12u);  // four ops, the start, and seven edges
  BOOST_TEST(moments[0] ==
             json({"multiply 4: y = a b = -6", "2 -3 7 4 -6 · · ·", "· · · · · · · ·"}));
  BOOST_TEST(moments[3][1] == seen["all"][1]);
  BOOST_TEST(moments[4][0] == "Backward starts at the result, multiply 7: its own gradient is 1.");
  BOOST_TEST(moments[4][2] == "· · · · · · · 1");
  BOOST_TEST(moments[5][0] == "multiply 7 → tanh upstream 1 × local 4 = 4");
  BOOST_TEST(moments[5][2] == "· · · · · · 4 1");
  BOOST_TEST(moments[7][0] == "tanh → add upstream 4 × local 0.42 = 1.68");
  BOOST_TEST(moments[11][2] == seen["all"][2]);
  BOOST_TEST(seen["edges"].size() == 7u);
  BOOST_TEST(seen["names"][4] == "multiply 4, value -6, gradient 1.68");
}

/// In forward mode each value has a tangent. The tangent of an element is the sum of slopes times
/// tangents.
BOOST_FIXTURE_TEST_CASE(tangents_stand_beside_the_values, Fixture,
                        *boost::unit_test::precondition(has_browser)) {
  const std::string expression = "'softmax(x @ w) * x' 'x=[0,1;2,0]' 'w=[1,2;3,4]' --forward w=1";
  const json lines = json_of("explain " + expression + " --json")["lines"];
  const json seen = visit(page_of(expression), R"(
const textsIn = (from, what) => [...from.querySelectorAll(what)].map(each => each.textContent);
const look = () => ({
  numbers: textsIn(one('.panel .quantities'), '.tangent td'),
  tangent: one('.facts .tangent').textContent,
  products: all('.made tbody tr').map(row => row.lastChild.textContent),
});
seen.note = one('.note').textContent;
seen.overflow = document.documentElement.scrollWidth - innerWidth;
seen.node = textsIn(one('.node'), '.tangent .mini span');
seen.steps = [2, 3, 4].map(step => {
  explainer.see(step);
  return look();
});
press(document.body, 'Home');
explainer.see(4);
seen.later = one('.facts .tangent').textContent;
press(document.body, 'p');
explainer.see(4);
seen.asked = look().products;
)",
                          390);
  BOOST_TEST(seen["note"] ==
             "A tangent is the derivative of a value along w = 1. All derivatives need 8 runs "
             "forward, one per input number, or 4 runs backward, one per output number.");
  BOOST_TEST(seen["node"] == json({"0", "0", "0", "0"}));
  BOOST_TEST(seen["later"] == "not yet computed");
  BOOST_TEST(seen["overflow"].get<int>() <= 0);
  for (std::size_t i = 0; i < 3; ++i) {
    const json& at = seen["steps"][i];
    const json& line = lines[i + 2];  // after x and w
    expect_shown(at["numbers"], Engine::list(line["tangent"]), "tangent");
    double total = 0;
    for (const json& product : at["products"]) total += number_in(product.get<std::string>());
    const double tangent = number_in(at["tangent"].get<std::string>());
    BOOST_TEST(!at["products"].empty());
    BOOST_TEST(std::abs(total - tangent) < 2e-3, at.dump());
  }
  BOOST_TEST(seen["asked"][0] == "?");  // tangents don't reveal the slopes
  BOOST_TEST(data_of(page_of("x*x x=3")).dump().find("tangent") == std::string::npos);
}

/// The slider shows the same example at each checkpoint.
BOOST_FIXTURE_TEST_CASE(a_slider_goes_through_training, Fixture,
                        *boost::unit_test::precondition(has_browser)) {
  induction();
  const std::string page = page_of("run");
  const json seen = visit(page, R"(
explainer.see(0);
seen.names = [], seen.losses = [], seen.gradients = [];
for (let i = 0; i <= Number(one('.training').max); ++i) {
  change(one('.training'), i);
  seen.names.push(one('.choices > output').textContent);
  seen.losses.push(one('.about').textContent);
  seen.gradients.push(one('.facts .gradient').textContent);
}
)");
  BOOST_TEST(seen["names"] == json({"step 20", "step 40", "step 60"}));
  BOOST_TEST(std::set<json>(seen["gradients"].begin(), seen["gradients"].end()).size() == 3u);
  const Output last = done("explain run");
  const auto loss = between(last.text, "loss ", ". Read");
  BOOST_TEST(seen["losses"][2].get<std::string>().find("loss " + loss) != std::string::npos);
  BOOST_TEST(data_of(page)["states"].size() == 3u);
}

BOOST_FIXTURE_TEST_CASE(a_student_predicts, Fixture, *boost::unit_test::precondition(has_browser)) {
  const json seen = visit(page_of("'a*b + a' a=2 b=3"), R"(
press(document.body, 'p');
const gradients = () => all('.node .gradient .scalar').map(each => each.textContent);
const said = () => one('.caption').textContent;
const submit = text => {
  one('.ask input').value = text;
  one('.ask').dispatchEvent(new Event('submit', { cancelable: true }));
};
seen.asked = [said(), ...gradients()];
explainer.see(2);
seen.panel = one('.panel .quantities .gradient').textContent;
submit('two'), seen.nothing = said();
submit('-1'), seen.sign = said();
submit('1,0'), seen.right = [said(), one('.score').textContent];
press(document.body, 'ArrowRight');
seen.next = said();
submit('5'), submit('6'), seen.wrong = [said(), one('.score').textContent];
)");
  BOOST_TEST(seen["asked"] == json({"What does add send to multiply?", "·", "·", "?", "1"}));
  BOOST_TEST(seen["panel"] == "upstream gradient (dy)hidden");
  const std::string question = "What does add send to multiply?";
  BOOST_TEST(seen["nothing"] == question + "Enter a number, such as -0.25 or 3e-4.");
  BOOST_TEST(seen["sign"] == question + "Not yet: check the sign. One more try.");
  BOOST_TEST(seen["right"] == json({"Right.add → multiply upstream 1 × local 1 = 1Add distributes: "
                                    "each input receives the gradient unchanged.",
                                    "1 of 1 right"}));
  BOOST_TEST(seen["next"] == "What does add send to a?");
  BOOST_TEST(seen["wrong"][0].get<std::string>().find("Not 6.add → a upstream 1 × local 1 = 1") ==
             0);
  BOOST_TEST(seen["wrong"][1] == "1 of 2 right");
}

/// A network with a wrong backward function shows all gradients but not the contributions.
BOOST_FIXTURE_TEST_CASE(a_fault_has_all_gradients_at_the_end, Fixture,
                        *boost::unit_test::precondition(has_browser) *
                            boost::unit_test::precondition(registered("learn"))) {
  done("learn fault --seed 1 --out page.html");
  const json page = data_of(contents("page.html"));
  const json seen = visit(contents("page.html"), R"(
seen.gradients = all('.node .quantity.gradient').length;
seen.flowed = all('.edge .flowed').length;
press(document.body, 'p');
explainer.see(0);
seen.first = all('.quantities .gradient td').length;
seen.sum = one('.sum').textContent;
seen.predict = all('.predicting').length;
)");
  std::size_t gradients = 0;
  for (const json& step : page["states"][0]["steps"]) gradients += !step["gradient"].is_null();
  BOOST_TEST(seen["gradients"] == gradients);
  BOOST_TEST(seen["flowed"] == 0);
  BOOST_TEST(seen["first"].get<int>() > 0);
  BOOST_TEST(seen["sum"].get<std::string>().find("not shown") != std::string::npos);
  BOOST_TEST(seen["predict"] == 0);
}

BOOST_FIXTURE_TEST_CASE(boxes_open_and_keys_reach_everything, Fixture,
                        *boost::unit_test::precondition(has_browser)) {
  copy();
  const json seen = visit(page_of("run --example 1 --checkpoint last"), R"(
const names = () => all('.node .title').map(each => each.textContent);
const open = name => all('.node .head').find(each => each.querySelector('.title').textContent === name).click();
seen.overflow = document.documentElement.scrollWidth - innerWidth;
seen.unnamed = all('button, select, input, [tabindex]').filter(each => !(each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.length)).map(each => each.outerHTML);
seen.closed = names();
open('blocks.0'), open('attention');
seen.attention = names();
seen.path = one('.path').textContent;
seen.focus = document.activeElement.textContent;
open('weights');
seen.softmax = one('.panel h2').textContent;
const maps = all('.map');
for (const key of ['ArrowDown', 'ArrowRight']) press(maps[0], key);
seen.inMap = [one('.element h3').textContent, document.activeElement === maps[0]];
const link = one('.sum .use tbody button');
link.click();
seen.arrived = [link.title, one('.element h3').textContent];
all('.jacobian summary').forEach(each => each.click());
history.replaceState(null, '', '#at=b44.0&see=44&element=3');
dispatchEvent(new HashChangeEvent('hashchange'));
seen.address = [one('.panel h2').textContent, one('.caption b').textContent, one('.element h3').textContent];
seen.jacobians = all('.jacobian').map(each => each.textContent.slice(0, 19));
seen.code = one('.code code').textContent;
explainer.see(22);
seen.norm = all('.jacobian summary').map(each => each.textContent);
one('.path button').click();
seen.back = names();
press(document.body, 'End');
seen.end = one('.caption').textContent;
press(document.body, ' ');
seen.playing = one('.play').textContent;
press(document.body, ' ');
seen.paused = one('.play').textContent;
)",
                          390);
  BOOST_TEST(seen["overflow"].get<int>() <= 0);
  BOOST_TEST(seen["unnamed"] == json::array());
  BOOST_TEST(seen["closed"] == seen["back"]);
  BOOST_TEST(seen["closed"].dump().find("blocks.0") != std::string::npos);
  for (const char* role : {"Q", "K", "Kᵀ", "scores", "weights", "V", "output"})
    BOOST_TEST((seen["attention"].dump().find('"' + std::string(role) + '"') != std::string::npos),
               role);
  BOOST_TEST(seen["path"] == "Whole graph › blocks.0 › attention");
  BOOST_TEST(seen["focus"] == "blocks.0");
  BOOST_TEST(seen["softmax"] == "44 softmax");
  BOOST_TEST(seen["inMap"][0].get<std::string>().find("blocks.0.attention/softmax[") == 0u);
  BOOST_TEST(seen["inMap"][1] == true);
  BOOST_TEST(seen["arrived"][0] == seen["arrived"][1]);
  BOOST_TEST(seen["address"] == json({"44 softmax", "weights → masked scores",
                                      "blocks.0.attention/softmax[0, 0, 0, 3]"}));
  BOOST_TEST(seen["jacobians"] == json({"Jacobian of softmax"}));
  BOOST_TEST(seen["code"] == op_code().at("softmax"));
  BOOST_TEST_REQUIRE(seen["norm"].size() == 1u);
  BOOST_TEST(seen["norm"][0].get<std::string>().find(
                 "Jacobian of the whole blocks.0.attention_norm, row ") == 0u);
  BOOST_TEST(seen["end"].get<std::string>().find("All values and gradients") == 0u);
  BOOST_TEST(seen["playing"] == "❚❚ Pause");
  BOOST_TEST(seen["paused"] == "◀ Backward");
}

/// The norm before the patch embedding has an image as its input, which has no gradient.
BOOST_FIXTURE_TEST_CASE(a_run_on_images_has_a_page, Fixture,
                        *boost::unit_test::precondition(registered("shapes"))) {
  done("train shapes --layers 1 --width 8 --heads 2 --patch 8 --steps 1 --out run");
  const json state = data_of(page_of("run"))["states"][0];
  std::set<std::string> norms;
  for (const json& norm : state["norms"]) norms.insert(norm["module"].get<std::string>());
  BOOST_TEST(norms.count("blocks.0.attention_norm") == 1u);
  BOOST_TEST(norms.count("patches.norm") == 0u);
}

BOOST_FIXTURE_TEST_CASE(is_one_file_of_at_most_2_MB, Fixture) {
  done("train copy --layers 2 --width 32 --steps 4 --eval-every 2 --keep 9 --out run");
  const std::string page = page_of("run");
  BOOST_TEST(page.size() <= 2'000'000u);
  BOOST_TEST(page.size() > 1'000'000u);
  BOOST_TEST(data_of(page)["note"].get<std::string>().find("Only the last of 2 checkpoints") == 0u);
  BOOST_TEST(count(page, "</script>") == 2u);
  BOOST_TEST(count(page, "://") == count(page, "'http://www.w3.org/2000/svg'"));
  for (const char* part : {" src=", "url(", "@import", "fetch(", "<link rel=\"stylesheet\""})
    BOOST_TEST(count(page, part) == 0u, part);
}

BOOST_FIXTURE_TEST_CASE(refuses_other_files_and_two_wishes_at_once, Fixture) {
  expect_refused("explain x^2 x=3 --out x.pdf",
                 "--out x.pdf: the file extension must be .html or .svg");
  expect_refused("explain x^2 x=3 --out x", "--out x: the file extension must be .html or .svg");
  expect_refused("explain x^2 x=3 --out x.html --json",
                 "explain: use only one of --out, --json, --tape and --element");
  BOOST_TEST(!std::filesystem::exists("x.html"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../cli/attention/formats.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../core/ops.hpp"
#include "../../train/arrays/npz.hpp"
#include "../shared/awkward_maps.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/support.hpp"

#include <pty.h>

#include <cstring>
#include <nlohmann/json.hpp>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(attention_command)

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// A run of two layers with two heads each, in `run`, and what to show of it.
struct Run {
  Run() {
    const Output output =
        command({"train", "copy", "--length", "4", "--symbols", "4", "--layers", "2", "--heads",
                 "2", "--width", "8", "--batch", "8", "--steps", "12", "--out", "run"});
    BOOST_TEST_REQUIRE(output.status == 0, output.errors);
  }
  Output show(const Words& more) const {
    Words words = {"attention", "run", "--input", "0 1 2 3 0"};
    words.insert(words.end(), more.begin(), more.end());
    return command(words);
  }

  Elsewhere elsewhere;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}
void expect_done(const Output& output) {
  BOOST_TEST(output.status == 0);
  BOOST_TEST(output.errors == "");
}
void expect_refused(const Output& output, int status, const std::string& message) {
  BOOST_TEST(output.status == status);
  BOOST_TEST(output.text == "");
  BOOST_TEST(output.errors == "tapehead: " + message + "\n");
}

/// What the model of `run` looks at, asked of the library.
std::vector<float> captured_weights() {
  const LoadedRun run = load_run("run", Registry::standard());
  Pass pass = Pass::evaluation();
  pass.capture = true;
  (*run.model->module)(tensor({0, 1, 2, 3, 0}, {1, 5}, DType::i32), pass);
  std::vector<float> all;
  for (const auto& captured : pass.captured)
    for (double weight : captured.weights.values()) all.push_back(static_cast<float>(weight));
  return all;
}

/// Elements that end in their order, entities that XML knows, no character that it doesn't.
void expect_well_formed(const std::string& xml) {
  Words open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    const char c = xml[at];
    BOOST_TEST_REQUIRE((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
    if (c == '&') {
      const std::string entity = xml.substr(at, xml.find(';', at) - at);
      BOOST_TEST((entity == "&lt" || entity == "&gt" || entity == "&amp" || entity == "&quot"),
                 entity);
    }
    if (c != '<') continue;
    const std::size_t end = xml.find('>', at);
    BOOST_TEST_REQUIRE(end != std::string::npos);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    BOOST_TEST(!has(tag, "<"), tag);
    BOOST_TEST(count(tag, "\"") % 2 == 0U, tag);
    if (tag[0] == '/') {
      BOOST_TEST_REQUIRE(!open.empty());
      BOOST_TEST_REQUIRE(open.back() == tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end;
  }
  BOOST_TEST(open.empty());
}

Pattern named(const std::string& name) {
  Pattern pattern;
  pattern.name = name, pattern.weight = 0.5;
  return pattern;
}

}  // namespace

// ---- terminal

BOOST_AUTO_TEST_CASE(heads_stand_side_by_side_where_they_fit) {
  std::vector<AttentionMap> maps = chosen(awkward_maps(), 0, -1);
  maps[0].patterns = {{named("previous token")}, {named("induction")}};
  Terminal terminal;
  const std::string wide = attention_text(maps, terminal);
  BOOST_TEST(wide.rfind("layer 0 head 0 · previous token 0.50", 0) == 0, wide);
  const std::string first_line = wide.substr(0, wide.find('\n'));
  BOOST_TEST(has(first_line, "   layer 0 head 1"));
  std::istringstream lines(wide);
  for (std::string line; std::getline(lines, line);) BOOST_TEST(display_width(line) <= 80, line);
  terminal.width = 40;
  BOOST_TEST(has(attention_text(maps, terminal), "\n\nlayer 0 head 1 · "));
}

BOOST_AUTO_TEST_CASE(a_row_of_heads_is_aligned) {
  AttentionMap map;
  map.name = "layer 0";
  map.queries = map.keys = {"a", "b"};
  map.weights = tensor({1, 0, 0, 1, 0.5, 0.5, 0.5, 0.5}, {2, 2, 2});
  BOOST_TEST(attention_text({map}, Terminal()) ==
             "layer 0 head 0   layer 0 head 1\n"
             "     a b              a b\n"
             "  a  █             a  ▒ ▒\n"
             "  b  · █           b  ▒ ▒\n");
}

BOOST_AUTO_TEST_CASE(a_terminal_shows_the_layers_and_heads_asked_for) {
  const Run run;
  const Output all = run.show({});
  expect_done(all);
  BOOST_TEST(count(all.text, "layer ") == 4U);
  BOOST_TEST(has(all.text, "     0 1 2 3 0"));
  const Output one = run.show({"--layer", "1", "--head", "1"});
  BOOST_TEST(one.text.rfind("layer 1 head 1", 0) == 0);
  BOOST_TEST(count(one.text, "layer ") == 1U);
  expect_done(run.show({"--out", "map.txt"}));
  BOOST_TEST(contents("map.txt") == all.text);
}

// ---- svg

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
  const Run run;
  const Output output = run.show({"--format", "svg"});
  expect_done(output);
  expect_well_formed(output.text);
  BOOST_TEST(has(output.text, "<title>Attention of run</title>"));
  BOOST_TEST(count(output.text, "class=\"title\"") == 4U);
  BOOST_TEST(count(run.show({"--format", "svg", "--head", "1"}).text, "class=\"title\"") == 2U);
}

// ---- html

BOOST_AUTO_TEST_CASE(html_carries_the_weights) {
  const Run run;
  expect_done(run.show({"--out", "map.html"}));  // its ending says which format
  const std::string page = contents("map.html"), start = "id=\"data\">";
  const std::size_t from = page.find(start) + start.size();
  const auto data = nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
  std::vector<float> weights;
  for (const auto& map : data["maps"])
    for (const auto& head : map["heads"])
      for (const auto& row : head["weights"])
        for (const auto& weight : row) weights.push_back(weight.get<float>());
  BOOST_TEST(weights == captured_weights(), boost::test_tools::per_element());
  BOOST_TEST(data["maps"][1]["module"] == "blocks.1.attention");
  BOOST_TEST(data["maps"][1]["queries"] == (Words{"0", "1", "2", "3", "0"}));
}

// ---- npy

BOOST_AUTO_TEST_CASE(npy_holds_the_weights) {
  const Run run;
  expect_done(run.show({"--out", "map.npy"}));
  const std::string bytes = contents("map.npy");
  BOOST_TEST_REQUIRE(bytes.size() > 10U);
  BOOST_TEST(bytes.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header = static_cast<unsigned char>(bytes[8]) +
                             static_cast<std::size_t>(static_cast<unsigned char>(bytes[9])) * 256;
  const std::string text = bytes.substr(10, header);
  BOOST_TEST(has(text, "'descr': '<f4'"), text);
  BOOST_TEST(has(text, "'fortran_order': False"), text);
  BOOST_TEST(has(text, "(2, 2, 5, 5)"), text);
  std::vector<float> weights((bytes.size() - 10 - header) / sizeof(float));
  std::memcpy(weights.data(), bytes.data() + 10 + header, weights.size() * sizeof(float));
  BOOST_TEST(weights == captured_weights(), boost::test_tools::per_element());
  BOOST_TEST(run.show({"--format", "npy"}).text == bytes);
  expect_done(run.show({"--out", "one.npy", "--layer", "0", "--head", "1"}));
  BOOST_TEST(has(contents("one.npy"), "(1, 1, 5, 5)"));
}

BOOST_AUTO_TEST_CASE(npy_needs_maps_of_one_shape) {
  expect_error<UsageError>([] { attention_npy(awkward_maps()); },
                           "--format npy is one array, but layer 0 has the shape (2, 8, 8) and "
                           "layer 1 (1, 2, 3); choose one with --layer");
}

BOOST_AUTO_TEST_CASE(npz_holds_maps_of_any_shapes) {
  const Run run;
  expect_done(run.show({"--out", "map.npz"}));
  const Arrays arrays = load_npz("map.npz");
  BOOST_TEST_REQUIRE(arrays.size() == 2U);
  BOOST_TEST(arrays.at("blocks.1.attention").shape() == (Shape{2, 5, 5}));
  expect_done(run.show({"--out", "map.npy"}));
  const Tensor all = from_npy(contents("map.npy"));  // (layers, heads, queries, keys)
  BOOST_TEST(arrays.at("blocks.1.attention").values() == slice(all, 0, 1, 2).values());
  BOOST_TEST(attention_arrays(awkward_maps()).size() == 2U);
  expect_refused(run.show({"--format", "npz"}), 2,
                 "--format npz is written to a file; add --out FILE");
}

BOOST_AUTO_TEST_CASE(npy_is_not_for_a_terminal) {
  int terminal = -1, other = -1;
  if (::openpty(&terminal, &other, nullptr, nullptr, nullptr) != 0) return;  // there are none
  const Run run;
  const Output output =
      shell("$TAPEHEAD attention run --format npy >" + std::string(::ttyname(other)));
  ::close(terminal), ::close(other);
  expect_refused(output, 2, "--format npy is binary, not for a terminal; add --out FILE");
}

// ---- files

BOOST_AUTO_TEST_CASE(a_format_wins_over_a_files_ending) {
  const Run run;
  expect_done(run.show({"--format", "svg", "--out", "map.html"}));
  BOOST_TEST(contents("map.html").rfind("<svg", 0) == 0);
}

BOOST_AUTO_TEST_CASE(an_unknown_ending_is_refused) {
  const Run run;
  for (const std::string file : {"a.pdf", "a.html.gz", "a.HTML", "a.b/c."})
    expect_refused(
        run.show({"--out", file}), 2,
        "--out " + file +
            ": the ending must be .txt, .svg, .html, .npy or .npz; --format takes a file with "
            "another");
  BOOST_TEST(!fs::exists("a.pdf"));
  for (const char* file : {"map", "map.txt", "./map"}) {
    expect_done(run.show({"--out", file}));
    BOOST_TEST(contents(file).rfind("layer 0 head 0", 0) == 0);
  }
  expect_done(run.show({"--format", "svg", "--out", "a.pdf"}));
}

BOOST_AUTO_TEST_CASE(reads_a_question_or_more_of_an_example) {
  const Run run;
  const auto show = [](const std::string& input) {
    return command({"attention", "run", "--input", input});
  };
  for (const char* input : {"0123", "0 1 2 3 0", "0123012"}) expect_done(show(input));
  expect_refused(show("012"), 2, "copy reads 4 tokens, as in 0022; this has 3 tokens");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_leaves_nothing) {
  const Run run;
  expect_refused(run.show({"--format", "svg", "--out", "none/map.svg"}), 1,
                 "none/map.svg: No such file or directory");
  BOOST_TEST(!fs::exists("none"));
  fs::create_directory("full");
  std::ofstream("full/map.html") << "before";
  {
    const FullDisk full(1000);
    BOOST_TEST(run.show({"--out", "full/map.html"}).status == 1);
  }
  expect_names("full", {"map.html"});
  BOOST_TEST(contents("full/map.html") == "before");
}

BOOST_AUTO_TEST_CASE(says_what_it_does_not_know) {
  expect_refused(command({"attention", "run", "--format", "htlm"}), 2,
                 "unknown --format 'htlm'; did you mean 'html'?");
  const Run run;
  expect_refused(run.show({"--layer", "-1"}), 2, "--layer is counted from 0, and can't be -1");
  expect_refused(run.show({"--head", "-1"}), 2, "--head is counted from 0, and can't be -1");
  for (const char* format : {"terminal", "svg", "html", "npy"}) {
    expect_refused(run.show({"--format", format, "--layer", "2"}), 2,
                   "--layer 2: the model has 0 to 1");
    expect_refused(run.show({"--format", format, "--head", "2"}), 2,
                   "--head 2: layer 0 has 0 to 1");
  }
}

BOOST_AUTO_TEST_SUITE_END()

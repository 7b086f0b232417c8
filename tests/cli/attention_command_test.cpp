#include "../../cli/attention/formats.hpp"
#include "../../cli/extensions.hpp"
#include "../shared/attention_run.hpp"
#include "../shared/awkward_maps.hpp"
#include "../shared/support.hpp"

#include <pty.h>

#include <cstring>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(attention_command)

namespace {

namespace fs = std::filesystem;
using Run = AttentionRun;

void expect_done(const Output& output) {
  BOOST_TEST(output.status == 0);
  BOOST_TEST(output.errors == "");
}
void expect_refused(const Output& output, int status, const std::string& message) {
  BOOST_TEST(output.status == status);
  BOOST_TEST(output.text == "");
  BOOST_TEST(output.errors == "tapehead: " + message + "\n");
}

}  // namespace

// ---- terminal

BOOST_AUTO_TEST_CASE(heads_are_side_by_side_if_they_fit) {
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

BOOST_AUTO_TEST_CASE(row_of_heads_is_aligned) {
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

BOOST_AUTO_TEST_CASE(terminal_shows_the_selected_layers_and_heads) {
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

// ---- npy

BOOST_AUTO_TEST_CASE(npy_contains_the_weights) {
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
  BOOST_TEST(weights == run.weights(), boost::test_tools::per_element());
  BOOST_TEST(run.show({"--format", "npy"}).text == bytes);
  expect_done(run.show({"--out", "one.npy", "--layer", "0", "--head", "1"}));
  BOOST_TEST(has(contents("one.npy"), "(1, 1, 5, 5)"));
}

BOOST_AUTO_TEST_CASE(npy_requires_maps_of_equal_shape) {
  expect_error<UsageError>([] { attention_npy(awkward_maps()); },
                           "--format npy needs maps of the same shape, but layer 0 has shape (2, "
                           "8, 8) and layer 1 has (1, 2, 3); choose one with --layer");
}

BOOST_AUTO_TEST_CASE(npy_is_not_written_to_a_terminal) {
  int terminal = -1, other = -1;
  if (::openpty(&terminal, &other, nullptr, nullptr, nullptr) != 0) return;  // no pseudo-terminals
  const Run run;
  const Output output =
      shell("$TAPEHEAD attention run --format npy >" + std::string(::ttyname(other)));
  ::close(terminal), ::close(other);
  expect_refused(output, 2, "--format npy is binary, not for a terminal; add --out FILE");
}

// ---- files

BOOST_AUTO_TEST_CASE(format_option_overrides_the_file_ending) {
  const Run run;
  expect_done(run.show({"--format", "npy", "--out", "map.txt"}));
  BOOST_TEST(contents("map.txt").rfind("\x93NUMPY", 0) == 0);
}

BOOST_AUTO_TEST_CASE(unknown_file_ending_is_refused) {
  const Run run;
  for (const std::string file : {"a.pdf", "a.html.gz", "a.HTML", "a.b/c."})
    expect_refused(command({"attention", "run", "--out", file}, Registry::standard()), 2,
                   "--out " + file +
                       ": the file name must end in .txt or .npy; use --format for another name");
  BOOST_TEST(!fs::exists("a.pdf"));
  for (const char* file : {"map", "map.txt", "./map"}) {
    expect_done(run.show({"--out", file}));
    BOOST_TEST(contents(file).rfind("layer 0 head 0", 0) == 0);
  }
  expect_done(run.show({"--format", "npy", "--out", "a.pdf"}));
}

BOOST_AUTO_TEST_CASE(accepts_a_prompt_or_a_longer_part_of_an_example) {
  const Run run;
  const auto show = [](const std::string& input) {
    return command({"attention", "run", "--input", input});
  };
  for (const char* input : {"0123", "0 1 2 3 0", "0123012"}) expect_done(show(input));
  expect_refused(show("012"), 2, "copy expects 4 tokens, as in 0022; got 3 tokens");
}

BOOST_AUTO_TEST_CASE(failed_write_leaves_no_file) {
  const Run run;
  expect_refused(run.show({"--format", "npy", "--out", "none/map.npy"}), 1,
                 "none/map.npy: No such file or directory");
  BOOST_TEST(!fs::exists("none"));
  fs::create_directory("full");
  std::ofstream("full/map.npy") << "before";
  {
    const FullDisk full(100);
    BOOST_TEST(run.show({"--out", "full/map.npy"}).status == 1);
  }
  expect_names("full", {"map.npy"});
  BOOST_TEST(contents("full/map.npy") == "before");
}

BOOST_AUTO_TEST_CASE(unknown_options_and_values_are_reported) {
  expect_refused(command({"attention", "run", "--format", "nyp"}), 2,
                 "unknown --format 'nyp'; did you mean 'npy'?");
  const Run run;
  expect_refused(run.show({"--layer", "-1"}), 2, "--layer must be at least 0, not -1");
  expect_refused(run.show({"--head", "-1"}), 2, "--head must be at least 0, not -1");
  Words formats = {"terminal", "npy"};
  const Registry registry = make_registry();
  for (const AttentionFormat& format : registry.extensions<AttentionFormat>())
    if (format.to == AttentionFormat::To::anywhere) formats.push_back(format.name);
  for (const std::string& format : formats) {
    expect_refused(run.show({"--format", format, "--layer", "2"}), 2,
                   "--layer 2: out of range; the model has layers 0 to 1");
    expect_refused(run.show({"--format", format, "--head", "2"}), 2,
                   "--head 2: out of range; layer 0 has heads 0 to 1");
  }
}

BOOST_AUTO_TEST_SUITE_END()

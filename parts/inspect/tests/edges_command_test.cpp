#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"

#include <cmath>
#include <set>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(edges_command, Elsewhere)

namespace {

json document_of(const std::string& line) {
  return json::parse(done("inspect " + line + " --json").text);
}

void train_two_heads() {
  done("train induction --length 12 --symbols 8 --heads 2 --steps 200 --out run");
}

/// Returns the texts in the first column of the first table.
std::vector<std::string> edges_of(const json& document) {
  std::vector<std::string> names;
  for (const json& row : document["tables"][0]["rows"]) names.push_back(row["edge"]);
  return names;
}

/// Returns the sum of the scores of all edges in the graph.
double total(const json& document) {
  double sum = 0;
  for (const json& edge : document["graphs"][0]["edges"]) sum += edge["score"].get<double>();
  return sum;
}

}  // namespace

BOOST_AUTO_TEST_CASE(path_patching_finds_the_induction_circuit) {
  train_two_heads();
  const json document = document_of(
      "path run --clean '0 1 2 * 5 3 6 7 2 1 0 *' --corrupted '0 1 2 3 5 * 6 7 2 1 0 *' --top 2");
  const std::vector<std::string> names = edges_of(document);
  const std::vector<std::string> expected = {"head 1.0 → logits", "head 0.0 → head 1.0 key"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  const json& graph = document["graphs"][0];
  BOOST_TEST(graph["nodes"].size() == 6u);
  BOOST_TEST(graph["edges"].size() == 29u);
  BOOST_TEST(graph["edges"][0] == (json{{"from", "embedding"},
                                        {"to", "head 0.0"},
                                        {"input", "query"},
                                        {"score", graph["edges"][0]["score"]}}));
  // The clean and the corrupted prompt have the same logit differences as in `patch`.
  const json patched = document_of(
      "patch run --clean '0 1 2 * 5 3 6 7 2 1 0 *' --corrupted '0 1 2 3 5 * 6 7 2 1 0 *'");
  for (const auto& [ours, theirs] : {std::pair("whole", "clean"), {"none", "corrupted"}})
    BOOST_TEST(document["numbers"][ours].get<double>() == patched["numbers"][theirs].get<double>(),
               boost::test_tools::tolerance(1e-4));
}

BOOST_AUTO_TEST_CASE(edges_can_be_selected) {
  train_two_heads();
  const auto selected = edges_of(document_of("path run --from 'head 0.0' --to 'head 1.0'"));
  const std::set<std::string> names(selected.begin(), selected.end());
  BOOST_TEST((names == std::set<std::string>{"head 0.0 → head 1.0 query", "head 0.0 → head 1.0 key",
                                             "head 0.0 → head 1.0 value"}));
  BOOST_TEST(edges_of(document_of("path run --from embedding --to logits")).size() == 1u);
  expect_refused("inspect path run --from 'head 1.0' --to 'head 1.1'",
                 "no edge leads from head 1.0 to head 1.1: a component reads the embedding and "
                 "earlier layers, and an MLP also the heads of its layer");
  expect_refused("inspect path run --by zero --clean '1 2 3'",
                 "--by zero replaces outputs without a corrupted prompt; remove --clean and "
                 "--corrupted");
  expect_refused("inspect path run --examples 1",
                 "no two of 1 validation examples have the same length; use more --examples, or "
                 "--by mean");
  expect_refused("inspect path run --examples 5 --clean '1 2 3'",
                 "use either --examples, or --clean and --corrupted");
  expect_refused(
      "inspect circuit run --steps 3",
      "--steps has no effect with --method acdc; remove it, or use --method attribution");
  expect_refused("inspect edges run --metric kl --steps 0",
                 "a distance from the whole model has gradient 0 there; use --steps above 0, or "
                 "--metric logit");
}

BOOST_AUTO_TEST_CASE(attributions_sum_to_the_total_effect) {
  train_two_heads();
  const json document = document_of("edges run --steps 200 --by mean");
  const json& numbers = document["numbers"];
  const double change = numbers["none"].get<double>() - numbers["whole"].get<double>();
  BOOST_TEST(total(document) == change, boost::test_tools::tolerance(1e-2));
  BOOST_TEST(document["tables"][0]["rows"][0].contains("gradient"));
  const json distances = document_of("edges run --metric kl");
  BOOST_TEST(!distances["tables"][0]["rows"][0].contains("gradient"));
}

BOOST_AUTO_TEST_CASE(circuits_are_faithful_and_small) {
  train_two_heads();
  for (const char* method : {"acdc", "attribution --threshold 0.05"}) {
    const json document = document_of(fmt::format("circuit run --method {}", method));
    const json& numbers = document["numbers"];
    BOOST_TEST_CONTEXT(method) {
      BOOST_TEST(numbers["faithfulness"].get<double>() > 0.95);
      BOOST_TEST(numbers["faithfulness"].get<double>() <= 1);
      BOOST_TEST(numbers["edges"].get<double>() < 15);
      BOOST_TEST(numbers["edges"] == document["graphs"][0]["edges"].size());
      const auto names = edges_of(document);
      for (const char* edge : {"head 1.0 → logits", "head 0.0 → head 1.0 key",
                               "embedding → head 0.0 value", "embedding → head 1.0 value"})
        BOOST_TEST(std::count(names.begin(), names.end(), edge) == 1, edge);
    }
  }
  done("inspect circuit run --out circuit.html");
  BOOST_TEST(has(contents("circuit.html"), "drawCircuit"));
}

BOOST_AUTO_TEST_CASE(probes_find_where_the_answer_is) {
  train_two_heads();
  const json document = document_of("probe run");
  const json& rows = document["tables"][0]["rows"];
  BOOST_TEST(rows.front()["point"] == "blocks.0.in");
  BOOST_TEST(rows.front()["accuracy"].get<double>() < 0.2);
  BOOST_TEST(rows.back()["accuracy"].get<double>() > 0.99);
  // The answer is only at the last position, whose token is always the mark.
  BOOST_TEST(rows.back()["control"].is_null());
  const json previous = document_of("probe run --property previous --at blocks.0.out");
  BOOST_TEST(previous["tables"][0]["rows"].size() == 1u);
  BOOST_TEST(previous["tables"][0]["rows"][0]["selectivity"].get<double>() > 0);
}

BOOST_AUTO_TEST_CASE(other_architectures) {
  done("train reverse --length 4 --arch encoder --layers 1 --steps 30 --width 16 --out one");
  BOOST_TEST(document_of("circuit one --examples 20")["graphs"][0]["nodes"].size() > 3u);
  BOOST_TEST(document_of("probe one --property token")["tables"][0]["rows"].size() > 3u);
  done("train reverse --length 4 --arch encoder-decoder --layers 1 --steps 5 --width 16 --out two");
  for (const char* name : {"path", "edges", "circuit"})
    expect_refused(fmt::format("inspect {} two", name),
                   "inspect path, edges and circuit need --arch gpt or encoder, but the run has "
                   "--arch encoder-decoder");
  expect_refused("inspect probe two",
                 "inspect probe supports --arch gpt and encoder, got encoder-decoder");
}

BOOST_AUTO_TEST_SUITE_END()

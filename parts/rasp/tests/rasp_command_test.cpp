#include "../../../nn/parameters.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/files/json.hpp"
#include "../circuit/truth.hpp"
#include "../compile.hpp"

#include <fstream>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(rasp_command, Elsewhere)

namespace {

std::vector<std::string> edges(const std::string& program) {
  const rasp::Compiled made = rasp::compile(program, "f32", make_registry());
  std::vector<std::string> all;
  for (const rasp::Edge& edge : rasp::edges(made.circuit, made.task->interpreter().program()))
    all.push_back(fmt::format("{} > {}: {}", edge.from, edge.to, edge.sequence));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rasp_lists_prints_and_runs_programs) {
  BOOST_TEST(missing(done("rasp").text, {"reverse ", "The input, last token first."}) == "");
  BOOST_TEST(missing(done("rasp reverse").text, {"alphabet a b c d", "output = pick("}) == "");
  BOOST_TEST(done("rasp reverse --input abc").text ==
             "tokens    a  b  c\n"
             "indices   0  1  2\n"
             "length    3  3  3\n"
             "opposite  2  1  0\n"
             "output    c  b  a\n");
  const Json json = parse_json(done("rasp reverse --input 'a b' --json").text).value();
  BOOST_TEST(to_text(json["sequences"].items().back()) ==
             R"({"name":"output","values":["b","a"]})");
  expect_refused("rasp revers",
                 "unknown program 'revers'; did you mean reverse?; expected a file "
                 "NAME.rasp, or a name listed by 'tapehead rasp'");
  expect_refused("rasp reverse --input abcdabc", "--input: reverse expects 1 to 6 tokens, got 7");
  expect_refused("rasp reverse --json", "--json needs --input with reverse");
  expect_refused("rasp reverse sort", "rasp runs one program, got reverse sort");
}

BOOST_AUTO_TEST_CASE(compiled_runs_work_like_trained_ones) {
  const std::string shown = done("compile reverse --out run").text;
  expect_plain(shown);
  BOOST_TEST(missing(shown, {"run · encoder · 3 layers, 1 head",
                             "agrees with the program on all 5,460 inputs", "head 0.0", "6",
                             "length = width(select(true))", "mlp 0, neurons 0 to 10"}) == "");
  BOOST_TEST(missing(done("eval run").text, {"exact match 100.00 %"}) == "");
  BOOST_TEST(missing(done("sample run --prompt abcd").text, {"d c b a"}) == "");
  BOOST_TEST(missing(done("attention run --input abcd").text, {"bos"}) == "");
  BOOST_TEST(missing(done("digest run").text, {"step 0 of run"}) == "");
  BOOST_TEST(missing(done("runs .").text, {"complete"}) == "");
  BOOST_TEST(missing(done("verify run").text,
                     {"run is reproducible: compiled again, the weights "}) == "");
  done("inspect ablate run");
  const Json circuit = parse_json(contents("run/circuit.json")).value();
  BOOST_TEST(circuit["format"].integer().value() == 1);
  BOOST_TEST(circuit["directions"].items()[0]["name"].string() == "tokens:bos");
  done("train --config run/config.toml --init run --steps 1 --out more");
  BOOST_TEST(missing(done("eval more").text, {"exact match 100.00 %"}) == "");
  done("train --resume run --steps 30 --change steps");
  BOOST_TEST(missing(done("eval run").text, {"exact match 100.00 %"}) == "");
  BOOST_TEST(missing(done("runs .").text, {"done"}) == "");
  BOOST_TEST(missing(done("verify run").text, {"run is reproducible: 2 checkpoints"}) == "");
}

BOOST_AUTO_TEST_CASE(verify_finds_other_weights) {
  const Registry registry = make_registry();
  const rasp::Compiled made = rasp::compile("identity", "f32", registry);
  Parameter& first = *parameters(*made.model->module)[0];
  first.set(first.value() * 2.);
  rasp::write_run(made, "run", registry);
  const Output output = command("verify run");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(missing(output.text, {"the weights of step 0 differ: checkpoint ", "compiled again",
                                   "75aec21e6a14f66d"}) == "",
             output.text);
}

BOOST_AUTO_TEST_CASE(training_keeps_a_deep_circuit) {
  done("compile brackets-of-two-kinds --out run");
  done("train --resume run --steps 30 --change steps");
  BOOST_TEST(missing(done("eval run").text, {"exact match 100.00 %"}) == "");
}

BOOST_AUTO_TEST_CASE(a_causal_program_becomes_a_gpt) {
  const std::string program =
      std::string(source_dir) + "/parts/rasp/tests/programs/causal-induction.rasp";
  BOOST_TEST(missing(done("compile " + program + " --out run").text,
                     {"run · gpt · 3 layers, 2 heads", "on all 5,460 inputs"}) == "");
  BOOST_TEST(missing(done("eval run").text, {"exact match 100.00 %"}) == "");
  BOOST_TEST(missing(done("sample run --prompt abcda").text, {"  b\n"}) == "");
  done("inspect lens run");
  done("inspect circuits run");
  done("inspect gradients run");
}

BOOST_AUTO_TEST_CASE(a_file_may_hold_the_program) {
  std::ofstream("mine.rasp") << "alphabet a b\nlengths 1 to 4\noutput = tokens == \"a\"\n";
  done("compile ./mine.rasp --out mine");
  std::ofstream("mine.rasp") << "";  // the run has the program
  BOOST_TEST(missing(done("eval mine").text, {"exact match 100.00 %"}) == "");
  std::ofstream("wrong.rasp") << "alphabet a b\nlengths 1 to 4\noutput = token\n";
  expect_refused("compile ./wrong.rasp",
                 "./wrong.rasp:3:10: unknown sequence 'token'; did you mean tokens?", 1);
  expect_refused("compile none.rasp", "none.rasp: No such file or directory", 1);
  // Compiled without an error, the empty selection of the first position would become 0.
  std::ofstream("empty.rasp") << "alphabet 1 2\nlengths 1 to 4\n"
                                 "a = pick(select(key.indices == query.tokens), indices)\n"
                                 "output = pick(select(key.indices == query.tokens), a)\n";
  expect_refused("compile empty.rasp",
                 "empty.rasp:3:1: nothing is selected at position 0; add a value for this case, as "
                 "in default=0 (input: 1)",
                 1);
}

BOOST_AUTO_TEST_CASE(edges_carry_the_values_of_lines) {
  const std::vector<std::string> right = {"embedding > head 0.0 query: bos",
                                          "embedding > head 0.0 key: bos",
                                          "embedding > head 0.0 value: bos",
                                          "embedding > mlp 0: bos",
                                          "head 0.0 > mlp 0: length",
                                          "embedding > mlp 1: indices",
                                          "mlp 0 > mlp 1: length",
                                          "embedding > head 2.0 query: bos",
                                          "mlp 1 > head 2.0 query: opposite",
                                          "embedding > head 2.0 key: bos",
                                          "embedding > head 2.0 key: indices",
                                          "embedding > head 2.0 value: tokens",
                                          "embedding > logits: bos",
                                          "head 2.0 > logits: output"};
  const std::vector<std::string> found = edges("reverse");
  BOOST_TEST(found == right, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(verify_has_no_steps_of_compiled_weights) {
  done("compile reverse --out run");
  expect_refused(
      "verify run --steps 5",
      "--steps has no effect on run, whose weights were compiled, not trained; remove it");
}

BOOST_AUTO_TEST_SUITE_END()

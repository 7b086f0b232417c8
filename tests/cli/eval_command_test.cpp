#include "../../cli/extensions.hpp"
#include "../../cli/terminal/evaluation_text.hpp"
#include "../../parts/parts.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../../train/safetensors/safetensors.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"
#include "../shared/small_models.hpp"

#include <cmath>

#include <algorithm>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(eval_command, Elsewhere)

namespace {

std::string train(const std::string& task, const std::string& more) {
  return "train " + task + " --layers 1 --heads 2 --width 16 --lr 0.003 --batch 16 --steps 20 " +
         more;
}

/// A task with the symbols 0 to 25, shown as A to Z.
struct Letters : BareTask {
  std::string show(const std::vector<int>& tokens) const override {
    std::string text;
    for (int token : tokens) text += 'A' + token;
    return text;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(shows_positions_and_mistakes) {
  done(train("copy", "--length 3 --symbols 7 --out r"));
  const Output output = done("eval r");
  expect_plain(output.text);
  BOOST_TEST(missing(output.text, {"tokens right ", "(teacher forcing)\n"}) == "");
  BOOST_TEST(
      missing(output.text, {"position 1 ", "position 2 ", "position 3 ", "most frequent mistakes",
                            "right  predicted  times  of that token"}) == "");

  const json all = json_of("eval r --json");
  BOOST_TEST(all["positions"].size() == 3u);
  Index asked = 0, right = 0, times = 0, agree = 0;
  for (const json& position : all["positions"]) {
    asked += position["asked"].get<Index>();
    right += position["right"].get<Index>();
  }
  for (const json& pair : all["confusion"]) {
    times += pair["times"].get<Index>();
    if (pair["right"] == pair["predicted"]) agree += pair["times"].get<Index>();
  }
  BOOST_TEST(asked == 3000);
  BOOST_TEST(times == asked);
  BOOST_TEST(agree == right);
  BOOST_TEST(all["tokens_right"].get<double>() ==
             static_cast<double>(right) / static_cast<double>(asked));
}

BOOST_AUTO_TEST_CASE(evaluates_a_subset_of_the_examples) {
  done(train("copy", "--length 4 --symbols 4 --out r"));
  const json few = json_of("eval r --examples 10 --json");
  BOOST_TEST(few["examples"] == 10);
  BOOST_TEST(few["positions"][3]["asked"] == 10);
  const json all = json_of("eval r --examples 100000 --json");
  BOOST_TEST(all["examples"] == 1000);
  for (const char* none : {"0", "-3"})
    expect_refused(fmt::format("eval r --examples {}", none),
                   fmt::format("--examples must be at least 1, not {}", none));
  expect_refused("eval r --examples few", "--examples: expected a whole number, got 'few'");
}

BOOST_AUTO_TEST_CASE(repeated_validation_examples_are_counted) {
  const Output trained = done(train("recall", "--pairs 2 --symbols 4 --out r"));
  BOOST_TEST(has(trained.text,
                 "validation (held-out) set: 27 different examples, 1,000 with repetitions\n"));
  BOOST_TEST(has(done("eval r").text, " % of 1,000 validation examples, 27 different · "));
  BOOST_TEST(json_of("eval r --json")["different"] == 27);
  BOOST_TEST(!has(done(train("copy", "--out c")).text, "different"));
  BOOST_TEST(!has(done("eval c").text, "different"));
  BOOST_TEST(json_of("eval c --json")["different"] == 1000);
}

namespace {

/// Sets all values of a tensor in the last checkpoint to `value`.
void set_all(const std::string& run, const std::string& name, double value) {
  const std::string path = run + "/step-20/" + model_file;
  Safetensors contents = read_safetensors(path);
  contents.tensors[name] = full(contents.tensors.at(name).shape(), value);
  write_safetensors(path, contents);
}

}  // namespace

BOOST_AUTO_TEST_CASE(non_finite_results_are_errors) {
  done(train("copy", "--length 4 --symbols 4 --tied-head false --out r"));
  const std::string name = "head.weight";
  set_all("r", name, std::nan(""));
  const std::string message =
      "r/step-20/model.safetensors: \"head.weight\" contains nan, expected finite weights";
  Words all = {"eval r", "eval r --json", "sample r", "attention r",
               "train copy --config r/config.toml --init r --out again"};
  const Registry registry = make_registry();
  for (const ExportFormat& format : registry.extensions<ExportFormat>())
    all.push_back("export r out --format " + format.name);
  for (const std::string& line : all) expect_refused(line, message, 1);
  BOOST_TEST(!std::filesystem::exists("out"));
  set_all("r", name, infinity);
  expect_refused(
      "eval r --weights bf16",
      "r/step-20/model.safetensors: \"head.weight\" contains inf, expected finite weights", 1);
  set_all("r", name, 3e38);  // the logits overflow
  expect_refused("eval r",
                 "eval: the loss isn't finite, although all weights are; the training diverged", 1);
  const Output sampled = command("sample r --prompt 0123");
  BOOST_TEST(sampled.status == 1);
  BOOST_TEST(sampled.text == "  in   0 1 2 3\n  out  ");
  BOOST_TEST(sampled.errors ==
             "tapehead: sample: the model's output isn't finite; the training diverged\n");
}

// All of another text is evaluated, but only the last tenth of the run's own text.
BOOST_AUTO_TEST_CASE(other_text_is_evaluated_in_full) {
  std::ofstream("a.txt") << std::string(400, 'a') + std::string(50, 'b');
  std::ofstream("b.txt") << std::string(300, 'b') + std::string(100, 'a');
  std::ofstream("short.txt") << "ab";
  std::ofstream("one.txt") << "a";
  done(train("text", "--data a.txt --context 8 --position none --out r"));
  const json own = json_of("eval r --json"), same = json_of("eval r --data ./a.txt --json"),
             other = json_of("eval r --data b.txt --json"),
             longer = json_of("eval r --data b.txt --length 2x --json");
  BOOST_TEST(own.count("data") == 0u);
  BOOST_TEST(own["positions"][0]["asked"] == 6);  // windows of the 45 validation characters
  BOOST_TEST(same["loss"] == own["loss"]);
  BOOST_TEST(same["held_out"] == "part");
  BOOST_TEST(other["data"] == "b.txt");
  BOOST_TEST(other["held_out"] == "all");
  Index asked = 0;
  for (const json& position : other["positions"]) asked += position["asked"].get<Index>();
  BOOST_TEST(asked == 399);
  BOOST_TEST(longer["at_length"]["positions"][0]["asked"] == 25);
  BOOST_TEST(json_of("eval r --data short.txt --json")["examples"] == 1);
  expect_refused("eval r --data one.txt", "one.txt: 1 token, expected at least 2", 1);
  BOOST_TEST(
      has(done("eval r --data b.txt").text, " bits per byte · all of b.txt · step 20 of r\n"));
  std::string part = done("eval r --data a.txt").text;
  std::replace(part.begin(), part.end(), '\n', ' ');
  BOOST_TEST(has(part, " bits per byte · the validation part of a.txt"), part);
  BOOST_TEST(done("eval r --data b.txt").text.rfind("loss ", 0) == 0);
  BOOST_TEST(done("eval r").text.rfind("validation loss ", 0) == 0);
}

BOOST_AUTO_TEST_CASE(other_ids_and_lines_are_evaluated_in_full) {
  const auto examples = [](const std::string& run, const std::string& data) {
    return json_of("eval " + run + " --data " + data + " --json")["examples"].get<Index>();
  };
  std::ofstream("a.bin") << std::string(400, '\0');
  std::ofstream("held.bin") << std::string(100, '\0');
  std::ofstream("b.bin") << std::string(200, '\0');
  done(train("text", "--data a.bin --held-out held.bin --context 9 --out ids"));
  BOOST_TEST(examples("ids", "b.bin") == 11);  // 99 targets
  BOOST_TEST(examples("ids", "a.bin") == 23);  // all of the file is validation data
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += fmt::format("{}\n", i);
  std::ofstream("a.txt") << lines;
  std::ofstream("b.txt") << "1\n2\n3\n";
  done(train("lines", "--data a.txt --out lines"));
  BOOST_TEST(examples("lines", "b.txt") == 3);
}

BOOST_AUTO_TEST_CASE(other_pairs_are_evaluated_in_full) {
  std::string pairs;
  for (int i = 0; i < 100; ++i) pairs += fmt::format("{}\t{}\n", i, i % 3);
  std::ofstream("a.tsv") << pairs;
  std::ofstream("b.csv") << "1,1\n2,2\n";
  for (const char* arch : {"gpt", "encoder-decoder"}) {
    done(train("pairs", fmt::format("--data a.tsv --validation b.csv --arch {0} --out {0}", arch)));
    const json found = json_of(fmt::format("eval {} --data a.tsv --json", arch));
    BOOST_TEST(found["examples"] == 100);
    BOOST_TEST(json_of(fmt::format("eval {} --json", arch))["examples"] == 2);
  }
  done(train("pairs", "--data a.tsv --arch encoder --labels --out labels"));
  BOOST_TEST(json_of("eval labels --json")["examples"] == 4);  // 23, 34, 46 and 54
  std::ofstream("a.tsv", std::ios::app) << "1\t2\n";
  expect_refused("train --resume gpt --steps 3",
                 "a.tsv has changed since the run was trained on it; restore it, or add --change "
                 "data to continue with the new data");
}

BOOST_AUTO_TEST_CASE(accuracy_by_length) {
  std::string pairs;
  for (int i = 0; i < 100; ++i) pairs += fmt::format("{}\t{}\n", i, i % 3);
  std::ofstream("a.tsv") << pairs;
  std::ofstream("b.tsv") << "1\t1\n22\t21\n31\t0\n";
  done(train("pairs", "--data a.tsv --target-length 2 --validation b.tsv --out r"));
  const json all = json_of("eval r --by length --json");
  const json& source = all["by_length"]["source"];
  BOOST_TEST_REQUIRE(source.size() == 2u);
  BOOST_TEST(source[0]["length"] == 1);
  BOOST_TEST(source[0]["examples"] == 1);
  BOOST_TEST(source[1]["length"] == 2);
  BOOST_TEST(source[1]["examples"] == 2);
  double exact = 0;
  for (const json& row : all["by_length"]["target"])
    exact += row["examples"].get<double>() * row["exact_match"].get<double>();
  BOOST_TEST(exact == 3 * all["exact_match"].get<double>());
  const std::string text = done("eval r --by length").text;
  BOOST_TEST(missing(text, {"by source length\n  tokens  examples  exact match  tokens right\n"
                            "       1         1 ",
                            "\n       2         2 ", "by target length\n"}) == "");
  BOOST_TEST(json_of("eval r --json").count("by_length") == 0u);
  expect_refused("eval r --by size", "unknown --by 'size'; expected length");
  expect_refused("eval r --length 2x",
                 "--length 2x: the task pairs has no length option; remove --length, or use --by "
                 "length");
}

BOOST_AUTO_TEST_CASE(one_length) {
  done(train("copy", "--length 4 --symbols 8 --position alibi --out r"));
  const std::string text = done("eval r --by length").text;
  BOOST_TEST(has(text,
                 "by source length\n  tokens  examples  exact match  tokens right\n"
                 "       4     1,000 "),
             text);
  BOOST_TEST(!has(text, "by target length"));
  const json longer = json_of("eval r --length 6 --by length --json");
  BOOST_TEST(longer["by_length"]["source"][0]["length"] == 4);
  BOOST_TEST(longer["at_length"]["by_length"]["source"][0]["length"] == 6);
}

BOOST_AUTO_TEST_CASE(accuracy_by_the_length_of_texts) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += std::string(1 + i % 40, 'a') + fmt::format("{}\n", i);
  std::ofstream("a.txt") << lines;
  done(train("lines", "--data a.txt --out r"));
  const json all = json_of("eval r --data a.txt --by length --json");
  BOOST_TEST(all["by_length"].count("source") == 0u);
  BOOST_TEST(all["by_length"]["target"][0].count("exact_match") == 0u);
  const std::string text = done("eval r --by length").text;
  BOOST_TEST(has(text, "by text length\n  tokens  examples  tokens right\n"), text);
}

BOOST_AUTO_TEST_CASE(many_lengths_are_grouped) {
  Evaluation result;
  for (Index length = 1; length <= 20; ++length)
    result.by_source[3 * length] = {10, 5, {100, 100 - length}};
  result.by_target[1] = {200, 100, {2000, 1790}};
  const auto all = lines_of(by_length_text(result, Letters(), {}));
  BOOST_TEST_REQUIRE(all.size() == 12u);
  BOOST_TEST(all[0] == "by source length");
  BOOST_TEST(all[1] == "  tokens  examples  exact match  tokens right");
  BOOST_TEST(all[2] == "     3-6        20      50.00 %       98.50 %");
  BOOST_TEST(all[11] == "   57-60        20      50.00 %       80.50 %");
}

BOOST_AUTO_TEST_CASE(notes_that_a_task_has_one_length) {
  const std::string note =
      "no token ends a prompt of reverse, so a gpt trained on length 4 starts its completion after "
      "4 tokens; expect 0 % at length 8, or train with --lengths";
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) {
    done(train("reverse", fmt::format("--length 4 --position alibi --arch {0} --out {0}", arch)));
    const json longer = json_of(fmt::format("eval {} --length 8 --json", arch))["length"];
    BOOST_TEST(longer.count("note") == (std::string(arch) == "gpt" ? 1u : 0u));
  }
  BOOST_TEST(json_of("eval gpt --length 8 --json")["length"]["note"] == note);
  std::string text = done("eval gpt --length 2x").text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  BOOST_TEST(has(text, " note: " + note + " "), text);
  BOOST_TEST(!has(done("eval gpt --length 1x").text, "note"));
  done(train("induction", "--length 12 --symbols 8 --out marked"));
  BOOST_TEST(!has(done("eval marked --length 2x").text, "note"));
}

BOOST_AUTO_TEST_CASE(weights_in_bf16) {
  done(train("copy", "--length 4 --symbols 8 --position alibi --out r"));
  const auto loss = [](const std::string& more) { return json_of("eval r --json" + more)["loss"]; };
  const double f32 = loss("").get<double>(), bf16 = loss(" --weights bf16").get<double>();
  BOOST_TEST(loss(" --weights f32") == f32);
  BOOST_TEST(bf16 != f32);
  BOOST_TEST(bf16 == f32, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(missing(done("eval r --weights bf16 --length 2x").text, {"length 8"}) == "");
  const std::string digest = done("digest r").text;
  done("sample r --weights bf16 --examples 1");
  BOOST_TEST(done("digest r").text == digest);
  done(train("copy", "--dtype f64 --out r64"));
  for (const char* command : {"eval", "sample"})
    expect_refused(fmt::format("{} r64 --weights bf16", command),
                   "--weights bf16 needs a run in f32, but r64 is in f64; remove --weights");
}

BOOST_AUTO_TEST_CASE(evaluates_at_other_lengths) {
  done(train("copy", "--length 4 --symbols 8 --position alibi --out r"));
  const json plain = json_of("eval r --json");
  for (const std::string length : {"8", "2x", "2.0x"}) {
    const json document = json_of("eval r --json --length " + length);
    BOOST_TEST(document["length"]["option"] == "length");
    BOOST_TEST(document["length"]["trained"] == 4);
    BOOST_TEST(document["length"]["asked"] == 8);
    BOOST_TEST(document["loss"] == plain["loss"]);
    BOOST_TEST(document["positions"] == plain["positions"]);
    BOOST_TEST(document["at_length"]["positions"].size() == 8u);
    BOOST_TEST(document["at_length"]["loss"].get<double>() > 0);
  }
  const Output output = done("eval r --length 40 --examples 50");
  expect_plain(output.text);
  BOOST_TEST(missing(output.text, {"50 and 50 validation examples · step 20 of r\n",
                                   "length 4, as trained  length 40\n", "exact match  ",
                                   "\npositions 1-3 ", "\npositions 37-39 ", "\nposition 40 ",
                                   "\nat length 40, most frequent mistakes"}) == "");
  // A shorter length, and one that the task doesn't allow.
  BOOST_TEST(has(command("eval r --length 0.75x").text, "length 4, as trained  length 3"));
  expect_refused("eval r --length 2000",
                 "--length must be a whole number from 1 to 1024, not '2000'");
  // A length with too few prompts for training.
  BOOST_TEST(has(command("eval r --length 1").text, "length 4, as trained  length 1"));
  for (const std::string wrong : {"x", "twice", "2xx", "2 x", "-2x", "1.5", "nanx", "1e99x"})
    expect_refused("eval r '--length=" + wrong + "'",
                   "--length must be a whole number, or a factor such as 2x, not '" + wrong + "'");
}

BOOST_AUTO_TEST_CASE(length_option_uses_the_name_in_the_task) {
  done(train("add", "--digits 2 --position none --out sum"));
  const json sum = json_of("eval sum --length 2x --examples 9 --json");
  BOOST_TEST(sum["length"]["option"] == "digits");
  BOOST_TEST(sum["at_length"]["positions"].size() == 5u);

  std::string text;
  for (int i = 0; i < 200; ++i) text += "hello world\n";
  std::ofstream("a.txt") << text;
  done(train("text", "--data a.txt --context 8 --position rotary --out text"));
  const json longer = json_of("eval text --length 2x --json");
  BOOST_TEST(longer["length"]["option"] == "context");
  BOOST_TEST(longer["at_length"]["positions"].size() == 16u);
  BOOST_TEST(longer.count("exact_match") == 0u);
  const Output output = command("eval text --length 2x");
  expect_plain(output.text);
  BOOST_TEST(!has(output.text, "exact match"));
}

BOOST_AUTO_TEST_CASE(refuses_lengths_beyond_the_context) {
  done(train("copy", "--length 4 --symbols 4 --out r"));
  expect_refused("eval r --length 2x",
                 "--length 2x: positions.weight has shape (7, 16), which depends on the length: a "
                 "model with --position learned can't read longer inputs; train it with --position "
                 "none, sinusoidal, rotary, alibi, relative or t5, or with --random-positions");
  Registry registry = make_registry();
  TaskEntry entry = registry.find_task("copy");
  entry.name = "lengthless";
  entry.length_option = "";
  registry.task(entry);
  done(train("lengthless", "--length 4 --symbols 4 --out n"), registry);
  expect_refused(command("eval n --length 8", registry),
                 "--length 8: the task lengthless has no length option; remove --length, or use "
                 "--by length");
}

BOOST_AUTO_TEST_CASE(most_frequent_mistakes_come_first) {
  const Letters task;
  Evaluation result;
  BOOST_TEST(mistakes_text(result, task, {}) == "");
  result.confusions[{0, 0}] = 10;
  BOOST_TEST(mistakes_text(result, task, {}) == "");
  result.confusions[{0, 1}] = 30;
  result.confusions[{2, 3}] = 1000;
  BOOST_TEST(mistakes_text(result, task, {}) ==
             "most frequent mistakes\n"
             "  right  predicted  times  of that token\n"
             "  C      D          1,000       100.00 %\n"
             "  A      B             30        75.00 %\n");
  for (int i = 0; i < 20; ++i) result.confusions[{25, i}] = 1;
  const std::string text = mistakes_text(result, task, {});
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 2 + 8);
}

BOOST_AUTO_TEST_CASE(positions_of_long_answers_are_grouped) {
  const Letters task;
  Evaluation near, far;
  near.examples = far.examples = 10;
  near.exact_match = 0.5, near.loss = 0.25;
  far.positions.assign(20, {10, 5});
  far.positions[1].right = 10;
  near.positions.assign(3, {10, 10});
  const std::string text = comparison_text({{"near", near}, {"far", far}}, task, {});
  const auto all = lines_of(text);
  BOOST_TEST_REQUIRE(all.size() == 4u + 10u);
  BOOST_TEST(all[0] == "                     near      far");
  BOOST_TEST(all[1] == "exact match       50.00 %   0.00 %");
  BOOST_TEST(all[2] == "loss               0.2500   0.0000");
  BOOST_TEST(all[3] == "tokens right     100.00 %  52.50 %");
  BOOST_TEST(all[4] == "positions 1-2    100.00 %  75.00 %");
  BOOST_TEST(all[5] == "positions 3-4    100.00 %  50.00 %");
  BOOST_TEST(all[6] == "positions 5-6              50.00 %");
}

BOOST_AUTO_TEST_SUITE_END()

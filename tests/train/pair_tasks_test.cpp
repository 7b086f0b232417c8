#include "../../parts/parts.hpp"
#include "../../train/files/files.hpp"
#include "../../train/tasks/pair_file.hpp"
#include "../../train/tasks/pair_source.hpp"
#include "../../train/trainer.hpp"
#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(pair_tasks, WithData)

namespace {

const DataFor data("pairs", [](const Scratch& scratch, const std::string& name, bool other) {
  std::string text;
  for (int i = other ? 1 : 0; i < 400; ++i) text += fmt::format("{}\t{}\n", i, i * i % 97);
  return scratch.write(name, text);
});

using Rows = std::vector<std::string>;

/// Returns the pairs as `1: source > target`.
Rows read(const std::string& text, const std::string& path = "x.tsv") {
  Rows rows;
  each_pair(text, path, [&](const Pair& pair) {
    rows.push_back(fmt::format("{}: {} > {}", pair.line, pair.source, pair.target));
  });
  return rows;
}

void refuses(const std::string& text, const std::string& message,
             const std::string& path = "x.tsv") {
  EXPECT_ERROR(FileError, read(text, path), path + ": " + message);
}

/// Of these sources, only `d` is for validation. Another program computed the hashes.
const std::string few = "da\tx\nb\txy\nd\ty\n";

std::string all_of(const Task& task, const Example& example) {
  return task.show(example.tokens) + fmt::format("|{}", example.question);
}

}  // namespace

// ---- files

BOOST_AUTO_TEST_CASE(a_line_is_a_pair) {
  BOOST_TEST(read("a b\tc\nd\te f") == Rows({"1: a b > c", "2: d > e f"}), per_element());
  BOOST_TEST(read("source\ttarget\na\tb\n", "x.txt") == Rows({"2: a > b"}), per_element());
  BOOST_TEST(read("a\tb\nsource\ttarget\n") == Rows({"1: a > b", "2: source > target"}),
             per_element());
}

BOOST_AUTO_TEST_CASE(line_ends_of_windows_and_old_macs) {
  const Rows expected = {"1: a > b", "2: c > d"};
  BOOST_TEST(read("a\tb\r\nc\td\r\n") == expected, per_element());
  BOOST_TEST(read("a\tb\rc\td\r") == expected, per_element());
  BOOST_TEST(read("a,b\r\nc,d\r\n", "x.csv") == expected, per_element());
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_is_skipped) {
  BOOST_TEST(read("\xEF\xBB\xBF"
                  "a\tb\n") == Rows({"1: a > b"}),
             per_element());
}

BOOST_AUTO_TEST_CASE(empty_lines_are_skipped) {
  BOOST_TEST(read("\n\na\tb\n\r\n\nc\td\n\n") == Rows({"3: a > b", "6: c > d"}), per_element());
  BOOST_TEST(read("\na,b\n\r\nc,d\n\n", "x.csv") == Rows({"2: a > b", "4: c > d"}), per_element());
}

BOOST_AUTO_TEST_CASE(a_missing_target) {
  refuses("a\tb\nc\n", "line 2 has no tab, expected SOURCE<tab>TARGET");
  refuses("a\tb\nc\t\n", "line 2: the target is empty");
  refuses("\tb\n", "line 1: the source is empty");
  refuses("a,b\nc\n", "line 2 has 1 field, expected 2, SOURCE,TARGET", "x.csv");
  refuses("[1]\n",
          "line 1 has no tab, expected SOURCE<tab>TARGET; name a file of JSON lines .jsonl",
          "x.json");
}

BOOST_AUTO_TEST_CASE(quotes) {
  BOOST_TEST(read("\"a\"\tb\"\n") == Rows({"1: \"a\" > b\""}), per_element());
  BOOST_TEST(read("\"a, \"\"b\"\"\",c\n\"d\ne\",f\ng,\"\th\"\n", "x.csv") ==
                 Rows({"1: a, \"b\" > c", "2: d\ne > f", "4: g > \th"}),
             per_element());
  refuses("a,b\nc,\"d\n", "line 2: a quoted field has no closing quote", "x.csv");
  refuses("a,b\"\n",
          "line 1: a quote within an unquoted field; quote the field, and double the quote",
          "x.csv");
  refuses("\"a\"b,c\n", "line 1: text after a closing quote, expected a comma", "x.csv");
  refuses("a,b,c\n",
          "line 1 has 3 fields, expected 2, SOURCE,TARGET; quote a field that contains commas",
          "x.csv");
}

BOOST_AUTO_TEST_CASE(embedded_tabs) {
  refuses("a\tb\tc\n",
          "line 1 has 2 tabs, expected 1 between source and target; for tabs within them, use a "
          ".csv or .jsonl file");
}

BOOST_AUTO_TEST_CASE(json_lines) {
  const std::string form = ", expected {\"source\": …, \"target\": …}";
  BOOST_TEST(read("{\"target\": \"b\\tc\", \"source\": \"\\u00e9\", \"id\": 7}\n\n", "x.jsonl") ==
                 Rows({"1: é > b\tc"}),
             per_element());
  refuses("{\"source\": \"a\", \"target\": \"b\"\n", "line 1 isn't a JSON object" + form,
          "x.jsonl");
  refuses("\n[\"a\", \"b\"]\n", "line 2 isn't a JSON object" + form, "x.jsonl");
  refuses("{\"source\": \"a\", \"target\": 7}\n", "line 1 has no string \"target\"" + form,
          "x.jsonl");
  refuses("{\"target\": \"a\"}\n", "line 1 has no string \"source\"" + form, "x.jsonl");
}

BOOST_AUTO_TEST_CASE(invalid_utf8) {
  const std::string text = few + "caf\xE9\ta\n";
  EXPECT_ERROR(FileError, make("pairs", text),
               scratch.file("x") +
                   ": not UTF-8 text: byte 0xe9 at offset 17; if it is Latin-1, convert it with "
                   "iconv -f CP1252 -t UTF-8");
  BOOST_TEST(make("pairs", text, {{"tokens", "bytes"}})->vocabulary() == 258);
}

BOOST_AUTO_TEST_CASE(no_pairs) {
  for (const char* text : {"", "\n\r\n", "\xEF\xBB\xBF", "source\ttarget\n"})
    EXPECT_ERROR(FileError, make("pairs", text), scratch.file("x") + ": no source/target pairs");
}

BOOST_AUTO_TEST_CASE(a_million_lines) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += fmt::format("{0}\t{0}\n", i);
  const auto task = make("pairs", text);
  BOOST_TEST(task->data_note() == "937378 pairs for training, 62622 for validation");
  BOOST_TEST(task->context() == 13);
  BOOST_TEST(task->bytes() < 130'000'000u);
}

// ---- the task

BOOST_AUTO_TEST_CASE(a_separator_follows_the_source) {
  const auto task = make("pairs", few);
  BOOST_TEST(task->vocabulary() == 7);  // a, b, d, x, y, the separator and the end
  BOOST_TEST(task->context() == 4);
  BOOST_TEST(task->longest_question() == 3);
  BOOST_TEST(task->longest_answer() == 3);
  BOOST_TEST(task->held_out_size() == 1);
  const Example example = task->held_out_example(0);
  BOOST_TEST(example.tokens == std::vector<int>({2, 5, 4, 6}), per_element());
  BOOST_TEST(example.question == 2);
  BOOST_TEST(example.target_positions.empty());
  BOOST_TEST(task->end_token() == 6);
  BOOST_TEST(task->show(example.tokens) == "d→y");
  BOOST_TEST(task->show({6}) == "<end>");
  BOOST_TEST(task->data_note() == "2 pairs for training, 1 for validation");
  std::set<std::string> trained;
  for (Index number = 0; number < 50; ++number)
    trained.insert(all_of(*task, task->training_example(0, 0, number)));
  BOOST_TEST((trained == std::set<std::string>{"da→x|3", "b→xy|2"}));
}

BOOST_AUTO_TEST_CASE(prompts_get_a_separator) {
  const auto task = make("pairs", few);
  BOOST_TEST(task->parse("db") == std::vector<int>({2, 1}), per_element());
  for (const char* text : {"db", "db→"}) {
    BOOST_TEST(task->parse_prompt(text) == std::vector<int>({2, 1, 5}), per_element());
    BOOST_TEST(task->prompt_error(task->parse_prompt(text)) == "");
  }
  BOOST_TEST(task->parse_prompt("d→x") == std::vector<int>({2, 5, 3}), per_element());
  BOOST_TEST(task->prompt_error({2, 5, 3}) == "pairs expects a source without a target; got 'd→x'");
  BOOST_TEST(task->prompt_error({5}) == "pairs expects a source, got an empty one");
  BOOST_TEST(task->prompt_error({2}) == "pairs expects a source with a separator after it");
  EXPECT_ERROR(ValueError, task->parse("dé"),
               "pairs: 'é' (U+00E9) isn't one of the model's 5 tokens; train with --unknown to "
               "replace unknown tokens");
}

BOOST_AUTO_TEST_CASE(unknown_tokens_in_validation) {
  const std::string text = few + "\nd\tz\n";
  EXPECT_ERROR(FileError, make("pairs", text),
               scratch.file("x") +
                   ": line 5: 'z' (U+007A) isn't one of the model's 5 tokens; train with --unknown "
                   "to replace unknown tokens");
  const std::string apart = scratch.write("y.csv", "o,x\n");
  EXPECT_ERROR(FileError, make("pairs", few, {{"held-out", apart}}),
               apart +
                   ": line 1: 'o' (U+006F) isn't one of the model's 5 tokens; train with --unknown "
                   "to replace unknown tokens");
  const auto task = make("pairs", text, {{"unknown", "true"}});
  BOOST_TEST(task->vocabulary() == 8);
  BOOST_TEST(task->show(task->held_out_example(1).tokens) == "d→\xEF\xBF\xBD");
  BOOST_TEST(task->parse("é") == std::vector<int>({7}), per_element());
}

BOOST_AUTO_TEST_CASE(words) {
  const auto task =
      make("pairs", "the cat\tle chat\nd the  cat\tle\nd\tchat\n", {{"tokens", "words"}});
  BOOST_TEST(task->vocabulary() == 7);
  BOOST_TEST(task->show(task->parse_prompt(" cat  the ")) == "cat the →");
  BOOST_TEST(all_of(*task, task->held_out_example(0)) == "d → chat|2");
  EXPECT_ERROR(ValueError, task->parse("caat"),
               "pairs: 'caat' isn't one of the model's 5 tokens; did you mean 'cat'?");
  EXPECT_ERROR(FileError, make("pairs", few + " \ta\n", {{"tokens", "words"}}),
               scratch.file("x") + ": line 4: the source is blank");
}

BOOST_AUTO_TEST_CASE(bytes_and_ids) {
  const auto bytes = make("pairs", few, {{"tokens", "bytes"}});
  BOOST_TEST(bytes->vocabulary() == 258);
  BOOST_TEST(bytes->parse_prompt("é") == std::vector<int>({0xc3, 0xa9, 256}), per_element());
  BOOST_TEST(bytes->recorded_options().at("vocabulary") == "256");
  const std::string numbers = scratch.write("y", "1\t12\n");
  const auto ids = make("pairs", "7 12\t3\n1\t3 0\n", {{"tokens", "ids"}, {"held-out", numbers}});
  BOOST_TEST(ids->vocabulary() == 15);
  BOOST_TEST(ids->held_out_example(0).tokens == std::vector<int>({1, 13, 12, 14}), per_element());
  EXPECT_ERROR(
      FileError, make("pairs", few, {{"tokens", "ids"}}),
      scratch.file("x") + ": 'da' isn't a token id, expected a whole number from 0 to 65535");
}

BOOST_AUTO_TEST_CASE(labels_are_one_token) {
  const auto task = make("pairs", "bad day\tvery bad\nbab\tgood\nd\tgood\n", {{"labels", "true"}});
  BOOST_TEST(task->vocabulary() == 8);  // space, a, b, d, y, the labels, and the separator
  BOOST_TEST(task->end_token() == -1);
  BOOST_TEST(task->longest_answer() == 1);
  BOOST_TEST(task->show(task->held_out_example(0).tokens) == "d→good");
  BOOST_TEST(task->parse("day→very bad").size() == 5u);
  EXPECT_ERROR(UsageError, make("pairs", few, {{"labels", "true"}, {"tokens", "ids"}}),
               "--labels needs --tokens characters or words, got --tokens ids");
}

BOOST_AUTO_TEST_CASE(the_loss_may_include_sources) {
  const auto task = make("pairs", few, {{"loss-on", "all"}});
  const Example example = task->training_example(0, 0, 0);
  std::vector<Index> all(example.tokens.size() - 1);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i) + 1;
  BOOST_TEST(example.target_positions == all, per_element());
  BOOST_TEST(task->held_out_example(0).target_positions.empty());
  TrainConfig config;
  config.task = "pairs";
  config.task_options["loss-on"] = "all";
  for (const char* arch : {"encoder", "encoder-decoder"}) {
    config.arch = arch;
    EXPECT_ERROR(UsageError, validated(config, make_registry()),
                 fmt::format("--loss-on all has no effect with --arch {}; remove it, or use --arch "
                             "gpt",
                             arch));
  }
  EXPECT_ERROR(UsageError, make("pairs", few, {{"loss-on", "al"}}),
               "unknown --loss-on 'al'; did you mean 'all'?");
}

BOOST_AUTO_TEST_CASE(a_long_pair) {
  const auto with = [&](Index length, const char* context) {
    return make("pairs", few + std::string(length, 'b') + "\tx\n", {{"context", context}});
  };
  BOOST_TEST(with(1022, "0")->context() == 1024);
  BOOST_TEST(with(5, "20")->context() == 20);
  EXPECT_ERROR(FileError, with(1023, "0"),
               scratch.file("x") +
                   ": line 4 needs a context of 1025 tokens, expected at most 1024; train with "
                   "--context 1025");
  EXPECT_ERROR(
      FileError, with(5, "6"),
      scratch.file("x") +
          ": line 4 needs a context of 7 tokens, expected at most 6; train with --context 7");
  EXPECT_ERROR(FileError, make("pairs", few, {{"source-length", "1"}}),
               scratch.file("x") +
                   ": line 1 has a source of 2 tokens, expected at most 1; train with "
                   "--source-length 2");
}

BOOST_AUTO_TEST_CASE(lengths_beyond_the_data) {
  const TaskOptions lengths = {{"source-length", "9"}, {"target-length", "30"}};
  const auto task = make("pairs", few, lengths);
  BOOST_TEST(task->longest_question() == 10);
  BOOST_TEST(task->longest_answer() == 31);
  BOOST_TEST(task->context() == 40);
  TaskOptions narrow = lengths;
  narrow["context"] = "20";
  EXPECT_ERROR(UsageError, make("pairs", few, narrow),
               "--source-length 9 and --target-length 30 need --context 40, not 20");
}

BOOST_AUTO_TEST_CASE(equal_sources_are_on_one_side) {
  std::string text = few;
  for (int i = 0; i < 200; ++i)
    text += fmt::format("{}\t{}\n", i % 20 == 0 ? "d" : "b", "xy"[i % 2]);
  const auto task = make("pairs", text);
  BOOST_TEST(task->held_out_size() == 11);
  std::set<std::string> sources;
  for (Index number = 0; number < 500; ++number) {
    const Example example = task->training_example(0, 0, number);
    sources.insert(task->show({example.tokens.begin(), example.tokens.begin() + example.question}));
  }
  BOOST_TEST((sources == std::set<std::string>{"da→", "b→"}));
  EXPECT_ERROR(FileError, make("pairs", "a\tb\n"),
               scratch.file("x") +
                   ": 0 of 1 pair in the validation set (one in sixteen, by a hash of the source); "
                   "add pairs, or pass --held-out FILE");
}

BOOST_AUTO_TEST_CASE(another_file_replaces_the_split) {
  const std::string apart = scratch.write("y.jsonl", "{\"source\": \"b\", \"target\": \"x\"}\n");
  const auto task = make("pairs", few, {{"held-out", apart}});
  BOOST_TEST(task->held_out_size() == 1);
  BOOST_TEST(all_of(*task, task->held_out_example(0)) == "b→x|2");
  BOOST_TEST(task->data_note() ==
             "3 pairs for training, 1 for validation · 1 source with several targets · 1 "
             "validation pair with a source of the training data");
}

BOOST_AUTO_TEST_CASE(duplicates_and_contradictions_are_counted) {
  const auto task = make("pairs", few + "b\txy\nb\txy\nb\tx\nd\ty\nd\tx\n");
  BOOST_TEST(task->data_note() ==
             "5 pairs for training, 3 for validation · 3 duplicates · 2 sources with several "
             "targets");
}

BOOST_AUTO_TEST_CASE(a_trained_one_needs_no_data) {
  const Registry registry = make_registry();
  TrainConfig config;
  config.task = "pairs";
  config.task_options = {{"data", scratch.write("x", few)}};
  const auto task = make_task(config, registry);
  BOOST_TEST(config.task_options.at("vocabulary") == R"(["a","b","d","x","y"])");
  config.task_options["data"] = "";
  const auto later = make_task(config, registry);
  BOOST_TEST((later->recorded_options() == task->recorded_options()));
  BOOST_TEST(later->show(later->parse_prompt("d")) == "d→");
  EXPECT_ERROR(FileError, later->held_out_size(),
               "--data is required: a text file to take examples from");
  config.task_options["data"] = scratch.write("y", "d\tx\na\ty\n");
  BOOST_TEST(make_task(config, registry, HeldOut::all)->held_out_size() == 2);
  EXPECT_ERROR(
      UsageError, standard_task("pairs", {{"data", "x"}, {"vocabulary", "[1]"}}),
      "--vocabulary must be a JSON array of texts, or with --tokens bytes or ids a number, "
      "as a run's config.toml records it");
}

// ---- examples from a function

namespace {

/// Returns options of a run with a function, and the file of its validation examples.
TaskOptions drawn_options(const Scratch& scratch, const std::string& validation = "d\ty\n") {
  return {{"function", "f"}, {"held-out", scratch.write("validation.jsonl.tsv", validation)}};
}

/// A source that draws the letter at the position `attempt` or, later, the last one.
PairSource letters(const std::string& all) {
  return {[=](std::uint64_t, Index, Index, Index attempt) {
            const auto at =
                std::min<std::size_t>(static_cast<std::size_t>(attempt), all.size() - 1);
            return SourceTarget{all.substr(at, 1), "xy"};
          },
          {{"aa", "x"}, {"d", "xyy"}}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_function_draws_training_examples) {
  const auto task = make_drawn_pairs(drawn_options(scratch), letters("da"));
  BOOST_TEST(all_of(*task, task->training_example(1, 2, 3)) == "a→xy|2");
  BOOST_TEST(task->held_out_size() == 1);
  BOOST_TEST(all_of(*task, task->held_out_example(0)) == "d→y|2");
  TaskOptions recorded = task->recorded_options();
  // Twice the longest source (aa), target (xyy) and example (d→xyy).
  BOOST_TEST(recorded.at("source-length") == "4");
  BOOST_TEST(recorded.at("target-length") == "6");
  BOOST_TEST(recorded.at("context") == "10");
  recorded.merge(drawn_options(scratch));
  const auto resumed = make_drawn_pairs(recorded, letters("a"));
  BOOST_TEST(all_of(*resumed, resumed->training_example(1, 2, 3)) == "a→xy|2");
  BOOST_TEST((resumed->recorded_options() == task->recorded_options()));
  const auto opened = standard_task("pairs", recorded);
  BOOST_TEST(opened->held_out_size() == 1);
  EXPECT_ERROR(FileError, opened->training_example(1, 2, 3),
               "the training examples come from the Python function f; resume with "
               "tapehead.train(f, resume=\"RUN\")");
}

BOOST_AUTO_TEST_CASE(drawn_examples_that_dont_suit_the_task) {
  const auto refused = [this](const std::string& letters_drawn, const std::string& message,
                              const TaskOptions& more = {}) {
    TaskOptions options = drawn_options(scratch);
    for (const auto& [name, value] : more) options[name] = value;
    const auto task = make_drawn_pairs(options, letters(letters_drawn));
    EXPECT_ERROR(UsageError, task->training_example(1, 2, 3), "f: example 3 of step 2: " + message);
  };
  refused("d",
          "the sources of 1000 draws are all in the validation set; use other --validation "
          "examples");
  refused("e",
          "'e' (U+0065) isn't one of the model's 4 tokens; train with --unknown to replace "
          "unknown tokens, or name all tokens with --vocabulary");
  refused(" ", "the source is blank", {{"tokens", "words"}, {"unknown", "true"}});
  const PairSource longer{[](auto...) { return SourceTarget{"aaaaa", "x"}; }, letters("a").sample};
  EXPECT_ERROR(UsageError,
               make_drawn_pairs(drawn_options(scratch), longer)->training_example(1, 2, 3),
               "f: example 3 of step 2: a source of 5 tokens, expected at most 4; pass a larger "
               "--source-length");
}

BOOST_AUTO_TEST_CASE(a_function_needs_no_other_training_data) {
  TaskOptions options = drawn_options(scratch);
  options["data"] = "x";
  EXPECT_ERROR(UsageError, make_drawn_pairs(options, letters("a")),
               "--function f and --data can't be combined; remove one");
  EXPECT_ERROR(UsageError, standard_task("pairs", drawn_options(scratch)),
               "--function f needs a Python function: train with tapehead.train(f) in Python");
}

BOOST_AUTO_TEST_SUITE_END()

// The task `text` with --tokens bytes, bpe and gpt2.
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/tasks.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/files/strings.hpp"
#include "../../../train/tasks/characters.hpp"
#include "../byte_pairs.hpp"
#include "golden_tokens.hpp"

#include <cmath>
#include <filesystem>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(byte_text, WithData)

namespace {

/// Returns all validation targets as text.
std::string targets(const Task& task) {
  std::string text;
  for (Index i = 0; i < task.held_out_size(); ++i) {
    const std::vector<int> tokens = task.held_out_example(i).tokens;
    for (std::size_t at = 1; at < tokens.size(); ++at) text += task.bytes_of(tokens[at]);
  }
  return text;
}

std::string verses() {
  std::string text;
  for (int i = 0; i < 150; ++i) text += fmt::format("the {}th vérse, or thé ☃ {}\n", i, i * i % 97);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(single_bytes_take_any_file) {
  std::string all;
  for (int i = 0; i < 2560; ++i) all += static_cast<char>(i * 7 % 256);
  const auto task = make("text", all, {{"tokens", "bytes"}, {"context", "16"}});
  BOOST_TEST(task->vocabulary() == 256);
  const std::vector<int> expected = {0xc3, 0xa9, 0xff};
  BOOST_TEST(task->parse("\xc3\xa9\xff") == expected, per_element());
  BOOST_TEST(task->show(expected) == "é\ufffd");
  BOOST_TEST(task->bytes_of(0xff) == "\xff");
  BOOST_TEST(all.substr(all.size() - targets(*task).size()) == targets(*task));
}

// The split doesn't depend on the tokens, so that losses per byte are comparable.
BOOST_AUTO_TEST_CASE(the_same_part_is_held_out) {
  std::string text = verses();
  for (int i = 0; i < 500; ++i) text = "☃" + text;  // 90 % of the bytes end at another character
  const std::string merges = scratch.write("merges.txt", "t h\nth e\nĠ the\n");
  const std::string expected = targets(*make("text", text, {{"context", "8"}}));
  BOOST_TEST(expected.size() > 300u);
  for (const TaskOptions& kind : {TaskOptions{{"tokens", "bytes"}},
                                  {{"tokens", "bpe"}, {"vocabulary", "300"}},
                                  {{"tokens", "gpt2"}, {"merges", merges}}}) {
    TaskOptions options = kind;
    options["context"] = "8";
    // The very first token isn't a target.
    const std::string found = targets(*make("text", text, options));
    BOOST_TEST(found.size() + 12 > expected.size());
    BOOST_TEST(found.size() < expected.size() + 12);
    const std::size_t common = std::min(found.size(), expected.size());
    BOOST_TEST(found.substr(found.size() - common) == expected.substr(expected.size() - common));
  }
}

BOOST_AUTO_TEST_CASE(merges_are_learned_from_the_part_for_training) {
  const GoldenTokens golden;
  std::string text = golden.text();
  const auto characters = decode_utf8(text).size();
  // Merges are learned from the first 90 %. The remaining text would change them if it were used.
  for (std::size_t i = 0; i < characters / 9 + 1; ++i) text += "zq"[i % 2];
  const std::string size = std::to_string(256 + golden.tokens().size());
  const auto task = make("text", text, {{"tokens", "bpe"}, {"vocabulary", size}});
  BOOST_TEST(task->vocabulary() == static_cast<Index>(256 + golden.tokens().size()));
  for (std::size_t i = 0; i < golden.tokens().size(); ++i)
    BOOST_TEST(task->bytes_of(static_cast<int>(256 + i)) == golden.tokens()[i]);
}

BOOST_AUTO_TEST_CASE(a_run_has_its_merges) {
  const std::string merges = scratch.write("merges.txt", "t h\nth e\nĠ the\n");
  for (const TaskOptions& given : {TaskOptions{{"tokens", "bytes"}},
                                   {{"tokens", "bpe"}, {"vocabulary", "280"}},
                                   {{"tokens", "gpt2"}, {"merges", merges}}}) {
    TaskOptions options = given;
    options["context"] = "8";
    const auto task = make("text", verses(), options);
    options["data"] = scratch.file("gone");
    if (options.count("merges")) options["merges"] = scratch.file("gone");
    for (const auto& [name, value] : task->recorded_options()) options[name] = value;
    const auto later = standard_task("text", options);
    BOOST_TEST(later->vocabulary() == task->vocabulary());
    BOOST_TEST(later->parse(verses()) == task->parse(verses()), per_element());
    BOOST_TEST(later->recorded_options() == task->recorded_options());
    const std::string reason =
        scratch.file("gone") +
        ": No such file or directory; if it has moved, pass its new path with --data FILE";
    EXPECT_ERROR(FileError, later->held_out_size(), reason);
    EXPECT_ERROR(FileError, later->training_example(0, 0, 0), reason);
  }
  const auto gpt2 = make("text", verses(), {{"tokens", "gpt2"}, {"merges", merges}});
  BOOST_TEST(gpt2->vocabulary() == 256 + 3 + 1);
  BOOST_TEST(gpt2->recorded_options().at("pairs") == "t h th e Ġ the");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused) {
  const auto refused = [&](const TaskOptions& options) { return make("text", verses(), options); };
  EXPECT_ERROR(UsageError, refused({{"tokens", "byte"}}),
               "unknown --tokens 'byte'; did you mean 'bytes'?");
  EXPECT_ERROR(UsageError, refused({{"tokens", "gpt2"}}),
               "--tokens gpt2 requires --merges FILE, the merges.txt of GPT-2");
  EXPECT_ERROR(UsageError, refused({{"tokens", "bpe"}, {"merges", "x"}}),
               "--merges requires --tokens gpt2, got bpe");
  EXPECT_ERROR(
      UsageError, refused({{"tokens", "bytes"}, {"characters", "abc"}}),
      "--characters has no effect with --tokens bytes; remove it, or use --tokens characters");
  EXPECT_ERROR(UsageError, refused({{"tokens", "bpe"}, {"vocabulary", "256"}}),
               "--vocabulary must be a whole number from 257 to 65536, not '256'");
  EXPECT_ERROR(FileError, refused({{"tokens", "bpe"}, {"pairs", "t h e"}}),
               "--pairs:2: expected two tokens separated by a space, got 'e'");
  EXPECT_ERROR(FileError, refused({{"tokens", "gpt2"}, {"merges", scratch.write("none", "")}}),
               scratch.file("none") + ": no merges");
  EXPECT_ERROR(
      FileError, make("text", "ab ab ab ab ab ab ab", {{"tokens", "bpe"}}),
      scratch.file("x") + ": no pair is left to merge after 258 tokens; use --vocabulary 258");
  EXPECT_ERROR(FileError, make("text", "caf\xE9 and more", {{"tokens", "bpe"}}),
               scratch.file("x") +
                   ": not UTF-8 text: byte 0xe9 at offset 3; if it is Latin-1, convert it with "
                   "iconv -f CP1252 -t UTF-8; --tokens bytes reads any file");
  EXPECT_ERROR(FileError, make("text", "abcdefghijklm", {{"tokens", "bytes"}, {"context", "11"}}),
               scratch.file("x") +
                   ": 11 tokens for training and 2 for validation, but --context 11 needs at least "
                   "12 and 2");
  EXPECT_ERROR(
      FileError, make("text", "", {{"tokens", "bytes"}, {"context", "1"}}),
      scratch.file("x") +
          ": 0 tokens for training and 0 for validation, but --context 1 needs at least 2 and 2");
}

BOOST_AUTO_TEST_CASE(shortest) {
  const auto task = make("text", "abcdefghijklm", {{"tokens", "bytes"}, {"context", "10"}});
  BOOST_TEST(task->training_example(0, 0, 0).tokens.size() == 11u);
  BOOST_TEST(task->held_out_size() == 1);
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_is_no_token) {
  const TaskOptions bytes = {{"tokens", "bytes"}, {"context", "8"}};
  const auto plain = make("text", verses(), bytes),
             marked = make("text", "\ufeff" + verses(), bytes);
  BOOST_TEST(plain->training_example(0, 1, 2).tokens == marked->training_example(0, 1, 2).tokens,
             per_element());
}

// Loss, bits per byte and token sizes agree; a resumed run is bitwise identical.
BOOST_AUTO_TEST_CASE(runs_report_bits_a_byte) {
  const std::string data = scratch.write("verses.txt", verses()), run = scratch.file("run");
  const std::string small = fmt::format(
      " --data {} --tokens bpe --vocabulary 300 --context 8 --layers 1 --heads 1 "
      "--width 8 --batch 4 --eval-every 2 ",
      data);
  const Output trained = done("train text" + small + "--steps 4 --out " + run);
  BOOST_TEST(has(trained.text, "tokens bpe · vocabulary 300"), trained.text);
  BOOST_TEST(has(trained.text, " bits per byte ·"), trained.text);
  const json result = json_of("eval " + run + " --json");
  const auto task =
      make("text", verses(), {{"tokens", "bpe"}, {"vocabulary", "300"}, {"context", "8"}});
  double tokens = 0;
  for (Index i = 0; i < task->held_out_size(); ++i)
    tokens += static_cast<double>(task->held_out_example(i).tokens.size()) - 1;
  const auto bytes = static_cast<double>(targets(*task).size());
  BOOST_TEST(result["bits_per_byte"].get<double>() ==
                 result["loss"].get<double>() * tokens / bytes / std::log(2),
             boost::test_tools::tolerance(1e-12));
  const json last = parsed(lines_of(contents(run + "/metrics.jsonl")).back());
  BOOST_TEST(last["bits_per_byte"] == result["bits_per_byte"]);

  const std::string digest = done("digest " + run).text;
  done("train text" + small + "--steps 2 --out " + run + "-2");
  done("train --resume " + run + "-2 --steps 4 --change steps");
  BOOST_TEST(done("digest " + run + "-2").text.substr(0, 16) == digest.substr(0, 16));

  // Without its text the run can still generate. It can't initialize a run with other tokens.
  std::filesystem::remove(data);
  BOOST_TEST(done("sample " + run + " --prompt thé --tokens 5").text.substr(0, 4) == "thé");
  const std::string other = scratch.write("other.txt", verses() + verses());
  expect_refused("train text --data " + other + " --tokens bpe --vocabulary 299 --init " + run,
                 fmt::format("--init {0}: its tokens differ from the new run's tokens; use "
                             "--config {0}/config.toml",
                             run));
  done(fmt::format("train text --config {0}/config.toml --data {1} --init {0} --out {0}-3", run,
                   other));
}

BOOST_AUTO_TEST_SUITE_END()

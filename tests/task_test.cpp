#include <tapehead/train/tasks.hpp>

#include <set>

#include "scratch.hpp"
#include "support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(task)

namespace {

std::unique_ptr<Task> make(const std::string& name, const TaskOptions& options) {
  return Registry::standard().find_task(name).make(options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(batch_asks_for_answers_alone) {
  const Batch batch = make_batch({{{1, 2, 1, 2}, 2}, {{5, 6}, 0}, {{7, 8, 9}, 3}});
  expect_equal(batch.inputs, tensor({1, 2, 1, 5, 0, 0, 7, 8, 0}, {3, 3}, DType::i32));
  expect_equal(batch.targets, tensor({-1, 1, 2, 6, -1, -1, -1, -1, -1}, {3, 3}, DType::i32));
}

BOOST_AUTO_TEST_CASE(batch_of_nothing) {
  expect_error<ValueError>([] { make_batch({}); },
                           "batch: 0 examples of at most 0 tokens, and one of 2 is needed");
  expect_error<ValueError>(
      [] {
        make_batch({{{1}, 0}, {{2}, 0}});
      },
      "batch: 2 examples of at most 1 tokens, and one of 2 is needed");
}

BOOST_AUTO_TEST_CASE(whole_options) {
  const TaskOptions options = {{"a", "12"}, {"b", "1.5"}, {"c", ""}, {"d", "99999999999999999999"}};
  BOOST_TEST(whole_option(options, "a", 1, 12) == 12);
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const std::string value = options.count(name) ? options.at(name) : "";
    expect_error<UsageError>(
        [&] { whole_option(options, name, 1, 11); },
        fmt::format("--{} must be a whole number from 1 to 11, not '{}'", name, value));
  }
}

// Computed by another program, once: the split must never change.
BOOST_AUTO_TEST_CASE(split_is_fixed) {
  std::vector<int> held_out;
  for (int token = 0; token < 130; ++token)
    if (is_held_out(&token, 1)) held_out.push_back(token);
  const std::vector<int> expected = {36, 47, 64, 75, 82, 100, 111, 118, 121};
  BOOST_TEST(held_out == expected, boost::test_tools::per_element());
  for (int token = 0; token < 40; ++token) {
    const std::vector<int> question(16, token);
    BOOST_TEST(is_held_out(question.data(), 16) == (token == 35 || token == 39));
  }
}

BOOST_AUTO_TEST_CASE(copy_says_it_again) {
  const auto copy = make("copy", {});
  BOOST_TEST(copy->vocabulary() == 16);
  BOOST_TEST(copy->context() == 31);
  BOOST_TEST(copy->held_out_size() == 1000);
  BOOST_TEST(copy->has_answers());
  BOOST_TEST(copy->found().empty());
  std::set<std::vector<int>> seen;
  for (Index number = 0; number < 100; ++number)
    for (const Example& example :
         {copy->training_example(3, 7, number), copy->held_out_example(number)}) {
      const auto half = example.tokens.begin() + 16;
      BOOST_TEST(example.question == 16);
      BOOST_TEST(std::equal(example.tokens.begin(), half, half, example.tokens.end()));
      BOOST_TEST(*std::min_element(example.tokens.begin(), half) >= 0);
      BOOST_TEST(*std::max_element(example.tokens.begin(), half) < 16);
      BOOST_TEST(seen.insert(example.tokens).second);
    }
}

BOOST_AUTO_TEST_CASE(copy_example_depends_on_seed_step_and_number) {
  const auto copy = make("copy", {}), again = make("copy", {});
  const auto tokens = copy->training_example(1, 2, 3).tokens;
  BOOST_TEST((again->training_example(1, 2, 3).tokens == tokens));
  BOOST_TEST((copy->training_example(0, 2, 3).tokens != tokens));
  BOOST_TEST((copy->training_example(1, 0, 3).tokens != tokens));
  BOOST_TEST((copy->training_example(1, 2, 0).tokens != tokens));
  BOOST_TEST((copy->held_out_example(5).tokens == again->held_out_example(5).tokens));
}

BOOST_AUTO_TEST_CASE(copy_never_trains_on_what_is_held_out) {
  const auto copy = make("copy", {{"length", "4"}, {"symbols", "4"}});  // 256 questions in all
  std::set<std::vector<int>> training, held_out;
  for (Index number = 0; number < 10000; ++number)
    training.insert(copy->training_example(0, 0, number).tokens);
  for (Index number = 0; number < copy->held_out_size(); ++number)
    held_out.insert(copy->held_out_example(number).tokens);
  BOOST_TEST(training.size() == 240);
  BOOST_TEST(held_out.size() == 16);
  for (const auto& tokens : held_out) BOOST_TEST(training.count(tokens) == 0);
}

// However few questions there may be, some are held out and most are not: no draw goes on for ever.
BOOST_AUTO_TEST_CASE(copy_holds_out_some_of_few) {
  for (int symbols = 2; symbols <= 36; ++symbols) {
    int questions = symbols, length = 1;
    for (; questions < 256; ++length) questions *= symbols;
    std::vector<int> question(static_cast<std::size_t>(length));
    int held_out = 0;
    for (int code = 0; code < questions; ++code) {
      int rest = code;
      for (int& token : question) token = rest % symbols, rest /= symbols;
      held_out += is_held_out(question.data(), length);
    }
    BOOST_TEST(held_out * 32 > questions);
    BOOST_TEST(held_out * 8 < questions);
  }
}

BOOST_AUTO_TEST_CASE(copy_shows_and_parses) {
  const auto copy = make("copy", {{"symbols", "12"}});
  BOOST_TEST(copy->show({4, 0, 11, 10}) == "4 0 b a");
  BOOST_TEST(copy->show({}) == "");
  const std::vector<int> expected = {4, 0, 11, 10};
  BOOST_TEST(copy->parse("4 0 b a") == expected, boost::test_tools::per_element());
  BOOST_TEST(copy->parse(" 40\tba\n") == expected, boost::test_tools::per_element());
  BOOST_TEST(copy->parse("").empty());
  expect_error<ValueError>([&] { copy->parse("4 0 c"); },
                           "copy: 'c' is not made of the symbols 0 to b");
  expect_error<ValueError>([&] { copy->parse("4 é"); },
                           "copy: 'é' is not made of the symbols 0 to b");
}

BOOST_AUTO_TEST_CASE(copy_options) {
  expect_error<UsageError>(
      [] {
        make("copy", {{"length", "1"}, {"symbols", "2"}});
      },
      "--length 1 of --symbols 2 makes only 2 sequences, and to hold some out 256 are needed");
  expect_error<UsageError>(
      [] {
        make("copy", {{"length", "0"}});
      },
      "--length must be a whole number from 1 to 1024, not '0'");
  expect_error<UsageError>(
      [] {
        make("copy", {{"symbols", "37"}});
      },
      "--symbols must be a whole number from 2 to 36, not '37'");
  expect_error<UsageError>(
      [] {
        make("copy", {{"lenght", "3"}});
      },
      "unknown option '--lenght'; did you mean '--length'?");
  BOOST_TEST(make("copy", {{"length", "8"}, {"symbols", "2"}})->context() == 15);
  BOOST_TEST(make("copy", {{"length", "1024"}})->held_out_example(0).tokens.size() == 2048u);
}

BOOST_AUTO_TEST_CASE(text_is_split_and_cut) {
  const Scratch scratch;
  std::string letters;
  for (int i = 0; i < 1003; ++i) letters += static_cast<char>('a' + i % 26);
  const auto text = make("text", {{"data", scratch.write("letters", letters)}, {"context", "10"}});
  BOOST_TEST(text->vocabulary() == 26);
  BOOST_TEST(text->context() == 10);
  BOOST_TEST(!text->has_answers());

  // 902 characters are for training: a window begins anywhere from 0 to 891.
  std::set<std::string> windows;
  for (Index number = 0; number < 2000; ++number) {
    const Example example = text->training_example(0, 5, number);
    BOOST_TEST(example.question == 0);
    BOOST_TEST(example.tokens.size() == 11u);
    const std::string shown = text->show(example.tokens);
    BOOST_TEST(letters.substr(0, 902).find(shown) != std::string::npos);
    windows.insert(shown);
  }
  BOOST_TEST(windows.size() == 26u);  // by what letter they begin with

  // 101 for validation: windows of ten targets, each target once.
  BOOST_TEST(text->held_out_size() == 10);
  std::string targets;
  for (Index number = 0; number < text->held_out_size(); ++number) {
    const Example example = text->held_out_example(number);
    BOOST_TEST(example.question == 0);
    targets += text->show(example.tokens).substr(1);
  }
  BOOST_TEST(targets == letters.substr(903));
}

BOOST_AUTO_TEST_CASE(text_last_window_may_be_short) {
  const Scratch scratch;
  const auto text =
      make("text", {{"data", scratch.write("x", std::string(900, 'a') + std::string(100, 'b'))},
                    {"context", "64"}});
  BOOST_TEST(text->held_out_size() == 2);  // 99 targets
  BOOST_TEST(text->held_out_example(0).tokens.size() == 65u);
  BOOST_TEST(text->held_out_example(1).tokens.size() == 36u);
}

BOOST_AUTO_TEST_CASE(text_is_of_characters_not_bytes) {
  const Scratch scratch;
  const std::string words = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n";  // 1 to 4 bytes
  const auto text =
      make("text", {{"data", scratch.write("x", words + words + words)}, {"context", "4"}});
  BOOST_TEST(text->vocabulary() == 5);
  const std::vector<int> expected = {1, 2, 3, 4, 0};  // by code point
  BOOST_TEST(text->parse(words) == expected, boost::test_tools::per_element());
  BOOST_TEST(text->show(expected) == words);
  BOOST_TEST(text->found().at("characters") == "\na\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  expect_error<ValueError>([&] { text->parse("aé and"); },
                           "text: ' ' (U+0020) is not among the 5 characters that the model knows");
  expect_error<ValueError>([&] { text->parse("a\tb"); },
                           "text: U+0009 is not among the 5 characters that the model knows");
}

BOOST_AUTO_TEST_CASE(text_shortest) {
  const Scratch scratch;
  // 73 characters leave 65 for training, which is one window of 64 and its last target.
  const auto options = [&](Index size) {
    return TaskOptions{
        {"data", scratch.write("x", std::string(static_cast<std::size_t>(size), 'a'))}};
  };
  BOOST_TEST(make("text", options(73))->training_example(0, 0, 0).tokens.size() == 65u);
  BOOST_TEST(make("text", options(73))->held_out_size() == 1);
  expect_error<FileError>(
      [&] { make("text", options(72)); },
      scratch.file("x") + ": 72 characters, and --context 64 needs at least 73");
  expect_error<FileError>([&] { make("text", options(0)); },
                          scratch.file("x") + ": 0 characters, and --context 64 needs at least 73");
  const auto least = make("text", {{"data", scratch.write("x", "abcdefghijk")}, {"context", "1"}});
  BOOST_TEST(least->held_out_size() == 1);
  BOOST_TEST(least->show(least->held_out_example(0).tokens) == "jk");
}

BOOST_AUTO_TEST_CASE(text_refuses) {
  const Scratch scratch;
  expect_error<UsageError>([] { make("text", {}); },
                           "--data is needed: the text file to learn from");
  expect_error<FileError>(
      [&] {
        make("text", {{"data", scratch.file("gone")}});
      },
      scratch.file("gone") + ": No such file or directory");
  expect_error<UsageError>(
      [&] {
        make("text", {{"data", "x"}, {"context", "0"}});
      },
      "--context must be a whole number from 1 to 65536, not '0'");
  BOOST_CHECK_THROW(make("text", {{"data", scratch.write("latin", "caf\xE9 caf\xE9")}}), FileError);
  const auto other =
      make("text",
           {{"data", scratch.write("x", "abcabdabcabc")}, {"context", "1"}, {"characters", "cba"}});
  expect_error<FileError>(
      [&] { other->held_out_size(); },
      scratch.file("x") + ": 'd' (U+0064) at character 6 is not among the 3 that the model knows");
}

BOOST_AUTO_TEST_CASE(text_can_be_used_without_its_data) {
  const Scratch scratch;
  const std::string path = scratch.write("x", "to be or not to be, that is the question");
  TrainConfig config;
  config.task = "text";
  config.task_options = {{"data", path}, {"context", "8"}};
  const auto registry = Registry::standard();
  const auto text = registry.find_task("text").make(config.task_options);
  std::filesystem::remove(path);

  TaskOptions kept = config.task_options;
  for (const auto& [name, value] : text->found()) kept[name] = value;
  const auto later = registry.find_task("text").make(kept);
  BOOST_TEST(later->vocabulary() == text->vocabulary());
  BOOST_TEST(later->show(later->parse("question")) == "question");
  const std::string reason = path + ": No such file or directory";
  expect_error<FileError>([&] { later->held_out_size(); }, reason);
  expect_error<FileError>([&] { later->held_out_example(0); }, reason);
  expect_error<FileError>([&] { later->training_example(0, 0, 0); }, reason);
}

BOOST_AUTO_TEST_SUITE_END()

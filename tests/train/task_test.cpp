#include "../../train/tasks/tasks.hpp"

#include <map>
#include <set>
#include <sstream>

#include "../shared/scratch.hpp"
#include "../shared/support.hpp"

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

BOOST_AUTO_TEST_CASE(copy_says_it_again_and_reverse_from_its_end) {
  for (const auto& [name, symbols] : {std::pair("copy", 16), {"reverse", 10}}) {
    const auto task = make(name, {});
    BOOST_TEST(task->vocabulary() == symbols);
    BOOST_TEST(task->context() == 31);
    BOOST_TEST(task->longest_question() == 16);
    BOOST_TEST(task->longest_answer() == 16);
    BOOST_TEST(task->end_token() == -1);
    BOOST_TEST(task->held_out_size() == 1000);
    BOOST_TEST(task->has_answers());
    BOOST_TEST(task->found().empty());
    std::set<std::vector<int>> seen;
    for (Index number = 0; number < 100; ++number)
      for (const Example& example :
           {task->training_example(3, 7, number), task->held_out_example(number)}) {
        BOOST_TEST(example.question == 16);
        BOOST_TEST_REQUIRE(example.tokens.size() == 32u);
        for (std::size_t i = 0; i < 16; ++i) {
          const std::size_t from = task->vocabulary() == 16 ? i : 15 - i;
          BOOST_TEST(example.tokens[16 + i] == example.tokens[from]);
          BOOST_TEST(example.tokens[i] >= 0);
          BOOST_TEST(example.tokens[i] < symbols);
        }
        BOOST_TEST(seen.insert(example.tokens).second);
      }
  }
}

BOOST_AUTO_TEST_CASE(an_example_depends_on_seed_step_and_number) {
  for (const char* name : {"copy", "reverse", "translate"}) {
    const auto task = make(name, {}), again = make(name, {});
    const auto tokens = task->training_example(1, 2, 3).tokens;
    BOOST_TEST((again->training_example(1, 2, 3).tokens == tokens));
    BOOST_TEST((task->training_example(0, 2, 3).tokens != tokens));
    BOOST_TEST((task->training_example(1, 0, 3).tokens != tokens));
    BOOST_TEST((task->training_example(1, 2, 0).tokens != tokens));
    BOOST_TEST((task->held_out_example(5).tokens == again->held_out_example(5).tokens));
  }
}

BOOST_AUTO_TEST_CASE(never_trains_on_what_is_held_out) {
  const std::tuple<const char*, TaskOptions, std::size_t, std::size_t> all[] = {
      {"copy", {{"length", "4"}, {"symbols", "4"}}, 240, 16},  // 256 questions in all
      {"reverse", {{"length", "4"}, {"symbols", "4"}}, 240, 16},
      {"translate", {{"digits", "3"}}, 946, 54}};  // a thousand
  for (const auto& [name, options, trained, kept] : all) BOOST_TEST_CONTEXT(name) {
      const auto task = make(name, options);
      std::set<std::vector<int>> training, held_out;
      for (Index number = 0; number < 60000; ++number)
        training.insert(task->training_example(0, 0, number).tokens);
      for (Index number = 0; number < 3000; ++number)
        held_out.insert(task->held_out_example(number).tokens);
      BOOST_TEST(training.size() == trained);
      BOOST_TEST(held_out.size() == kept);
      for (const auto& tokens : held_out) BOOST_TEST(training.count(tokens) == 0);
    }
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

/// The value of a number in words, word by word: units and tens add up, hundred multiplies what is
/// below it, thousand all so far.
int value_of(const std::string& text) {
  static const std::map<std::string, int> values = {
      {"zero", 0},     {"one", 1},      {"two", 2},        {"three", 3},     {"four", 4},
      {"five", 5},     {"six", 6},      {"seven", 7},      {"eight", 8},     {"nine", 9},
      {"ten", 10},     {"eleven", 11},  {"twelve", 12},    {"thirteen", 13}, {"fourteen", 14},
      {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19},
      {"twenty", 20},  {"thirty", 30},  {"forty", 40},     {"fifty", 50},    {"sixty", 60},
      {"seventy", 70}, {"eighty", 80},  {"ninety", 90}};
  int thousands = 0, rest = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "hundred")
      rest *= 100;
    else if (word == "thousand")
      thousands = 1000 * std::exchange(rest, 0);
    else if (word != "and")
      rest += values.at(word);
  }
  return thousands + rest;
}

BOOST_AUTO_TEST_CASE(translate_writes_digits) {
  const auto translate = make("translate", {});
  BOOST_TEST(translate->vocabulary() == 42);
  BOOST_TEST(translate->show({translate->end_token()}) == ".");
  std::set<std::vector<int>> held_out;
  Index longest_question = 0, longest_answer = 0;
  std::map<std::size_t, int> digits;
  for (Index number = 0; number < 3000; ++number)
    for (const Example& example :
         {translate->training_example(0, 0, number), translate->held_out_example(number % 1000)}) {
      const auto split = example.tokens.begin() + example.question;
      const std::string question = translate->show({example.tokens.begin(), split});
      const std::string answer = translate->show({split, example.tokens.end()});
      std::string spaced;
      for (char digit : std::to_string(value_of(question))) spaced += fmt::format("{} ", digit);
      BOOST_TEST(answer == spaced + ".", question);
      BOOST_TEST(translate->parse(question + ' ' + answer) == example.tokens,
                 boost::test_tools::per_element());
      longest_question = std::max(longest_question, example.question);
      longest_answer = std::max(longest_answer, static_cast<Index>(example.tokens.end() - split));
      ++digits[spaced.size() / 2];
    }
  for (Index number = 0; number < 1000; ++number)
    held_out.insert(translate->held_out_example(number).tokens);
  BOOST_TEST(held_out.size() > 500u);
  BOOST_TEST(longest_question == translate->longest_question());
  BOOST_TEST(longest_answer == translate->longest_answer());
  BOOST_TEST(translate->context() == 17);
  BOOST_TEST(digits.size() == 6u);
  for (const auto& [size, count] : digits) BOOST_TEST(count > 300, size << " digits");
}

BOOST_AUTO_TEST_CASE(translate_speaks_english) {
  const auto translate = make("translate", {});
  std::map<int, std::string> words;  // of numbers that are seen in training
  for (Index number = 0; number < 20000; ++number) {
    const Example example = translate->training_example(0, 1, number);
    const std::string question =
        translate->show({example.tokens.begin(), example.tokens.begin() + example.question});
    words[value_of(question)] = question;
  }
  const std::pair<int, const char*> expected[] = {{0, "zero"},
                                                  {8, "eight"},
                                                  {10, "ten"},
                                                  {17, "seventeen"},
                                                  {20, "twenty"},
                                                  {99, "ninety nine"},
                                                  {100, "one hundred"},
                                                  {101, "one hundred and one"},
                                                  {215, "two hundred and fifteen"}};
  for (const auto& [number, text] : expected)
    if (words.count(number)) BOOST_TEST(words[number] == text);
  expect_error<ValueError>([&] { translate->parse("sevn hundred"); },
                           "translate: 'sevn' is no word of a number; did you mean 'seven'?");
  expect_error<ValueError>([&] { translate->parse("a dozen"); },
                           "translate: 'a' is no word of a number");
  expect_error<UsageError>(
      [] {
        make("translate", {{"digits", "7"}});
      },
      "--digits must be a whole number from 3 to 6, not '7'");
  const Index questions[] = {5, 7, 8, 11};
  for (Index digits = 3; digits <= 6; ++digits) {
    const auto task = make("translate", {{"digits", std::to_string(digits)}});
    BOOST_TEST(task->longest_question() == questions[digits - 3]);
    BOOST_TEST(task->longest_answer() == digits + 1);
  }
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

#include "../../train/files/files.hpp"
#include "../shared/command.hpp"
#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

#include <set>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(text, WithData)

BOOST_AUTO_TEST_CASE(is_split_and_cut) {
  std::string letters;
  for (int i = 0; i < 1003; ++i) letters += 'a' + i % 26;
  const auto text = make("text", letters, {{"context", "10"}});
  BOOST_TEST(text->vocabulary() == 26);
  BOOST_TEST(text->context() == 10);
  BOOST_TEST(!text->has_answers());

  // 902 characters are for training: a window starts anywhere from 0 to 891.
  std::set<std::string> windows;
  for (Index number = 0; number < 2000; ++number) {
    const Example example = text->training_example(0, 5, number);
    BOOST_TEST(example.question == 0);
    BOOST_TEST(example.tokens.size() == 11u);
    const std::string shown = text->show(example.tokens);
    BOOST_TEST(letters.substr(0, 902).find(shown) != std::string::npos);
    windows.insert(shown);
  }
  BOOST_TEST(windows.size() == 26u);  // one for each first letter

  // 101 characters are for validation: windows of ten targets, each target once.
  BOOST_TEST(text->held_out_size() == 10);
  std::string targets;
  for (Index number = 0; number < text->held_out_size(); ++number) {
    const Example example = text->held_out_example(number);
    BOOST_TEST(example.question == 0);
    targets += text->show(example.tokens).substr(1);
  }
  BOOST_TEST(targets == letters.substr(903));
}

BOOST_AUTO_TEST_CASE(last_window_may_be_short) {
  const auto text = make("text", std::string(900, 'a') + std::string(100, 'b'));
  BOOST_TEST(text->held_out_size() == 2);  // 99 targets
  BOOST_TEST(text->held_out_example(0).tokens.size() == 65u);
  BOOST_TEST(text->held_out_example(1).tokens.size() == 36u);
}

BOOST_AUTO_TEST_CASE(another_text_is_held_out) {
  const std::string mine(100, 'a'), apart =
                                        "\xEF\xBB\xBF"
                                        "abab";
  const std::string path = scratch.write("apart", apart);
  const auto text = make("text", mine + "b", {{"context", "2"}, {"held-out", path}});
  BOOST_TEST(text->vocabulary() == 2);
  BOOST_TEST(text->held_out_size() == 2);  // the data has three targets
  BOOST_TEST(text->show(text->held_out_example(0).tokens) == "aba");
  BOOST_TEST(text->show(text->held_out_example(1).tokens) == "ab");
  bool saw_end = false;  // the whole first file is for training
  for (Index number = 0; number < 2000; ++number)
    saw_end |= text->show(text->training_example(0, 5, number).tokens) == "aab";
  BOOST_TEST(saw_end);
  EXPECT_ERROR(FileError, make("text", mine, {{"context", "2"}, {"held-out", path}}),
               path + ": 'b' (U+0062) at character 2 is not one of the model's 1 character");
  EXPECT_ERROR(SystemError,
               make("text", mine, {{"context", "2"}, {"held-out", scratch.file("none")}}),
               scratch.file("none") + ": No such file or directory");
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_is_no_character) {
  const std::string mark = "\xEF\xBB\xBF", data = numbered_lines();
  for (const char* name : {"text", "lines", "names"}) {
    const auto plain = make(name, data), marked = make(name, mark + data);
    BOOST_TEST(marked->recorded_options().at("characters") ==
               plain->recorded_options().at("characters"));
    BOOST_TEST((marked->held_out_example(0).tokens == plain->held_out_example(0).tokens));
    // In the middle of a file, the byte order mark is an ordinary character.
    BOOST_TEST(make(name, data + mark + "\n")->vocabulary() == plain->vocabulary() + 1);
  }
}

// Files are read in pieces of a megabyte.
BOOST_AUTO_TEST_CASE(a_character_may_lie_across_a_megabyte) {
  constexpr std::size_t megabyte = 1 << 20;
  for (const std::string letter : {"é", "…", "😀"})
    for (std::size_t before = 0; before < letter.size(); ++before) {
      const std::string start(megabyte - before, 'a');
      const auto text = make("text", start + letter + std::string(megabyte, 'b'));
      BOOST_TEST(text->bytes() >= 2 * (2 * megabyte - before + 1));
      BOOST_TEST(text->bytes() <= 2 * (2 * megabyte + 4));
      BOOST_TEST(text->show({0, 1, 2}) == "ab" + letter);
      BOOST_TEST(text->vocabulary() == 3);
      EXPECT_ERROR(
          FileError, make("text", start + letter.substr(0, letter.size() - 1) + "b"),
          fmt::format("{}: not UTF-8 text: byte 0x{:02x} at offset {}{}", scratch.file("x"),
                      static_cast<unsigned char>(letter[0]), megabyte - before,
                      letter.size() == 2
                          ? "; if it is Latin-1, convert it with iconv -f CP1252 -t UTF-8"
                          : ""));
    }
}

BOOST_AUTO_TEST_CASE(takes_two_bytes_a_character) {
  if (under_sanitizers) return;  // sanitizers reserve more address space
  write_file(scratch.file("data.txt"), std::string(30'000'000, 'a') + std::string(30'000'000, 'b'));
  const Output output = shell(fmt::format(
      "ulimit -v 400000; $TAPEHEAD train text --data {} --width 8 --layers 1 --dry-run | tail -2",
      scratch.file("data.txt")));
  BOOST_TEST(output.errors == "");
  BOOST_TEST(has(output.text, "memory         about 12"), output.text);
}

BOOST_AUTO_TEST_CASE(is_of_characters_not_bytes) {
  const std::string words = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n";  // 1 to 4 bytes
  const auto text = make("text", words + words + words, {{"context", "4"}});
  BOOST_TEST(text->vocabulary() == 5);
  const std::vector<int> expected = {1, 2, 3, 4, 0};  // by code point
  BOOST_TEST(text->parse(words) == expected, per_element());
  BOOST_TEST(text->show(expected) == words);
  BOOST_TEST(text->recorded_options().at("characters") ==
             "\na\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_ERROR(ValueError, text->parse("aé and"),
               "text: ' ' (U+0020) is not one of the model's 5 characters");
  EXPECT_ERROR(ValueError, text->parse("a\tb"),
               "text: U+0009 is not one of the model's 5 characters");
  EXPECT_ERROR(ValueError, text->parse("a😁"),
               "text: '😁' (U+1F601) is not one of the model's 5 characters");
}

BOOST_AUTO_TEST_CASE(shortest) {
  // 73 characters leave 65 for training: one window of 64, and its last target.
  const auto of_size = [&](Index size) { return make("text", std::string(size, 'a')); };
  BOOST_TEST(of_size(73)->training_example(0, 0, 0).tokens.size() == 65u);
  BOOST_TEST(of_size(73)->held_out_size() == 1);
  EXPECT_ERROR(FileError, of_size(72),
               scratch.file("x") + ": 72 characters, but --context 64 needs at least 73");
  EXPECT_ERROR(FileError, of_size(0),
               scratch.file("x") + ": 0 characters, but --context 64 needs at least 73");
  const auto least = make("text", "abcdefghijk", {{"context", "1"}});
  BOOST_TEST(least->held_out_size() == 1);
  BOOST_TEST(least->show(least->held_out_example(0).tokens) == "jk");
}

BOOST_AUTO_TEST_CASE(refuses) {
  EXPECT_ERROR(SystemError, standard_task("text", {{"data", scratch.file("gone")}}),
               scratch.file("gone") + ": No such file or directory");
  EXPECT_ERROR(FileError, make("text", "caf\xE9 caf\xE9"),
               scratch.file("x") +
                   ": not UTF-8 text: byte 0xe9 at offset 3; if it is Latin-1, convert it with "
                   "iconv -f CP1252 -t UTF-8");
  const auto other = make("text", "abcabdabcabc", {{"context", "1"}, {"characters", "cba"}});
  EXPECT_ERROR(
      FileError, other->held_out_size(),
      scratch.file("x") + ": 'd' (U+0064) at character 6 is not one of the model's 3 characters");
}

BOOST_AUTO_TEST_CASE(can_be_used_without_its_data) {
  const auto text = make("text", "to be or not to be, that is the question", {{"context", "8"}});
  const std::string path = scratch.file("x");
  std::filesystem::remove(path);

  TaskOptions kept = text->recorded_options();
  kept["data"] = path;
  const auto later = standard_task("text", kept);
  BOOST_TEST(later->vocabulary() == text->vocabulary());
  BOOST_TEST(later->show(later->parse("question")) == "question");
  const std::string reason =
      path + ": No such file or directory; if it has moved, pass its new path with --data FILE";
  EXPECT_ERROR(FileError, later->held_out_size(), reason);
  EXPECT_ERROR(FileError, later->held_out_example(0), reason);
  EXPECT_ERROR(FileError, later->training_example(0, 0, 0), reason);
}

BOOST_AUTO_TEST_SUITE_END()

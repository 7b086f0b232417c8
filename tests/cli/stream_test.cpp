#include "../../cli/terminal/generated.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../train/files/strings.hpp"
#include "../shared/command.hpp"
#include "../shared/small_models.hpp"
#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(stream)

namespace {

/// Returns the standard output after each token, and after the end.
Words steps(const Task& task, const std::vector<int>& tokens) {
  const Scratch scratch;
  const std::string path = scratch.file("out");
  Words all;
  {
    const Redirection out(stdout, path);
    const Terminal plain;
    Stream stream(task, plain);
    for (int token : tokens) {
      stream.add(token);
      all.push_back(contents(path));
    }
    stream.end();
    flush_output();
  }
  all.push_back(contents(path));
  return all;
}

/// A task whose tokens are bytes.
struct Bytes : BareTask {
  std::string show(const std::vector<int>& tokens) const override {
    std::string text;
    for (const int token : tokens) text += bytes_of(token);
    return replace_invalid(text);
  }
  std::string bytes_of(int token) const override { return {static_cast<char>(token)}; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(never_writes_half_a_character) {
  const Bytes bytes;
  BOOST_TEST(
      steps(bytes, {'a', 0xe2, 0x82, 0xac, 'b'}) == (Words{"a", "a", "a", "a€", "a€b", "a€b"}),
      per_element());
  BOOST_TEST(steps(bytes, {0xf0, 0x9f, 0x98, 0x80}) == (Words{"", "", "", "😀", "😀"}),
             per_element());
  // Bytes that can't become a character are written at once. Bytes that wait for the rest of a
  // character are written at the end.
  BOOST_TEST(steps(bytes, {0x80, 0xc3, 'x'}) ==
                 (Words{"\ufffd", "\ufffd", "\ufffd\ufffdx", "\ufffd\ufffdx"}),
             per_element());
  BOOST_TEST(steps(bytes, {'a', 0xe2, 0x82}) == (Words{"a", "a", "a", "a\ufffd"}), per_element());
  BOOST_TEST(steps(bytes, {}) == Words{""}, per_element());
}

BOOST_AUTO_TEST_CASE(writes_separators_between_tokens) {
  const auto copy = standard_task("copy", "length=4");
  const std::vector<int> question = copy->held_out_example(0).tokens;
  const Words all = steps(*copy, question);
  BOOST_TEST(all.back() == copy->show(question));
  BOOST_TEST(all.front() == copy->show({question[0]}));
}

BOOST_AUTO_TEST_SUITE_END()

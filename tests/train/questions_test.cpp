#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

using namespace tapehead;

// Checks which prompts each task accepts.
BOOST_FIXTURE_TEST_SUITE(questions, WithData)

namespace {

std::vector<int> question_of(const Example& example) {
  return {example.tokens.begin(), example.tokens.begin() + example.question};
}

struct Row {
  std::string task, options;
  std::vector<std::string> right, wrong;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"copy", "length=8 symbols=4", {"01233210"}, {"0123321", "012332100", ""}},
      {"reverse", "length=8", {"01234567"}, {"0123456", "012345678"}},
      {"sort", "length=8", {"76543210"}, {"7654321", "876543210"}},
      {"add",
       "digits=3",
       {"123+456=", "000+999="},
       {"123+456", "12+456=", "1234+56=", "123+45=6", "+123456=", "123=456+", "123+456=5", "1+2="}},
      {"add",
       "digits=3 shorter=true",
       {"1+2=", "12+34=", "123+456="},
       {"+=", "12+3=", "1234+5678="}},
      {"add",
       "digits=2 carries=true",
       {"12+34="},
       {"12:34=", "12+3:=", "1+234=", "12+34:=", "12+34+="}},
      {"induction",
       "length=7 symbols=8",
       {"01*23 4*", "*01234*"},
       {"012345*", "01*234*5", "0*1*23*", "01234**", "01*2345", "01*234*0"}},
      {"majority", "length=9", {"010101010"}, {"01010101", "0101010101"}},
      {"parity", "length=9", {"010101010"}, {"01010101", "0101010101"}},
      {"recall",
       "pairs=2 symbols=4",
       {"4051 4", "7362 6"},
       {"40415", "40516", "04514", "40510", "4051", "405144", "45514"}},
      {"select",
       "length=16 chosen=4 symbols=8",
       {"[01.......23.....]", "[............0123]"},
       {"[01.......2......]", "[01.......23.4...]", "]01.......23.....[", "[01.......23....]",
        "01.......23.....", "[01....[..23.....]"}},
      {"modular",
       "prime=13",
       {"12 / 1 =", "0 / 5 ="},
       {"12 / 0 =", "12 / 1", "12 1 / =", "/ 1 2 =", "12 / = 1", "12 / 1 = 3"}},
      {"modular", "prime=13 operation=add", {"12 + 0 ="}, {"12 + ="}},
      {"recall", "pairs=2 symbols=19", {"k0 v18 k18 v0 k18"}, {"k0 v18 k0 v0 k0", "k0 v1 k2"}},
      {"mqar",
       "length=12 pairs=2 vocabulary=16",
       {"k1 v0 k2 v3 k1", "k7 v7 k2 v3 . . k7 v7 k2"},
       {"k1 v0 k2 v3", "v0 k1 k2 v3 k1", "k1 v0 k2 v3 k3", "k1 v0 . v3 k1",
        "k1 v0 k2 v3 . . . . . . . k1"}},
      {"regression",
       "dimensions=1 examples=2 bins=8",
       {"-3.50 0.50 3.50"},
       {"-3.50 0.50", "-3.50 0.50 3.50 1.50", ""}},
      {"dyck",
       "length=16 kinds=2 depth=3",
       {"(", "([(", "[()][", "()()()()()()()("},
       {"", "()", ")", "(]", "([)", "((((", "(.", "()()()()()()()()("}},
      {"translate",
       "digits=4",
       {"zero", "nine hundred and seven", "two thousand twenty one", "twelve", "one thousand"},
       {"", "hundred", "one hundred seven", "seven nine hundred", "twenty twelve", "zero one",
        "one hundred and", "one thousand thousand", "thousand", "twenty thousand", "7", "one .",
        "nine hundred hundred and one", "and one", "twenty zero"}},
  };
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(those_of_all_examples_are) {
  std::set<std::string> tested;
  for (const Row& row : rows()) {
    tested.insert(row.task);
    const auto task = standard_task(row.task, row.options);
    for (Index number = 0; number < std::min<Index>(task->held_out_size(), 300); ++number)
      for (const Example& example : training_and_held_out(*task, number))
        BOOST_TEST(task->prompt_error(question_of(example)) == "");
  }
  BOOST_TEST(tested == drawn_tasks());
}

BOOST_AUTO_TEST_CASE(others_are_refused) {
  for (const Row& row : rows()) {
    const auto task = standard_task(row.task, row.options);
    for (const std::string& text : row.right)
      BOOST_TEST(task->prompt_error(task->parse(text)) == "", row.task << ' ' << text);
    for (const std::string& text : row.wrong)
      BOOST_TEST(task->prompt_error(task->parse(text)) != "", row.task << " '" << text << "'");
  }
}

BOOST_AUTO_TEST_CASE(messages_describe_a_valid_prompt) {
  const auto said = [](const std::string& name, const std::string& options,
                       const std::string& text) {
    const auto task = standard_task(name, options);
    return task->prompt_error(task->parse(text));
  };
  BOOST_TEST(said("add", "", "123+456") ==
             "add expects 3 digits + 3 digits =, as in 943+494=; got 7 tokens");
  BOOST_TEST(said("add", "", "123=456+") ==
             "add expects 3 digits + 3 digits =, as in 943+494=; got '123=456+'");
  BOOST_TEST(said("modular", "prime=13", "3 / 0 =")
                 .rfind("modular expects a / b =, where a and b are "
                        "0 to 12 and b isn't 0, as in ",
                        0) == 0);
  BOOST_TEST(has(said("translate", "", "hundred one"),
                 "translate expects a number of 0 to 999999 in words, as in "));
  BOOST_TEST(has(said("translate", "", "hundred one"), "; got 'hundred one'"));
}

BOOST_AUTO_TEST_CASE(text_accepts_any_prompt) {
  for (const char* name : {"text", "lines", "names"}) {
    const auto task = make(name, numbered_lines());
    BOOST_TEST(task->prompt_error({}) == "");
    BOOST_TEST(task->prompt_error({0, 1, 2}) == "");
  }
}

BOOST_AUTO_TEST_CASE(an_unusual_order_is_said) {
  const auto written = [](const std::string& options) {
    return standard_task("add", options)->answer_format();
  };
  BOOST_TEST(written("") == "from the last digit");
  BOOST_TEST(written("reversed=none") == "");
  BOOST_TEST(written("carries=true") ==
             "as the carry of each digit, then the sum, both from the last digit");
  BOOST_TEST(written("carries=true reversed=none") == "as the carry of each digit, then the sum");
  BOOST_TEST(standard_task("reverse", "")->answer_format() == "");
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../train/tasks/tasks.hpp"

#include <map>
#include <set>

#include "../shared/support.hpp"

using namespace tapehead;

// The tasks of which theory says what attention can do: dyck and parity.
BOOST_AUTO_TEST_SUITE(formal_languages)

namespace {

std::unique_ptr<Task> make(const std::string& name, const TaskOptions& options) {
  return Registry::standard().find_task(name).make(options);
}

std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

std::string question_of(const Task& task, const Example& example) {
  return without_spaces(task.show(example.tokens))
      .substr(0, static_cast<std::size_t>(example.question));
}

std::string answer_of(const Task& task, const Example& example) {
  return without_spaces(task.show(example.tokens))
      .substr(static_cast<std::size_t>(example.question));
}

/// What closes the brackets that are open, with a stack; nothing where they are ill nested.
/// `deepest` hears how many are open at once.
std::string closing(const std::string& brackets, std::size_t& deepest) {
  const std::string opening = "([{<", closed = ")]}>";
  std::string stack;
  for (char bracket : brackets) {
    const std::size_t kind = opening.find(bracket);
    if (kind != std::string::npos) {
      stack.push_back(closed[kind]);
    } else {
      if (stack.empty() || stack.back() != bracket) return "";
      stack.pop_back();
    }
    deepest = std::max(deepest, stack.size());
  }
  return {stack.rbegin(), stack.rend()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(dyck_closes_what_is_open) {
  const auto dyck = make("dyck", {{"length", "24"}, {"depth", "5"}});
  BOOST_TEST(dyck->vocabulary() == 9);
  BOOST_TEST(dyck->context() == 24);
  BOOST_TEST(dyck->longest_question() == 23);
  BOOST_TEST(dyck->longest_answer() == 6);
  BOOST_TEST(dyck->has_answers());
  BOOST_TEST(dyck->show({dyck->end_token()}) == ".");
  std::set<std::size_t> depths;
  std::size_t deepest = 0, longest = 0;
  Index longest_question = 0;
  std::map<char, int> opened;
  for (Index number = 0; number < 1000; ++number)
    for (const Example& example :
         {dyck->training_example(1, 2, number), dyck->held_out_example(number)}) {
      const std::string question = question_of(*dyck, example), answer = answer_of(*dyck, example);
      BOOST_TEST_CONTEXT(question << " -> " << answer) {
        const std::string expected = closing(question, deepest);
        BOOST_TEST(!expected.empty());
        BOOST_TEST(answer == expected + ".");
        BOOST_TEST(dyck->parse(question + ' ' + answer) == example.tokens,
                   boost::test_tools::per_element());
        depths.insert(expected.size());
        longest = std::max(longest, example.tokens.size());
        longest_question = std::max(longest_question, example.question);
        for (char bracket : question) ++opened[bracket];
      }
    }
  BOOST_TEST((depths == std::set<std::size_t>{1, 2, 3, 4, 5}));
  BOOST_TEST(deepest == 5u);
  BOOST_TEST(longest == 25u);  // a token more than the model reads
  BOOST_TEST(longest_question == 23);
  for (char bracket : std::string("([{<)]}>")) BOOST_TEST(opened[bracket] > 2000, bracket);
}

BOOST_AUTO_TEST_CASE(dyck_asks_for_what_can_be_known) {
  const auto dyck = make("dyck", {});
  Index held_out = 0;
  for (Index number = 0; number < 300; ++number) {
    const Example example = dyck->training_example(0, 0, number);
    const std::set<Index> asked(example.asked.begin(), example.asked.end());
    BOOST_TEST(asked.size() == example.asked.size());
    const std::string text = without_spaces(dyck->show(example.tokens));
    for (std::size_t place = 0; place < text.size(); ++place) {
      const bool known = std::string(")]}>.").find(text[place]) != std::string::npos;
      const bool is_asked = asked.count(static_cast<Index>(place)) > 0;
      if (known && !is_asked)
        ++held_out;
      else
        BOOST_TEST(known == is_asked, text << " at " << place);
    }
    BOOST_TEST(asked.count(static_cast<Index>(text.size()) - 1) == 1u);
    BOOST_TEST(asked.count(example.question) == 1u);
    BOOST_TEST(dyck->held_out_example(number).asked.empty());  // all of the answer
  }
  BOOST_TEST(held_out > 0);
}

// The smallest, of which all questions are drawn: a beginning is either asked about in training,
// as a question or on the way, or is held out.
BOOST_AUTO_TEST_CASE(dyck_never_trains_on_what_is_held_out) {
  const auto dyck = make("dyck", {{"length", "16"}, {"kinds", "2"}, {"depth", "1"}});
  std::set<std::string> trained, held_out;
  for (Index number = 0; number < 60000; ++number) {
    const Example example = dyck->training_example(0, 0, number);
    const std::string text = without_spaces(dyck->show(example.tokens));
    for (Index place : example.asked)
      if (text[static_cast<std::size_t>(place)] != '.')
        trained.insert(text.substr(0, static_cast<std::size_t>(place)));
  }
  for (Index number = 0; number < 4000; ++number)
    held_out.insert(question_of(*dyck, dyck->held_out_example(number)));
  BOOST_TEST(trained.size() + held_out.size() == 510u);  // 2 + 4 + ... + 256
  BOOST_TEST(held_out.size() > 15u);
  BOOST_TEST(held_out.size() < 60u);
  for (const std::string& question : held_out) BOOST_TEST(trained.count(question) == 0u);
}

BOOST_AUTO_TEST_CASE(dyck_of_all_sizes) {
  for (const TaskOptions& options :
       {TaskOptions{{"length", "1024"}, {"depth", "512"}}, TaskOptions{{"kinds", "30"}},
        TaskOptions{{"length", "16"}, {"depth", "8"}}}) {
    const auto dyck = make("dyck", options);
    for (Index number = 0; number < 20; ++number) {
      const Example example = dyck->held_out_example(number);
      BOOST_TEST(static_cast<Index>(example.tokens.size()) <= dyck->context() + 1);
      for (int token : example.tokens) BOOST_TEST(token < dyck->vocabulary());
      const std::string text = dyck->show(example.tokens);
      BOOST_TEST(dyck->parse(text) == example.tokens, boost::test_tools::per_element());
    }
  }
  BOOST_TEST(make("dyck", {{"kinds", "30"}})->vocabulary() == 61);
}

BOOST_AUTO_TEST_CASE(parity_says_whether_the_ones_are_odd) {
  const auto parity = make("parity", {{"length", "9"}});
  BOOST_TEST(parity->vocabulary() == 2);
  BOOST_TEST(parity->context() == 9);
  BOOST_TEST(parity->end_token() == -1);
  std::map<std::string, int> answers;
  for (Index number = 0; number < 300; ++number)
    for (const Example& example :
         {parity->training_example(1, 2, number), parity->held_out_example(number)}) {
      const std::string question = question_of(*parity, example);
      BOOST_TEST_REQUIRE(question.size() == 9u);
      bool odd = false;
      for (char symbol : question) odd ^= symbol == '1';
      const std::string answer = answer_of(*parity, example);
      BOOST_TEST(answer == (odd ? "1" : "0"), question);
      ++answers[answer];
    }
  BOOST_TEST(answers["0"] > 200);
  BOOST_TEST(answers["1"] > 200);
}

BOOST_AUTO_TEST_CASE(parity_never_trains_on_what_is_held_out) {
  const auto parity = make("parity", {{"length", "8"}});
  std::set<std::string> trained, held_out;
  for (Index number = 0; number < 20000; ++number)
    trained.insert(question_of(*parity, parity->training_example(0, 0, number)));
  for (Index number = 0; number < 2000; ++number)
    held_out.insert(question_of(*parity, parity->held_out_example(number)));
  BOOST_TEST(trained.size() + held_out.size() == 256u);
  BOOST_TEST(held_out.size() > 5u);
  for (const std::string& question : held_out) BOOST_TEST(trained.count(question) == 0u);
}

BOOST_AUTO_TEST_CASE(an_example_depends_on_seed_step_and_number) {
  for (const char* name : {"dyck", "parity"}) BOOST_TEST_CONTEXT(name) {
      const auto task = make(name, {}), again = make(name, {});
      const auto tokens = task->training_example(1, 2, 3).tokens;
      BOOST_TEST((again->training_example(1, 2, 3).tokens == tokens));
      BOOST_TEST((task->training_example(0, 2, 3).tokens != tokens));
      BOOST_TEST((task->training_example(1, 0, 3).tokens != tokens));
      BOOST_TEST((task->training_example(1, 2, 0).tokens != tokens));
      BOOST_TEST((task->held_out_example(5).tokens == again->held_out_example(5).tokens));
      BOOST_TEST((task->held_out_example(5).tokens != task->held_out_example(6).tokens));
    }
}

BOOST_AUTO_TEST_CASE(wrong_options_and_symbols) {
  const std::tuple<const char*, TaskOptions, const char*> all[] = {
      {"dyck", {{"length", "14"}}, "--length must be a whole number from 16 to 1024, not '14'"},
      {"dyck", {{"length", "1026"}}, "--length must be a whole number from 16 to 1024, not '1026'"},
      {"dyck", {{"length", "33"}}, "--length must be even, for each bracket is closed, not 33"},
      {"dyck", {{"kinds", "1"}}, "--kinds must be a whole number from 2 to 30, not '1'"},
      {"dyck", {{"kinds", "31"}}, "--kinds must be a whole number from 2 to 30, not '31'"},
      {"dyck", {{"depth", "0"}}, "--depth must be a whole number from 1 to 24, not '0'"},
      {"dyck",
       {{"length", "20"}, {"depth", "11"}},
       "--depth must be a whole number from 1 to 10, not '11'"},
      {"dyck", {{"kind", "3"}}, "unknown option '--kind'; did you mean '--kinds'?"},
      {"parity", {{"length", "0"}}, "--length must be a whole number from 1 to 1024, not '0'"},
      {"parity",
       {{"length", "7"}},
       "--length 7 makes only 128 sequences, and to hold some out 256 are needed"}};
  for (const auto& [name, options, message] : all) {
    const auto make_it = [name = name, options = options] { make(name, options); };
    expect_error<UsageError>(make_it, message);
  }
  expect_error<ValueError>([] { make("dyck", {})->parse("( [ a ]"); },
                           "dyck: 'a' is not made of the brackets ()[]{}<>.");
  expect_error<ValueError>([] { make("parity", {})->parse("012"); },
                           "parity: '012' is not made of the symbols 0 to 1");
  BOOST_TEST(make("dyck", {})->parse(" ([ ] ").size() == 3u);
  BOOST_TEST(make("dyck", {})->parse("").empty());
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../train/tasks/tasks.hpp"

#include <map>
#include <set>

#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(drawn_tasks)

namespace {

const char* const names[] = {"sort", "add", "induction", "majority"};

std::unique_ptr<Task> make(const std::string& name, const TaskOptions& options) {
  return Registry::standard().find_task(name).make(options);
}

/// Question and answer as they are shown, without the spaces.
std::pair<std::string, std::string> shown(const Task& task, const Example& example) {
  std::string all = task.show(example.tokens);
  all.erase(std::remove(all.begin(), all.end(), ' '), all.end());
  const auto split = static_cast<std::size_t>(example.question);
  return {all.substr(0, split), all.substr(split)};
}

/// Calls `check(question, answer)` for some examples of both kinds.
template <class Check>
void for_examples(const Task& task, const Check& check) {
  for (Index number = 0; number < 300; ++number)
    for (const Example& example :
         {task.training_example(1, 2, number), task.held_out_example(number)}) {
      const auto [question, answer] = shown(task, example);
      BOOST_TEST_CONTEXT(question << " -> " << answer) { check(question, answer); }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(lengths_and_symbols) {
  struct Row {
    const char* name;
    TaskOptions options;
    Index vocabulary, question, answer;
  };
  const Row rows[] = {
      {"sort", {}, 10, 10, 10},     {"sort", {{"length", "6"}, {"symbols", "3"}}, 3, 6, 6},
      {"add", {}, 12, 8, 4},        {"add", {{"digits", "5"}, {"carries", "true"}}, 13, 12, 12},
      {"induction", {}, 17, 30, 1}, {"majority", {}, 2, 21, 1}};
  for (const Row& row : rows) BOOST_TEST_CONTEXT(row.name) {
      const auto task = make(row.name, row.options);
      BOOST_TEST(task->vocabulary() == row.vocabulary);
      BOOST_TEST(task->longest_question() == row.question);
      BOOST_TEST(task->longest_answer() == row.answer);
      BOOST_TEST(task->context() == row.question + row.answer - 1);
      BOOST_TEST(task->has_answers());
      for (Index number = 0; number < 200; ++number)
        for (const Example& example :
             {task->training_example(0, 1, number), task->held_out_example(number)}) {
          BOOST_TEST(example.question == row.question);
          BOOST_TEST(static_cast<Index>(example.tokens.size()) == row.question + row.answer);
          BOOST_TEST(task->parse(task->show(example.tokens)) == example.tokens,
                     boost::test_tools::per_element());
          for (int token : example.tokens) BOOST_TEST((token >= 0 && token < row.vocabulary));
        }
    }
}

BOOST_AUTO_TEST_CASE(an_example_depends_on_seed_step_and_number) {
  for (const char* name : names) BOOST_TEST_CONTEXT(name) {
      const auto task = make(name, {}), again = make(name, {});
      const auto tokens = task->training_example(1, 2, 3).tokens;
      BOOST_TEST((again->training_example(1, 2, 3).tokens == tokens));
      BOOST_TEST((task->training_example(0, 2, 3).tokens != tokens));
      BOOST_TEST((task->training_example(1, 0, 3).tokens != tokens));
      BOOST_TEST((task->training_example(1, 2, 0).tokens != tokens));
      BOOST_TEST((task->held_out_example(5).tokens == again->held_out_example(5).tokens));
    }
}

// The smallest of each kind, of which all questions are drawn: none is on both sides, and there are
// some on either, so that no draw goes on for ever.
BOOST_AUTO_TEST_CASE(never_trains_on_what_is_held_out) {
  const std::tuple<const char*, TaskOptions, std::size_t> all[] = {
      {"sort", {{"length", "6"}, {"symbols", "3"}}, 729},
      {"sort", {{"length", "8"}, {"symbols", "2"}}, 256},
      {"add", {{"digits", "2"}}, 10000},
      {"induction", {{"length", "10"}, {"symbols", "2"}}, 2048},
      {"majority", {{"length", "9"}}, 512}};
  for (const auto& [name, options, questions] : all) BOOST_TEST_CONTEXT(name) {
      const auto task = make(name, options);
      std::set<std::string> trained, held_out;
      for (Index number = 0; number < 120000; ++number)
        trained.insert(shown(*task, task->training_example(0, 0, number)).first);
      for (Index number = 0; number < 8000; ++number)
        held_out.insert(shown(*task, task->held_out_example(number)).first);
      BOOST_TEST(trained.size() + held_out.size() == questions);
      BOOST_TEST(held_out.size() > questions / 32);
      BOOST_TEST(held_out.size() < questions / 8);
      for (const std::string& question : held_out) BOOST_TEST(trained.count(question) == 0);
    }
}

BOOST_AUTO_TEST_CASE(sort_puts_in_order) {
  const auto sort = make("sort", {{"symbols", "12"}});
  for_examples(*sort, [](const std::string& question, const std::string& answer) {
    for (std::size_t i = 1; i < answer.size(); ++i) BOOST_TEST(answer[i - 1] <= answer[i]);
    for (char symbol : question)
      BOOST_TEST(std::count(question.begin(), question.end(), symbol) ==
                 std::count(answer.begin(), answer.end(), symbol));
  });
}

BOOST_AUTO_TEST_CASE(sort_is_tested_on_as_many_sequences_as_it_says) {
  const auto sort = make("sort", {});
  BOOST_TEST(sort->held_out_size() == 5000);
  std::set<std::vector<int>> different;
  for (Index number = 0; number < 5000; ++number)
    different.insert(sort->held_out_example(number).tokens);
  BOOST_TEST(different.size() == 5000u);
}

BOOST_AUTO_TEST_CASE(add_adds) {
  for (const bool reversed : {true, false})
    for (const bool carries : {true, false}) {
      const auto add = make("add", {{"digits", "4"},
                                    {"reversed", reversed ? "true" : "false"},
                                    {"carries", carries ? "true" : "false"}});
      std::set<std::string> sums;
      for_examples(*add, [&](const std::string& question, const std::string& answer) {
        BOOST_TEST_REQUIRE(question.size() == 10u);
        BOOST_TEST((question[4] == '+' && question[9] == '='));
        const int a = std::stoi(question.substr(0, 4)), b = std::stoi(question.substr(5, 4));
        std::string handed, sum = fmt::format("{:05}", a + b);  // carries from the first place on
        for (int place : {10000, 1000, 100, 10})
          handed += a % place + b % place >= place ? '1' : '0';
        if (reversed)
          sum.assign(sum.rbegin(), sum.rend()), handed.assign(handed.rbegin(), handed.rend());
        BOOST_TEST(answer == (carries ? handed + ":" + sum : sum));
        sums.insert(sum);
      });
      BOOST_TEST(sums.size() > 400u);
    }
}

BOOST_AUTO_TEST_CASE(add_of_many_digits) {
  const auto add = make("add", {{"digits", "32"}});
  const auto [question, answer] = shown(*add, add->held_out_example(0));
  BOOST_TEST(question.size() == 66u);
  BOOST_TEST(answer.size() == 33u);
}

BOOST_AUTO_TEST_CASE(induction_says_what_followed_the_mark) {
  const auto induction = make("induction", {{"length", "12"}, {"symbols", "36"}});
  std::set<std::size_t> places;
  for_examples(*induction, [&](const std::string& question, const std::string& answer) {
    BOOST_TEST(std::count(question.begin(), question.end(), '*') == 2);
    BOOST_TEST(question.back() == '*');
    const auto first = question.find('*');
    BOOST_TEST(answer == question.substr(first + 1, 1));
    places.insert(first);
  });
  BOOST_TEST(places.size() == 10u);  // all but that before the last mark
  BOOST_TEST(*places.rbegin() == 9u);
}

BOOST_AUTO_TEST_CASE(majority_says_which_is_more_frequent) {
  const auto majority = make("majority", {{"length", "9"}});
  std::map<std::string, int> answers;
  for_examples(*majority, [&](std::string question, const std::string& answer) {
    std::sort(question.begin(), question.end());
    BOOST_TEST(answer == question.substr(4, 1));  // the median
    ++answers[answer];
  });
  BOOST_TEST(answers["0"] > 200);
  BOOST_TEST(answers["1"] > 200);
}

BOOST_AUTO_TEST_CASE(what_their_recipes_say) {
  const Registry registry = Registry::standard();
  using Names = std::vector<std::string>;
  for (const char* name : names) {
    const TaskEntry& entry = registry.find_task(name);
    const Names& kinds = entry.architectures;
    BOOST_TEST(std::count(kinds.begin(), kinds.end(), entry.recipe.arch) == 1, name);
  }
  BOOST_TEST((registry.find_task("majority").architectures == Names{"gpt", "encoder"}));
}

BOOST_AUTO_TEST_CASE(wrong_options) {
  const std::tuple<const char*, TaskOptions, const char*> all[] = {
      {"sort",
       {{"length", "5"}, {"symbols", "3"}},
       "--length 5 of --symbols 3 makes only 243 sequences, and to hold some out 256 are needed"},
      {"add", {{"digits", "1"}}, "--digits must be a whole number from 2 to 32, not '1'"},
      {"add", {{"carries", "yes"}}, "--carries must be true or false, not 'yes'"},
      {"add", {{"reversed", ""}}, "--reversed must be true or false, not ''"},
      {"add", {{"digit", "3"}}, "unknown option '--digit'; did you mean '--digits'?"},
      {"induction", {{"length", "2"}}, "--length must be a whole number from 3 to 1024, not '2'"},
      {"induction", {{"symbols", "37"}}, "--symbols must be a whole number from 2 to 36, not '37'"},
      {"induction",
       {{"length", "9"}, {"symbols", "2"}},
       "--length 9 of --symbols 2 makes only 128 sequences, and to hold some out 256 are needed"},
      {"majority",
       {{"length", "10"}},
       "--length must be odd, so that one symbol is more frequent, not 10"},
      {"majority",
       {{"length", "7"}},
       "--length 7 makes only 128 sequences, and to hold some out 256 are needed"}};
  for (const auto& [name, options, message] : all) {
    const auto make_it = [name = name, options = options] { make(name, options); };
    expect_error<UsageError>(make_it, message);
  }
}

BOOST_AUTO_TEST_CASE(unknown_symbols) {
  const std::tuple<const char*, const char*, const char*> all[] = {
      {"sort", "1 x", "sort: 'x' is not made of the symbols 0 to 9"},
      {"add", "1-2", "add: '1-2' is not made of the symbols 0 to 9, +, ="},
      {"induction", "g", "induction: 'g' is not made of the symbols 0 to f, *"},
      {"majority", "2", "majority: '2' is not made of the symbols 0 to 1"}};
  for (const auto& [name, text, message] : all) {
    const auto task = make(name, {});
    expect_error<ValueError>([&task = *task, text = text] { task.parse(text); }, message);
  }
}

BOOST_AUTO_TEST_SUITE_END()

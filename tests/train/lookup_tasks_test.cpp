#include "../../train/tasks/tasks.hpp"

#include <map>
#include <set>
#include <sstream>

#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(lookup_tasks)

namespace {

using Words = std::vector<std::string>;

const char* const names[] = {"recall", "select", "modular"};

std::unique_ptr<Task> make(const std::string& name, const TaskOptions& options) {
  return Registry::standard().find_task(name).make(options);
}

/// Symbols as they are shown.
Words shown(const Task& task, const std::vector<int>& tokens) {
  std::istringstream text(task.show(tokens));
  return {std::istream_iterator<std::string>(text), {}};
}
Words question(const Task& task, const Example& example) {
  return shown(task, {example.tokens.begin(), example.tokens.begin() + example.question});
}
Words answer(const Task& task, const Example& example) {
  return shown(task, {example.tokens.begin() + example.question, example.tokens.end()});
}

}  // namespace

BOOST_AUTO_TEST_CASE(lengths_and_symbols) {
  struct Row {
    const char* name;
    TaskOptions options;
    Index vocabulary, question, answer, context;
  };
  const Row rows[] = {
      {"recall", {}, 32, 17, 1, 31},
      {"recall", {{"pairs", "5"}, {"symbols", "18"}}, 36, 11, 1, 19},
      {"select", {}, 19, 66, 16, 81},
      {"select", {{"length", "9"}, {"chosen", "9"}, {"symbols", "36"}}, 39, 11, 9, 19},
      {"modular", {}, 99, 4, 1, 4},
      {"modular", {{"prime", "997"}, {"operation", "add"}}, 999, 4, 1, 4}};
  for (const Row& row : rows) BOOST_TEST_CONTEXT(row.name) {
      const auto task = make(row.name, row.options);
      BOOST_TEST(task->vocabulary() == row.vocabulary);
      BOOST_TEST(task->longest_question() == row.question);
      BOOST_TEST(task->longest_answer() == row.answer);
      BOOST_TEST(task->context() == row.context);
      BOOST_TEST(task->has_answers());
      BOOST_TEST(task->held_out_size() == 1000);
      std::set<int> seen;
      Index longest = 0;
      for (Index number = 0; number < 300; ++number)
        for (const Example& example :
             {task->training_example(0, 1, number), task->held_out_example(number)}) {
          seen.insert(example.tokens.begin(), example.tokens.end());
          longest = std::max(longest, static_cast<Index>(example.tokens.size()));
          BOOST_TEST(task->parse(task->show(example.tokens)) == example.tokens,
                     boost::test_tools::per_element());
        }
      BOOST_TEST(*seen.begin() == 0);
      BOOST_TEST(*seen.rbegin() == row.vocabulary - 1);
      BOOST_TEST(longest == row.context + 1);
      for (Index number = 0; number < 100; ++number) {
        const Example example = task->held_out_example(number);
        BOOST_TEST(example.question == row.question);
        BOOST_TEST(static_cast<Index>(example.tokens.size()) == row.question + row.answer);
        BOOST_TEST(example.asked.empty());  // so that exact match takes the whole answer
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

// The smallest of each kind, of which nearly all questions are drawn: none is on both sides.
BOOST_AUTO_TEST_CASE(never_trains_on_what_is_held_out) {
  const std::pair<const char*, TaskOptions> all[] = {
      {"recall", {{"pairs", "2"}, {"symbols", "4"}}},
      {"select", {{"length", "8"}, {"chosen", "8"}, {"symbols", "2"}}},
      {"modular", {{"prime", "13"}}}};
  for (const auto& [name, options] : all) BOOST_TEST_CONTEXT(name) {
      const auto task = make(name, options);
      std::set<Words> trained, held_out;
      for (Index number = 0; number < 20000; ++number)
        trained.insert(question(*task, task->training_example(0, 0, number)));
      for (Index number = 0; number < task->held_out_size(); ++number)
        held_out.insert(question(*task, task->held_out_example(number)));
      BOOST_TEST(trained.size() > 50u);
      BOOST_TEST(held_out.size() > 10u);
      for (const Words& one : held_out) BOOST_TEST(trained.count(one) == 0);
    }
}

BOOST_AUTO_TEST_CASE(recall_gives_the_value_of_a_key) {
  const auto recall = make("recall", {});
  // The value that was read behind a key, by a look at what is shown alone.
  const auto value_of = [](const Words& words, std::size_t pairs, const std::string& key) {
    for (std::size_t i = 0; i < 2 * pairs; i += 2)
      if (words[i] == key) return words[i + 1];
    return std::string("none");
  };
  std::set<std::size_t> sizes;
  for (Index number = 0; number < 300; ++number) {
    const Example held_out = recall->held_out_example(number);
    const Words asked = question(*recall, held_out);
    BOOST_TEST(answer(*recall, held_out).front() == value_of(asked, 8, asked.back()));

    const Example trained = recall->training_example(3, 4, number);
    const Words words = shown(*recall, trained.tokens);
    const std::size_t pairs = words.size() / 4;
    sizes.insert(pairs);
    BOOST_TEST_REQUIRE(words.size() == 4 * pairs);
    BOOST_TEST(trained.question == static_cast<Index>(2 * pairs + 1));
    std::set<std::string> read, queried;
    for (std::size_t i = 0; i < pairs; ++i) {
      read.insert(words[2 * i]);
      queried.insert(words[2 * (pairs + i)]);
      BOOST_TEST(words[2 * (pairs + i) + 1] == value_of(words, pairs, words[2 * (pairs + i)]));
    }
    BOOST_TEST(read.size() == pairs);  // no key has two values
    BOOST_TEST((read == queried));

    // All values behind the first query count, and no key does.
    const Batch batch = make_batch({trained});
    for (Index i = 0; i < batch.targets.size(); ++i) {
      const bool counts = i + 1 > static_cast<Index>(2 * pairs) && (i + 1) % 2 == 1;
      BOOST_TEST(batch.targets(i) ==
                 (counts ? trained.tokens[static_cast<std::size_t>(i) + 1] : -1));
    }
  }
  BOOST_TEST(*sizes.rbegin() == 8u);
}

BOOST_AUTO_TEST_CASE(select_picks_symbols_in_order) {
  const auto select = make("select", {{"length", "40"}, {"chosen", "7"}});
  std::map<std::size_t, int> at;  // how often a place has a symbol
  for (Index number = 0; number < 500; ++number) {
    for (const Example& example :
         {select->training_example(1, 2, number), select->held_out_example(number)}) {
      Words found = question(*select, example);
      BOOST_TEST_REQUIRE(found.size() == 42u);
      BOOST_TEST((found.front() == "[" && found.back() == "]"));
      found.pop_back(), found.erase(found.begin());
      for (std::size_t place = 0; place < 40; ++place) at[place] += found[place] != ".";
      found.erase(std::remove(found.begin(), found.end(), "."), found.end());
      BOOST_TEST(answer(*select, example) == found, boost::test_tools::per_element());
    }
    BOOST_TEST(answer(*select, select->held_out_example(number)).size() == 7u);
  }
  for (const auto& [place, times] : at) BOOST_TEST(times > 60, place);
}

BOOST_AUTO_TEST_CASE(modular_calculates) {
  const std::tuple<const char*, char, std::size_t> all[] = {
      {"add", '+', 169}, {"subtract", '-', 169}, {"multiply", '*', 169}, {"divide", '/', 156}};
  for (const auto& [name, sign, pairs] : all) BOOST_TEST_CONTEXT(name) {
      const auto task = make("modular", {{"operation", name}, {"prime", "13"}});
      std::set<std::vector<int>> examples;
      for (Index number = 0; number < 4000; ++number)
        examples.insert(task->training_example(0, 0, number).tokens);
      for (Index number = 0; number < task->held_out_size(); ++number)
        examples.insert(task->held_out_example(number).tokens);
      BOOST_TEST(examples.size() == pairs);  // each of them, with one answer
      for (const std::vector<int>& tokens : examples) {
        int a = 0, b = 0, c = 0;
        char op = 0, equals = 0;
        std::istringstream(task->show(tokens)) >> a >> op >> b >> equals >> c;
        BOOST_TEST((op == sign && equals == '='));
        BOOST_TEST((a >= 0 && a < 13 && b >= 0 && b < 13 && c >= 0 && c < 13));
        switch (sign) {
          case '+':
            BOOST_TEST((a + b - c) % 13 == 0, task->show(tokens));
            break;
          case '-':
            BOOST_TEST((a - b - c) % 13 == 0, task->show(tokens));
            break;
          case '*':
            BOOST_TEST((a * b - c) % 13 == 0, task->show(tokens));
            break;
          default:
            BOOST_TEST((c * b - a) % 13 == 0, task->show(tokens));
        }
      }
    }
}

BOOST_AUTO_TEST_CASE(modular_trains_on_its_share) {
  const auto half = make("modular", {}), tenth = make("modular", {{"share", "10"}});
  std::set<Words> of_half, of_tenth;
  for (Index number = 0; number < 60000; ++number) {
    of_half.insert(question(*half, half->training_example(0, 0, number)));
    of_tenth.insert(question(*tenth, tenth->training_example(0, 0, number)));
  }
  BOOST_TEST(std::abs(static_cast<double>(of_half.size()) - 97 * 96 * 0.5) < 200);
  BOOST_TEST(std::abs(static_cast<double>(of_tenth.size()) - 97 * 96 * 0.1) < 120);
  for (const Words& one : of_tenth) BOOST_TEST(of_half.count(one) == 1);

  std::set<Words> held_out;  // a thousand of them, and different ones
  for (Index number = 0; number < 1000; ++number)
    held_out.insert(question(*half, half->held_out_example(number)));
  BOOST_TEST(held_out.size() == 1000u);
  BOOST_TEST(
      std::any_of(held_out.begin(), held_out.end(), [](const Words& w) { return w[2] == "1"; }));
  BOOST_TEST(
      std::any_of(held_out.begin(), held_out.end(), [](const Words& w) { return w[2] == "96"; }));
  const auto small = make("modular", {{"prime", "7"}});
  BOOST_TEST(small->held_out_size() < 42);
}

BOOST_AUTO_TEST_CASE(a_share_is_held_out) {
  Index sixteenth = 0, third = 0;
  for (int token = 0; token < 3000; ++token) {
    const bool out = is_held_out(&token, 1);
    BOOST_TEST(is_held_out(&token, 1, 1.0 / 16) == out);
    BOOST_TEST((!out || is_held_out(&token, 1, 1.0 / 3)));
    BOOST_TEST(!is_held_out(&token, 1, 0));
    sixteenth += out, third += is_held_out(&token, 1, 1.0 / 3);
  }
  BOOST_TEST(std::abs(static_cast<double>(sixteenth) - 3000 / 16.0) < 50);
  BOOST_TEST(std::abs(static_cast<double>(third) - 1000) < 100);
}

BOOST_AUTO_TEST_CASE(batch_asks_at_some_places) {
  const Batch batch = make_batch({{{1, 2, 3, 4, 5}, 2, {2, 4}}, {{6, 7, 8}, 1, {}}});
  expect_equal(batch.inputs, tensor({1, 2, 3, 4, 6, 7, 0, 0}, {2, 4}, DType::i32));
  expect_equal(batch.targets, tensor({-1, 3, -1, 5, 7, 8, -1, -1}, {2, 4}, DType::i32));
}

BOOST_AUTO_TEST_CASE(wrong_options) {
  const std::tuple<const char*, TaskOptions, const char*> all[] = {
      {"recall", {{"symbols", "19"}}, "--symbols must be a whole number from 4 to 18, not '19'"},
      {"recall", {{"pairs", "1"}}, "--pairs must be a whole number from 2 to 16, not '1'"},
      {"recall", {{"pairs", "17"}}, "--pairs must be a whole number from 2 to 16, not '17'"},
      {"recall", {{"pair", "3"}}, "unknown option '--pair'; did you mean '--pairs'?"},
      {"select", {{"length", "0"}}, "--length must be a whole number from 1 to 1024, not '0'"},
      {"select",
       {{"length", "8"}, {"chosen", "9"}},
       "--chosen must be a whole number from 1 to 8, not '9'"},
      {"select", {{"symbols", "37"}}, "--symbols must be a whole number from 2 to 36, not '37'"},
      {"select",
       {{"chosen", "7"}, {"symbols", "2"}},
       "--chosen 7 of --symbols 2 makes only 128 sequences, and to hold some out 256 are needed"},
      {"modular", {{"prime", "91"}}, "--prime must be a prime number, and 91 is 7 x 13"},
      {"modular", {{"prime", "4"}}, "--prime must be a prime number, and 4 is 2 x 2"},
      {"modular", {{"prime", "961"}}, "--prime must be a prime number, and 961 is 31 x 31"},
      {"modular", {{"prime", "1"}}, "--prime must be a whole number from 2 to 997, not '1'"},
      {"modular", {{"prime", "1009"}}, "--prime must be a whole number from 2 to 997, not '1009'"},
      {"modular", {{"share", "100"}}, "--share must be a whole number from 1 to 99, not '100'"},
      {"modular", {{"operation", "divid"}}, "unknown --operation 'divid'; did you mean 'divide'?"},
      {"modular",
       {{"operation", "xor"}},
       "unknown --operation 'xor'; there are add, subtract, multiply, divide"},
      {"modular",
       {{"prime", "3"}, {"share", "1"}},
       "--share 1 leaves none of the 6 pairs of --prime 3 to learn from"},
      {"modular",
       {{"prime", "5"}, {"share", "99"}},
       "--share 99 leaves none of the 20 pairs of --prime 5 to test on"}};
  for (const auto& [name, options, message] : all) {
    const auto make_it = [name = name, options = options] { make(name, options); };
    expect_error<UsageError>(make_it, message);
  }
}

BOOST_AUTO_TEST_CASE(unknown_symbols) {
  const std::tuple<const char*, const char*, const char*> all[] = {
      {"recall", "a -", "recall: '-' is not made of the symbols 0 to v"},
      {"select", "..g", "select: '..g' is not made of the symbols 0 to f, ., [, ]"},
      {"modular", "3 / 97 =", "modular: '97' is none of the symbols 0 to 96, /, ="},
      {"modular", "03 / 1 =", "modular: '03' is none of the symbols 0 to 96, /, ="},
      {"modular", "3 * 5 =", "modular: '*' is none of the symbols 0 to 96, /, ="}};
  for (const auto& [name, text, message] : all) {
    const auto task = make(name, {});
    expect_error<ValueError>([&task = *task, text = text] { task.parse(text); }, message);
  }
}

BOOST_AUTO_TEST_SUITE_END()

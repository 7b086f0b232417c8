#include "../../train/tasks/tasks.hpp"
#include "../../parts/parts.hpp"
#include "../../train/config/options.hpp"
#include "../../train/plan.hpp"
#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

#include <map>
#include <set>

using namespace tapehead;

// Properties of every task, with a table of each task's specifics.
BOOST_AUTO_TEST_SUITE(tasks)

BOOST_AUTO_TEST_CASE(sizes) {
  const TaskSizes rows[] = {
      {"copy", "", 16, 16, 16, 31},
      {"copy", "length=8 symbols=2", 2, 8, 8, 15},
      {"copy", "length=1024", 16, 1024, 1024, 2047},
      {"reverse", "", 10, 16, 16, 31},
      {"sort", "", 10, 10, 10, 19, "", 5000},
      {"sort", "length=6 symbols=3", 3, 6, 6, 11, "", 5000},
      {"add", "", 12, 8, 4, 11},
      {"add", "digits=5 carries=true", 13, 12, 12, 23},
      {"add", "digits=32", 12, 66, 33, 98},
      {"add", "digits=5 shorter=true", 13, 12, 7, 18, "."},
      {"add", "digits=5 held-out=70", 12, 12, 6, 17, "", 70},
      {"induction", "", 17, 30, 1, 30},
      {"majority", "", 2, 21, 1, 21},
      {"parity", "length=9", 2, 9, 1, 9},
      {"recall", "", 32, 17, 1, 31},
      {"recall", "pairs=5 symbols=18", 36, 11, 1, 19},
      {"recall", "pairs=64 symbols=300", 600, 129, 1, 255},
      {"mqar", "", 64, 31, 1, 31, "", 3000, false},
      {"mqar", "length=64 pairs=8 vocabulary=512", 512, 63, 1, 63, "", 3000, false},
      {"regression", "", 32, 35, 1, 35},
      {"regression", "dimensions=5 examples=9 bins=8", 8, 53, 1, 53},
      {"select", "", 19, 66, 16, 81},
      {"select", "length=9 chosen=9 symbols=36", 39, 11, 9, 19},
      {"modular", "", 99, 4, 1, 4},
      {"modular", "prime=997 operation=add", 999, 4, 1, 4},
      {"translate", "", 42, 11, 7, 17, ".", 1000, false},
      {"translate", "digits=5", 42, 8, 6, 13, ".", 1000, false},
      {"translate", "digits=4", 42, 7, 5, 11, ".", 1000, false},
      {"translate", "digits=3", 42, 5, 4, 8, ".", 1000, false},
      {"dyck", "length=24 depth=5", 9, 23, 6, 24, ".", 1000, false},
      {"dyck", "length=16 depth=8", 9, 15, 9, 16, ".", 1000, false},
      {"dyck", "kinds=30", 61, 47, 9, 48, ".", 1000, false},
      {"dyck", "length=1024 depth=512", 9, 1023, 513, 1024, ".", 1000, false}};
  std::set<std::string> names;
  for (const TaskSizes& row : rows) {
    names.insert(row.name);
    expect_sizes(row);
  }
  BOOST_TEST((names == drawn_tasks()));
}

BOOST_AUTO_TEST_CASE(an_example_depends_on_seed_step_and_number) {
  const Scratch scratch;
  const Registry registry = make_registry();
  for (const TaskEntry& entry : registry.tasks()) BOOST_TEST_CONTEXT(entry.name) {
      TaskOptions options;
      for (const Option& option : entry.options)
        if (option.name == "data") options[option.name] = data_for(entry.name, scratch);
      if (entry.length_option == "context") options["context"] = "10";
      const auto task = entry.make(options), again = entry.make(options);
      std::vector<std::vector<int>> drawn[3];
      std::set<std::vector<int>> different;
      const std::pair<std::uint64_t, Index> keys[] = {{1, 2}, {0, 2}, {1, 0}};  // seed and step
      for (int i = 0; i < 3; ++i)
        for (Index number = 0; number < 20; ++number) {
          const auto [seed, step] = keys[i];
          drawn[i].push_back(task->training_example(seed, step, number).tokens);
          BOOST_TEST((again->training_example(seed, step, number).tokens == drawn[i].back()));
          different.insert(drawn[i].back());
        }
      BOOST_TEST((drawn[0] != drawn[1]));
      BOOST_TEST((drawn[0] != drawn[2]));
      BOOST_TEST(different.size() > 30u);
      BOOST_TEST((task->held_out_example(0).tokens == again->held_out_example(0).tokens));
      BOOST_TEST((task->held_out_example(1).tokens == again->held_out_example(1).tokens));
      BOOST_TEST((task->held_out_example(0).tokens != task->held_out_example(1).tokens));
    }
}

BOOST_AUTO_TEST_CASE(trains_on_shorter_numbers_too) {
  const auto task = standard_task("add", "digits=7 shorter=true");
  std::map<Index, int> lengths;
  for (Index number = 0; number < 7000; ++number) {
    const Example example = task->training_example(0, 0, number);
    ++lengths[(example.question - 2) / 2];
    BOOST_TEST(static_cast<Index>(example.tokens.size()) == example.question * 3 / 2 + 1);
    BOOST_TEST(task->held_out_example(number % 1000).question == 16);
  }
  BOOST_TEST(lengths.size() == 7u);
  for (const auto& [length, count] : lengths) BOOST_TEST(std::abs(count - 1000) < 150, length);
  std::set<std::vector<int>> of_one_digit;  // of a hundred, eight are for validation
  for (Index number = 0; number < 20000; ++number)
    if (Example example = task->training_example(0, 0, number); example.question == 4) {
      example.tokens.resize(4);
      of_one_digit.insert(example.tokens);
    }
  BOOST_TEST(of_one_digit.size() == 92u);
}

BOOST_AUTO_TEST_CASE(trains_on_numbers_behind_zeros_too) {
  const auto task = standard_task("add", "digits=5 padded=true"),
             plain = standard_task("add", "digits=5");
  int training = 0, held_out = 0;
  for (Index number = 0; number < 1000; ++number) {
    const Example example = task->training_example(0, 0, number);
    BOOST_TEST(example.question == 12);
    training += example.tokens[0] == 0;
    held_out += task->held_out_example(number).tokens[0] == 0;
    BOOST_TEST((task->held_out_example(number).tokens == plain->held_out_example(number).tokens));
  }
  BOOST_TEST(std::abs(training - 475) < 60);  // half of all: 5 of 6, and a tenth of the rest
  BOOST_TEST(std::abs(held_out - 100) < 40);
}

// The smallest tasks, of which all prompts are drawn. Each prompt is either for training or for
// validation, and both sides have some, so drawing always ends. The split was computed by another
// program and must never change.
BOOST_AUTO_TEST_CASE(never_trains_on_validation_examples) {
  struct Row {
    const char *name, *options;
    std::size_t training, held_out;
    Index held_out_draws = 1000;
  };
  const Row rows[] = {
      {"copy", "length=4 symbols=4", 240, 16},
      {"reverse", "length=4 symbols=4", 240, 16},
      {"sort", "length=6 symbols=3", 683, 46},
      {"sort", "length=8 symbols=2", 236, 20},
      {"add", "digits=2", 9393, 607, 8000},
      {"induction", "length=10 symbols=2", 1919, 129, 2000},
      {"majority", "length=9", 478, 34},
      {"parity", "length=8", 236, 20},
      {"recall", "pairs=2 symbols=4", 357, 27},
      {"select", "length=8 chosen=8 symbols=2", 239, 17},
      {"modular", "prime=13", 81, 75, 75},
      {"translate", "digits=3", 946, 54, 3000},
  };
  // Dyck also predicts the beginnings of its prompts, and mqar splits by the pairs, see
  // task_answers. Regression has too many prompts to draw all.
  std::set<std::string> names = {"dyck", "mqar", "regression"};
  for (const Row& row : rows) BOOST_TEST_CONTEXT(row.name << ' ' << row.options) {
      names.insert(row.name);
      const auto task = standard_task(row.name, std::string(row.options));
      const auto question = [](const Example& example) {
        return std::vector<int>(example.tokens.begin(), example.tokens.begin() + example.question);
      };
      const Index draws = 60 * (row.training + row.held_out);
      std::set<std::vector<int>> training, held_out;
      for (Index number = 0; number < std::min<Index>(draws, 120000); ++number)
        training.insert(question(task->training_example(0, 0, number)));
      for (Index number = 0; number < row.held_out_draws; ++number)
        held_out.insert(question(task->held_out_example(number)));
      BOOST_TEST(training.size() == row.training);
      BOOST_TEST(held_out.size() == row.held_out);
      for (const auto& tokens : held_out) BOOST_TEST(training.count(tokens) == 0u);
    }
  BOOST_TEST((names == drawn_tasks()));
}

BOOST_AUTO_TEST_CASE(held_out_examples_are_different) {
  for (const auto& [name, least] :
       {std::pair("sort", 5000u), {"modular", 1000u}, {"translate", 501u}}) {
    const auto task = standard_task(name);
    std::set<std::vector<int>> different;
    for (Index number = 0; number < task->held_out_size(); ++number)
      different.insert(task->held_out_example(number).tokens);
    BOOST_TEST(different.size() >= least, name);
  }
}

BOOST_AUTO_TEST_CASE(wrong_options) {
  const std::tuple<const char*, const char*, const char*> all[] = {
      {"copy", "length=0", "--length must be a whole number from 1 to 1024, not '0'"},
      {"copy", "symbols=37", "--symbols must be a whole number from 2 to 36, not '37'"},
      {"copy", "lenght=3", "unknown option '--lenght'; did you mean '--length'?"},
      {"add", "digits=0", "--digits must be a whole number from 1 to 256, not '0'"},
      {"add", "carries=yes", "--carries must be true or false, not 'yes'"},
      {"add", "shorter=1", "--shorter must be true or false, not '1'"},
      {"add", "held-out=0", "--held-out must be a whole number from 1 to 1000000, not '0'"},
      {"add", "padded=no", "--padded must be true or false, not 'no'"},
      {"add", "reversed=true", "unknown --reversed 'true'; expected none, sum or all"},
      {"add", "digit=3", "unknown option '--digit'; did you mean '--digits'?"},
      {"induction", "length=2", "--length must be a whole number from 3 to 1024, not '2'"},
      {"induction", "symbols=37", "--symbols must be a whole number from 2 to 36, not '37'"},
      {"majority", "length=10", "--length must be odd, so that one token is more frequent, not 10"},
      {"parity", "length=0", "--length must be a whole number from 1 to 1024, not '0'"},
      {"recall", "symbols=4097", "--symbols must be a whole number from 4 to 4096, not '4097'"},
      {"regression", "dimensions=0", "--dimensions must be a whole number from 1 to 16, not '0'"},
      {"regression", "examples=1", "--examples must be a whole number from 2 to 128, not '1'"},
      {"regression", "bins=7", "--bins must be a whole number from 8 to 256, not '7'"},
      {"recall", "pairs=1", "--pairs must be a whole number from 2 to 16 (--symbols), not '1'"},
      {"recall", "pairs=17", "--pairs must be a whole number from 2 to 16 (--symbols), not '17'"},
      {"mqar", "length=31", "--length must be even, not 31"},
      {"mqar", "vocabulary=65", "--vocabulary must be even, not 65"},
      {"mqar", "pairs=9", "--pairs must be a whole number from 1 to 8 (--length / 4), not '9'"},
      {"mqar", "vocabulary=10",
       "--vocabulary must be a whole number from 12 (2 * --pairs + 4) to 65536, not '10'"},
      {"mqar", "power=2", "--power must be from 0 to 1, not 2"},
      {"recall", "pair=3", "unknown option '--pair'; did you mean '--pairs'?"},
      {"select", "length=0", "--length must be a whole number from 1 to 1024, not '0'"},
      {"select", "length=8 chosen=9",
       "--chosen must be a whole number from 1 to 8 (--length), not '9'"},
      {"select", "symbols=37", "--symbols must be a whole number from 2 to 36, not '37'"},
      {"modular", "prime=91", "--prime must be a prime number, but 91 is 7 x 13"},
      {"modular", "prime=4", "--prime must be a prime number, but 4 is 2 x 2"},
      {"modular", "prime=961", "--prime must be a prime number, but 961 is 31 x 31"},
      {"modular", "prime=1", "--prime must be a whole number from 2 to 997, not '1'"},
      {"modular", "prime=1009", "--prime must be a whole number from 2 to 997, not '1009'"},
      {"modular", "share=100", "--share must be a whole number from 1 to 99, not '100'"},
      {"modular", "operation=divid", "unknown --operation 'divid'; did you mean 'divide'?"},
      {"modular", "operation=xor",
       "unknown --operation 'xor'; expected add, subtract, multiply or divide"},
      {"modular", "prime=3 share=1",
       "--share 1 leaves none of the 6 pairs of --prime 3 for training"},
      {"modular", "prime=5 share=99",
       "--share 99 leaves none of the 20 pairs of --prime 5 for validation"},
      {"translate", "digits=7", "--digits must be a whole number from 3 to 6, not '7'"},
      {"dyck", "length=14", "--length must be a whole number from 16 to 1024, not '14'"},
      {"dyck", "length=1026", "--length must be a whole number from 16 to 1024, not '1026'"},
      {"dyck", "length=33", "--length must be even, since every bracket is closed, not 33"},
      {"dyck", "kinds=1", "--kinds must be a whole number from 2 to 30, not '1'"},
      {"dyck", "kinds=31", "--kinds must be a whole number from 2 to 30, not '31'"},
      {"dyck", "depth=0", "--depth must be a whole number from 1 to 24 (--length / 2), not '0'"},
      {"dyck", "length=20 depth=11",
       "--depth must be a whole number from 1 to 10 (--length / 2), not '11'"},
      {"dyck", "kind=3", "unknown option '--kind'; did you mean '--kinds'?"},
      {"text", "", "--data is required: the text file to train on"},
      {"text", "data=x context=0", "--context must be a whole number from 1 to 65536, not '0'"},
      {"lines", "", "--data is required: the text file to train on"},
      {"lines", "data=x context=65536",
       "--context must be a whole number from 0 to 65535, not '65536'"},
      {"lines", "data=x context=-1", "--context must be a whole number from 0 to 65535, not '-1'"},
      {"lines", "data=x context=", "--context must be a whole number from 0 to 65535, not ''"},
      {"lines", "data=x context=few",
       "--context must be a whole number from 0 to 65535, not 'few'"},
      {"lines", "length=3",
       "unknown option '--length'; expected --data, --context, --characters or --split"},
      {"names", "", "--data is required: the text file to train on"}};
  for (const auto& [name, options, message] : all)
    expect_error<UsageError>(
        [name = name, options = options] { standard_task(name, std::string(options)); }, message);
}

BOOST_AUTO_TEST_CASE(few_prompts) {
  const std::tuple<const char*, const char*, const char*> all[] = {
      {"copy", "length=1 symbols=2", "--length 1 with --symbols 2 gives only 2 sequences"},
      {"sort", "length=5 symbols=3", "--length 5 with --symbols 3 gives only 243 sequences"},
      {"add", "digits=1", "--digits 1 gives only 100 sequences"},
      {"induction", "length=9 symbols=2", "--length 9 with --symbols 2 gives only 128 sequences"},
      {"majority", "length=7", "--length 7 gives only 128 sequences"},
      {"parity", "length=7", "--length 7 gives only 128 sequences"},
      {"select", "chosen=7 symbols=2", "--chosen 7 with --symbols 2 gives only 128 sequences"}};
  const Registry registry = make_registry();
  for (const auto& [name, options, message] : all) {
    const auto task = standard_task(name, std::string(options));
    BOOST_TEST(task->few_prompts() == message);
    // Such a task can be evaluated but not trained.
    BOOST_TEST(held_out_example(*task, 7).question == task->longest_question());
    TrainConfig config = default_config(registry.find_task(name));
    for (const auto& [option, value] : task_options(options)) config.task_options[option] = value;
    EXPECT_ERROR(UsageError, make_plan(config, registry),
                 fmt::format("{}, expected at least 256 for a validation split", message));
  }
  BOOST_TEST(standard_task("parity", std::string("length=8"))->few_prompts() == "");
}

BOOST_AUTO_TEST_CASE(unknown_tokens) {
  const std::tuple<const char*, const char*, const char*> all[] = {
      {"copy", "4 0 g", "copy: 'g' isn't one of the tokens 0 to f"},
      {"copy", "4 é", "copy: 'é' isn't one of the tokens 0 to f"},
      {"sort", "1 x", "sort: 'x' isn't one of the tokens 0 to 9"},
      {"add", "1-2", "add: '-' in '1-2' isn't one of the tokens 0 to 9, +, ="},
      {"induction", "g", "induction: 'g' isn't one of the tokens 0 to f, *"},
      {"majority", "2", "majority: '2' isn't one of the tokens 0 to 1"},
      {"parity", "012", "parity: '2' in '012' isn't one of the tokens 0 to 1"},
      {"recall", "a -", "recall: '-' isn't one of the tokens 0 to v"},
      {"select", "..g", "select: 'g' in '..g' isn't one of the tokens 0 to f, ., [, ]"},
      {"modular", "3 / 97 =", "modular: '97' isn't one of the tokens 0 to 96, /, ="},
      {"modular", "03 / 1 =", "modular: '03' isn't one of the tokens 0 to 96, /, ="},
      {"modular", "3 * 5 =", "modular: '*' isn't one of the tokens 0 to 96, /, ="},
      {"translate", "sevn hundred", "translate: 'sevn' isn't a number word; did you mean 'seven'?"},
      {"translate", "a dozen", "translate: 'a' isn't a number word"},
      {"dyck", "( [ a ]", "dyck: 'a' isn't one of the brackets ()[]{}<>."}};
  for (const auto& [name, text, message] : all)
    expect_error<ValueError>([name = name, text = text] { standard_task(name)->parse(text); },
                             message);
}

BOOST_AUTO_TEST_CASE(spaces_between_tokens_are_shown_and_need_not_be_given) {
  const auto copy = standard_task("copy");
  const std::vector<int> tokens = {4, 0, 11, 10};
  BOOST_TEST(copy->show(tokens) == "4 0 b a");
  BOOST_TEST(copy->show({}) == "");
  BOOST_TEST(copy->parse(" 40\tba\n") == tokens, per_element());
  BOOST_TEST(copy->parse("").empty());
  BOOST_TEST(standard_task("dyck")->parse(" ([ ] ").size() == 3u);
  BOOST_TEST(standard_task("dyck")->parse("").empty());
}

BOOST_AUTO_TEST_SUITE_END()

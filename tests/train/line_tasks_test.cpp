#include "../../parts/parts.hpp"
#include "../../train/files/files.hpp"
#include "../../train/model/generate.hpp"
#include "../../train/tasks/tasks.hpp"
#include "../../train/trainer.hpp"
#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

#include <set>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(line_tasks, WithData)

namespace {

std::string text_of(const Task& task, const Example& example) { return task.show(example.tokens); }

std::multiset<std::string> held_out(const Task& task) {
  std::multiset<std::string> lines;
  for (Index number = 0; number < task.held_out_size(); ++number)
    lines.insert(text_of(task, task.held_out_example(number)));
  return lines;
}

std::set<std::string> trained(const Task& task, Index draws) {
  std::set<std::string> lines;
  for (Index number = 0; number < draws; ++number)
    lines.insert(text_of(task, task.training_example(0, 0, number)));
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_is_an_example) {
  for (const char* name : {"lines", "names"}) {
    const auto task = make(name, numbered_lines());
    BOOST_TEST(task->vocabulary() == 11);
    BOOST_TEST(task->context() == 3);  // the start token and two digits
    BOOST_TEST(!task->has_answers());
    BOOST_TEST(task->show({task->end_token()}) == "\n");
    const Example example = task->held_out_example(0);
    BOOST_TEST(example.question == 1);
    const std::vector<int> expected = {0, 3, 4, 0};
    BOOST_TEST(example.tokens == expected, per_element());
    BOOST_TEST(task->parse("23") == std::vector<int>({3, 4}), per_element());
  }
}

// The split was computed by another program and must never change.
BOOST_AUTO_TEST_CASE(every_line_is_on_one_side) {
  const auto task = make("lines", numbered_lines());
  const std::multiset<std::string> kept = held_out(*task);
  BOOST_TEST((kept == std::multiset<std::string>{"\n23\n", "\n34\n", "\n46\n", "\n54\n"}));
  const std::set<std::string> learned = trained(*task, 5000);
  BOOST_TEST(learned.size() == 96u);
  for (const std::string& line : kept) BOOST_TEST(learned.count(line) == 0);
  for (int i = 0; i < 100; ++i) {
    const std::string line = fmt::format("\n{}\n", i);
    BOOST_TEST(learned.count(line) + kept.count(line) == 1, i);
  }
}

BOOST_AUTO_TEST_CASE(lines_that_are_alike_stay_together) {
  const auto task = make("lines", "d\na\nd\nb\nd\na\na\na\n");
  BOOST_TEST((held_out(*task) == std::multiset<std::string>{"\nd\n", "\nd\n", "\nd\n"}));
  // Repeated lines are drawn as often as they occur: four of five.
  Index count = 0;
  for (Index number = 0; number < 2000; ++number)
    count += text_of(*task, task->training_example(0, 0, number)) == "\na\n";
  BOOST_TEST(count > 1500);
  BOOST_TEST(count < 1700);
}

BOOST_AUTO_TEST_CASE(split_by_number_lines_that_are_alike_part) {
  std::string text;
  for (int line = 0; line < 200; ++line) text += "a\n";
  const auto task = make("lines", text, {{"split", "number"}});
  BOOST_TEST(task->held_out_size() > 4);
  BOOST_TEST(task->held_out_size() < 30);  // 12.5 are expected
  BOOST_TEST(trained(*task, 1).size() == 1u);
  EXPECT_ERROR(UsageError, make("lines", text, {{"split", "line"}}),
               "unknown --split 'line'; expected text or number");
}

BOOST_AUTO_TEST_CASE(the_split_does_not_depend_on_the_alphabet) {
  const auto task = make("lines", numbered_lines());
  const auto other = make("lines", numbered_lines(), {{"characters", "9876543210xyz "}});
  BOOST_TEST(other->vocabulary() == 15);  // including the end-of-line token
  BOOST_TEST((held_out(*task) == held_out(*other)));
}

BOOST_AUTO_TEST_CASE(empty_lines_and_foreign_line_ends) {
  const auto task = make("lines", "\r\n\n\nab\r\n\nd\n\r\nc d");
  BOOST_TEST(task->vocabulary() == 6);  // no carriage return
  BOOST_TEST(task->context() == 4);
  BOOST_TEST((held_out(*task) == std::multiset<std::string>{"\nd\n"}));
  BOOST_TEST((trained(*task, 100) == std::set<std::string>{"\nab\n", "\nc d\n"}));
  const auto of_mac = make("lines", "\r\rab\r\rd\r\rc d");
  BOOST_TEST(of_mac->vocabulary() == 6);
  BOOST_TEST((held_out(*of_mac) == std::multiset<std::string>{"\nd\n"}));
  BOOST_TEST((trained(*of_mac, 100) == std::set<std::string>{"\nab\n", "\nc d\n"}));
}

BOOST_AUTO_TEST_CASE(lines_of_many_bytes) {
  const auto task = make("lines", "\xC3\xA9v\xC3\xA9\n\xE2\x82\xAC\nd\n");
  BOOST_TEST(task->context() == 4);
  BOOST_TEST(task->vocabulary() == 5);
  BOOST_TEST(task->show(task->parse("\xE2\x82\xAC\xC3\xA9")) == "\xE2\x82\xAC\xC3\xA9");
  EXPECT_ERROR(ValueError, task->parse("dab"),
               "lines: 'a' (U+0061) is not one of the model's 5 characters");
}

BOOST_AUTO_TEST_CASE(the_end_token_is_a_target) {
  const auto task = make("lines", numbered_lines());
  const Batch batch = make_batch({{task->parse("\n7\n"), 1}, {task->parse("\n12\n"), 1}});
  expect_equal(batch.inputs, tensor({0, 8, 0, 0, 2, 3}, {2, 3}, DType::i32));
  expect_equal(batch.targets, tensor({8, 0, -1, 2, 3, 0}, {2, 3}, DType::i32));
}

BOOST_AUTO_TEST_CASE(the_longest_line) {
  const auto with = [&](Index length, const char* context) {
    return make("lines", "a\nd\n\n" + std::string(length, 'b') + "\nc\n", {{"context", context}});
  };
  BOOST_TEST(with(1024, "0")->context() == 1025);
  BOOST_TEST(with(1024, "0")->recorded_options().at("context") == "1024");
  BOOST_TEST(with(5, "20")->context() == 21);
  BOOST_TEST(with(5, "5")->context() == 6);
  EXPECT_ERROR(FileError, with(1025, "0"),
               scratch.file("x") +
                   ": line 4 has 1025 characters, expected at most 1024; pass --context 1025");
  EXPECT_ERROR(
      FileError, with(6, "5"),
      scratch.file("x") + ": line 4 has 6 characters, expected at most 5; pass --context 6");
  EXPECT_ERROR(FileError, with(65536, "0"),
               scratch.file("x") + ": line 4 has 65536 characters, expected at most 1024");
  BOOST_TEST(with(65535, "65535")->context() == 65536);
}

BOOST_AUTO_TEST_CASE(refuses) {
  const std::string path = scratch.file("x");
  const auto with = [&](const std::string& bytes) { return make("lines", bytes); };
  EXPECT_ERROR(SystemError, standard_task("lines", {{"data", scratch.file("gone")}}),
               scratch.file("gone") + ": No such file or directory");
  EXPECT_ERROR(FileError, with(""), path + ": all lines are empty");
  EXPECT_ERROR(FileError, with("\n\r\n\n"), path + ": all lines are empty");
  EXPECT_ERROR(FileError, with("a\nb\nc"),
               path +
                   ": 0 of 3 lines in the validation set (one in sixteen, by a hash); add lines, "
                   "since training and validation both need at least one");
  EXPECT_ERROR(FileError, with("d\nd\n"),
               path +
                   ": 2 of 2 lines in the validation set (one in sixteen, by a hash); add lines, "
                   "since training and validation both need at least one");
  EXPECT_ERROR(FileError, with("a\ncaf\xE9\nd"),
               path +
                   ": not UTF-8 text: byte 0xe9 at offset 5; if it is Latin-1, convert it with "
                   "iconv -f CP1252 -t UTF-8");
  EXPECT_ERROR(FileError, make("lines", "a\n\nd\nbac\n", {{"characters", "da"}}),
               path + ": 'b' (U+0062) in line 4 is not one of the model's 3 characters");
}

BOOST_AUTO_TEST_CASE(a_trained_one_needs_no_data) {
  const std::string path = scratch.write("x", numbered_lines());
  const auto registry = make_registry();
  TrainConfig config;
  config.task = "names";
  config.task_options = {{"data", path}};
  const auto task = make_task(config, registry);
  BOOST_TEST(config.task_options.at("characters") == "\n0123456789");
  BOOST_TEST(config.task_options.at("context") == "2");
  std::filesystem::remove(path);

  const auto later = make_task(config, registry);
  BOOST_TEST(later->vocabulary() == task->vocabulary());
  BOOST_TEST(later->context() == task->context());
  BOOST_TEST(later->end_token() == task->end_token());
  BOOST_TEST(later->show(later->parse("73")) == "73");
  BOOST_TEST((later->recorded_options() == task->recorded_options()));
  const auto refuses = [](const Task& without, const std::string& reason) {
    EXPECT_ERROR(FileError, without.held_out_size(), reason);
    EXPECT_ERROR(FileError, without.held_out_example(0), reason);
    EXPECT_ERROR(FileError, without.training_example(0, 0, 0), reason);
  };
  refuses(
      *later,
      path + ": No such file or directory; if it has moved, pass its new path with --data FILE");
  config.task_options["data"] = "";
  refuses(*make_task(config, registry), "--data is required: a text file to take examples from");
  // A data file that doesn't fit the model doesn't prevent generation either.
  config.task_options["data"] = scratch.write("y", "100\n");
  refuses(*make_task(config, registry),
          scratch.file("y") + ": line 1 has 3 characters, expected at most 2; pass --context 3");
}

BOOST_AUTO_TEST_CASE(names_is_lines_with_other_defaults) {
  const Registry registry = make_registry();
  const TaskEntry &lines = registry.find_task("lines"), &names = registry.find_task("names");
  BOOST_TEST_REQUIRE(names.options.size() == lines.options.size());
  for (std::size_t i = 0; i < lines.options.size(); ++i)
    BOOST_TEST(names.options[i].name == lines.options[i].name);
  BOOST_TEST(names.summary != lines.summary);
  BOOST_TEST(names.recipe.model.width == 64);
}

// A few steps on repetitions of one line teach that line, including its end.
BOOST_AUTO_TEST_CASE(a_model_generates_a_line_and_stops) {
  std::string text = "d\n";
  for (int i = 0; i < 20; ++i) text += "abba\n";
  TrainConfig config;
  config.task = "lines";
  config.task_options = {{"data", scratch.write("x", text)}};
  config.model.layers = config.model.heads = 1;
  config.model.width = 16;
  config.batch = 16;
  config.steps = 60;
  config.lr = 1e-2;
  config.eval_every = 0;
  const Registry registry = make_registry();
  config = validated(config, registry);
  RunFolder folder = RunFolder::create(scratch.file("run"));
  TrainObserver silent;
  make_task(config, registry);  // completes the options
  train(make_plan(config, registry), registry, folder, silent, false);
  const auto task = make_task(config, registry);
  const auto model = make_model(config, *task, registry);
  folder.load(*model->module, nullptr, nullptr);
  SampleOptions options;
  options.temperature = 0;
  options.tokens = 20;
  options.end = task->end_token();
  BOOST_TEST(task->show(generate(*model, {task->end_token()}, options)) == "\nabba\n");
}

BOOST_AUTO_TEST_SUITE_END()

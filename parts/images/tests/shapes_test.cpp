#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/tasks.hpp"
#include "../image_task.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(shapes)

namespace {

int label(const Example& example) { return example.tokens.back(); }
/// Returns the brightness levels of the pixels; the ids below 8 are classes.
std::vector<int> levels(const Example& example) {
  std::vector<int> all;
  for (Index i = 0; i < example.question; ++i) all.push_back(example.tokens[i] - 8);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(its_image) {
  const auto task = standard_task("shapes", "side=10");
  const ImageShape& shape = dynamic_cast<const ImageTask&>(*task).image();
  BOOST_TEST(shape.rows == 10);
  BOOST_TEST(shape.columns == 10);
  BOOST_TEST(shape.channels == 1);
  BOOST_TEST(shape.levels == 16);
  BOOST_TEST(shape.classes == 8);
  BOOST_TEST(task->illustration());
  BOOST_TEST(!standard_task("copy")->illustration());
}

BOOST_AUTO_TEST_CASE(its_sizes) {
  expect_sizes({"shapes", "", 24, 256, 1, 256});
  expect_sizes({"shapes", "side=9", 24, 81, 1, 81});
}

BOOST_AUTO_TEST_CASE(classes_are_equally_frequent) {
  const auto task = standard_task("shapes");
  std::map<std::string, int> counts;
  for (Index i = 0; i < 1000; ++i)
    for (const Example& example : training_and_held_out(*task, i))
      ++counts[shown_answer(*task, example)[0]];
  BOOST_TEST(counts.size() == 8u);
  for (const auto& [name, count] : counts) BOOST_TEST((count > 190 && count < 310), name);
}

// With fixed rotation and position and without noise, each drawing has the shape of its name.
BOOST_AUTO_TEST_CASE(drawings_match_their_names) {
  const auto task = standard_task("shapes", "side=32 shift=0 turn=0 noise=0");
  std::set<std::string> seen;
  for (Index number = 0; number < 100; ++number) {
    const Example example = task->held_out_example(number);
    const std::string name = shown_answer(*task, example)[0];
    const std::vector<int> image = levels(example);
    const auto lit = [&](int row, int column) { return image[row * 32 + column] > 0; };
    int area = 0;
    bool mirrored = true, turned = true;
    for (int row = 0; row < 32; ++row)
      for (int column = 0; column < 32; ++column) {
        area += lit(row, column);
        mirrored = mirrored && lit(row, column) == lit(row, 31 - column);
        turned = turned && lit(row, column) == lit(column, 31 - row);
      }
    seen.insert(name);
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(area > 50);
      BOOST_TEST(mirrored == (name != "moon"));
      BOOST_TEST(turned == (name != "moon" && name != "bar" && name != "triangle"));
      const bool hollow = name == "ring" || name == "frame";
      BOOST_TEST(lit(16, 16) == (!hollow && name != "moon"));
    }
  }
  BOOST_TEST(seen.size() == 8u);
}

BOOST_AUTO_TEST_CASE(options_move_turn_and_blur) {
  const std::string still = "side=16 shift=0 turn=0 noise=0";
  const auto lit = [](const std::string& options) {
    const auto task = standard_task("shapes", options);
    int dark = 0;
    for (Index number = 0; number < 20; ++number)
      for (const int level : levels(task->held_out_example(number))) dark += level == 0;
    return dark;
  };
  BOOST_TEST(lit("side=16 shift=0 turn=0 noise=30") < 0.8 * lit(still));
  const auto bars_lie = [](const std::string& options) {
    const auto task = standard_task("shapes", options);
    for (Index number = 0; number < 200; ++number) {
      const Example example = task->held_out_example(number);
      if (label(example) != 6) continue;
      const std::vector<int> image = levels(example);
      if (image[8 * 16 + 11] > 0) return true;  // right of the middle, outside an upright bar
    }
    return false;
  };
  BOOST_TEST(!bars_lie(still));
  BOOST_TEST(bars_lie("side=16 shift=0 turn=180 noise=0"));
}

BOOST_AUTO_TEST_CASE(no_image_is_in_both_splits) {
  const auto task = standard_task("shapes", "side=8 noise=0 shift=0 turn=0");
  for (Index number = 0; number < 500; ++number) {
    const auto [training, held_out] = training_and_held_out(*task, number);
    BOOST_TEST(!is_held_out(training.tokens.data(), training.question));
    BOOST_TEST(is_held_out(held_out.tokens.data(), held_out.question));
  }
}

BOOST_AUTO_TEST_CASE(options_out_of_range) {
  EXPECT_ERROR(UsageError, standard_task("shapes", "side=7"),
               "--side must be a whole number from 8 to 64, not '7'");
  EXPECT_ERROR(UsageError, standard_task("shapes", "shift=5"),
               "--shift must be a whole number from 0 to 4 (--side / 4), not '5'");
  EXPECT_ERROR(UsageError, standard_task("shapes", "noise=101"),
               "--noise must be a whole number from 0 to 100, not '101'");
  EXPECT_ERROR(UsageError, standard_task("shapes", "turn=181"),
               "--turn must be a whole number from 0 to 180, not '181'");
}

BOOST_AUTO_TEST_CASE(text_of_images) {
  const auto task = standard_task("shapes", "side=8");
  BOOST_TEST(task->show({0, 7, 8, 23}) == "disc moon 0 15");
  BOOST_TEST(task->parse("disc 0,15 , 3") == std::vector<int>({0, 8, 23, 11}), per_element());
  EXPECT_ERROR(
      ValueError, task->parse("16"),
      "shapes: '16' is neither a brightness level from 0 to 15 nor one of the classes disc, ring, "
      "square, frame, triangle, cross, bar, moon");
  BOOST_TEST(task->prompt_error({8, 9}) ==
             "shapes expects an image of 8 x 8: 64 numbers from 0 to 15, got 2");
  BOOST_TEST(task->prompt_error({8, 0}) ==
             "shapes expects an image of 8 x 8: 64 numbers from 0 to 15, got 1 and names of"
             " classes");
}

BOOST_AUTO_TEST_CASE(prompts_are_whole_images) {
  const auto task = standard_task("shapes", "side=8");
  const auto times = [](int count, const std::string& word) {
    std::string text;
    for (int i = 0; i < count; ++i) text += word;
    return text;
  };
  const auto prompt_error = [&](const std::string& text) {
    return task->prompt_error(task->parse(text));
  };
  for (Index number = 0; number < 300; ++number)
    for (const Example& example : training_and_held_out(*task, number))
      BOOST_TEST(task->prompt_error({example.tokens.begin(), example.tokens.end() - 1}) == "");
  for (const std::string& right : {times(64, "15 "), times(32, "0,15,")})
    BOOST_TEST(prompt_error(right) == "", right);
  for (const std::string& wrong :
       {times(63, "1 "), times(65, "1 "), times(63, "1 ") + "moon", std::string("disc")})
    BOOST_TEST(prompt_error(wrong) != "", wrong);
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/tasks.hpp"
#include "image_files.hpp"

#include <algorithm>
#include <cmath>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(file_images, InScratch)

namespace {

std::vector<int> levels(const Example& example, int classes) {
  std::vector<int> all;
  for (Index i = 0; i < example.question; ++i) all.push_back(example.tokens[i] - classes);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(training_images_come_from_the_file) {
  const std::string data = scratch.write("x", digit_lines(100));
  const auto task = standard_task("digits", {{"data", data}, {"shift", "0"}, {"turn", "0"}});
  BOOST_TEST(task->vocabulary() == 27);
  BOOST_TEST(task->context() == 64);
  BOOST_TEST(task->longest_answer() == 1);
  const std::string lines = digit_lines(100);
  for (Index number = 0; number < 50; ++number) {
    const Example example = task->training_example(0, 0, number);
    std::string text;
    for (const int level : levels(example, 10)) text += std::to_string(level) + ",";
    text += std::to_string(example.tokens.back());
    BOOST_TEST(has(lines, text));
    BOOST_TEST(!is_held_out(levels(example, 10).data(), 64, 0.2));
  }
  for (Index number = 0; number < task->held_out_size(); ++number)
    BOOST_TEST(is_held_out(levels(task->held_out_example(number), 10).data(), 64, 0.2));
}

// One white pixel away from the centre of a 9 x 9 image shows the rotation and shift.
BOOST_AUTO_TEST_CASE(training_images_are_shifted_and_rotated) {
  std::filesystem::create_directory(scratch.file("i"));
  std::string image(81, '\0');
  image[4 * 9 + 6] = '\xff';
  for (const char* part : {"train", "t10k"}) {
    scratch.write(std::string("i/") + part + "-images-idx3-ubyte", idx({1, 9, 9}, image));
    scratch.write(std::string("i/") + part + "-labels-idx1-ubyte", idx({1}, "\1"));
  }
  const auto centre = [](const std::vector<int>& seen) {
    double sum = 0, row = 0, column = 0;
    for (int i = 0; i < 81; ++i) {
      sum += seen[i];
      row += seen[i] * (i / 9 - 4.0);
      column += seen[i] * (i % 9 - 4.0);
    }
    BOOST_TEST(std::abs(sum - 255) < 40);
    return std::pair(row / sum, column / sum);
  };
  const auto furthest = [&](const TaskOptions& more) {
    TaskOptions options = more;
    options["data"] = scratch.file("i");
    const auto task = standard_task("images", options);
    double shifted = 0, angle = 0;
    for (Index number = 0; number < 100; ++number) {
      const auto [row, column] = centre(levels(task->training_example(0, 0, number), 2));
      shifted = std::max({shifted, std::abs(row), std::abs(column - 2)});
      angle = std::max(angle, std::abs(std::atan2(row, column)));
    }
    BOOST_TEST((centre(levels(task->held_out_example(0), 2)) == std::pair(0.0, 2.0)));
    return std::pair(shifted, angle * 180 / 3.14159265358979);
  };
  const auto still = furthest({{"shift", "0"}, {"turn", "0"}});
  BOOST_TEST(still.first == 0);
  const auto moved = furthest({{"shift", "1"}, {"turn", "0"}});
  BOOST_TEST(moved.first > 0.9);
  BOOST_TEST(moved.first < 1.05);
  const auto turned = furthest({{"shift", "0"}, {"turn", "30"}});
  BOOST_TEST(turned.second > 27);
  BOOST_TEST(turned.second < 31.5);
}

BOOST_AUTO_TEST_CASE(a_trained_task_needs_no_file) {
  const std::string data = write_mnist(scratch, "i");
  const auto task = standard_task("images", {{"data", data}});
  TaskOptions recorded = task->recorded_options();
  BOOST_TEST(recorded.at("size") == "8x6x1");
  BOOST_TEST(recorded.at("classes") == "class-0,class-1,class-2,class-3,class-4");
  recorded["data"] = scratch.file("gone");
  const auto without = standard_task("images", recorded);
  BOOST_TEST(without->vocabulary() == task->vocabulary());
  BOOST_TEST(without->show({4, 5, 260}) == "class-4 0 255");
  BOOST_TEST(without->parse(task->show(task->held_out_example(0).tokens)) ==
                 task->held_out_example(0).tokens,
             per_element());
  for (const auto& ask : std::vector<std::function<void()>>{
           [&] { without->held_out_example(0); }, [&] { (void)without->held_out_size(); },
           [&] { without->training_example(0, 0, 0); }})
    EXPECT_ERROR(FileError, ask(),
                 recorded["data"] +
                     ": no image files; expected train-images-idx3-ubyte (MNIST), "
                     "data_batch_1.bin or train.bin (CIFAR), "
                     "plain or .gz");
}

BOOST_AUTO_TEST_CASE(files_other_than_the_training_files) {
  const std::string data = write_mnist(scratch, "i");
  EXPECT_ERROR(FileError, standard_task("images", {{"data", data}, {"size", "28x28x1"}}),
               data + ": images have size 8x6x1, expected 28x28x1");
  EXPECT_ERROR(FileError, standard_task("images", {{"data", data}, {"classes", "a,b,c"}}),
               data + ": an image has class 3, but there are only 3 classes");
  const auto named = standard_task("images", {{"data", data}, {"classes", "a,b,c,d,e"}});
  BOOST_TEST(named->show({0, 4}) == "a e");
}

BOOST_AUTO_TEST_CASE(invalid_options_are_refused) {
  const std::string data = write_mnist(scratch, "i");
  EXPECT_ERROR(UsageError, standard_task("digits"), "--data is required: the images to train on");
  for (const char* size : {"28", "28x28", "28x28x1x1", "0x8x1", "8x-8x1", "8x8x1 ", "8x2000x1"})
    EXPECT_ERROR(
        UsageError, standard_task("images", {{"data", data}, {"size", size}}),
        fmt::format("--size must be rows, columns and channels, as in 28x28x1, not '{}'", size));
  for (const char* name : {"", "3", "a b", "x"})
    EXPECT_ERROR(
        UsageError,
        standard_task("images", {{"data", data}, {"classes", fmt::format("x,{},c,d,e", name)}}),
        fmt::format("--classes: '{}' isn't a valid class name; use distinct single words "
                    "that aren't numbers",
                    name));
}

BOOST_AUTO_TEST_SUITE_END()

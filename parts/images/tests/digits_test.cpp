#include "../../../core/error.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/tasks.hpp"
#include "../readers.hpp"
#include "image_files.hpp"

#include <numeric>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(digits, InScratch)

namespace {

std::string line(const std::string& label = "7") {
  std::string text;
  for (int i = 0; i < 64; ++i) text += fmt::format("{},", i % 17);
  return text + label;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_is_an_image) {
  const ImageData data = read_digits(scratch.write("x", digit_lines(200) + line() + "\r\n"));
  BOOST_TEST(data.shape.size() == 64);
  BOOST_TEST(data.shape.levels == 17);
  BOOST_TEST(data.shape.classes == 10);
  BOOST_TEST(data.classes[7] == "seven");
  BOOST_TEST(data.training.count() + data.held_out.count() == 201);
  BOOST_TEST(data.held_out.count() > 20);
  BOOST_TEST(data.held_out.count() < 60);
  for (const LabelledImages* part : {&data.training, &data.held_out})
    BOOST_TEST(static_cast<Index>(part->levels.size()) == 64 * part->count());
  bool found = false;
  for (const LabelledImages* part : {&data.training, &data.held_out})
    for (Index i = 0; i < part->count(); ++i) {
      const auto first = part->levels.begin() + 64 * i;
      if (first[16] != 16 || first[17] != 0) continue;
      found = found || (part->labels[i] == 7 && first[0] == 0 && first[63] == 63 % 17);
    }
  BOOST_TEST(found);
}

BOOST_AUTO_TEST_CASE(equal_images_are_in_the_same_split) {
  std::string text;
  for (int i = 0; i < 3; ++i) text += digit_lines(40);
  const ImageData data = read_digits(scratch.write("x", text));
  BOOST_TEST(data.held_out.count() % 3 == 0);
  BOOST_TEST(data.held_out.count() > 0);
}

BOOST_AUTO_TEST_CASE(malformed_lines_are_refused) {
  const std::string good = digit_lines(2);
  const auto refused = [&](const std::string& bad, const std::string& why) {
    const std::string path = scratch.write("x", good + bad + "\n");
    EXPECT_ERROR(FileError, read_digits(path), path + ": line 3: " + why);
  };
  refused(line("10"), "the number in column 65 must be a digit from 0 to 9 (the class)");
  refused(line("-1"), "the number in column 65 must be a digit from 0 to 9 (the class)");
  refused(line(""), "the number in column 65 must be a digit from 0 to 9 (the class)");
  const std::string expected = " numbers, expected 65: 8 x 8 levels from 0 to 16, and a digit";
  refused(line("7,"), "66" + expected);
  refused(line("7,1"), "66" + expected);
  refused(line("7 "), "expected 65 numbers separated by commas");
  refused(line().substr(4), "63" + expected);
  refused("17" + line().substr(1), "the number in column 1 must be a level from 0 to 16");
  refused("x" + line().substr(1), "the number in column 1 must be a level from 0 to 16");
  refused("1.5" + line().substr(1), "expected 65 numbers separated by commas");
  refused("99999999999" + line().substr(1), "the number in column 1 must be a level from 0 to 16");
  refused("\n" + line(), "1 number" + expected.substr(expected.find(',')));  // an empty line
}

BOOST_AUTO_TEST_CASE(too_few_images_are_refused) {
  const std::string path = scratch.write("x", digit_lines(1));
  EXPECT_ERROR(FileError, standard_task("digits", {{"data", path}}),
               path +
                   ": 0 of 1 image in the validation set (one in five, by a hash); add images, "
                   "since training and validation both need at least one");
  const std::string empty = scratch.write("y", "");
  EXPECT_ERROR(FileError, standard_task("digits", {{"data", empty}}),
               empty +
                   ": 0 of 0 images in the validation set (one in five, by a hash); add images, "
                   "since training and validation both need at least one");
}

BOOST_AUTO_TEST_SUITE_END()

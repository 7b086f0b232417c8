#include "../../../core/error.hpp"
#include "../../../tests/shared/support.hpp"
#include "../packed_file.hpp"
#include "../readers.hpp"
#include "image_files.hpp"

#include <numeric>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(images, InScratch)

namespace {

/// Returns a CIFAR record whose pixel i has the colour (i, i + 1, i + 2), all modulo 256.
std::string record(const std::string& labels) {
  std::string bytes = labels;
  for (int colour = 0; colour < 3; ++colour)
    for (int i = 0; i < 1024; ++i) bytes += static_cast<char>(i + colour);
  return bytes;
}

/// Expects that the MNIST folder is refused after one file is replaced.
void refused(const Scratch& scratch, const std::string& file, const std::string& bytes,
             const std::string& why) {
  const std::string folder = write_mnist(scratch, "broken");
  const std::string path = scratch.write("broken/" + file, bytes);
  EXPECT_ERROR(FileError, read_images(folder), path + ": " + why);
}

}  // namespace

BOOST_AUTO_TEST_CASE(idx_files_plain_and_packed) {
  for (const bool packed : {false, true}) {
    const ImageData data = read_images(write_mnist(scratch, packed ? "p" : "q", packed));
    BOOST_TEST(data.shape.rows == 8);
    BOOST_TEST(data.shape.columns == 6);
    BOOST_TEST(data.shape.channels == 1);
    BOOST_TEST(data.shape.levels == 256);
    BOOST_TEST(data.shape.classes == 5);
    BOOST_TEST(data.classes[4] == "class-4");
    BOOST_TEST(data.training.count() == 40);
    BOOST_TEST(data.held_out.count() == 10);
    BOOST_TEST(int{data.training.labels[7]} == 2);
    BOOST_TEST(data.training.levels[7 * 48 + 17] > 200);  // the bright stroke of class 2
    BOOST_TEST(data.training.levels[7 * 48 + 15] < 50);
  }
}

BOOST_AUTO_TEST_CASE(files_named_with_a_dot) {
  const std::string folder = write_mnist(scratch, "x");
  for (const char* part : {"train-images", "train-labels", "t10k-images", "t10k-labels"}) {
    const std::string axes = std::string(part).back() == 's' && has(part, "images") ? "3" : "1";
    std::filesystem::rename(folder + "/" + part + "-idx" + axes + "-ubyte",
                            folder + "/" + part + ".idx" + axes + "-ubyte");
  }
  BOOST_TEST(read_images(folder).training.count() == 40);
}

BOOST_AUTO_TEST_CASE(malformed_idx_files_are_refused) {
  const std::string images = "train-images-idx3-ubyte", labels = "train-labels-idx1-ubyte";
  const std::string five(5, '\1');
  refused(scratch, labels, idx({40}, std::string(39, '\1')),
          "39 bytes left, but 40 elements need 40");
  refused(scratch, labels, idx({40}, std::string(41, '\1')),
          "41 bytes left, but 40 elements need 40");
  refused(scratch, labels, idx({5}, five), "5 labels for 40 images, expected one label per image");
  refused(scratch, labels, "", "ends too early, expected 4 more bytes");
  refused(scratch, labels, std::string("\0\0\x8", 3), "ends too early, expected 1 more byte");
  refused(scratch, labels, std::string("\0\0\x8\1\0\0", 6),
          "ends too early, expected 2 more bytes");
  refused(scratch, labels, std::string("\0\0\xd\1\0\0\0\1x", 9),
          "begins with the bytes 00 00 0d 01; expected an IDX file of bytes with 1 axis, which "
          "begins with 00 00 08"
          " 01");
  refused(scratch, images, idx({40}, std::string(40, '\1')),
          "begins with the bytes 00 00 08 01; expected an IDX file of bytes with 3 axes, which "
          "begins with 00 00 08"
          " 03");
  refused(scratch, images, idx({0, 8, 6}, ""), "axis 0 has size 0, expected 1 to 4294967295");
  refused(scratch, images, idx({40, 8, 1025}, ""), "axis 2 has size 1025, expected 1 to 1024");
  refused(scratch, images, idx({0xffffffff, 1024, 1024}, "x"),
          "1 byte left, but 4294967295 x 1024 x 1024 elements need 4503599626321920");
  refused(scratch, "t10k-images-idx3-ubyte", idx({10, 6, 8}, std::string(480, '\1')),
          "images have 6 x 8 pixels, but the training images have 8 x 6");
}

// A compressed file's header must be checked before its data is decompressed into memory.
BOOST_AUTO_TEST_CASE(malformed_compressed_files_are_refused) {
  const std::string folder = write_mnist(scratch, "x", true);
  const std::string path = folder + "/train-labels-idx1-ubyte.gz";
  const auto refused = [&](const std::string& bytes, const std::string& why) {
    scratch.write("x/train-labels-idx1-ubyte.gz", bytes);
    BOOST_TEST(error_text(typeid(FileError), [&] { read_images(folder); }) == path + ": " + why);
  };
  const std::string good = gzipped(idx({40}, std::string(40, '\1')));
  refused(gzipped(idx({40}, std::string(39, '\1'))), "ends too early, expected 1 more byte");
  refused(gzipped(idx({40}, std::string(41, '\1'))), "has data after its last element");
  const std::string huge = gzipped(idx({0xf0000000}, "x"));
  refused(huge,
          fmt::format("4026531840 elements can't come from {} compressed bytes", huge.size()));
  std::string wrong = good;
  wrong[wrong.size() - 6] ^= 1;  // a wrong checksum
  scratch.write("x/train-labels-idx1-ubyte.gz", wrong);
  BOOST_TEST(has(error_text(typeid(FileError), [&] { read_images(folder); }),
                 path + ": can't be decompressed: "));
  scratch.write("x/train-labels-idx1-ubyte.gz", good.substr(0, good.size() - 9));
  BOOST_TEST(has(error_text(typeid(FileError), [&] { read_images(folder); }), path + ": "));
}

BOOST_AUTO_TEST_CASE(cifar_in_ten_classes) {
  std::filesystem::create_directory(scratch.file("c"));
  for (int batch = 1; batch <= 5; ++batch)
    scratch.write(fmt::format("c/data_batch_{}.bin", batch),
                  record({static_cast<char>(batch)}) + record("\7"));
  scratch.write("c/test_batch.bin", record("\1"));
  const ImageData data = read_images(scratch.file("c"));
  BOOST_TEST(data.shape.size() == 3072);
  BOOST_TEST(data.shape.channels == 3);
  BOOST_TEST(data.shape.classes == 10);
  BOOST_TEST(data.classes[9] == "truck");
  BOOST_TEST(data.training.count() == 10);
  BOOST_TEST(data.held_out.count() == 1);
  BOOST_TEST(int{data.training.labels[4]} == 3);
  const auto* pixel = data.training.levels.data() + 3072 + 3 * 100;
  BOOST_TEST(int{pixel[0]} == 100);
  BOOST_TEST(int{pixel[2]} == 102);

  scratch.write("c/data_batch_2.bin", record("\1") + "x");
  EXPECT_ERROR(FileError, read_images(scratch.file("c")),
               scratch.file("c/data_batch_2.bin") + ": ends too early, expected 3072 more bytes");
  std::filesystem::remove(scratch.file("c/data_batch_2.bin"));
  EXPECT_ERROR(FileError, read_images(scratch.file("c")),
               scratch.file("c") + ": no data_batch_2.bin, plain or .gz");
  scratch.write("c/data_batch_2.bin", "");
  EXPECT_ERROR(FileError, read_images(scratch.file("c")),
               scratch.file("c/data_batch_2.bin") + ": empty");
}

BOOST_AUTO_TEST_CASE(cifar_in_a_hundred_classes) {
  std::filesystem::create_directory(scratch.file("c"));
  scratch.write("c/train.bin.gz", gzipped(record("\3\52") + record("\1\2")));
  scratch.write("c/test.bin", record("\1\1"));
  const ImageData data = read_images(scratch.file("c"));
  BOOST_TEST(data.training.count() == 2);
  BOOST_TEST(int{data.training.labels[0]} == 42);  // the finer of the two labels
  BOOST_TEST(data.shape.classes == 43);
}

BOOST_AUTO_TEST_CASE(a_folder_without_images) {
  std::filesystem::create_directory(scratch.file("e"));
  EXPECT_ERROR(FileError, read_images(scratch.file("e")),
               scratch.file("e") +
                   ": no image files; expected train-images-idx3-ubyte (MNIST), "
                   "data_batch_1.bin or train.bin (CIFAR), plain or .gz");
}

BOOST_AUTO_TEST_SUITE_END()

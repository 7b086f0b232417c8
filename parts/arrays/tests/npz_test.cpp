#include "../npz.hpp"
#include "../../../tests/shared/build.hpp"
#include "../../../tests/shared/scratch.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/runs/files.hpp"

#include <cstring>

namespace tapehead {
BOOST_AUTO_TEST_SUITE(npz)

namespace {

using namespace std::string_literals;

/// The bytes of an archive with these arrays.
std::string archive_of(const Arrays& arrays) {
  const Scratch scratch;
  save_npz(scratch.file("a.npz"), arrays);
  return read_file(scratch.file("a.npz"));
}
Arrays two() {
  return {{"a", tensor({1, 2.5}, DType::f32)}, {"blocks.0.w", zeros({2, 0}, DType::f64)}};
}

void expect_refused(const std::string& bytes, const std::string& reason) {
  EXPECT_ERROR(FileError, decode_npz(bytes, "a.npz"), "a.npz: " + reason);
}
/// The bytes with a number in the place of another, at an offset from the first (or last) mark.
template <class T>
std::string with(std::string bytes, const std::string& mark, std::size_t offset, T value,
                 bool last = false) {
  const std::size_t at = last ? bytes.rfind(mark) : bytes.find(mark);
  BOOST_TEST_REQUIRE(at != std::string::npos);
  std::memcpy(&bytes[at + offset], &value, sizeof value);
  return bytes;
}
const std::string entry = "PK\1\2", local = "PK\3\4", end = "PK\5\6", end64 = "PK\6\6";

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  const Arrays read = decode_npz(archive_of(two()), "a");
  BOOST_TEST_REQUIRE(read.size() == 2U);
  for (const auto& [name, x] : two()) expect_equal(read.at(name), x);
  BOOST_TEST(decode_npz(archive_of({}), "a").empty());
  BOOST_TEST((archive_of(two()) == archive_of(two())));
}

// By numpy.savez_compressed, version 2: what transformers computes, for the suite `exchange` too.
BOOST_AUTO_TEST_CASE(reads_what_numpy_packs) {
  const Arrays read = load_npz(std::string(source_dir) + "/tests/golden/gpt2/logits.npz");
  BOOST_TEST(read.at("inputs").shape() == Shape({2, 16}));
  BOOST_TEST(read.at("logits").shape() == Shape({2, 16, 262}));
  BOOST_TEST((read.at("inputs").dtype() == DType::i32));
}

BOOST_AUTO_TEST_CASE(names_that_cant_be_are_refused) {
  const Scratch scratch;
  for (const std::string& name : {""s, "a/b"s, std::string(1001, 'x')})
    BOOST_CHECK_THROW(save_npz(scratch.file("a"), {{name, scalar(1)}}), ValueError);
  EXPECT_ERROR(ValueError, save_npz(scratch.file("a"), {{"/x", scalar(1)}}),
               "npz: \"/x\" is no name for an array");
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
  const std::string bytes = archive_of(two());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    BOOST_CHECK_THROW(decode_npz(bytes.substr(0, n), "a"), FileError);
}

BOOST_AUTO_TEST_CASE(every_changed_byte_is_refused_or_harmless) {
  const std::string bytes = archive_of(two());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned bits : {1U, 128U, 255U}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ bits);
      try {
        for (const auto& [name, x] : decode_npz(changed, "a")) BOOST_TEST(x.size() <= 2);
      } catch (const FileError& error) {
        BOOST_TEST_REQUIRE(std::string(error.what()).find('\n') == std::string::npos);
      }
    }
}

BOOST_AUTO_TEST_CASE(hostile_archives_are_refused) {
  const std::string bytes = archive_of({{"a", tensor({1, 2}, DType::f32)}});
  expect_refused("", "no zip archive: the end of its directory is missing");
  expect_refused(std::string(1000, 'x'), "no zip archive: the end of its directory is missing");
  expect_refused(bytes + std::string(70'000, 'x'),
                 "no zip archive: the end of its directory is missing");
  decode_npz(with(bytes, end, 20, std::uint16_t{3}) + "why", "a");  // a comment is no fault
  expect_refused(with(bytes, end64, 0, 0), "the end of its directory is damaged");
  const std::uint64_t size = bytes.size();
  expect_refused(with(bytes, end64, 48, ~std::uint64_t{0}),
                 fmt::format("no whole archive: 46 bytes at 18446744073709551615, and the file has "
                             "{}",
                             size));
  expect_refused(with(bytes, end64, 48, std::uint64_t{1}), "its directory is damaged at 1");
  expect_refused(with(bytes, entry, 8, std::uint16_t{1}), "\"a.npy\" is encrypted");
  expect_refused(with(bytes, entry, 10, std::uint16_t{12}),
                 "\"a.npy\" is neither stored nor deflated");
  expect_refused(with(bytes, entry, 16, 0), "\"a.npy\" is damaged: its checksum is another");
  expect_refused(with(bytes, entry, 46 + 4, 'x'), "\"a.npx\" isn't named as an array, NAME.npy");
  expect_refused(with(bytes, local, 0, 0), "\"a.npy\" isn't where the directory says");
  // The extra field behind the name: kind and length, then the size of the array and of what it
  // takes, and where it begins.
  const std::size_t extra = 46 + 5 + 4;
  expect_refused(with(bytes, entry, extra, std::uint64_t{5}),
                 "\"a.npy\" is neither stored nor deflated");
  expect_refused(
      with(bytes, entry, extra + 8, ~std::uint64_t{0}),
      fmt::format("no whole archive: 18446744073709551615 bytes at {}, and the file has {}",
                  bytes.find("\x93NUMPY"), size));
  expect_refused(with(bytes, entry, extra + 16, std::uint64_t{1} << 63),
                 fmt::format("no whole archive: 30 bytes at 9223372036854775808, and the file has "
                             "{}",
                             size));
  expect_refused(with(bytes, entry, extra - 2, std::uint16_t{7}),
                 "no whole archive: a field of 64 bits is missing");
  // One array named twice, by two entries.
  std::string twice = archive_of({{"a", scalar(1)}, {"b", scalar(1)}});
  expect_refused(with(twice, entry, 46, 'a', true), "\"a.npy\" is there twice");
  // A claim that no deflated file could fulfil.
  expect_refused(
      with(with(bytes, entry, 10, std::uint16_t{8}), entry, extra, std::uint64_t{1} << 40),
      "\"a.npy\" can't be packed into 136 bytes");
  expect_refused(with(bytes, entry, 10, std::uint16_t{8}),
                 "\"a.npy\" is damaged: it can't be unpacked");
  expect_refused(with(bytes, "\x93NUMPY", 0, 'x'), "\"a.npy\" is damaged: its checksum is another");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tapehead

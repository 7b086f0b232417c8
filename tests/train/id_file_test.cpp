// Files of token ids, and the task `text` trained on them.
#include "../../train/text/id_file.hpp"
#include "../../train/files/npy.hpp"
#include "../shared/command.hpp"
#include "../shared/json.hpp"
#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

#include <numeric>

using namespace tapehead;
using namespace std::string_literals;

BOOST_FIXTURE_TEST_SUITE(id_file, WithData)

namespace {

std::vector<int> counted(int count, int vocabulary = 1 << 15) {
  std::vector<int> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  for (int& id : ids) id %= vocabulary;
  return ids;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
template <class T>
std::string array(const std::string& type, const std::vector<T>& values) {
  return npy_header(type, {static_cast<Index>(values.size())}) + bytes_of(values);
}

std::unique_ptr<Task> task_of(const std::string& path, TaskOptions options = {}) {
  options["data"] = path;
  options.try_emplace("context", "4");
  return standard_task("text", options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_type_is_read) {
  const std::vector<int> expected = {0, 1, 100};
  const auto read = [&](const std::string& name, const std::string& bytes) {
    const IdFile file(scratch.write(name, bytes));
    BOOST_TEST(file.largest(101) == 100);
    return file.read(0, file.size(), 101);
  };
  BOOST_TEST(read("a.bin", bytes_of<std::uint16_t>({0, 1, 100})) == expected, per_element());
  BOOST_TEST(read("a.npy", array<std::uint8_t>("|u1", {0, 1, 100})) == expected, per_element());
  BOOST_TEST(read("a.npy", array<std::uint16_t>("<u2", {0, 1, 100})) == expected, per_element());
  BOOST_TEST(read("a.npy", array<std::int16_t>("<i2", {0, 1, 100})) == expected, per_element());
  BOOST_TEST(read("a.npy", array<std::uint32_t>("<u4", {0, 1, 100})) == expected, per_element());
  BOOST_TEST(read("a.npy", array<std::int32_t>("<i4", {0, 1, 100})) == expected, per_element());
  BOOST_TEST(read("a.npy", array<std::int64_t>("<i8", {0, 1, 100})) == expected, per_element());
}

BOOST_AUTO_TEST_CASE(ids_of_other_widths_are_no_bin) {
  const std::string path = scratch.file("a.bin");
  const auto refusal = [&](int bits, const std::string& type) {
    return fmt::format(
        "{0}: the numbers look like {1}-bit ids, expected 16-bit ids in a .bin; convert it to .npy "
        "with Python: numpy.save('ids.npy', numpy.fromfile('{0}', '{2}'))",
        path, bits, type);
  };
  for (const int scale : {1, 700}) {  // 99 * 700 is above 2^16
    std::vector<std::uint32_t> four;
    std::vector<std::uint64_t> eight;
    for (int i = 0; i < 100; ++i) four.push_back(i * scale), eight.push_back(i * scale);
    scratch.write("a.bin", bytes_of<std::uint32_t>({four.begin(), four.end()}));
    EXPECT_ERROR(FileError, IdFile(path), refusal(32, "<i4"));
    scratch.write("a.bin", bytes_of<std::uint64_t>({eight.begin(), eight.end()}));
    EXPECT_ERROR(FileError, IdFile(path), refusal(64, "<i8"));
  }
  // 16-bit ids that are equal or small must not be read as wider ids.
  for (const std::vector<int>& period : {std::vector<int>{0, 0}, {1, 3}, {0, 1}, {9000, 4}}) {
    std::vector<int> ids;
    for (int i = 0; i < 50; ++i) ids.insert(ids.end(), period.begin(), period.end());
    save_ids(path, ids);
    BOOST_TEST(IdFile(path).size() == 100);
  }
}

BOOST_AUTO_TEST_CASE(a_header_of_llm_c_is_none_of_the_ids) {
  const auto file = [&](std::uint32_t magic, std::uint32_t count, const std::string& ids) {
    std::vector<std::uint32_t> header(256);
    header[0] = magic, header[1] = 1, header[2] = count;
    std::string bytes;
    for (const std::uint32_t number : header) bytes += bytes_of<std::uint32_t>({number});
    return scratch.write("a.bin", bytes + ids);
  };
  const std::vector<int> expected = {5, 0, 300};
  const auto read = [&](const std::string& path) { return IdFile(path).read(0, 3, 301); };
  BOOST_TEST(read(file(20240520, 3, bytes_of<std::uint16_t>({5, 0, 300}))) == expected,
             per_element());
  BOOST_TEST(read(file(20240801, 3, bytes_of<std::uint32_t>({5, 0, 300}))) == expected,
             per_element());
  EXPECT_ERROR(
      FileError, IdFile(file(20240520, 4, bytes_of<std::uint16_t>({5, 0, 300}))),
      scratch.file("a.bin") + ": the llm.c header declares 4 ids of 16 bits, but 6 bytes follow");
}

BOOST_AUTO_TEST_CASE(written_data_is_read_back) {
  for (const char* name : {"x.npy", "x.bin"})
    for (const std::vector<int>& ids : {std::vector<int>{}, {65535}, {3, 0, 258}}) {
      save_ids(scratch.file(name), ids);
      const IdFile file(scratch.file(name));
      BOOST_TEST(file.read(0, file.size(), 65536) == ids, per_element());
    }
  save_ids(scratch.file("x.npy"), {65536});
  BOOST_TEST(IdFile(scratch.file("x.npy")).largest(65537) == 65536);
  EXPECT_ERROR(FileError, save_ids(scratch.file("x.bin"), {65536}),
               scratch.file("x.bin") + ": id 65536 needs more than 16 bits; write a .npy instead");
  EXPECT_ERROR(FileError, save_ids(scratch.file("x"), {1}),
               scratch.file("x") + ": expected a name ending in .npy or .bin");
}

BOOST_AUTO_TEST_CASE(files_without_ids_are_refused) {
  const auto refused = [&](const std::string& name, const std::string& bytes,
                           const std::string& reason) {
    const std::string path = scratch.write(name, bytes);
    EXPECT_ERROR(FileError, IdFile(path).largest(100), path + ": " + reason);
  };
  const std::string none = "not a file of token ids: ";
  refused("x.bin", "abc", "3 bytes, expected an even number for 16-bit ids");
  refused("x.bin", "\1\0\x64\0"s, "id 100 at index 1, expected 0 to 99");
  refused("x.npy", array<std::int32_t>("<i4", {5, -1}), "id -1 at index 1, expected 0 to 99");
  refused("x.npy", array<std::int64_t>("<i8", {std::int64_t{1} << 32}),
          "id 4294967296 at index 0, expected 0 to 99");
  refused("x.npy", array<float>("<f4", {1}),
          none + "element type <f4 is not supported, expected one of |u1, <u2, <i2, <u4, <i4, <i8");
  refused("x.npy", array<std::uint16_t>(">u2", {1}),
          none + "element type >u2 is not supported, expected one of |u1, <u2, <i2, <u4, <i4, <i8");
  refused("x.npy", npy_header("<u2", {1, 2}) + "abcd", none + "shape (1, 2), expected one axis");
  refused("x.npy", npy_header("<u2", {3}) + "abcd",
          none + "4 bytes of data, expected 3 elements of 2 bytes");
  refused("x.npy", npy_header("<u2", {2}) + "abc",
          none + "3 bytes of data, expected 2 elements of 2 bytes");
  // Twice as many elements, whose byte count overflows to the actual one.
  refused("x.npy", npy_header("<i8", {(Index{1} << 61) + 1}) + "12345678",
          none + "8 bytes of data, expected 2305843009213693953 elements of 8 bytes");
  refused("x.npy", "", none + "doesn't begin with \\x93NUMPY");
  const std::string whole = array<std::uint16_t>("<u2", {1, 2});
  for (std::size_t size = 0; size < whole.size(); ++size)
    BOOST_CHECK_THROW(IdFile(scratch.write("x.npy", whole.substr(0, size))), FileError);
  refused("x.txt", "ab", "expected a .npy or .bin file of token ids");
  EXPECT_ERROR(SystemError, IdFile(scratch.file("none.npy")),
               scratch.file("none.npy") + ": No such file or directory");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_cut_later_is_named) {
  const std::string path = scratch.write("x.bin", std::string(1000, '\0'));
  const IdFile file(path);
  std::filesystem::resize_file(path, 500);
  EXPECT_ERROR(FileError, file.read(249, 251, 1), path + ": the file was truncated while in use");
}

BOOST_AUTO_TEST_CASE(the_last_tenth_is_held_out) {
  save_ids(scratch.file("x.npy"), counted(1003));
  const auto task = task_of(scratch.file("x.npy"));
  BOOST_TEST(task->vocabulary() == 1003);
  BOOST_TEST(task->held_out_size() == 25);  // of 101 ids, each but the first is a target
  const std::vector<int> first = {902, 903, 904, 905, 906}, last = {998, 999, 1000, 1001, 1002};
  BOOST_TEST(task->held_out_example(0).tokens == first, per_element());
  BOOST_TEST(task->held_out_example(24).tokens == last, per_element());
  for (Index number = 0; number < 1000; ++number)
    BOOST_TEST(task->training_example(0, 1, number).tokens.back() < 902);
  BOOST_TEST(task->show(first) == "902 903 904 905 906");
  BOOST_TEST(task->parse(" 902 903\n904 905 906") == first, per_element());
  EXPECT_ERROR(ValueError, task->parse("1 x"), "text: \"x\" is not a token id, expected 0 to 1002");
  EXPECT_ERROR(ValueError, task->parse("1003"),
               "text: \"1003\" is not a token id, expected 0 to 1002");
}

BOOST_AUTO_TEST_CASE(another_file_is_held_out) {
  save_ids(scratch.file("train.bin"), counted(50));
  save_ids(scratch.file("val.bin"), {60, 61, 62, 63, 64, 65});
  const auto task = task_of(scratch.file("train.bin"), {{"held-out", scratch.file("val.bin")}});
  BOOST_TEST(task->vocabulary() == 66);
  BOOST_TEST(task->held_out_size() == 2);
  const std::vector<int> second = {64, 65};
  BOOST_TEST(task->held_out_example(1).tokens == second, per_element());
  std::set<int> seen;
  for (Index number = 0; number < 2000; ++number)
    for (int id : task->training_example(0, 1, number).tokens) seen.insert(id);
  BOOST_TEST((seen.size() == 50 && *seen.rbegin() == 49));
}

BOOST_AUTO_TEST_CASE(a_vocabulary_may_be_given) {
  save_ids(scratch.file("x.bin"), counted(100, 40));
  const TaskOptions padded = {{"vocabulary", "64"}}, small = {{"vocabulary", "39"}};
  BOOST_TEST(task_of(scratch.file("x.bin"), padded)->vocabulary() == 64);
  EXPECT_ERROR(FileError, task_of(scratch.file("x.bin"), small),
               scratch.file("x.bin") + ": id 39 at index 39, expected 0 to 38");
}

BOOST_AUTO_TEST_CASE(sizes_and_options_that_dont_fit_are_refused) {
  save_ids(scratch.file("x.bin"), counted(5));
  EXPECT_ERROR(
      FileError, task_of(scratch.file("x.bin")),
      scratch.file("x.bin") +
          ": 4 tokens for training and 1 for validation, but --context 4 needs at least 5 and 2");
  save_ids(scratch.file("x.bin"), {});
  EXPECT_ERROR(
      FileError, task_of(scratch.file("x.bin")),
      scratch.file("x.bin") +
          ": 0 tokens for training and 0 for validation, but --context 4 needs at least 5 and 2");
  const std::string text = scratch.write("x.npy", numbered_lines());
  const std::string plain = scratch.write("y.txt", numbered_lines());
  EXPECT_ERROR(UsageError, task_of(plain, {{"held-out", text}}),
               "--held-out: " + text + " has token ids, but " + plain +
                   " is text; both must be text, or both token ids");
}

BOOST_AUTO_TEST_CASE(a_run_needs_no_data_and_resumes) {
  save_ids(scratch.file("x.bin"), counted(400, 50));
  const std::string small = " --layers 1 --heads 1 --width 8 --batch 4 --eval-every 2 --context 8";
  const std::string train = "train text --data " + scratch.file("x.bin") + small;
  done(train + " --steps 4 --out " + scratch.file("whole"));
  done(train + " --steps 2 --out " + scratch.file("half"));
  done("train --resume " + scratch.file("half") + " --steps 4 --change steps");
  const auto digest = [&](const char* run) {
    return done("digest " + scratch.file(run)).text.substr(0, 16);
  };
  BOOST_TEST(digest("whole") == digest("half"));
  const json result = json_of("eval " + scratch.file("whole") + " --json");
  BOOST_TEST(result.count("bits_per_byte") == 0u);
  std::filesystem::remove(scratch.file("x.bin"));
  const std::string sample = " --prompt '1 2 3' --tokens 3 --temperature 0";
  BOOST_TEST(has(done("sample " + scratch.file("whole") + sample).text, "1 2 3 "));
}

BOOST_AUTO_TEST_SUITE_END()

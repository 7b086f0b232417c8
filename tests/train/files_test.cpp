#include "../../train/files/files.hpp"
#include "../shared/folders.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

namespace tapehead {
BOOST_FIXTURE_TEST_SUITE(files, InScratch)

namespace {

namespace fs = std::filesystem;

std::string some_bytes(std::size_t n) {
  std::string bytes(n, '\0');
  for (std::size_t i = 0; i < n; ++i) bytes[i] = i * 37 + i / 256;
  return bytes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(written_data_is_read_back) {
  const std::string path = scratch.file("f");
  for (std::size_t n : {0, 1, 4094, 4095, 4096, 4097, 8192, 300000}) {
    write_file(path, some_bytes(n));
    BOOST_TEST((read_file(path) == some_bytes(n)), n << " bytes");
  }
  expect_names(scratch.file(""), {"f"});
}

BOOST_AUTO_TEST_CASE(reading_a_file_that_tells_no_size) {
  BOOST_TEST(read_file("/proc/self/status").find("Name:") == 0);
  const std::string large = read_file("/proc/self/maps");  // takes more than one read
  BOOST_TEST(large.size() > 4096U);
  BOOST_TEST(has(large, "[stack]"));
  BOOST_TEST(large.back() == '\n');
}

BOOST_AUTO_TEST_CASE(reading_fails_with_the_systems_reason) {
  const std::string none = scratch.file("none"), folder = scratch.file("folder");
  fs::create_directory(folder);
  EXPECT_ERROR(SystemError, read_file(none), none + ": No such file or directory");
  EXPECT_ERROR(SystemError, read_file(folder), folder + ": Is a directory");
}

BOOST_AUTO_TEST_CASE(reading_without_memory_names_the_file) {
  const auto no_memory = []() -> int { throw std::bad_alloc(); };
  EXPECT_ERROR(SystemError, with_memory_errors("a", no_memory), "a: Cannot allocate memory");
  BOOST_TEST(with_memory_errors("a", [] { return 3; }) == 3);
}

BOOST_AUTO_TEST_CASE(only_a_file_is_read) {
  const std::string pipe = scratch.file("pipe");
  BOOST_TEST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  EXPECT_ERROR(FileError, read_file(pipe),
               pipe + ": a pipe can be read only once; save it to a file first");
  EXPECT_ERROR(FileError, read_file("-"),
               "-: a pipe can be read only once; save it to a file first");
  EXPECT_ERROR(FileError, read_file("/dev/zero"), "/dev/zero: expected a regular file");
}

BOOST_AUTO_TEST_CASE(a_part_of_a_file_is_read) {
  const InputFile file(scratch.write("f", "0123456789"));
  char bytes[6] = {};
  BOOST_TEST(file.size() == 10U);
  BOOST_TEST(file.read(3, bytes, 5) == 5U);
  BOOST_TEST(bytes == std::string("34567"));
  BOOST_TEST(file.read(8, bytes, 5) == 2U);
  BOOST_TEST(bytes == std::string("89567"));
  BOOST_TEST(file.read(20, bytes, 5) == 0U);
}

BOOST_AUTO_TEST_CASE(writing_fails_with_the_systems_reason) {
  const std::string nowhere = scratch.file("none/f"), folder = scratch.file("folder");
  const std::string file = scratch.write("file", "old"), below = file + "/f";
  const std::string long_name = scratch.file(std::string(300, 'x'));
  fs::create_directory(folder);
  EXPECT_ERROR(SystemError, write_file(nowhere, "x"), nowhere + ": No such file or directory");
  EXPECT_ERROR(SystemError, write_file(folder, "x"), folder + ": Is a directory");
  EXPECT_ERROR(SystemError, write_file(below, "x"), below + ": Not a directory");
  EXPECT_ERROR(SystemError, write_file(long_name, "x"), long_name + ": File name too long");
  EXPECT_ERROR(SystemError, write_file("/dev/full", "x"), "/dev/full: No space left on device");
  EXPECT_ERROR(SystemError, append_file("/dev/full", "x"), "/dev/full: No space left on device");
  EXPECT_ERROR(FileError, exists(long_name), long_name + ": File name too long");
  BOOST_TEST(!exists(nowhere));
  BOOST_TEST(!exists(below));
  expect_names(scratch.file(""), {"file", "folder"});
}

BOOST_AUTO_TEST_CASE(all_names_that_the_system_allows_work) {
  write_file(scratch.file(std::string(255, 'x')), "x");
  BOOST_TEST(read_file(scratch.file(std::string(255, 'x'))) == "x");
}

BOOST_AUTO_TEST_CASE(a_folder_that_cant_be_written_keeps_its_file) {
  const std::string folder = scratch.file("folder"), file = folder + "/config.toml";
  fs::create_directory(folder);
  fs::permissions(scratch.file(""), fs::perms(0755));
  write_file(file, "old");
  {
    const ReadOnlyFolder read_only(folder);
    EXPECT_ERROR(SystemError, write_file(file, "new"), file + ": Permission denied");
    EXPECT_ERROR(SystemError, append_file(folder + "/none", "new"),
                 folder + "/none: Permission denied");
  }
  BOOST_TEST(read_file(file) == "old");
  expect_names(folder, {"config.toml"});
}

BOOST_AUTO_TEST_CASE(a_full_disk_keeps_the_old_file) {
  const std::string file = scratch.write("f", "old");
  expect_error<SystemError>(
      [&] {
        const FullDisk full(1000);
        write_file(file, some_bytes(5000));
      },
      file + ": File too large");
  BOOST_TEST(read_file(file) == "old");
  expect_names(scratch.file(""), {"f"});
}

BOOST_AUTO_TEST_CASE(appends_all_or_nothing) {
  const std::string file = scratch.file("f");
  append_file(file, "one\n");
  append_file(file, some_bytes(900));
  expect_error<SystemError>(
      [&] {
        const FullDisk full(1000);  // fits only a part of it
        append_file(file, some_bytes(500));
      },
      file + ": File too large");
  append_file(file, "last\n");
  BOOST_TEST((read_file(file) == "one\n" + some_bytes(900) + "last\n"));
}

BOOST_AUTO_TEST_CASE(writing_follows_a_link) {
  const std::string file = scratch.write("f", "old"), link = scratch.file("link"),
                    dangling = scratch.file("dangling");
  fs::create_symlink("f", link);
  fs::create_symlink("none", dangling);
  write_file(link, "new");
  BOOST_TEST(read_file(file) == "new");
  BOOST_TEST(fs::is_symlink(link));
  write_file(dangling, "new");  // the target doesn't exist
  BOOST_TEST(read_file(dangling) == "new");
}

BOOST_AUTO_TEST_CASE(files_in_folders_are_never_written_through_links) {
  const std::string mine = scratch.write("mine", "old"), link = scratch.file("link");
  const std::string refusal =
      link + ": is a symbolic link, which could lead out of this folder; remove it";
  for (const char* target : {"mine", "none"}) {
    fs::create_symlink(target, link);
    EXPECT_ERROR(FileError, overwrite_file(link, "new"), refusal);
    EXPECT_ERROR(FileError, append_file(link, "new"), refusal);
    EXPECT_ERROR(FileError, lock_file(link), refusal);
    replace_file(link, "new");
    BOOST_TEST(read_file(link) == "new");
    BOOST_TEST(!fs::is_symlink(link));
    fs::remove(link);
  }
  BOOST_TEST(read_file(mine) == "old");
  overwrite_file(mine, "new");
  BOOST_TEST(read_file(mine) == "new");
  expect_names(scratch.file(""), {"mine"});
}

BOOST_AUTO_TEST_CASE(a_pipe_in_a_folder_is_replaced_and_never_waited_for) {
  const std::string pipe = scratch.file("pipe");
  BOOST_TEST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  EXPECT_ERROR(SystemError, append_file(pipe, "x"), pipe + ": No such device or address");
  EXPECT_ERROR(SystemError, overwrite_file(pipe, "x"), pipe + ": No such device or address");
  replace_file(pipe, "new");
  BOOST_TEST(read_file(pipe) == "new");
}

BOOST_AUTO_TEST_CASE(a_pipe_is_written_to_and_stays) {
  const std::string pipe = scratch.file("pipe");
  BOOST_TEST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int end = ::open(pipe.c_str(), O_RDWR);
  write_file(pipe, "abc");
  char bytes[4] = {};
  BOOST_TEST(::read(end, bytes, 3) == 3);
  ::close(end);
  BOOST_TEST(bytes == std::string("abc"));
  BOOST_TEST(fs::is_fifo(pipe));
}

BOOST_AUTO_TEST_CASE(links_are_replaced) {
  const std::string link = scratch.file("link"), folder = scratch.file("folder");
  replace_link(link, "here");
  replace_link(link, "there");
  BOOST_TEST(fs::read_symlink(link) == "there");
  fs::create_directory(folder);
  EXPECT_ERROR(SystemError, replace_link(folder, "x"), folder + ": Is a directory");
  expect_names(scratch.file(""), {"folder", "link"});
}

BOOST_AUTO_TEST_CASE(readers_and_other_writers_see_whole_files) {
  const std::string path = scratch.file("f");
  write_file(path, std::string(20000, 'a'));
  std::atomic<bool> done{false};
  const auto write = [&](char letter) {
    for (int i = 0; i < 25; ++i) write_file(path, std::string(20000, letter));
  };
  int torn = 0;
  std::thread reader([&] {
    while (!done) {
      const std::string text = read_file(path);
      if (text != std::string(20000, text.empty() ? 'x' : text[0])) ++torn;
    }
  });
  std::thread a(write, 'a'), b(write, 'b');
  a.join();
  b.join();
  done = true;
  reader.join();
  BOOST_TEST(torn == 0);
  expect_names(scratch.file(""), {"f"});
}

BOOST_AUTO_TEST_CASE(a_lock_has_one_holder) {
  const std::string path = scratch.file("lock");
  std::shared_ptr<void> held = lock_file(path), copy = held;
  BOOST_TEST(!!held);
  BOOST_TEST(!lock_file(path));
  held.reset();
  BOOST_TEST(!lock_file(path));
  copy.reset();
  BOOST_TEST(!!lock_file(path));
  EXPECT_ERROR(SystemError, lock_file(scratch.file("none/lock")),
               scratch.file("none/lock") + ": No such file or directory");
}

BOOST_AUTO_TEST_CASE(temporary_names_are_known) {
  BOOST_TEST(is_temporary(".tapehead-123-0.tmp"));
  for (const char* other : {"", ".tapehead-.tmp", "config.toml", ".tapehead-123-0", "a.tmp"})
    BOOST_TEST(!is_temporary(other), other);
}

BOOST_AUTO_TEST_CASE(utf8_passes) {
  for (const char* text :
       {"", "plain\n", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
        "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xef\xbb\xbfx"})
    BOOST_TEST(require_utf8(text, "f") == text);
  BOOST_TEST(require_utf8(std::string(3, '\0'), "f") == std::string(3, '\0'));
}

BOOST_AUTO_TEST_CASE(other_bytes_are_refused_at_their_offset) {
  struct Case {
    const char *text, *place;
  };
  for (const Case& c :
       {Case{"ab\xff", "0xff at offset 2"},
        Case{"\x80", "0x80 at offset 0"},   // continuation without a start
        Case{"a\xc3", "0xc3 at offset 1"},  // truncated
        Case{"\xe2\x82", "0xe2 at offset 0"}, Case{"\xe2\x82x", "0xe2 at offset 0"},
        Case{"\xc3\xa4\xf0\x9f\x98", "0xf0 at offset 2"},
        Case{"\xc0\xaf", "0xc0 at offset 0"},  // overlong
        Case{"\xc1\xbf", "0xc1 at offset 0"}, Case{"\xe0\x9f\xbf", "0xe0 at offset 0"},
        Case{"\xf0\x8f\xbf\xbf", "0xf0 at offset 0"},
        Case{"\xed\xa0\x80", "0xed at offset 0"},      // a surrogate
        Case{"\xf4\x90\x80\x80", "0xf4 at offset 0"},  // above U+10FFFF
        Case{"\xf5\x80\x80\x80", "0xf5 at offset 0"}})
    EXPECT_ERROR(FileError, require_utf8(c.text, "runs/x"),
                 std::string("runs/x: not UTF-8 text: byte ") + c.place);
}

BOOST_AUTO_TEST_CASE(another_encoding_is_named) {
  const auto utf16 = [](const std::string& text, bool little) {
    std::string bytes;
    for (const char c : text) bytes += little ? std::string{c, '\0'} : std::string{'\0', c};
    return bytes;
  };
  const std::string text = "the hat in a tin";
  const auto refused = [](const std::string& bytes, const std::string& reason) {
    EXPECT_ERROR(FileError, require_utf8(bytes, "x.txt"), "x.txt: not UTF-8 text" + reason);
  };
  refused("\xff\xfe" + utf16(text, true), " but UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
  refused("\xfe\xff" + utf16(text, false), " but UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
  refused(utf16(text, true), " but UTF-16; convert it with iconv -f UTF-16LE -t UTF-8");
  refused(utf16(text, false), " but UTF-16; convert it with iconv -f UTF-16BE -t UTF-8");
  refused("\x1f\x8b\x08 and more", " but compressed; decompress it with gunzip");
  refused("caf\xe9 au lait",
          ": byte 0xe9 at offset 3; if it is Latin-1, convert it with iconv -f CP1252 -t UTF-8");
  // Some zeros are valid text, and a piece from the middle has no byte order mark.
  const std::string zeros = std::string(5, '\0') + "a" + std::string(5, '\0');
  BOOST_TEST(require_utf8(zeros, "x.txt") == zeros);
  BOOST_TEST(require_utf8("PK\3\4", "x.txt", 100) == "PK\3\4");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tapehead

// Ids written from a text, and read back together with their tokens.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/tasks.hpp"
#include "../../../train/text/id_file.hpp"

#include <numeric>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(id_text, WithData)

namespace {

std::vector<int> counted(int count, int vocabulary) {
  std::vector<int> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  for (int& id : ids) id %= vocabulary;
  return ids;
}

std::unique_ptr<Task> task_of(const std::string& path, TaskOptions options) {
  options["data"] = path;
  options.try_emplace("context", "4");
  return standard_task("text", options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(merges_give_the_ids_a_text) {
  const std::string merges = scratch.write("merges.txt", "t h\nth e\n");
  save_ids(scratch.file("x.npy"), counted(200, 259));
  const TaskOptions gpt2 = {{"tokens", "gpt2"}, {"merges", merges}};
  BOOST_TEST(task_of(scratch.file("x.npy"), gpt2)->show({257, 64}) == "thea");
  save_ids(scratch.file("x.npy"), counted(400, 260));
  EXPECT_ERROR(FileError, task_of(scratch.file("x.npy"), gpt2),
               scratch.file("x.npy") + ": id 259 at index 259, expected 0 to 258");
  EXPECT_ERROR(
      FileError, task_of(scratch.file("x.npy"), {{"tokens", "bpe"}}),
      scratch.file("x.npy") + ": a file of ids; --tokens bpe requires a text to learn merges from");
}

BOOST_AUTO_TEST_CASE(ids_of_a_text_are_written) {
  const std::string text = scratch.write("x.txt", "aé");
  const std::string to = " --out " + scratch.file("x.bin");
  BOOST_TEST(done("tokens --from " + text + to).text ==
             "3 tokens for 3 bytes: " + scratch.file("x.bin") + "\n");
  const std::vector<int> expected = {'a', 0xc3, 0xa9};
  BOOST_TEST(IdFile(scratch.file("x.bin")).read(0, 3, 256) == expected, per_element());
}

BOOST_AUTO_TEST_CASE(a_bin_can_be_read_as_bytes) {
  const std::string a = scratch.write("a.bin", std::string(400, '\0')),
                    b = scratch.write("b.bin", std::string(200, '\0')), run = scratch.file("run");
  BOOST_TEST(task_of(a, {{"tokens", "bytes"}})->vocabulary() == 256);
  done("train text --data " + a + " --tokens bytes --context 9 --layers 1 --heads 2 --width 16 " +
       "--batch 16 --steps 2 --out " + run);
  const json result = json_of("eval " + run + " --data " + b + " --json");
  BOOST_TEST(result["examples"] == 23);  // examples with 199 targets in all
}

BOOST_AUTO_TEST_SUITE_END()

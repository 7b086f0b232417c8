#include "../../parts/parts.hpp"
#include "../../train/config/options.hpp"
#include "../shared/json.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(list_commands)

namespace {

json entry_of(const json& tasks, const std::string& name) {
  for (const json& entry : tasks)
    if (entry["name"] == name) return entry;
  BOOST_FAIL("no task " + name);
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(tasks_as_text) {
  const Output output = done("tasks");
  expect_plain(output.text);
  BOOST_TEST(output.text.find("copy: repeat a sequence of tokens\n"
                              "  teaches  a head learns to attend a fixed distance back\n"
                              "  models   gpt\n"
                              "  options  --length 16 --lengths --symbols 16 --index-hints\n"
                              "  recipe   --layers 1 --heads 2 --lr 0.003 --steps 300\n"
                              "  expect   exact match 100 %\n"
                              "\n") == 0);
}

BOOST_AUTO_TEST_CASE(one_entry_by_name) {
  const Output copy = done("tasks copy");
  expect_plain(copy.text);
  BOOST_TEST(copy.text ==
             "copy: repeat a sequence of tokens\n"
             "  teaches  a head learns to attend a fixed distance back\n"
             "  models   gpt\n"
             "  option   --length 16: tokens in a sequence\n"
             "  option   --lengths: several lengths, equally often: 1..20, 10..100..10 or\n"
             "           4,8,16 (default: one)\n"
             "  option   --symbols 16: number of different tokens, at most 36\n"
             "  option   --index-hints: number of index tokens, one before each symbol\n"
             "           (default: none)\n"
             "  recipe   --layers 1 --heads 2 --lr 0.003 --steps 300\n"
             "  expect   exact match 100 %\n");
  const Output softmax = done("ops softmax");
  BOOST_TEST(lines_of(softmax.text).size() == 5u, softmax.text);
  BOOST_TEST(has(softmax.text, "\n           softmax(x, axis=-1)\n"));
  BOOST_TEST(has(softmax.text, "\n           docs/ops/softmax.md\n"));
  BOOST_TEST(!has(done("ops").text, "docs/"));
  BOOST_TEST(has(softmax.text, "\n  softmax  "));
  BOOST_TEST(lines_of(done("layers Linear").text).size() == 1u);
  BOOST_TEST(json_of("tasks reverse copy --json").size() == 2u);
  BOOST_TEST(json_of("ops softmax --json")[0]["name"] == "softmax");
  expect_refused("tasks coppy", "unknown task 'coppy'; did you mean 'copy'?");
  expect_refused("ops softmxa", "unknown op 'softmxa'; did you mean 'softmax'?");
  expect_refused("layers Linaer", "unknown layer 'Linaer'; did you mean 'Linear'?");
}

BOOST_AUTO_TEST_CASE(tasks_as_json) {
  const json tasks = json_of("tasks --json");
  const Registry registry = make_registry();
  BOOST_TEST(tasks.size() == registry.tasks().size());
  const json reverse = entry_of(tasks, "reverse");
  BOOST_TEST(reverse["recipe"]["arch"] == "encoder");
  BOOST_TEST(reverse["recipe"]["lr"] == 0.003);
  BOOST_TEST(reverse["recipe"]["steps"] == 300);
  BOOST_TEST(reverse["recipe"].count("batch") == 0u);  // omitted, since it is the common default
  BOOST_TEST(reverse["options"][0]["name"] == "length");
  BOOST_TEST(reverse["options"][0]["default"] == "16");
  BOOST_TEST(reverse["options"][0]["help"] == "tokens in a sequence");
  BOOST_TEST(reverse["expected"] == "exact match 100 %");
}

// Training with the listed options gives the default configuration.
BOOST_AUTO_TEST_CASE(listed_recipes_are_complete) {
  const json tasks = json_of("tasks --json");
  const Registry registry = make_registry();
  const auto& options = common_options(registry);
  for (const TaskEntry& entry : registry.tasks()) BOOST_TEST_CONTEXT(entry.name) {
      TrainConfig config;
      const json listed = entry_of(tasks, entry.name);
      for (const auto& [name, value] : listed["recipe"].items())
        apply({{name, value.is_string() ? value.get<std::string>() : value.dump()}}, options,
              config);
      for (const Option& option : options)
        BOOST_TEST(option.get(config) == option.get(entry.recipe), option.name);
    }
}

BOOST_AUTO_TEST_SUITE_END()

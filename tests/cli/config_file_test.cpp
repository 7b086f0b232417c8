#include "../../cli/options/config_file.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../parts/parts.hpp"
#include "../shared/command.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(config_file)

namespace {

const Registry& registry() {
  static const Registry all = make_registry();
  return all;
}

void expect_damaged(const std::string& text, const std::string& message) {
  expect_error<FileError>([&] { config_from_toml(text, "run/config.toml", registry()); }, message);
}

std::string value_of(const std::string& line) {
  const Settings settings = parse_toml(line, "x.toml");
  BOOST_TEST_REQUIRE(settings.size() == 1);
  return settings[0].second;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_option_survives_a_round_trip) {
  const TaskEntry& entry = registry().find_task("copy");
  TrainConfig config = default_config(entry);
  // Each option gets a different value, whatever its type.
  for (const Option& option : all_options(entry, registry())) {
    const std::string before = option.get(config);
    std::string other = option.kind == "N" ? "7" : "seven";
    if (option.kind == "X" || option.kind == "P") other = "0.75";
    if (option.kind == "A..B") other = "1..7";
    if (option.kind == "true|false") other = before == "true" ? "false" : "true";
    if (option.choices.size() == 1) continue;
    if (!option.choices.empty()) other = option.choices[before == option.choices[0] ? 1 : 0];
    option.set(config, other);
    BOOST_TEST(option.get(config) != before, option.name);
  }
  const TrainConfig read = config_from_toml(to_toml(config, registry()), "x.toml", registry());
  for (const Option& option : read_options(config, registry()))
    if (option.name != "out") BOOST_TEST(option.get(read) == option.get(config), option.name);
  BOOST_TEST(read.task == "copy");
  BOOST_TEST(read.out == "");  // not recorded, since a run may be moved
}

BOOST_AUTO_TEST_CASE(numbers_are_exact) {
  TrainConfig config = default_config(registry().find_task("copy"));
  config.lr = 0.1 + 0.2;
  config.own.texts["min-lr"] = "5e-324";
  config.seed = ~std::uint64_t{0};
  const TrainConfig read = config_from_toml(to_toml(config, registry()), "x.toml", registry());
  BOOST_TEST(read.lr == config.lr);
  BOOST_TEST(read.own.texts.at("min-lr") == "5e-324");
  BOOST_TEST(read.seed == config.seed);
}

BOOST_AUTO_TEST_CASE(strings_survive_a_round_trip) {
  for (const std::string text : {"plain", "", "two words", "quo\"te", "back\\slash", "it's",
                                 "# no comment", "a = b", "é日🙂", "line\nfeed\ttab\r\x01\x7f",
                                 "007", "1e3", "-0", "1_000", "0x10", "nan", "true"}) {
    const std::string line = "name = " + toml_value(text);
    BOOST_TEST(line.find('\n') == std::string::npos);
    BOOST_TEST(value_of(line) == text);
  }
}

BOOST_AUTO_TEST_CASE(only_numbers_and_booleans_are_unquoted) {
  BOOST_TEST(toml_value("16") == "16");
  BOOST_TEST(toml_value("-0.5") == "-0.5");
  BOOST_TEST(toml_value("1e-05") == "1e-05");
  BOOST_TEST(toml_value("true") == "true");
  BOOST_TEST(toml_value("false") == "false");
  BOOST_TEST(toml_value("f32") == "\"f32\"");
  BOOST_TEST(toml_value("007") == "\"007\"");  // not a valid TOML number
  BOOST_TEST(toml_value("1.") == "\"1.\"");
  BOOST_TEST(toml_value("1e") == "\"1e\"");
  BOOST_TEST(toml_value("-") == "\"-\"");
}

BOOST_AUTO_TEST_CASE(reads_handwritten_files) {
  const Settings settings = parse_toml(
      "\xef\xbb\xbf# a comment, after the mark that some editors write\n"
      "\n"
      " [ train ] # a table\n"
      "  steps=1_000   # another\r\n"
      "\"lr\" = +1e-3\n"
      "data = 'C:\\texts\\a.txt'\n"
      "\t'keep'\t=\t2\t\r\n"
      "flag = true",
      "x.toml");
  const Settings expected = {{"steps", "1000"},
                             {"lr", "1e-3"},
                             {"data", "C:\\texts\\a.txt"},
                             {"keep", "2"},
                             {"flag", "true"}};
  BOOST_TEST((settings == expected));
}

BOOST_AUTO_TEST_CASE(all_string_escapes_are_read) {
  const Settings settings = parse_toml(R"(data = "\n\t\r\b\f\"\\\u0007'" # "no escape")", "x.toml");
  const Settings expected = {{"data", "\n\t\r\b\f\"\\\a'"}};
  BOOST_TEST((settings == expected));
}

BOOST_AUTO_TEST_CASE(missing_options_have_the_default_values) {
  const TrainConfig config = config_from_toml("task = 'copy'\nsteps = 3", "x.toml", registry());
  BOOST_TEST(config.steps == 3);
  BOOST_TEST(config.batch == registry().find_task("copy").recipe.batch);
  BOOST_TEST(config.task_options.at("length") == "16");
}

BOOST_AUTO_TEST_CASE(errors_name_the_problem_and_its_position) {
  expect_damaged("", "run/config.toml: expected a line 'task = \"NAME\"'");
  expect_damaged("task = 'coppy'", "run/config.toml:1: unknown task 'coppy'; did you mean 'copy'?");
  expect_damaged("task = 'copy'\nhedas = 4",
                 "run/config.toml:2: copy has no option --hedas; did you mean --heads?");
  expect_damaged("task = 'copy'\nxyz = 4", "run/config.toml:2: copy has no option --xyz");
  expect_damaged("task = 'copy'\nheads = four",
                 "run/config.toml:2: --heads: expected a whole number, got 'four'");
  expect_damaged("task = 'copy'\nqk-norm = 1",
                 "run/config.toml:2: --qk-norm: expected true or false, got '1'");
  expect_damaged("task = 'copy'\nlr = 1e-3x",
                 "run/config.toml:2: --lr: expected a number, got '1e-3x'");
  expect_damaged("task = 'copy'\nheads = 4\nheads = 8",
                 "run/config.toml:3: heads is given a second time");
  expect_damaged("task", "run/config.toml:1: expected 'task = value'");
  expect_damaged("[train", "run/config.toml:1: expected a ] after the table's name");
  expect_damaged("[train] x", "run/config.toml:1: expected the end of the line after [train]");
  expect_damaged("[model]",
                 "run/config.toml:1: unknown table [model]; expected [train], or no table");
  expect_damaged("task = ", "run/config.toml:1: expected a value");
  expect_damaged("task = 'copy", "run/config.toml:1: a string without its closing '");
  expect_damaged("task = 'copy' 5",
                 "run/config.toml:1: expected the end of the line after the value of task");
  expect_damaged(
      "task = \"co\\qpy\"",
      "run/config.toml:1: unknown escape in a string; expected one of \\n \\t \\r \\b \\f "
      "\\\" \\\\ \\u00XX");
  expect_damaged(
      "task = \"copy\\",
      "run/config.toml:1: unknown escape in a string; expected one of \\n \\t \\r \\b \\f "
      "\\\" \\\\ \\u00XX");
  for (const char* code : {"20ac", "00", "", "00g0", "+041"})
    expect_damaged(
        fmt::format("task = \"copy\\u{}", code),
        "run/config.toml:1: \\u is supported only for control characters, from \\u0000 to \\u007F");
  expect_damaged(std::string("\x7f"
                             "ELF\0\0",
                             6),
                 "run/config.toml:1: expected a name");
}

BOOST_AUTO_TEST_CASE(damaged_files_give_errors_and_never_crash) {
  const std::string whole = to_toml(default_config(registry().find_task("copy")), registry());
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    for (const std::string& text :
         {whole.substr(0, cut), whole.substr(0, cut) + '\xff' + whole.substr(cut),
          whole.substr(0, cut) + '"' + whole.substr(cut)}) {
      try {
        config_from_toml(text, "x.toml", registry());
      } catch (const FileError&) {
        continue;  // some damaged files are still valid; any other exception fails the test
      }
    }
}

BOOST_AUTO_TEST_CASE(later_settings_win) {
  const TaskEntry& entry = registry().find_task("copy");
  TrainConfig config = default_config(entry);
  apply({{"lr", "1"}, {"length", "8"}, {"lr", "2"}}, all_options(entry, registry()), config);
  BOOST_TEST(config.lr == 2);
  BOOST_TEST(config.task_options.at("length") == "8");
}

BOOST_AUTO_TEST_CASE(error_names_the_program_that_wrote_the_file) {
  Registry mine = registry();
  mine.program = "mine";
  mine.attention("wide", [](const AttentionLayerOptions& options) {
    return std::make_unique<Linear>(options.width, options.width);
  });
  TrainConfig config = default_config(mine.find_task("copy"));
  config.attention = "wide";
  const Scratch scratch;
  const std::string folder = scratch.file("run");
  RunFolder::create(folder).write_config(to_toml(config, mine));
  BOOST_TEST(recorded_config(RunFolder::open(folder), mine).attention == "wide");
  const std::string text =
      error_text(typeid(FileError), [&] { recorded_config(RunFolder::open(folder), registry()); });
  BOOST_TEST(text.rfind(folder + "/config.toml: unknown --attention 'wide'; ", 0) == 0, text);
  BOOST_TEST(missing(text, {"; open it with the program that made it, 'mine'"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()

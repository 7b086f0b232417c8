// Checks that each option of the commands other than `train` (options_test.cpp) has an effect, and
// that an invalid value gives an error.
#include "../../cli/extensions.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/option_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(command_options, Elsewhere)

namespace {

/// The runs that the rows use:
/// `runs/answers` has a task with answers, `runs/text` is trained on text; in both, the best
/// checkpoint isn't the last.
/// `runs/other` is `runs/answers` with another learning rate.
/// `runs/copy` is a gpt with two layers of two heads.
/// `runs/learned` is trained until its answers are right.
/// `line` is the first word of each line of `text.txt`, and the whole content of `word.txt`.
const CommandRows ours({
    {"attention runs/answers", "input", "4 3 2 1", "4 3 2 1", "z", "reverse: 'z' isn't one of"},
    {"attention runs/answers", "layer", "1", "", "9",
     "--layer 9: out of range; the model has layers 0 to 1"},
    {"attention runs/answers", "head", "1", "", "x", "--head: expected a whole number, got 'x'"},
    {"attention runs/answers", "format", "npy", "NUMPY", "png",
     "unknown --format 'png'; expected "},
    {"attention runs/answers", "checkpoint", "best", "", "first",
     "--checkpoint first: expected last, best or the step of a checkpoint; "},
    {"attention runs/text", "data", "other.txt", "", "none.txt", "none.txt: No such file"},
    {"attention runs/answers", "out", "map.npy", "", "no/map.npy", "no/map.npy: No such file"},
    {"attention runs/answers", "threads", "3", CommandRow::unchanged, "-1",
     "--threads must be from 0 to 1024, not -1"},
    {"bench tiny --variant plain --batch 2 --seconds 0.01", "threads", "1", " 1 thread ", "-1",
     "--threads must be from 0 to 1024, not -1"},
    {"bench tiny --threads 1 --batch 2 --seconds 0.01", "variant", "dropout", "", "none",
     "unknown variant 'none'; expected plain, "},
    {"bench tiny --variant plain --batch 2 --seconds 0.01", "context", "16", "2 x 16", "-1",
     "--context must be from 1 to 65536, or 0 for the configuration's own, not -1"},
    {"bench tiny --variant plain --context 8 --seconds 0.01", "batch", "3", "3 x 8", "-1",
     "--batch must be from 1 to 65536, or 0 for the configuration's own, not -1"},
    {"bench tiny --variant plain --batch 2", "seconds", "0.01", "", "0",
     "--seconds must be above 0 and "},
    {"bench tiny --variant plain --batch 2 --seconds 0.01", "json", "", "\"peak", "", ""},
    {"compare x^2 x^3 x=3", "json", "", "{", "", ""},
    {"compare x^2 x^3 x=3", "quiet", "", "", "", "", "", 0, 1},
    {"compare runs/answers runs/learned", "example", "3", "example 3", "-1",
     "--example -1: the validation examples"},
    {"compare runs/answers runs/other", "step", "5", "weights at step 5", "9",
     "--step 9: not a checkpoint of both runs; both have checkpoints at steps "},
    {"digest runs/answers", "all", "", "5  ", "", ""},
    {"digest runs/answers", "json", "", "{", "", ""},
    {"digest runs/answers", "checkpoint", "best", "", "x", "--checkpoint x: expected"},
    {"eval runs/answers", "examples", "7", "of 7 validation examples", "0",
     "--examples must be at least 1"},
    {"eval runs/answers", "length", "2x", "length 8", "0",
     "--length must be a whole number, or a "},
    {"eval runs/answers", "lengths", "2..4", "95 % interval", "4..2",
     "--lengths must be a length from 1 to 65535, a range "},
    {"eval runs/answers", "by", "length", "by source length", "width",
     "unknown --by 'width'; expected length"},
    {"eval runs/text", "data", "other.txt", "", "none.txt", "none.txt: No such file or directory"},
    {"eval runs/answers", "checkpoint", "best", "", "x", "--checkpoint x: expected"},
    {"eval runs/text --json", "weights", "bf16", "", "f16",
     "unknown --weights 'f16'; did you mean 'bf16'?"},
    {"eval runs/answers", "threads", "3", CommandRow::unchanged, "1025",
     "--threads must be from 0 to 1024, not 1025"},
    {"eval runs/answers", "json", "", "{", "", ""},
    {"check Linear", "json", "", "{", "", ""},
    {"gradcheck exp", "json", "", "{", "", ""},
    {"gradcheck exp", "steps", "", "rounding grows", "", ""},
    {"layers", "json", "", "[", "", ""},
    {"ops", "json", "", "{", "", ""},
    {"parts", "json", "", "[", "", ""},
    {"tasks", "json", "", "[", "", ""},
    {"man", "write", "pages", "", "/dev/null/x", "/dev/null/x/share/man/man1: Not a directory"},
    {"explain x^2 x=3", "json", "", "{", "", ""},
    {"explain x^2 x=3", "tape", "", "watch", "", ""},
    {"explain x^2 x=3", "forward", "x=1", "tangent", "y=1", "unknown variable 'y'"},
    {"explain runs/answers", "example", "3", "", "-1", "--example -1: the validation examples"},
    {"explain runs/answers", "prompt", "4 3 2 1", "4 3 2 1", "z", "reverse: 'z' isn't one of"},
    {"explain runs/answers", "element", "blocks.0/add[0,0,0]", "its gradient", "x", "unknown step"},
    {"explain runs/answers", "checkpoint", "best", "", "first", "--checkpoint first: "},
    {"explain runs/text", "data", "other.txt", "", "none.txt", "none.txt: No such file"},
    {"sample runs/answers", "prompt", "4 3 2 1", "4 3 2 1", "z", "reverse: 'z' isn't one of"},
    {"sample runs/text", "samples", "2", "", "0", "--samples must be at least 1, not 0"},
    {"sample runs/text", "temperature", "0", "", "-1", "sample: --temperature must be at least 0"},
    {"sample runs/text", "top-k", "1", "", "-1", "sample: --top-k must be at least 0, not -1"},
    {"sample runs/text", "top-p", "0.1", "", "2", "sample: --top-p must be above 0 and at most 1"},
    {"sample runs/text", "tokens", "9", "", "-1", "sample: --tokens must be at least 0, not -1"},
    {"sample runs/answers", "examples", "2", "", "0", "--examples must be at least 1, not 0"},
    {"sample runs/text", "seed", "1", "", "x", "--seed: expected a whole number, got 'x'"},
    {"sample runs/text --tokens 3", "probs", "", "%", "", ""},
    {"sample runs/text", "checkpoint", "best", "", "x", "--checkpoint x: expected"},
    {"sample runs/text --json", "data", "other.txt", "other.txt", "none.txt", "none.txt: No such"},
    {"sample runs/text --json", "threads", "2", "\"threads\": 2", "0",
     "--threads must be from 1 to 1024, not 0"},
    {"sample runs/text --json", "weights", "bf16", "", "f16", "unknown --weights 'f16'"},
    {"sample runs/text", "json", "", "{", "", ""},
    {"sweep copy --steps 1 --eval-every 0 --grid width=8 --dry-run", "grid", "heads=1,2", "heads",
     "heads", "--grid: expected an option and its values, such as lr=1e-3,3e-3, got 'heads'"},
    {"sweep copy --steps 1 --eval-every 0 --grid width=8 --out by-seeds", "seeds", "2", "", "0",
     "--seeds must be at least 1, not 0"},
    {"sweep copy --steps 1 --eval-every 0 --grid width=8", "json", "", "{", "", ""},
    {"sweep copy --steps 1 --eval-every 0 --grid width=8", "format", "csv", "val_loss_median",
     "tex", "unknown --format 'tex'; "},
    {"sweep copy --steps 1 --eval-every 0 --grid width=8", "dry-run", "", "nothing was written", "",
     ""},
    {"sweep copy --steps 1 --eval-every 0 --grid width=8 --dry-run --seeds 999", "jobs", "999",
     "999 in parallel", "-1", "--jobs must be at least 0, not -1"},
    {"sweep copy --steps 2 --eval-every 0 --width 8 --out halved --grid lr=1e-3,2e-3", "halving",
     "2", "stopped at 1", "1", "--halving must be at least 2, not 1", "halved"},
    {"sweep copy --steps 1 --eval-every 0 --width 8 --out by-length --position none --grid "
     "lr=1e-3,2e-3",
     "eval-lengths", "4,8", "exact match by length", "8..4",
     "--eval-lengths must be a length from 1 to 65535, a range "},
    {"sweep copy --steps 1 --width 8 --out drawn --grid lr=1e-3..1e-2", "random", "2", "2 of 2",
     "0", "--random must be at least 1, not 0", "", 2},
    {"sweep copy --length 4 --symbols 4 --width 8 --heads 1 --steps 4 --min-lr 0 --lr-range "
     "1e-6..10",
     "lr-range", "1e-3..10", "1 of 4: lr=0.001,", "0..1", "--lr-range 0..1: expected two rates",
     "sweeps/copy-lr"},
    {"sweep --read swept", "by", "last", "last validation loss", "lst",
     "unknown --by 'lst'; did you mean 'last'?"},
    {"sweep", "read", "swept", "validation loss", "no",
     "no/sweep.json: no finished sweep here; repeat the command that started it to continue", "",
     2},
});

/// Returns all rows, including the rows of `export` if there is an export format.
std::vector<CommandRow> all_rows() {
  std::vector<CommandRow> all = option_rows().commands;
  const Registry registry = make_registry();
  std::set<std::string> formats;
  for (const ExportFormat& format : registry.extensions<ExportFormat>())
    formats.insert(format.name);
  if (formats.empty()) return all;
  const CommandRow checkpoint = {"export runs/text there",   "checkpoint", "best", "", "x",
                                 "--checkpoint x: expected", "there"};
  CommandRow format = {"export runs/text there",    "format", *formats.rbegin(), "", "gguf",
                       "unknown --format 'gguf'; ", "there"};
  CommandRow overwrite = {"export runs/text taken --format ", "overwrite", "", "taken", "", ""};
  overwrite.command += formats.count("npz") > 0 ? "npz" : *formats.rbegin();
  overwrite.without = 2;
  all.insert(all.end(), {checkpoint, format, overwrite});
  return all;
}

/// Creates the runs and files of the rows in the working folder.
void make_runs() {
  const auto text = [](int factor) {
    std::string all;
    for (int i = 0; i < 400; ++i) all += fmt::format("line {} of it\n", i * i * factor % 997);
    return all;
  };
  std::ofstream("text.txt") << text(1);
  std::ofstream("other.txt") << text(2);
  std::ofstream("word.txt") << "line";
  std::ofstream("taken") << "a file that export doesn't replace unasked";
  // The large learning rates make the model worse before the end, so that last and best differ.
  const std::string small =
      " --width 8 --batch 8 --eval-every 1 --optimizer sgd --clip 0 --warmup 0 "
      "--schedule constant";
  for (const char* line : {"train reverse --length 4 --symbols 5 --layers 2 --heads 2 --lr 6 "
                           "--steps 5 --position rotary --out runs/answers",
                           "train text --data text.txt --context 16 --layers 1 --heads 1 --lr 3 "
                           "--steps 3 --out runs/text",
                           "train copy --length 4 --symbols 4 --layers 2 --heads 2 --lr 1 "
                           "--steps 3 --out runs/copy"})
    done(line + small);
  done(
      "train reverse --length 4 --symbols 5 --layers 2 --heads 2 --lr 1 --steps 5 --position "
      "rotary "
      "--out runs/other" +
      small);
  done(
      "train reverse --length 4 --symbols 5 --layers 1 --heads 2 --width 16 --steps 60 --lr 1e-2 "
      "--eval-every 0 --out runs/learned");
  done("sweep copy --steps 1 --eval-every 0 --grid width=8 --out swept");
  for (const auto prepare : option_rows().preparations) prepare();
}

/// Runs a row's command with its option, and with the value unless the option is a flag.
Output with(const CommandRow& row, const std::string& value) {
  Words all = words_of(row.command);
  all.push_back("--" + row.option);
  if (!value.empty()) all.push_back(value);
  return command(all);
}

/// Returns the options in a command's help and in the help of its first subcommand or task, except
/// for options of `train`.
std::vector<std::string> listed(const std::string& name) {
  const std::regex within("usage: [^\n]*(TASK|COMMAND) [^\n]*\n\n  ([^ ]+)  ");
  std::set<std::string> names;
  for (Words words = {name};;) {
    Words asked = words;
    asked.insert(asked.end(), {"--help", "all"});
    const std::string help = command(asked).text;
    for (const std::string& option : options_in(help.substr(0, help.find("\nTask\n"))))
      names.insert(option);
    std::smatch inner;
    if (!std::regex_search(help, inner, within)) break;
    words.push_back(inner[2]);
  }
  names.erase("help");
  return {names.begin(), names.end()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_options_are_tested) {
  const std::string help = command("--help").text;
  const std::regex line("\n  ([a-z]+)  ");
  int commands = 0;
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (name == "train" || option_rows().commands_elsewhere.count(name) > 0) continue;
    ++commands;
    std::vector<std::string> known;
    for (const CommandRow& row : all_rows())
      if (words_of(row.command)[0] == name) known.push_back(row.option);
    for (const auto& [tested, suite] : option_rows().commands_elsewhere)
      if (const std::string start = name + " --"; tested.compare(0, start.size(), start) == 0)
        known.push_back(tested.substr(start.size()));
    std::vector<std::string> found = listed(name);
    std::sort(known.begin(), known.end()), std::sort(found.begin(), found.end());
    BOOST_TEST_CONTEXT(name) { BOOST_TEST(known == found, per_element()); }
  }
  BOOST_TEST(commands >= 14);
}

BOOST_AUTO_TEST_CASE(each_option_has_an_effect) {
  make_runs();
  // outputs of the commands without the option, which many rows share
  std::map<std::string, Output> known;
  for (const CommandRow& row : all_rows()) {
    BOOST_TEST_CONTEXT(row.command << " --" << row.option << " " << row.value) {
      if (known.count(row.command) == 0) known[row.command] = command(words_of(row.command));
      if (!row.writes.empty()) std::filesystem::remove_all(row.writes);
      const Output before = known[row.command], after = with(row, row.value);
      BOOST_TEST(before.status == row.without);
      BOOST_TEST(after.status == row.status);
      BOOST_TEST(after.errors == "");
      BOOST_TEST((before.text == after.text) == (row.shows == CommandRow::unchanged));
      if (row.shows == CommandRow::unchanged) continue;
      if (row.shows.empty()) continue;
      BOOST_TEST(before.text.find(row.shows) == std::string::npos);
      BOOST_TEST(after.text.find(row.shows) != std::string::npos, after.text);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_option_refuses_invalid_values) {
  make_runs();
  for (const CommandRow& row : all_rows()) {
    if (row.wrong.empty()) continue;
    BOOST_TEST_CONTEXT(row.command << " --" << row.option << " " << row.wrong) {
      const Output output = with(row, row.wrong);
      const std::string begin = "tapehead: " + row.error;
      BOOST_TEST(output.status != 0);
      BOOST_TEST(output.text == "");
      BOOST_TEST(output.errors.substr(0, begin.size()) == begin);
      BOOST_TEST(std::count(output.errors.begin(), output.errors.end(), '\n') == 1);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

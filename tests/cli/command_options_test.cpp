// Every option of every command but `train` (options_test.cpp) has an effect, and a wrong value
// of it a message.
#include "../shared/command.hpp"
#include "../shared/folders.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(command_options, Elsewhere)

namespace {

struct Row {
  std::string command;  ///< and what it is called with
  std::string option, value;
  std::string shows;         ///< what is printed with it, and isn't without it; none: anything else
  std::string wrong, error;  ///< none: it takes anything, or nothing
};

/// `runs/answers` answers questions, `runs/text` continues a text; the last checkpoint of neither
/// is its best. `runs/copy` is a gpt with two layers of two heads, and `runs/learned` answers with
/// what it was asked.
const std::vector<Row> rows = {
    {"attention runs/answers", "input", "4 3 2 1", "4 3 2 1", "z", "reverse: 'z' is not made of"},
    {"attention runs/answers", "summary", "", "what the loss costs", "", ""},
    {"attention runs/answers", "layer", "1", "", "9", "--layer 9: the model has 0 to 1"},
    {"attention runs/answers", "head", "1", "", "x", "--head: expected a whole number, got 'x'"},
    {"attention runs/answers", "format", "svg", "<svg", "png",
     "unknown --format 'png'; there are "},
    {"attention runs/answers", "checkpoint", "best", "", "first",
     "unknown --checkpoint 'first'; there are last, best"},
    {"attention runs/answers", "out", "map.svg", "", "no/map.svg", "no/map.svg: No such file"},

    {"bench tiny --variant plain --batch 2 --seconds 0.01", "threads", "1", " 1 thread ", "-1",
     "--threads must be from 0 to 1024, not -1"},
    {"bench tiny --threads 1 --batch 2 --seconds 0.01", "variant", "dropout", "", "none",
     "unknown variant 'none'; there are plain, "},
    {"bench tiny --variant plain --batch 2 --seconds 0.01", "context", "16", "2 x 16", "-1",
     "--context must be from 1 to 65536, or 0 for the configuration's own, not -1"},
    {"bench tiny --variant plain --context 8 --seconds 0.01", "batch", "3", "3 x 8", "-1",
     "--batch must be from 1 to 65536, or 0 for the configuration's own, not -1"},
    {"bench tiny --variant plain --batch 2", "seconds", "0.01", "", "0",
     "--seconds must be above 0 and "},
    {"bench tiny --variant plain --batch 2 --seconds 0.01", "json", "", "\"peak", "", ""},

    {"digest runs/answers", "all", "", "5  ", "", ""},
    {"digest runs/answers", "json", "", "{", "", ""},

    {"eval runs/answers", "examples", "7", "of 7 held-out", "0", "--examples must be at least 1"},
    {"eval runs/answers", "length", "2x", "length 8", "0",
     "--length must be a whole number, or a "},
    {"eval runs/text", "data", "other.txt", "", "none.txt", "none.txt: No such file or directory"},
    {"eval runs/answers", "predictions", "p.npz", "predictions: p.npz", "no/p.npz",
     "no/p.npz: No such file or directory"},
    {"eval runs/answers", "checkpoint", "best", "", "x", "unknown --checkpoint 'x'"},
    {"eval runs/text --json", "weights", "bf16", "", "f16",
     "unknown --weights 'f16'; did you mean 'bf16'?"},
    {"eval runs/answers", "json", "", "{", "", ""},

    {"export runs/text there", "format", "npz", "there: 16 arrays", "gguf",
     "unknown --format 'gguf'; there are huggingface, npz, onnx"},
    {"export runs/text there", "checkpoint", "best", "", "x", "unknown --checkpoint 'x'"},

    {"import hub", "out", "runs/in", "runs/in · ", "runs/text", "runs/text exists already"},
    {"import hub", "merges", "hub/merges.txt", "", "none.txt", "none.txt: No such file or"},

    {"check Linear", "json", "", "{", "", ""},

    {"gradcheck exp", "json", "", "{", "", ""},
    {"gradcheck exp", "steps", "", "rounding grows", "", ""},
    {"gradcheck exp --steps", "out", "v.svg", "written to v.svg", "no/v.svg", "no/v.svg: No such"},
    {"inspect lens runs/copy", "input", "3 2 1 0", "3 2 1 0", "z", "copy: 'z' is not made of"},
    {"inspect lens runs/copy", "example", "3", "example 3", "-1",
     "--example must be at least 0, not -1"},
    {"inspect lens runs/copy", "position", "6", "at position 6", "99",
     "--position 99: the model reads positions 0 to 6"},
    {"inspect lens runs/copy --example 1", "token", "1", "logit of 1", "3 3",
     "--token 3 3: takes one token, not 2"},
    {"inspect lens runs/copy", "against", "3", "less that of 3", "z", "copy: 'z' is not made of"},
    {"inspect gradients runs/copy", "weight", "blocks.0.mlp.in.weight", "Gradient of blocks.0.",
     "x", "--weight x: take one that inspect gradients lists, as blocks.0.attention."},
    {"inspect gradients runs/copy", "norms", "", "Gradient norms", "", ""},
    {"inspect circuits runs/copy", "layer", "1", "head 1.0", "2",
     "layer 2: the model has layers 0 to 1"},
    {"inspect circuits runs/copy", "head", "1", "head 0.1", "2",
     "head 2: layer 0 has heads 0 to 1"},
    {"inspect circuits runs/copy", "tokens", "3 1", "of 2 tokens", "z", "copy: 'z' is not made of"},
    {"inspect neurons runs/copy", "neuron", "7", "Neuron 7", "32",
     "neuron 32: layer 0 has neurons 0 to 31"},
    {"inspect neurons runs/copy", "top", "3", "Shown are 3 of 32", "-1",
     "--top must be at least 0, not -1"},
    {"inspect ablate runs/answers", "examples", "7", "on 7 held-out", "0",
     "--examples must be at least 1, not 0"},
    {"inspect ablate runs/answers", "by", "zero", ": zeros.", "x",
     "unknown --by 'x'; there are mean, zero"},
    {"inspect ablate runs/answers", "heads", "0.1,1.0", "heads 0.1,1.0", "2.0",
     "unknown --heads '2.0'"},
    {"inspect ablate runs/answers", "pairs", "", "heads 0.0 and 1.1", "", ""},
    {"inspect ablate runs/answers", "positions", "", "Loss above", "", ""},
    {"inspect ablate runs/answers", "checkpoint", "best", "", "first", "unknown --checkpoint"},
    {"inspect ablate runs/answers", "checkpoints", "all", "over checkpoints", "0",
     "--checkpoints must be all, or at least 1, not 0"},
    {"inspect ablate runs/answers", "out", "found.txt", "", "found.png",
     "--out found.png: the ending must be .html, .json or .txt"},
    {"inspect ablate runs/answers", "json", "", "{", "", ""},
    {"inspect patch runs/learned", "clean", "4 3 2 1", "Clean: 4 3 2 1", "z",
     "reverse: 'z' is not made of"},
    {"inspect patch runs/learned", "corrupted", "4 0 2 1", "Corrupted: 4 0 2 1", "4 3",
     "reverse reads 4 tokens, as in"},
    {"layers", "json", "", "[", "", ""},
    {"learn 1", "into", "here", "exercise.cpp; then", "text.txt", "text.txt: is no folder"},
    {"learn 1", "student", "17", "", "-1", "--student -1: must be at least 0"},
    {"learn check solved", "hint", "", "Nothing is left", "", ""},
    {"learn check solved", "json", "", "{", "", ""},
    {"learn check mistaken", "no-answers", "", "", "", ""},
    {"learn fault", "seed", "3", "", "-1", "--seed -1: must be at least 0"},
    {"learn fault", "answer", "8 two", "Right.", "x", "--answer: expected a line and a kind"},
    {"learn fault", "kinds", "", "overwritten", "", ""},
    {"learn fault", "out", "fault.html", "fault.html", "fault.txt",
     "--out fault.txt: the ending must be .html"},
    {"new a", "layer", "mine", "build/mine --", "Mine", "--layer: 'Mine' is no name"},
    {"new b", "task", "mine", "build/mine --", "copy", "--task: 'copy' is there already"},
    {"new c", "optimizer", "mine", "build/mine --", "sgd", "--optimizer: 'sgd' is there already"},
    {"new d", "op", "mine", "build/mine --", "exp", "--op: 'exp' is there already"},
    {"ops", "json", "", "{", "", ""},
    {"parts", "json", "", "[", "", ""},
    {"tasks", "json", "", "[", "", ""},

    {"man", "write", "pages", "", "/dev/null/x", "/dev/null/x/share/man/man1: Not a directory"},

    {"report runs/answers", "watch", "", "ended", "", ""},
    {"report runs/answers", "out", "page.html", "page.html", "no/page.html", "no/page.html: No "},

    {"explain x^2 x=3", "json", "", "{", "", ""},
    {"explain x^2 x=3", "out", "graph.svg", "", "no/x.html", "no/x.html: No such file"},
    {"explain x^2 x=3", "tape", "", "watch", "", ""},
    {"explain runs/answers", "example", "3", "", "-1", "--example -1: the held-out examples"},
    {"explain runs/answers", "prompt", "4 3 2 1", "4 3 2 1", "z", "reverse: 'z' is not made of"},
    {"explain runs/answers", "element", "blocks.0/add[0,0,0]", "its gradient", "x", "unknown step"},
    {"explain runs/answers", "checkpoint", "best", "", "first", "unknown --checkpoint"},

    {"sample runs/answers", "prompt", "4 3 2 1", "4 3 2 1", "z", "reverse: 'z' is not made of"},
    {"sample runs/text", "samples", "2", "", "0", "--samples must be at least 1, not 0"},
    {"sample runs/text", "temperature", "0", "", "-1", "sample: --temperature must be at least 0"},
    {"sample runs/text", "top-k", "1", "", "-1", "sample: --top-k must be at least 0, not -1"},
    {"sample runs/text", "top-p", "0.1", "", "2", "sample: --top-p must be above 0 and at most 1"},
    {"sample runs/text", "tokens", "9", "", "-1", "sample: --tokens must be at least 0, not -1"},
    {"sample runs/answers", "examples", "2", "", "0", "--examples must be at least 1, not 0"},
    {"sample runs/text", "seed", "1", "", "x", "--seed: expected a whole number, got 'x'"},
    {"sample runs/text --tokens 3", "probs", "", "%", "", ""},
    {"sample runs/text", "checkpoint", "best", "", "x", "unknown --checkpoint 'x'"},
    {"sample runs/text --json", "threads", "2", "\"threads\": 2", "0",
     "--threads must be from 1 to 1024, not 0"},
    {"sample runs/text --json", "weights", "bf16", "", "f16", "unknown --weights 'f16'"},
    {"sample runs/text", "json", "", "{", "", ""},

    {"sweep copy --steps 1 --eval-every 0 --grid width=8", "grid", "heads=1,2", "heads", "heads",
     "--grid: expected an option and its values, lr=1e-3,3e-3, got 'heads'"},
    {"sweep copy --steps 1 --eval-every 0 --grid width=8", "seeds", "2", "", "0",
     "--seeds must be at least 1, not 0"},
    {"sweep copy --steps 1 --eval-every 0 --grid width=8", "json", "", "{", "", ""},

    {"tokens --run runs/text", "from", "word.txt", "for 4 bytes", "none", "none: No such file or"},
    {"tokens line", "merges", "merges.txt", "li   ne", "none.txt", "none.txt: No such file or"},
    {"tokens line", "run", "runs/text", "", "runs/none", "runs/none: "},
    {"tokens --merges merges.txt <|endoftext|>", "special", "", "1 token for", "", ""},
    {"tokens line", "out", "ids.npy", "4 tokens for 4 bytes: ids.npy", "ids.txt",
     "ids.txt: ids are written to a .npy or a .bin"},
    {"tokens line", "json", "", "{", "", ""},
};

/// The runs and the file that the rows speak of, in the working folder.
void make_runs() {
  const auto text = [](int factor) {
    std::string all;
    for (int i = 0; i < 400; ++i) all += fmt::format("line {} of it\n", i * i * factor % 997);
    return all;
  };
  std::ofstream("text.txt") << text(1);
  std::ofstream("other.txt") << text(2);
  std::ofstream("word.txt") << "line";
  std::ofstream("merges.txt") << "l i\nn e\n";
  // Steps as long as these make it worse before the end.
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
      "train reverse --length 4 --symbols 5 --layers 1 --heads 2 --width 16 --steps 60 --lr 1e-2 "
      "--eval-every 0 --out runs/learned");
  std::filesystem::copy(std::string(source_dir) + "/tests/golden/gpt2", "hub");
  for (const auto& [folder, work] : {std::pair("solved", "solution"), {"mistaken", "wrong-2"}}) {
    done(std::string("learn 1 --into ") + folder);
    std::filesystem::copy_file(
        fmt::format("{}/cli/learn/exercises/01-chain-rule/{}.cpp", source_dir, work),
        std::string(folder) + "/exercise.cpp", std::filesystem::copy_options::overwrite_existing);
  }
}

/// A row's command with its option, and the value unless it is a flag.
Output with(const Row& row, const std::string& value) {
  Words all = words_of(row.command);
  all.push_back("--" + row.option);
  if (!value.empty()) all.push_back(value);
  return command(all);
}

/// The options that a command's help lists, but for those that `train` has too.
std::vector<std::string> listed(const std::string& name) {
  Words asked = {name, "--help", "all"};
  if (name == "sweep") asked.insert(asked.begin() + 1, "copy");
  std::string help = command(asked).text;
  if (name == "sweep") help.resize(help.find("\nTask\n"));
  std::vector<std::string> names = options_in(help);
  names.erase(std::remove(names.begin(), names.end(), "help"), names.end());
  return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_are_tested) {
  const std::string help = command("--help").text;
  const std::regex line("\n  ([a-z]+)  ");
  int commands = 0;
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (name == "train" || name == "launch") continue;  // ranks_command_test.cpp
    ++commands;
    std::vector<std::string> known;
    for (const Row& row : rows)
      if (words_of(row.command)[0] == name) known.push_back(row.option);
    std::vector<std::string> found = listed(name);
    std::sort(known.begin(), known.end()), std::sort(found.begin(), found.end());
    BOOST_TEST_CONTEXT(name) { BOOST_TEST(known == found, per_element()); }
  }
  BOOST_TEST(commands == 22);
}

BOOST_AUTO_TEST_CASE(each_has_its_effect) {
  make_runs();
  std::map<std::string, Output> known;  // what many begin with
  for (const Row& row : rows) {
    BOOST_TEST_CONTEXT(row.command << " --" << row.option << " " << row.value) {
      if (known.count(row.command) == 0) known[row.command] = command(words_of(row.command));
      const std::vector<std::string> words = words_of(row.command);
      // written before
      if (words[0] == "new") std::filesystem::remove_all(words[1]);
      if (words[0] == "export") std::filesystem::remove_all(words[2]);
      const Output before = known[row.command], after = with(row, row.value);
      const bool needed = row.option == "from";  // where there is no other text
      const int status = words.back() == "mistaken" ? 1 : 0;
      BOOST_TEST(before.status == (needed ? 2 : status));
      BOOST_TEST(after.status == status);
      BOOST_TEST(after.errors == "");
      BOOST_TEST(before.text != after.text);
      if (row.shows.empty()) continue;
      BOOST_TEST(before.text.find(row.shows) == std::string::npos);
      BOOST_TEST(after.text.find(row.shows) != std::string::npos, after.text);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_refuses_what_cannot_be) {
  make_runs();
  for (const Row& row : rows) {
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

#include "../../cli/terminal/generated.hpp"
#include "../../parts/parts.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(sample_command, Elsewhere)

namespace {

const std::string small = " --layers 1 --heads 2 --width 8 --batch 8 --steps 12 --seed 1";
void train_copy() { done("train copy --length 4 --symbols 4 --out copy" + small); }
void train_text() {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "hello world\n";
  std::ofstream("a.txt") << text;
  done("train text --data a.txt --context 16 --out text" + small);
}

/// Returns the prompt of a run's first validation example, without spaces.
std::string first_question(const std::string& run) {
  const json document = json_of("sample " + run + " --examples 1 --json");
  std::string text = document["prompts"][0]["prompt"].get<std::string>();
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

/// A task of words from the letters a and b, one per line. The newline is the end token and
/// precedes the first word.
class Names : public Task {
 public:
  Index vocabulary() const override { return 3; }
  Index context() const override { return 6; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    Random random({seed, Draw::batch, static_cast<std::uint32_t>(step), 0,
                   static_cast<std::uint32_t>(number)});
    return example(random);
  }
  Index held_out_size() const override { return 20; }
  Example held_out_example(Index number) const override {
    Random random({0, Draw::batch, 0, 1, static_cast<std::uint32_t>(number)});
    return example(random);
  }
  bool has_answers() const override { return false; }
  int end_token() const override { return 0; }
  std::string show(const std::vector<int>& tokens) const override {
    std::string text;
    for (int token : tokens) text += "\nab"[token];
    return text;
  }
  std::vector<int> parse(const std::string& text) const override {
    std::vector<int> tokens;
    for (char c : text) {
      const std::size_t token = std::string("\nab").find(c);
      if (token == std::string::npos) throw ValueError("names: '{}' is not a or b", c);
      tokens.push_back(token);
    }
    return tokens;
  }

 private:
  static Example example(Random& random) {
    Example e{{0}, 1};
    for (Index length = 1 + random.below(4); length > 0; --length)
      e.tokens.push_back(1 + random.below(2));
    e.tokens.push_back(0);
    return e;
  }
};

Registry with_names() {
  Registry registry = make_registry();
  TaskEntry entry;
  entry.name = "ab";
  entry.make = [](const TaskOptions&) { return std::make_unique<Names>(); };
  registry.task(entry);
  return registry;
}
void train_names(const Registry& registry) {
  done("train ab --out ab" + small + " --steps 100", registry);
}

}  // namespace

// ---- several at once

BOOST_AUTO_TEST_CASE(several_answers_to_a_prompt) {
  train_copy();
  const std::string ask = "sample copy --prompt '0 1 2 3'";
  const auto five = lines_of(command(ask + " --samples 5").text);
  BOOST_TEST_REQUIRE(five.size() == 6u);
  BOOST_TEST(five[0] == "  in   0 1 2 3");
  const auto two = lines_of(command(ask + " --samples 2").text);
  BOOST_TEST_REQUIRE(two.size() == 3u);
  for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(two[i] == five[i]);
  BOOST_TEST((std::set<std::string>(five.begin(), five.end()).size() > 3u));
  // A single sample is the first of several, although it is generated token by token.
  const auto one = lines_of(command(ask + " --samples 1").text);
  BOOST_TEST_REQUIRE(one.size() == 2u);
  BOOST_TEST(one[1] == five[1]);
  BOOST_TEST((lines_of(command(ask + " --samples 2 --seed 9").text) != two));
  // At temperature 0 all answers are equal.
  const auto cold = lines_of(command(ask + " --samples 4 --temperature 0").text);
  BOOST_TEST((std::set<std::string>(cold.begin() + 1, cold.end()).size() == 1u));
  BOOST_TEST(lines_of(command(ask).text)[1] == cold[1]);
  for (const char* none : {"0", "-1"})
    expect_refused(fmt::format("{} --samples {}", ask, none),
                   fmt::format("--samples must be at least 1, not {}", none));
}

BOOST_AUTO_TEST_CASE(refuses_invalid_input_before_any_output) {
  train_copy();
  const auto refused = [](const std::string& options, const std::string& message) {
    for (const char* more : {"", " --prompt '0 1'", " --json"})
      expect_refused("sample copy " + options + more, message);
  };
  refused("--temperature -1", "sample: --temperature must be at least 0, not -1");
  refused("--top-k -1", "sample: --top-k must be at least 0, not -1");
  refused("--top-p 0", "sample: --top-p must be above 0 and at most 1, not 0");
  refused("--tokens -1", "sample: --tokens must be at least 0, not -1");
  refused("--seed -1", "--seed must be at least 0, not -1");
  refused("--samples many", "--samples: expected a whole number, got 'many'");
}

BOOST_AUTO_TEST_CASE(writes_the_requested_number_of_tokens) {
  train_copy();
  train_text();
  for (const std::string ask :
       {"sample copy --prompt '0 1 2 3' --tokens ", "sample text --prompt he --tokens "})
    for (const std::size_t count : {0u, 1u, 3u}) {
      const json document = json_of(ask + std::to_string(count) + " --json");
      BOOST_TEST(document["prompts"][0]["samples"][0]["tokens"].size() == count);
    }
  BOOST_TEST(done("sample text --prompt he --tokens 0").text == "he\n");
}

BOOST_AUTO_TEST_CASE(several_answers_to_held_out_examples) {
  train_copy();
  const Output output = done("sample copy --examples 2 --samples 3");
  expect_plain(output.text);
  std::size_t in = 0, out = 0;
  for (const std::string& line : lines_of(output.text)) {
    in += line.rfind("  in   ", 0) == 0;
    out += line.rfind("  out  ", 0) == 0;
  }
  BOOST_TEST(in == 2u);
  BOOST_TEST(out == 6u);
}

BOOST_AUTO_TEST_CASE(more_samples_than_fit_in_one_batch) {
  train_copy();
  const std::string ask = "sample copy --prompt '0 1 2 3'";
  const auto many = lines_of(command(ask + " --samples 300").text);
  BOOST_TEST(many.size() == 301u);
  std::set<std::string> last(many.begin() + 257, many.end());
  BOOST_TEST(last.size() > 10u);
  BOOST_TEST((std::vector<std::string>(many.begin() + 1, many.begin() + 45) !=
              std::vector<std::string>(many.begin() + 257, many.end())));
}

BOOST_AUTO_TEST_CASE(several_texts) {
  train_text();
  const std::string ask = "sample text --prompt hell --tokens 8";
  const std::string one = command(ask).text;
  BOOST_TEST(one.rfind("hell", 0) == 0);
  BOOST_TEST(one.size() == 4u + 8 + 1);
  const std::string two = command(ask + " --samples 2").text;
  BOOST_TEST(two.rfind("sample 1 of 2\n" + one + "\nsample 2 of 2\nhell", 0) == 0, two);
}

// ---- lines

BOOST_AUTO_TEST_CASE(generates_lines_until_they_end) {
  const Registry registry = with_names();
  train_names(registry);
  const Output ten = done("sample ab", registry);
  const auto lines = lines_of(ten.text);
  BOOST_TEST(lines.size() == 10u);
  for (const std::string& line : lines) {
    BOOST_TEST(line.find_first_not_of("ab") == std::string::npos, line);
    BOOST_TEST(line.size() <= 6u);
  }
  const auto three = lines_of(command("sample ab --samples 3", registry).text);
  BOOST_TEST((three == std::vector<std::string>(lines.begin(), lines.begin() + 3)));
  const auto one = lines_of(command("sample ab --samples 1", registry).text);
  BOOST_TEST((one == std::vector<std::string>(lines.begin(), lines.begin() + 1)));

  const std::string begun = "sample ab --prompt ab --samples 5";
  const auto ab = lines_of(command(begun, registry).text);
  BOOST_TEST(ab.size() == 5u);
  for (const std::string& line : ab) BOOST_TEST(line.rfind("ab", 0) == 0, line);
  expect_refused(command("sample ab --prompt 'a\nb'", registry),
                 "--prompt must be the beginning of one line");
  expect_refused(command("sample ab --prompt ac", registry), "names: 'c' is not a or b");

  const json document = json_of(begun + " --json", registry);
  for (std::size_t i = 0; i < 5; ++i) {
    const json& sample = document["prompts"][0]["samples"][i];
    BOOST_TEST("ab" + sample["text"].get<std::string>() == ab[i]);
    if (ab[i].size() < 6) BOOST_TEST(sample["tokens"].back()["token"] == "\n");
  }
}

// ---- prompts that don't belong to the task

BOOST_AUTO_TEST_CASE(refuses_invalid_prompts) {
  train_copy();
  const std::string form = "copy expects 4 tokens, as in 0022; got ";
  for (const char* more : {"", " --json", " --samples 2"}) {
    expect_refused(std::string("sample copy --prompt 012") + more, form + "3 tokens");
    expect_refused(std::string("sample copy --prompt 01230") + more, form + "5 tokens");
  }
}

BOOST_AUTO_TEST_CASE(explains_that_sums_are_reversed) {
  const std::string add = "train add --digits 2 --out ";
  done(add + "usual --reversed none" + small);
  done(add + "reversed" + small);
  BOOST_TEST(!has(done("sample usual --prompt 12+34=").text, "answers are"));
  for (const char* what : {"", " --prompt 12+34=", " --examples 2 --samples 2"}) {
    const Output output = done(std::string("sample reversed") + what);
    BOOST_TEST(lines_of(output.text).back() == "answers are written from the last digit");
    BOOST_TEST(count(output.text, "answers are") == 1u);
  }
  json_of("sample reversed --prompt 12+34= --json");
  expect_refused(
      "sample reversed --prompt 12+34",
      "add expects 2 digits + 2 digits =, as in " + first_question("reversed") + "; got 5 tokens");
}

// ---- prompts from standard input

BOOST_AUTO_TEST_CASE(each_line_of_standard_input_is_a_prompt) {
  train_copy();
  const std::string ask = "$TAPEHEAD sample copy --prompt -";
  const Output output = shell("printf '0 1 2 3\\n\\n3210\\r\\n1 1 2 2' | " + ask);
  BOOST_TEST(output.status == 0, output.errors);
  std::string expected;
  for (const std::string prompt : {"0 1 2 3", "3 2 1 0", "1 1 2 2"})
    expected +=
        (expected.empty() ? "" : "\n") + command("sample copy --prompt '" + prompt + "'").text;
  BOOST_TEST(output.text == expected);

  const Output wrong = shell("printf '0 1 2 3\\n0 9\\n' | " + ask);
  BOOST_TEST(wrong.status == 2);  // the error comes after the answer to the first line
  BOOST_TEST(wrong.errors ==
             "tapehead: standard input, line 2: copy: '9' isn't one of the tokens 0 to 3\n");
  const Output longer = shell("printf '0 1 2 3 0 1 2 3\\n' | " + ask + " --json");
  expect_refused(longer, "standard input, line 1: copy expects 4 tokens, as in 0022; got 8 tokens");
  BOOST_TEST(longer.text == "");
  for (const char* nothing : {"printf ''", "printf '\\n\\n'"})
    expect_refused(shell(std::string(nothing) + " | " + ask),
                   "--prompt -: standard input is empty");
}

BOOST_AUTO_TEST_CASE(text_continues_all_of_standard_input) {
  train_text();
  const Output output =
      shell("printf 'hello\\nhello world\\nhe' | $TAPEHEAD sample text --tokens 5 --prompt -");
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(output.text.rfind("hello\nhello world\nhe", 0) == 0);
  BOOST_TEST(output.text.size() == 20u + 5 + 1);
  expect_refused(shell("printf '' | $TAPEHEAD sample text --prompt -"),
                 "--prompt -: standard input is empty");
}

// ---- probabilities, JSON

BOOST_AUTO_TEST_CASE(shows_probabilities) {
  train_text();
  const Output output = done("sample text --prompt hello --tokens 12 --probs");
  expect_plain(output.text);
  BOOST_TEST(missing(output.text, {"    token     %        %        %        %        %        %\n",
                                   "\n   1  ", "\n  12  ", "␣", "↵"}) == "");
  const std::string plain = command("sample text --prompt hello --tokens 12").text;
  BOOST_TEST(output.text.rfind(plain, 0) == 0);
}

/// A task whose tokens are words instead of characters, so wide that fewer alternatives fit.
struct Wide : Names {
  std::string show(const std::vector<int>& tokens) const override {
    std::string text;
    for (int token : tokens)
      text += fmt::format("{}a-symbol-with-a-long-name-{}", text.empty() ? "" : " ", token);
    return text;
  }
};

BOOST_AUTO_TEST_CASE(shows_as_many_alternatives_as_fit) {
  GeneratedToken said{{1, 0.5}, {{1, 0.5}, {2, 0.25}, {0, 0.25}}};
  const Names narrow;
  BOOST_TEST(probabilities_text(narrow, {said}, {}) ==
             "     token     %        %        %        %\n"
             "  1  a      50.0  a  50.0  b  25.0  ↵  25.0\n");
  const Wide wide;
  const std::string text = probabilities_text(wide, {said, said}, {});
  expect_plain(text);
  BOOST_TEST(has(text, "a-symbol-with-a-long-name-1  50.0  a-symbol-with-a-long-name-1  50.0\n"));
}

BOOST_AUTO_TEST_CASE(prints_all_as_json) {
  train_copy();
  const json held_out = json_of("sample copy --examples 3 --json");
  BOOST_TEST(held_out["run"] == "copy");
  BOOST_TEST(held_out["task"] == "copy");
  BOOST_TEST(held_out["step"] == 12);
  BOOST_TEST(held_out["temperature"] == 0.0);
  BOOST_TEST(held_out["seed"] == 0);
  BOOST_TEST_REQUIRE(held_out["prompts"].size() == 3u);
  for (const json& entry : held_out["prompts"]) {
    BOOST_TEST(entry["wanted"] == entry["prompt"]);
    BOOST_TEST_REQUIRE(entry["samples"].size() == 1u);
    const json& sample = entry["samples"][0];
    BOOST_TEST((sample["right"] == (sample["text"] == entry["wanted"])));
    BOOST_TEST_REQUIRE(sample["tokens"].size() == 4u);
    for (const json& token : sample["tokens"]) {
      BOOST_TEST(token["alternatives"].size() == 4u);
      BOOST_TEST(token["alternatives"][0]["token"] == token["token"]);
      double all = 0;
      for (const json& other : token["alternatives"]) all += other["probability"].get<double>();
      BOOST_TEST(all == 1, boost::test_tools::tolerance(1e-9));
    }
  }
  const std::string ask = "sample copy --prompt '0 1 2 2' --samples 2";
  const json drawn = json_of(ask + " --json");
  const auto shown = lines_of(command(ask).text);
  BOOST_TEST(drawn["temperature"] == 1.0);
  BOOST_TEST(drawn["prompts"][0].count("wanted") == 0u);
  for (std::size_t i = 0; i < 2; ++i)
    BOOST_TEST("  out  " + drawn["prompts"][0]["samples"][i]["text"].get<std::string>() ==
               shown[i + 1]);
}

BOOST_AUTO_TEST_SUITE_END()

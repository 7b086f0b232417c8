// Puzzles: the compiled model gives the answers, right ones are accepted, and guessing doesn't
// help.
#include "../../../nn/pass.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/evaluate.hpp"
#include "../../rasp/compile.hpp"
#include "../../rasp/puzzle.hpp"
#include "../puzzle/puzzle.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(learn_puzzle, Elsewhere)

namespace {

const int puzzle_count = static_cast<int>(rasp::puzzles().size());

/// Returns a puzzle. The tests make each one once, since its program then runs all inputs.
const CircuitPuzzle& puzzle_for(int number, std::uint64_t student) {
  static std::map<std::pair<int, std::uint64_t>, CircuitPuzzle> all;
  const auto [found, is_new] = all.try_emplace({number, student});
  if (is_new) found->second = make_puzzle(number, student);
  return found->second;
}

/// Calls f with all puzzles of the first students.
template <class F>
void for_each_puzzle(std::uint64_t students, const F& f) {
  for (int number = 1; number <= puzzle_count; ++number)
    for (std::uint64_t student = 0; student < students; ++student)
      BOOST_TEST_CONTEXT("puzzle " << number << ", student " << student)
  f(puzzle_for(number, student));
}

double score(const CircuitPuzzle& puzzle, const Json& answers) {
  const CheckedWork work = check_puzzle(puzzle, answers);
  return static_cast<double>(work.passed()) / static_cast<double>(work.parts.size());
}

/// Returns the tokens that the model gives for a prompt, without bos. The hook sees each head.
std::vector<int> outputs(const rasp::Compiled& made, const std::string& prompt, Pass pass) {
  Example example{made.task->parse_prompt(prompt)};
  example.question = static_cast<Index>(example.tokens.size());
  example.tokens.insert(example.tokens.end(), example.tokens.begin(), example.tokens.end());
  const Tensor logits = logits_of(*made.model->module, made.model->batch({example}), pass);
  std::vector<int> all = most_likely_tokens(reshape(logits, Shape{logits.dim(1), logits.dim(2)}));
  all.erase(all.begin());
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(models_give_the_answers) {
  BOOST_TEST(puzzle_count == 12);
  for_each_puzzle(3, [](const CircuitPuzzle& puzzle) {
    const rasp::Compiled made =
        rasp::compile(rasp::puzzle_name(puzzle.number, puzzle.student), "f32", make_registry());
    BOOST_TEST(rasp::wrong_examples(made).empty());
    const bool is_head = has(puzzle.replaces, "head");
    const auto layer = puzzle.replaces[is_head ? 5 : 4] - '0';
    const auto head = is_head ? puzzle.replaces[7] - '0' : 0;
    const std::string module = fmt::format("blocks.{}{}", layer, is_head ? ".attention" : "");
    const auto is_at = [&](const HookPoint& point) {
      return point.module == module && std::string(point.name) == (is_head ? "heads" : "mlp_out");
    };
    Tensor other;
    Pass pass = Pass::evaluation();
    const std::vector<int> own = outputs(made, puzzle.input, pass);
    pass.hook = [&](const HookPoint& point, const Tensor& x) {
      if (is_at(point)) other = x;
      return x;
    };
    std::vector<int> second = outputs(made, puzzle.other, pass);
    second.resize(own.size(), second.back());
    bool is_new = false;  // can't be pieced together
    for (std::size_t i = 0; i < own.size(); ++i)
      is_new = is_new || (puzzle.patched[i] != own[i] && puzzle.patched[i] != second[i]);
    BOOST_TEST(is_new);
    pass.hook = [&](const HookPoint& point, const Tensor& x) {
      if (!is_at(point)) return x;
      const Index width = x.dim(2), columns = is_head ? width / puzzle.heads : width;
      Tensor y = x + 0.;
      auto* to = y.mutable_data<float>();
      for (Index t = 0; t < other.dim(1); ++t)
        for (Index c = head * columns; c < (head + 1) * columns; ++c)
          to[t * width + c] = other.data<float>()[t * width + c];
      return y;
    };
    BOOST_TEST(outputs(made, puzzle.input, pass) == puzzle.patched);
  });
}

BOOST_AUTO_TEST_CASE(accepts_right_answers_only) {
  for_each_puzzle(8, [](const CircuitPuzzle& puzzle) {
    const Json right = puzzle_solution(puzzle);
    BOOST_TEST(check_puzzle(puzzle, right).right());
    for (const std::string& edge : puzzle.carriers)
      BOOST_TEST(check_puzzle(puzzle, Json{{"role", right["role"]}, {"edge", edge}}).passed() == 2);
    std::size_t roles = 0, edges = 0;
    for (std::size_t i = 0; i < puzzle.choices.size(); ++i)
      roles += check_puzzle(puzzle, Json{{"role", std::string(1, static_cast<char>('a' + i))},
                                         {"edge", puzzle.edges[0]}})
                       .parts[0]
                       .counts()
                   ? 1
                   : 0;
    for (const std::string& edge : puzzle.edges)
      edges += check_puzzle(puzzle, Json{{"role", "a"}, {"edge", edge}}).parts[2].counts() ? 1 : 0;
    BOOST_TEST(roles == 1u);
    BOOST_TEST(edges == puzzle.carriers.size());
    const std::set<std::string> choices(puzzle.choices.begin(), puzzle.choices.end());
    BOOST_TEST(choices.size() == 8u);
    BOOST_TEST(choices.count(puzzle.carried) == 0u);
  });
}

// The expected score of a random choice, edge and outputs, even if their tokens are known.
BOOST_AUTO_TEST_CASE(guessing_scores_below_a_fifth) {
  for_each_puzzle(8, [](const CircuitPuzzle& puzzle) {
    const std::set<int> tokens(puzzle.patched.begin(), puzzle.patched.end());
    const double kinds = std::max(2., static_cast<double>(tokens.size()));
    const double role = 1 / static_cast<double>(puzzle.choices.size());
    const double patched = std::pow(kinds, -static_cast<double>(puzzle.patched.size()));
    const double edge =
        static_cast<double>(puzzle.carriers.size()) / static_cast<double>(puzzle.edges.size());
    BOOST_TEST((role + patched + edge) / 3 < 0.2);
  });
}

// Another student's answers are no better than guesses, also if told in words.
BOOST_AUTO_TEST_CASE(copying_scores_below_a_fifth) {
  constexpr std::uint64_t students = 20;
  for (int number = 1; number <= puzzle_count; ++number) {
    double sum = 0, pairs = 0;
    for (std::uint64_t giver = 1; giver <= students; ++giver) {
      const CircuitPuzzle& from = puzzle_for(number, giver);
      const Json answers = puzzle_solution(from);
      for (std::uint64_t student = 1; student <= students; ++student) {
        const CircuitPuzzle& to = puzzle_for(number, student);
        if (from.student == to.student) continue;
        ++pairs;
        try {
          sum += score(to, Json{{"role", Json()}, {"edge", answers["edge"]}});
        } catch (const UsageError&) {  // the other model has no such edge
        }
        sum += from.choices[from.role] == to.choices[to.role] ? 1. / 3 : 0;
        sum += from.input == to.input && from.patched == to.patched ? 1. / 3 : 0;
      }
    }
    BOOST_TEST(sum / pairs < 0.2, number << ": " << sum / pairs);
  }
}

BOOST_AUTO_TEST_CASE(hides_the_program) {
  const std::string shown = done("learn puzzle 5 --student 17 --into run").text;
  BOOST_TEST(missing(shown, {"run is the model.", "tapehead attention run"}) == "");
  BOOST_TEST(!std::filesystem::exists("run/circuit.json"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator("run"))
    if (entry.is_regular_file())
      for (const char* word : {rasp::puzzle_of(5, 17).program, "select", "indices"})
        BOOST_TEST(!has(contents(entry.path().string()), word), entry.path());
  const json task = json_of("learn puzzle 5 --student 17 --json");
  const auto input = task["input"].get<std::string>();
  BOOST_TEST(has(done("sample run --prompt '" + input + "'").text, "bos " + input));
  done("attention run");
  BOOST_TEST(has(done("eval run").text, "exact match 100.00 %"));
  BOOST_TEST(has(done("inspect ablate run").text, "head 0.0"));
  for (const char* line : {"rasp puzzle-5-17", "compile puzzle-5-17"})
    expect_refused(line,
                   "puzzle-5-17 is a puzzle, so its program isn't shown; see 'tapehead "
                   "learn puzzle'");
}

BOOST_AUTO_TEST_CASE(checks_answers_of_the_command) {
  const CircuitPuzzle puzzle = make_puzzle(5, 17);
  const Json right = puzzle_solution(puzzle);
  std::vector<int> tokens(static_cast<std::size_t>(puzzle.task->vocabulary()));
  std::iota(tokens.begin(), tokens.end(), 0);
  const auto answer = [&](const std::string& name, const std::string& text) {
    return command({"learn", "puzzle", "5", "--student", "17", name + "=" + text});
  };
  const auto all = [&](Words more) {
    Words words = {"learn", "puzzle", "5", "--student", "17"};
    for (const char* name : puzzle_parts)
      words.push_back(std::string(name) + "=" + right[name].string());
    words.insert(words.end(), more.begin(), more.end());
    return command(words);
  };
  BOOST_TEST(has(all({}).text, "3 of 3 answers right; next: tapehead learn puzzle 6 --student 17"));
  BOOST_TEST(has(answer("edge", "embedding->" + puzzle.edges[0].substr(12)).text, "carries"));
  expect_refused(answer("role", "x"), "learn puzzle: role: expected a letter from a to h, got 'x'");
  expect_refused(answer("patched", "a"),
                 fmt::format("learn puzzle: patched: 'a' in 'a' isn't one of the tokens {}",
                             puzzle.task->show(tokens)));
  expect_refused(answer("patched", "bos"),
                 fmt::format("learn puzzle: patched: expected {} tokens, one for each of {}, got 0",
                             puzzle.patched.size(), puzzle.input));
  expect_refused(answer("edge", "head 9"),
                 "learn puzzle: edge: no head has an edge 'head 9'; expected FROM > TO, as in "
                 "'embedding > head 0.0 query'");
  expect_refused(answer("edge", std::string(101, 'x')),
                 "learn puzzle: edge: expected at most 100 characters, got 101");
  expect_refused(answer("shape", "1"),
                 "learn puzzle: expected answers role=, patched= or edge=, got 'shape=1'");
  expect_refused("learn puzzle 13", "learn puzzle: expected a number from 1 to 12, got '13'");
  expect_refused("learn puzzle 5 role=a --into x",
                 "learn puzzle 5: --into can't be combined with answers, --hint, --solution, "
                 "--json or --record");
  const std::string wrong = answer("role", right["role"].string() == "a" ? "b" : "a").text;
  BOOST_TEST(has(wrong, "try inputs that differ in one token"));
  BOOST_TEST(has(wrong, "expected " + right["role"].string()));
  BOOST_TEST(has(done("learn puzzle 5 --hint").text, "Hint 1 of 3"));
  BOOST_TEST(
      has(done("learn puzzle 5 --student 17 --solution").text, "edge = " + right["edge"].string()));
  expect_plain(done("learn puzzle 5").text);
  // A hand-in is graded again.
  std::filesystem::create_directory("in");
  all({"--record", "in/17.jsonl"});
  all({"--exam", "--record", "in/17.jsonl"});
  const json row = json_of("learn grade in --tasks 'puzzle 5' --json")["grades"][0];
  BOOST_TEST(row["passed"] == 3);
  BOOST_TEST(row["exercise"] == "5");
}

BOOST_AUTO_TEST_SUITE_END()

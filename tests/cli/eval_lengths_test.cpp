#include "../shared/folders.hpp"
#include "../shared/json.hpp"

#include <fmt/format.h>

#include <cmath>

using namespace tapehead;

// `eval RUN... --lengths A..B`.
BOOST_FIXTURE_TEST_SUITE(eval_lengths, Elsewhere)

namespace {

std::string train(const std::string& task, const std::string& more) {
  return "train " + task + " --layers 1 --heads 2 --width 16 --lr 0.003 --batch 16 --steps 40 " +
         more;
}

}  // namespace

BOOST_AUTO_TEST_CASE(equals_separate_evaluations) {
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) BOOST_TEST_CONTEXT(arch) {
      done(train("reverse",
                 fmt::format("--lengths 2..4 --position alibi --arch {0} --out {0}", arch)));
      const json document = json_of(fmt::format("eval {} --lengths 2,4..6 --json", arch));
      BOOST_TEST(document["task"] == "reverse");
      BOOST_TEST(document["option"] == "length");
      BOOST_TEST(document["trained"] == "lengths 2..4");
      BOOST_TEST(document["interval_over"] == "examples");
      BOOST_TEST(document.count("note") == 0u);
      BOOST_TEST_REQUIRE(document["lengths"].size() == 4u);
      for (const json& row : document["lengths"]) {
        const json one = json_of(fmt::format("eval {} --length {} --examples 200 --json", arch,
                                             row["length"].get<Index>()))["at_length"];
        for (const char* name : {"examples", "exact_match", "tokens_right", "loss"})
          BOOST_TEST(row[name] == one[name]);
        BOOST_TEST(row["examples"] == 200);
        BOOST_TEST(row["interval"][0].get<double>() <= row["exact_match"].get<double>());
        BOOST_TEST(row["interval"][1].get<double>() >= row["exact_match"].get<double>());
      }
      BOOST_TEST(document["mean"]["trained"]["lengths"] == 2);
      BOOST_TEST(document["mean"]["longer"]["lengths"] == 2);
      const double longer = (document["lengths"][2]["tokens_right"].get<double>() +
                             document["lengths"][3]["tokens_right"].get<double>()) /
                            2;
      BOOST_TEST(std::abs(document["mean"]["longer"]["tokens_right"].get<double>() - longer) <
                 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(shows_a_table) {
  done(train("parity", "--lengths 1..8 --position none --out r"));
  const Output output = done("eval r --lengths 2..10..4 --examples 50");
  expect_plain(output.text);
  BOOST_TEST(missing(output.text,
                     {"r · step 40 · 50 validation examples per length · trained on lengths 1..8\n",
                      "length  exact match ", " 95 % interval  tokens right    loss\n", "\n     2 ",
                      "\n     6 ", "\n    10 ", "\nmean of 2 trained lengths: exact match ",
                      "\nmean of 1 longer length: exact match "}) == "");
}

BOOST_AUTO_TEST_CASE(averages_over_seeds) {
  for (const int seed : {0, 1, 2})
    done(train("add", fmt::format("--lengths 1..2 --position rotary --seed {0} --out r{0}", seed)));
  const json all = json_of("eval r0 r1 r2 --lengths 1..3 --json");
  BOOST_TEST(all["interval_over"] == "runs");
  BOOST_TEST(all["runs"].size() == 3u);
  BOOST_TEST(all["option"] == "digits");
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (const int seed : {0, 1, 2}) {
      const json one = json_of(fmt::format("eval r{} --lengths 1..3 --json", seed))["lengths"][i];
      sum += one["tokens_right"].get<double>();
      BOOST_TEST(all["lengths"][i]["tokens_right_of_runs"][seed] == one["tokens_right"]);
      BOOST_TEST(all["lengths"][i]["exact_match_of_runs"][seed] == one["exact_match"]);
    }
    BOOST_TEST(std::abs(all["lengths"][i]["tokens_right"].get<double>() - sum / 3) < 1e-12);
  }
  const Output output = done("eval r0 r1 r2 --lengths 1..3");
  BOOST_TEST(missing(output.text,
                     {"3 runs · 200 validation examples per length · trained on lengths 1..2\n",
                      "digits ", " mean  95 % interval ", " lowest  highest ",
                      "\nthe interval is over the runs, by Student's t\n"}) == "");
  done(train("add", "--lengths 1..2 --position none --out other"));
  expect_refused("eval r0 other --lengths 1..3",
                 "--lengths averages runs that differ only in --seed, but r0 and other differ in "
                 "--position; evaluate them separately");
  expect_refused("eval r0 r1", "eval evaluates one run; for several, add --lengths");
}

BOOST_AUTO_TEST_CASE(runs_of_one_length) {
  done(train("copy", "--length 4 --symbols 8 --position alibi --out r"));
  const json document = json_of("eval r --lengths 3..5 --json");
  BOOST_TEST(document["trained"] == "length 4");
  BOOST_TEST(document["note"] ==
             "no token ends a prompt of copy, so a gpt trained on length 4 starts its completion "
             "after 4 tokens; expect 0 % at other lengths, or train with --lengths");
}

BOOST_AUTO_TEST_CASE(refuses) {
  done(train("copy", "--lengths 2..4 --out r"));
  expect_refused("eval r --lengths 2..6",
                 "--lengths 2..6: at length 6: positions.weight has shape (9, 16), which depends "
                 "on the length: a "
                 "model with --position learned can't read longer inputs; train it with --position "
                 "none, sinusoidal, rotary, alibi, relative or t5, or with --random-positions");
  BOOST_TEST(json_of("eval r --lengths 1..4 --json")["lengths"].size() == 4u);
  expect_refused("eval r --lengths 1..4 --length 3",
                 "--lengths can't be combined with --length; remove one");
  expect_refused("eval r --lengths 1..4 --by length",
                 "--lengths can't be combined with --by length; remove one");
  done(train("modular", "--prime 31 --out m"));
  expect_refused("eval m --lengths 1..4",
                 "--lengths 1..4: the task modular has no length option; remove --lengths, or use "
                 "--by length");
}

BOOST_AUTO_TEST_CASE(random_positions_can_be_extended) {
  for (const char* position : {"learned", "sinusoidal", "rotary", "alibi", "t5"})
    BOOST_TEST_CONTEXT(position) {
      done(train(
          "copy",
          fmt::format("--lengths 2..4 --random-positions 40 --position {0} --out {0}", position)));
      const json document = json_of(fmt::format("eval {} --lengths 2..9 --json", position));
      BOOST_TEST(document["lengths"].size() == 8u);
      // Decoding token by token agrees with reading all tokens at once.
      const json one = json_of(fmt::format("eval {} --length 3 --json", position))["at_length"];
      BOOST_TEST(one["positions"].size() == 4u);
      expect_refused(
          fmt::format("eval {} --lengths 2..30", position),
          "--lengths 2..30: at length 30: --random-positions 40 is too few for a model that reads "
          "61 tokens; train with at least 61");
      expect_refused(
          fmt::format("eval {} --length 30", position),
          "--length 30: --random-positions 40 is too few for a model that reads 61 tokens; train "
          "with at least 61");
    }
  expect_refused(train("copy", "--position relative --random-positions 40"),
                 "--random-positions has no effect with --position relative; remove it, or use "
                 "--position learned, sinusoidal, rotary, alibi or t5");
}

BOOST_AUTO_TEST_CASE(too_few_index_hints) {
  done(train("copy", "--lengths 2..4 --index-hints 6 --position none --out r"));
  BOOST_TEST(json_of("eval r --lengths 2..6 --json")["lengths"].size() == 5u);
  expect_refused("eval r --lengths 2..8",
                 "--lengths 2..8: at length 8: --index-hints 6: the examples need at least 8, one "
                 "per symbol");
}

BOOST_AUTO_TEST_SUITE_END()

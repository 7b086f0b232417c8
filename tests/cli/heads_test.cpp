// Names of heads, of models that were trained for it and of models that weren't.
#include "../../cli/attention/heads.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/toy_training.hpp"

#include <algorithm>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(heads, Elsewhere)

namespace {

const Registry standard = Registry::standard();

using Names = std::vector<std::string>;

/// The heads' patterns without their weights, apart by bars.
std::string names(const TaskModel& model, const Task& task, Index first, Index examples) {
  std::string text;
  for (const HeadReading& head : read_heads(model, task, first, examples)) {
    if (!text.empty()) text += " | ";
    std::string own;
    for (const Pattern& pattern : head.patterns) own += (own.empty() ? "" : ", ") + pattern.name;
    text += own;
  }
  return text;
}

/// Trains, and names the heads by each of ten disjoint samples of held-out examples.
void expect_names(const std::string& train, const std::string& expected) {
  done("train " + train + " --eval-every 0 --out " + train);
  const LoadedRun run = load_run(train, standard);
  const Index each = std::min(enough_to_name, run.task->held_out_size() / 10);
  for (Index sample = 0; sample < 10; ++sample) BOOST_TEST_CONTEXT(train << ", sample " << sample)
  BOOST_TEST(names(*run.model, *run.task, sample * each, each) == expected);
}

}  // namespace

BOOST_AUTO_TEST_CASE(trained_heads_have_the_names_that_a_reader_would_give) {
  expect_names("induction", "local | induction");
  expect_names("copy", "15 back | 15 back");
  expect_names("reverse", "anti-diagonal");
  expect_names("recall", "previous token | induction");
}

BOOST_AUTO_TEST_CASE(a_head_that_has_learned_nothing_has_no_name) {
  Index heads = 0, named = 0;
  for (const char* name : {"induction", "copy", "reverse", "translate", "sort", "dyck", "recall"})
    for (const std::string& arch : standard.find_task(name).architectures)
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        TrainConfig config = standard.find_task(name).recipe;
        config.task = name;
        config.arch = arch;
        config.seed = seed;
        config = validated(config, standard);
        const auto task = make_task(config, standard);
        const auto model = make_model(config, *task, standard);
        for (const HeadReading& head : read_heads(*model, *task)) {
          ++heads;
          named += !head.patterns.empty();
        }
      }
  BOOST_TEST(heads >= 100);
  BOOST_TEST(named * 100 <= heads);
}

BOOST_AUTO_TEST_SUITE_END()

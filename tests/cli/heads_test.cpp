// Names of attention heads in trained and untrained models.
#include "../../cli/attention/heads.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../parts/parts.hpp"
#include "../shared/build.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/toy_training.hpp"

#include <algorithm>
#include <set>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(heads, Elsewhere)

namespace {

const Registry standard = make_registry();

using Names = std::vector<std::string>;

/// Returns the patterns of each head, without their weights.
Names names(const TaskModel& model, const Task& task, Index first, Index examples) {
  Names found;
  for (const HeadReading& head : read_heads(model, task, first, examples)) {
    found.emplace_back();
    for (const Pattern& pattern : head.patterns)
      found.back() += (found.back().empty() ? "" : ", ") + pattern.name;
  }
  return found;
}

/// Trains, and names the heads on each of ten disjoint samples of validation examples. Expects
/// these names in all samples, except that `at_bound` heads may have no name in some.
void expect_names(const std::string& task, const Names& expected, Index at_bound = 0) {
  done("train " + task + " --eval-every 0 --out " + task);
  const LoadedRun run = load_run(task, standard);
  const Index each = std::min(enough_to_name, run.task->held_out_size() / 10);
  std::set<std::size_t> missing;
  for (Index sample = 0; sample < 10; ++sample) {
    const Names found = names(*run.model, *run.task, sample * each, each);
    BOOST_TEST_REQUIRE(found.size() == expected.size());
    for (std::size_t head = 0; head < found.size(); ++head)
      if (found[head].empty() && !expected[head].empty())
        missing.insert(head);
      else
        BOOST_TEST(found[head] == expected[head],
                   task << ", sample " << sample << ", head " << head << ": " << found[head]);
  }
  BOOST_TEST(static_cast<Index>(missing.size()) <= at_bound, task << " at the bound");
}

}  // namespace

BOOST_AUTO_TEST_CASE(trained_heads_have_the_expected_names) {
  expect_names("induction", {"local", "induction"});
  expect_names("reverse", {"anti-diagonal"});
  if (!whole_tests || under_sanitizers) return;  // the other tasks take minutes with sanitizers
  expect_names("copy", {"15 back", "15 back"});
  expect_names("recall", {"previous token", "induction"});
  // two encoder layers, then self- and cross-attention of the decoder in turn
  Names of_translate(24);
  of_translate[16] = of_translate[18] = of_translate[19] = "same position";
  of_translate[20] = of_translate[21] = of_translate[22] = of_translate[23] = "monotone";
  expect_names("translate", of_translate, 2);
  expect_names("sort", Names(4));
  expect_names("dyck", Names(4));
}

BOOST_AUTO_TEST_CASE(untrained_heads_have_no_name) {
  Index heads = 0, named = 0;
  for (const char* name : {"induction", "copy", "reverse", "translate", "sort", "dyck", "recall"})
    for (const std::string& arch : standard.find_task(name).architectures)
      for (std::uint64_t seed = 0; seed < (whole_tests && !under_sanitizers ? 3 : 1); ++seed) {
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
  BOOST_TEST(heads >= (whole_tests && !under_sanitizers ? 100 : 30));
  BOOST_TEST(named * 100 <= heads);
}

BOOST_AUTO_TEST_SUITE_END()

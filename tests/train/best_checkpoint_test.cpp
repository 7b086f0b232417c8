#include "../../train/files/files.hpp"
#include "../shared/toy_run.hpp"

namespace tapehead {
BOOST_FIXTURE_TEST_SUITE(best_checkpoint, Elsewhere)

namespace {

namespace fs = std::filesystem;
using Kept = RunFolder::Kept;

/// Saves a checkpoint in which every value is its step, as the best or only as the last.
void save_as(const RunFolder& folder, Index step, bool best) {
  const double value = step;
  ToyModel model(value);
  ToyOptimizer optimizer(model, value);
  folder.save(model, optimizer, step, {nullptr, best, 1});
}
Index load_best(const RunFolder& folder) {
  ToyModel model(-1);
  ToyOptimizer optimizer(model, -1);
  const Index step = folder.load(model, &optimizer, nullptr, Kept::best);
  BOOST_TEST_REQUIRE(all_are(model, optimizer, static_cast<double>(step)));
  return step;
}
Index load_last(const RunFolder& folder) {
  ToyModel model(-1);
  return folder.load(model, nullptr);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_best_stays_while_the_last_moves_on) {
  const RunFolder folder = make_run("runs/x");
  ToyModel model;
  EXPECT_ERROR(FileError, folder.load(model, nullptr, nullptr, Kept::best),
               "runs/x: no best checkpoint has been saved yet");
  save_as(folder, 1, false);
  expect_names("runs/x", with(saved_names, "step-1"));
  const Names both = with(saved_names, "best");
  save_as(folder, 2, true);
  expect_names("runs/x", with(both, "step-2"));
  save_as(folder, 3, false);
  expect_names("runs/x", with(with(both, "step-2"), "step-3"));
  BOOST_TEST(load_best(folder) == 2);
  BOOST_TEST(load_last(folder) == 3);
  save_as(folder, 4, false);
  expect_names("runs/x", with(with(both, "step-2"), "step-4"));
  save_as(folder, 5, true);
  expect_names("runs/x", with(both, "step-5"));
  BOOST_TEST(fs::read_symlink("runs/x/best") == "step-5");
}

BOOST_AUTO_TEST_CASE(the_same_step_is_saved_again_beside_both) {
  const RunFolder folder = make_run("runs/x");
  save_as(folder, 7, true);
  save_as(folder, 7, false);
  save_as(folder, 7, false);
  BOOST_TEST(load_best(folder) == 7);
  BOOST_TEST(load_last(folder) == 7);
  BOOST_TEST(fs::read_symlink("runs/x/best") == "step-7");
  BOOST_TEST(fs::read_symlink("runs/x/checkpoint") == "step-7-again-again");
  expect_names("runs/x", with(with(with(saved_names, "best"), "step-7"), "step-7-again-again"));
}

// After a crash between setting the two links, the best link refers to a later step than the last
// link.
BOOST_AUTO_TEST_CASE(training_recovers_from_a_crash_between_the_links) {
  make_run("runs/x");
  save_as(RunFolder::resume("runs/x"), 5, true);
  fs::copy("runs/x/step-5", "runs/x/step-10");
  replace_link("runs/x/best", "step-10");
  const RunFolder folder = RunFolder::resume("runs/x");
  BOOST_TEST(load_last(folder) == 5);
  expect_names("runs/x", with(with(with(saved_names, "best"), "step-5"), "step-10"));
  save_as(folder, 10, true);
  BOOST_TEST(load_best(folder) == 10);
  BOOST_TEST(load_last(folder) == 10);
  expect_names("runs/x", with(with(saved_names, "best"), "step-10-again"));
}

BOOST_AUTO_TEST_CASE(it_counts_where_it_is_among_the_last) {
  const RunFolder folder = make_run("runs/x");
  ToyModel model;
  ToyOptimizer optimizer(model);
  for (Index step : {1, 2, 3, 4, 5}) folder.save(model, optimizer, step, {nullptr, step == 3, 3});
  Names names = with(saved_names, "best");
  expect_names("runs/x", with(with(with(names, "step-3"), "step-4"), "step-5"));
  folder.save(model, optimizer, 6, {nullptr, false, 3});
  folder.save(model, optimizer, 7, {nullptr, false, 3});
  for (const char* name : {"step-3", "step-5", "step-6", "step-7"}) names.insert(name);
  expect_names("runs/x", names);
}

BOOST_AUTO_TEST_CASE(resume_removes_neither) {
  make_run("runs/x");
  {
    const RunFolder folder = RunFolder::resume("runs/x");
    save_as(folder, 1, true);
    save_as(folder, 2, false);
    fs::create_directory("runs/x/step-1-again-again");
    fs::create_directory("runs/x/step-3");
  }
  const RunFolder folder = RunFolder::resume("runs/x");
  BOOST_TEST(load_best(folder) == 1);
  BOOST_TEST(load_last(folder) == 2);
  Names names = with(with(with(saved_names, "best"), "step-1"), "step-2");
  for (const char* aside : {"step-1-again-again.damaged", "step-3.damaged"}) names.insert(aside);
  expect_names("runs/x", names);
}

BOOST_AUTO_TEST_CASE(a_full_disk_keeps_both) {
  const RunFolder folder = make_run("runs/x");
  save_as(folder, 1, true);
  save_as(folder, 2, false);
  const Names before = names_in("runs/x");
  for (Index step : {1, 2, 3}) {
    ToyModel model(step, 1000);
    ToyOptimizer optimizer(model, 0);
    const FullDisk full(5000);
    EXPECT_ERROR(WriteError, folder.save(model, optimizer, step, {nullptr, true, 2}),
                 "runs/x/step.draft/model.safetensors: File too large");
  }
  expect_names("runs/x", before);
  BOOST_TEST(load_best(folder) == 1);
  BOOST_TEST(load_last(folder) == 2);
}

BOOST_AUTO_TEST_CASE(its_link_never_leads_out_of_the_run) {
  make_run("runs/x");
  save_as(RunFolder::resume("runs/x"), 1, true);
  replace_link("runs/x/best", "../y");
  const std::string message = "runs/x/best: links to '../y', which is not a checkpoint of this run";
  EXPECT_ERROR(FileError, load_best(RunFolder::open("runs/x")), message);
  EXPECT_ERROR(FileError, RunFolder::resume("runs/x"), message);
}

BOOST_AUTO_TEST_CASE(a_copy_without_links_has_both) {
  make_run("runs/x");
  {
    const RunFolder folder = RunFolder::resume("runs/x");
    save_as(folder, 1, true);
    save_as(folder, 2, false);
  }
  fs::copy("runs/x", "runs/y", fs::copy_options::recursive);  // copies the targets of links
  BOOST_TEST(load_best(RunFolder::open("runs/y")) == 1);
  BOOST_TEST(load_last(RunFolder::open("runs/y")) == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tapehead

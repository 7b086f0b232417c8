#include "../../train/files/files.hpp"
#include "../shared/toy_run.hpp"

namespace tapehead {
namespace fs = std::filesystem;

BOOST_FIXTURE_TEST_SUITE(run_folder, Elsewhere)

BOOST_AUTO_TEST_CASE(create_makes_parent_folders) {
  const RunFolder folder = RunFolder::create("runs/deep/x/");
  BOOST_TEST(folder.path() == "runs/deep/x");
  expect_names("runs/deep/x", {"lock"});
  BOOST_TEST(!folder.has_checkpoint());
  BOOST_TEST(folder.read_metrics().empty());
}

BOOST_AUTO_TEST_CASE(create_takes_an_empty_folder_and_no_other) {
  fs::create_directories("runs/x");
  RunFolder::create("runs/x");
  RunFolder::create("runs/x").write_config("");  // a run that never started leaves a lock
  const std::string message =
      "runs/x exists already; choose another --out, or continue it with --resume runs/x";
  EXPECT_ERROR(FileError, RunFolder::create("runs/x"), message);
  EXPECT_ERROR(FileError, RunFolder::create("runs/x//"), message);
  write_file("runs/file", "");
  EXPECT_ERROR(FileError, RunFolder::create("runs/file"), "runs/file: Not a directory");
  EXPECT_ERROR(FileError, RunFolder::create("runs/file/x"), "runs/file: Not a directory");
  EXPECT_ERROR(FileError, RunFolder::create(""), "the path of the run folder is empty");
}

BOOST_AUTO_TEST_CASE(create_that_fails_leaves_nothing_behind) {
  const std::string path = "runs/deep/" + std::string(300, 'x');
  EXPECT_ERROR(FileError, RunFolder::create(path), path + ": File name too long");
  expect_names(".", {});
  fs::create_directory("closed");
  fs::permissions(".", fs::perms(0755));
  {
    const ReadOnlyFolder read_only("closed");
    EXPECT_ERROR(FileError, RunFolder::create("closed/runs/x"), "closed/runs: Permission denied");
    EXPECT_ERROR(SystemError, RunFolder::create("closed"), "closed/lock: Permission denied");
  }
  expect_names("closed", {});
}

BOOST_AUTO_TEST_CASE(free_path_is_the_first_that_is_free) {
  BOOST_TEST(RunFolder::free_path("copy") == "runs/copy-0");
  fs::create_directories("runs/copy-0");
  write_file("runs/copy-1", "");
  fs::create_symlink("nowhere", "runs/copy-2");
  fs::create_directories("runs/copy-4");
  BOOST_TEST(RunFolder::free_path("copy") == "runs/copy-3");
}

BOOST_AUTO_TEST_CASE(one_process_trains) {
  make_run("runs/x");
  const std::string message = "runs/x: another process is training here";
  {
    const RunFolder folder = RunFolder::resume("runs/x");
    EXPECT_ERROR(FileError, RunFolder::resume("runs/x"), message);
    save(folder, 1);
    BOOST_TEST(load(RunFolder::open("runs/x")) == 1);  // reading needs no lock
  }
  RunFolder::resume("runs/x");
  const RunFolder beginning = RunFolder::create("runs/y");
  EXPECT_ERROR(FileError, RunFolder::create("runs/y"), "runs/y: another process is training here");
}

BOOST_AUTO_TEST_CASE(a_run_is_where_a_configuration_is) {
  fs::create_directories("runs/x");
  const std::string message = "runs/x: not a run folder: it has no config.toml";
  EXPECT_ERROR(FileError, RunFolder::open("runs/x"), message);
  EXPECT_ERROR(FileError, RunFolder::resume("runs/x"), message);
  expect_names("runs/x", {});
  EXPECT_ERROR(FileError, RunFolder::open("runs/z"), "runs/z: No such file or directory");
  EXPECT_ERROR(FileError, RunFolder::resume("runs/z"), "runs/z: No such file or directory");
}

BOOST_AUTO_TEST_CASE(configuration_is_kept) {
  const RunFolder folder = RunFolder::create("runs/x");
  folder.write_config("task = \"copy\"\n");
  folder.write_config("task = \"gr\xc3\xbcn\"\n");
  BOOST_TEST(RunFolder::open("runs/x").read_config() == "task = \"gr\xc3\xbcn\"\n");
  write_file("runs/x/config.toml", "a\xff");
  EXPECT_ERROR(FileError, folder.read_config(),
               "runs/x/config.toml: not UTF-8 text: byte 0xff at offset 1");
}

BOOST_AUTO_TEST_CASE(a_run_opened_for_reading_is_not_written) {
  make_run("runs/x");
  const RunFolder folder = RunFolder::open("runs/x");
  ToyModel model;
  ToyOptimizer optimizer(model);
  const std::string message = "runs/x: opened for reading only";
  EXPECT_ERROR(ValueError, folder.write_config(""), message);
  EXPECT_ERROR(ValueError, folder.save(model, optimizer, 1), message);
  EXPECT_ERROR(ValueError, folder.append_metrics("{}"), message);
  EXPECT_ERROR(ValueError, folder.rewind_metrics(1), message);
}

BOOST_AUTO_TEST_CASE(leftovers_of_a_run_that_never_began_are_no_run) {
  fs::create_directories("runs/x");
  write_file("runs/x/lock", "");
  write_file("runs/x/.tapehead-1-0.tmp", "half of a configuration");
  RunFolder::create("runs/x");
  expect_names("runs/x", {"lock"});
}

BOOST_AUTO_TEST_CASE(a_checkpoint_replaces_the_one_before) {
  const RunFolder folder = make_run("runs/x");
  ToyModel model;
  EXPECT_ERROR(FileError, folder.load(model, nullptr), "runs/x: no checkpoint has been saved yet");
  BOOST_TEST(folder.last_step() == -1);
  for (Index step : {0, 10, 9, 500}) {
    save(folder, step, 3, keep(1));
    BOOST_TEST(folder.last_step() == step);
    BOOST_TEST(folder.has_checkpoint());
    BOOST_TEST(load(folder) == step);
    expect_names("runs/x", with(saved_names, fmt::format("step-{}", step)));
  }
  for (const char* name : {"model.safetensors", "optimizer.safetensors"}) {
    BOOST_TEST(fs::read_symlink(fs::path("runs/x") / name) == fs::path("checkpoint") / name);
    BOOST_TEST(fs::equivalent(fs::path("runs/x") / name, fs::path("runs/x/step-500") / name));
  }
  EXPECT_ERROR(ValueError, save(folder, -1), "checkpoint: -1 steps, expected at least 0");
  EXPECT_ERROR(ValueError, save(folder, 1, 3, keep(0)), "--keep must be at least 1, not 0");
}

BOOST_AUTO_TEST_CASE(the_last_checkpoints_stay) {
  make_run("runs/x");
  const Names three = {"step-30", "step-40", "step-50"};
  {
    const RunFolder folder = RunFolder::resume("runs/x");
    for (Index step : {10, 20, 30, 40, 50}) save(folder, step, 3, keep(3));
    Names all = saved_names;
    all.insert(three.begin(), three.end());
    expect_names("runs/x", all);
  }
  const RunFolder folder = RunFolder::resume("runs/x");  // doesn't know how many to keep
  Names all = saved_names;
  all.insert(three.begin(), three.end());
  expect_names("runs/x", all);
  BOOST_TEST(load(folder) == 50);
  save(folder, 60, 3, keep(1));
  expect_names("runs/x", with(saved_names, "step-60"));
  save(folder, 70);
  save(folder, 80);
  // Two checkpoints are kept by default.
  expect_names("runs/x", with(with(saved_names, "step-70"), "step-80"));
}

BOOST_AUTO_TEST_CASE(a_checkpoint_with_a_foreign_file_stays) {
  const RunFolder folder = RunFolder::create("runs/x");
  folder.write_config("");
  for (Index step : {1, 2}) save(folder, step, 3, keep(2));
  std::ofstream("runs/x/step-1/notes.txt") << "mine";
  for (Index step : {3, 4}) save(folder, step, 3, keep(1));
  BOOST_TEST(read_file("runs/x/step-1/notes.txt") == "mine");
  BOOST_TEST(fs::exists("runs/x/step-1/model.safetensors"));
  BOOST_TEST(!fs::exists("runs/x/step-2"));
  BOOST_TEST(load(folder) == 4);
}

BOOST_AUTO_TEST_CASE(any_folder_in_a_checkpoint_is_foreign) {
  fs::create_directories("step-1/model.safetensors");
  BOOST_TEST(foreign_file_in_checkpoint("step-1") == "model.safetensors");
  EXPECT_ERROR(FileError, foreign_file_in_checkpoint("step-2"),
               "step-2: No such file or directory");
}

BOOST_AUTO_TEST_CASE(the_same_step_is_saved_again) {
  const RunFolder folder = make_run("runs/x");
  for (int i = 0; i < 4; ++i) {
    ToyModel model(i);
    ToyOptimizer optimizer(model, i);
    folder.save(model, optimizer, 7);
    ToyModel read(-1);
    ToyOptimizer moments(read, -1);
    BOOST_TEST(folder.load(read, &moments) == 7);
    BOOST_TEST(all_are(read, moments, i));
    std::string name = "step-7", before;
    for (int j = 0; j < i; ++j) before = std::exchange(name, name + "-again");
    expect_names("runs/x",
                 i == 0 ? with(saved_names, name) : with(with(saved_names, before), name));
  }
}

BOOST_AUTO_TEST_CASE(a_full_disk_keeps_the_checkpoint_before) {
  const RunFolder folder = make_run("runs/x");
  save(folder, 1, 1000);
  for (Index step : {1, 2}) {
    expect_error<WriteError>(
        [&] {
          const FullDisk full(5000);
          save(folder, step, 1000);
        },
        "runs/x/step.draft/model.safetensors: File too large");
    BOOST_TEST(load(folder, 1000) == 1);
    BOOST_TEST(folder.last_step() == 1);
    expect_names("runs/x", with(saved_names, "step-1"));
  }
}

BOOST_AUTO_TEST_CASE(write_failures_have_their_own_error_type) {
  const RunFolder folder = make_run("runs/x");
  ToyModel model(1, 1000);
  ToyOptimizer optimizer(model, 1);
  const std::string line = R"({"step":1})";
  folder.append_metrics(line);
  folder.append_metrics(R"({"step":2})");
  const FullDisk full(5);
  EXPECT_ERROR(WriteError, folder.save(model, optimizer, 1),
               "runs/x/step.draft/model.safetensors: File too large");
  EXPECT_ERROR(WriteError, folder.append_metrics(line), "runs/x/metrics.jsonl: File too large");
  EXPECT_ERROR(WriteError, folder.rewind_metrics(1), "runs/x/metrics.jsonl: File too large");
  EXPECT_ERROR(WriteError, folder.write_config("steps = 2\n"),
               "runs/x/config.toml: File too large");
  BOOST_TEST(folder.read_config() == "steps = 1\n");
  BOOST_TEST(folder.read_metrics().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_run_that_cant_be_written_isnt_resumed) {
  make_run("runs/x");
  save(RunFolder::resume("runs/x"), 5);
  fs::permissions(".", fs::perms(0755));
  fs::permissions("runs/x/lock", fs::perms(0444));
  const ReadOnlyFolder read_only("runs/x");
  EXPECT_ERROR(WriteError, RunFolder::resume("runs/x"), "runs/x/lock: Permission denied");
  BOOST_TEST(load(RunFolder::open("runs/x")) == 5);
}

BOOST_AUTO_TEST_CASE(resume_removes_only_leftovers_of_a_crash) {
  make_run("runs/x");
  save(RunFolder::resume("runs/x"), 3);
  save(RunFolder::resume("runs/x"), 5);
  const Names mine = {"notes.txt", "step-5-best", "step-", "step-by-step", "stepping-5", ".hidden"};
  for (const std::string& name : mine) write_file("runs/x/" + name, "");
  for (const char* left : {"step-4", "step-6", "step-5-again", "step.draft"}) {
    fs::create_directory(fs::path("runs/x") / left);
    write_file(fs::path("runs/x") / left / "model.safetensors", "half of ");
  }
  write_file("runs/x/.tapehead-1-0.tmp", "half of ");
  fs::create_symlink("step-6", "runs/x/.tapehead-1-1.tmp");

  BOOST_TEST(load(RunFolder::resume("runs/x")) == 5);
  Names all = with(with(saved_names, "step-3"), "step-5");
  all.insert(mine.begin(), mine.end());
  for (const char* aside : {"step-4.damaged", "step-6.damaged", "step-5-again.damaged"})
    all.insert(aside);
  expect_names("runs/x", all);
}

BOOST_AUTO_TEST_CASE(leftovers_dont_block_training) {
  const RunFolder folder = make_run("runs/x");
  save(folder, 5);
  for (const char* left : {"step-6", "step.draft"}) {
    fs::create_directory(fs::path("runs/x") / left);
    write_file(fs::path("runs/x") / left / "model.safetensors", "half of ");
  }
  save(folder, 6);
  BOOST_TEST(load(folder) == 6);
  expect_names("runs/x", with(with(with(saved_names, "step-5"), "step-6"), "step-6.damaged"));
}

BOOST_AUTO_TEST_CASE(an_abandoned_run_keeps_foreign_files) {
  RunFolder folder = make_run("runs/deep/x");
  write_file("runs/notes.txt", "mine");
  folder.abandon();
  expect_names("runs", {"notes.txt"});

  fs::create_directory("runs/y");  // another program creates the folder
  make_run("runs/y").abandon();
  expect_names("runs/y", {});

  RunFolder other = make_run("runs/z");
  write_file("runs/z/notes.txt", "mine");
  fs::create_directories("runs/z/tensorboard");
  write_file(std::string("runs/z/") + events_name, "");
  other.abandon();
  expect_names("runs/z", {"notes.txt"});
}

// A process that is killed after linking a checkpoint doesn't remove the oldest one.
BOOST_AUTO_TEST_CASE(a_kill_leaves_at_most_one_extra_checkpoint) {
  make_run("runs/x");
  const RunFolder folder = RunFolder::resume("runs/x");
  for (Index step : {1, 2, 3, 4}) save(folder, step, 3, keep(4));
  const Names three = {"step-2", "step-3", "step-4"};
  folder.trim(3);
  Names all = saved_names;
  all.insert(three.begin(), three.end());
  expect_names("runs/x", all);
  {
    const FullDisk full(0);  // when the new one fits, the old ones are gone
    EXPECT_ERROR(WriteError, save(folder, 5, 3, keep(2)),
                 "runs/x/step.draft/model.safetensors: File too large");
  }
  expect_names("runs/x", with(with(saved_names, "step-3"), "step-4"));
}

BOOST_AUTO_TEST_CASE(checkpoints_record_their_configuration) {
  RunFolder folder = make_run("runs/x");
  BOOST_TEST(folder.last_record().config == "");
  save(folder, 1);
  BOOST_TEST(folder.last_record().config == "");
  folder.record("lr = 0.1\n");
  BOOST_TEST(folder.last_record().config == "");  // recorded in later checkpoints
  save(folder, 2);
  folder.write_config("lr = 0.2\n");
  BOOST_TEST(RunFolder::open("runs/x").last_record().config == "lr = 0.1\n");
}

BOOST_AUTO_TEST_CASE(a_link_never_leads_out_of_the_run) {
  make_run("runs/x");
  make_run("runs/step-1");
  for (const char* target : {"../step-1", "..", "step-1/..", "/"}) {
    fs::remove("runs/x/checkpoint");
    fs::create_symlink(target, "runs/x/checkpoint");
    const std::string message = fmt::format(
        "runs/x/checkpoint: links to '{}', which is not a checkpoint of this run", target);
    EXPECT_ERROR(FileError, load(RunFolder::open("runs/x")), message);
    EXPECT_ERROR(FileError, RunFolder::resume("runs/x"), message);
  }
  expect_names("runs/step-1", {"config.toml", "lock"});
}

BOOST_AUTO_TEST_CASE(nothing_is_written_through_links) {
  const std::string line = R"({"step":1,"loss":2})";
  make_run("runs/x").append_metrics(line);
  for (const char* name : {"config.toml", "metrics.jsonl", "lock"}) {
    fs::rename(std::string("runs/x/") + name, name);
    fs::create_symlink(std::string("../../") + name, std::string("runs/x/") + name);
  }
  const std::string config = contents("config.toml"), metrics = line + "\n" + R"({"step":2)";
  write_file("metrics.jsonl", metrics);
  EXPECT_ERROR(WriteError, RunFolder::resume("runs/x"),
               "runs/x/lock: is a symbolic link, which could lead out of this folder; remove it");
  fs::remove("runs/x/lock");
  const RunFolder folder = RunFolder::resume("runs/x");
  folder.write_config("steps = 2\n");
  folder.append_metrics(R"({"step":2,"loss":1})");
  BOOST_TEST(folder.read_metrics().size() == 2U);
  BOOST_TEST(contents("config.toml") == config);
  BOOST_TEST(contents("metrics.jsonl") == metrics);
}

namespace {

/// A run with checkpoints of steps 4 and 5, the first of them the best.
void make_run_of_two(const std::string& path) {
  make_run(path);
  const RunFolder folder = RunFolder::resume(path);
  SaveOptions best;
  best.best = true;
  save(folder, 4, 3, best);
  save(folder, 5);
}

void expect_goes_on(const std::string& path) {
  BOOST_TEST(load(RunFolder::open(path)) == 5);
  const RunFolder folder = RunFolder::resume(path);
  BOOST_TEST(load(folder) == 5);
  expect_names(path, with(with(with(saved_names, "best"), "step-4"), "step-5"));
  save(folder, 6);
  expect_names(path, with(with(with(with(saved_names, "best"), "step-4"), "step-5"), "step-6"));
  BOOST_TEST(fs::read_symlink(path + "/checkpoint") == "step-6");
  BOOST_TEST(fs::read_symlink(path + "/model.safetensors") == "checkpoint/model.safetensors");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_copy_with_folders_instead_of_links_resumes) {
  make_run_of_two("runs/x");
  fs::copy("runs/x", "runs/y", fs::copy_options::recursive);  // copies the targets of links
  BOOST_TEST_REQUIRE(!fs::is_symlink("runs/y/checkpoint"));
  fs::copy("runs/y", "runs/z", fs::copy_options::recursive);
  expect_goes_on("runs/y");
  // Folders that only look like checkpoints stay.
  fs::remove_all("runs/z/step-4");
  fs::remove("runs/z/step-5/optimizer.safetensors");
  RunFolder::resume("runs/z", [](const std::string&) {});
  BOOST_TEST(fs::read_symlink("runs/z/best") == "step-4");
  BOOST_TEST(fs::read_symlink("runs/z/checkpoint") == "step-5-again");
  BOOST_TEST(load(RunFolder::open("runs/z")) == 5);
}

BOOST_AUTO_TEST_CASE(a_copied_checkpoint_with_a_foreign_file_stays) {
  make_run_of_two("runs/x");
  fs::copy("runs/x", "runs/y", fs::copy_options::recursive);
  std::ofstream("runs/y/checkpoint/notes.txt") << "mine";
  RunFolder::resume("runs/y", [](const std::string&) {});
  const fs::path last = "runs/y" / fs::read_symlink("runs/y/checkpoint");
  BOOST_TEST(read_file((last / "notes.txt").string()) == "mine");
}

BOOST_AUTO_TEST_CASE(a_damaged_folder_instead_of_a_link_is_renamed) {
  make_run_of_two("runs/x");
  fs::copy("runs/x", "runs/y", fs::copy_options::recursive);
  fs::resize_file("runs/y/checkpoint/model.safetensors", 100);
  fs::remove("runs/y/best/optimizer.safetensors");
  std::string notices;
  RunFolder::resume("runs/y", [&](const std::string& line) { notices += line + "\n"; });
  BOOST_TEST(notices.rfind("runs/y/checkpoint: damaged (model.safetensors: ", 0) == 0U, notices);
  BOOST_TEST(has(notices,
                 "); renamed to checkpoint.damaged\nruns/y/best: damaged (a file is missing); "
                 "renamed to best.damaged\n"),
             notices);
  BOOST_TEST(load(RunFolder::open("runs/y")) == 5);
}

BOOST_AUTO_TEST_CASE(a_copy_with_text_files_instead_of_links_resumes) {
  for (const char* end : {"", "\n", "\r\n"}) {
    fs::remove_all("runs");
    make_run_of_two("runs/x");
    for (const char* name : {"best", "checkpoint", "model.safetensors", "optimizer.safetensors"}) {
      const std::string link = std::string("runs/x/") + name;
      const std::string target = fs::read_symlink(link);
      fs::remove(link);
      write_file(link, target + end);  // as zip and git do without links
    }
    expect_goes_on("runs/x");
  }
  for (const std::string text : {"", "../x", "step-4 ", "step-4\nstep-5"}) {
    fs::remove("runs/x/checkpoint");
    write_file("runs/x/checkpoint", text);
    EXPECT_ERROR(
        FileError, RunFolder::open("runs/x").last_step(),
        fmt::format("runs/x/checkpoint: links to '{}', which is not a checkpoint of this run",
                    text));
  }
}

BOOST_AUTO_TEST_CASE(metrics_are_appended_and_rewound) {
  const RunFolder folder = make_run("runs/x");
  folder.rewind_metrics(3);  // no metrics yet: does nothing
  const std::vector<std::string> lines = {R"({"step":1,"loss":2.5})", R"({"loss":2,"step":2})",
                                          R"({"step":2})", R"({"step":3,"note":"gr\u00fcn"})"};
  for (const std::string& line : lines) folder.append_metrics(line);
  BOOST_TEST(folder.read_metrics() == lines, per_element());
  folder.rewind_metrics(3);
  BOOST_TEST(folder.read_metrics() == lines, per_element());
  folder.rewind_metrics(2);
  const std::vector<std::string> kept(lines.begin(), lines.begin() + 3);
  BOOST_TEST(RunFolder::open("runs/x").read_metrics() == kept, per_element());
  folder.rewind_metrics(0);
  BOOST_TEST(folder.read_metrics().empty());
}

BOOST_AUTO_TEST_CASE(a_line_cut_short_is_dropped) {
  make_run("runs/x");
  const std::string whole = R"({"step":1})";
  write_file("runs/x/metrics.jsonl", whole + "\n{\"step\":2,\"lo");
  const std::vector<std::string> expected = {whole};
  BOOST_TEST(RunFolder::open("runs/x").read_metrics() == expected, per_element());
  const RunFolder folder = RunFolder::resume("runs/x");  // appended text is a separate line
  BOOST_TEST(read_file("runs/x/metrics.jsonl") == whole + "\n");
}

BOOST_AUTO_TEST_CASE(a_line_without_a_step_is_refused) {
  const RunFolder folder = make_run("runs/x");
  struct Case {
    std::string line, quoted;
  };
  for (const Case& c :
       {Case{"", R"("")"}, Case{"{}", R"("{}")"}, Case{"3", R"("3")"},
        Case{R"({"step":"1"})", R"("{\"step\":\"1\"}")"},
        Case{R"({"step":1.5})", R"("{\"step\":1.5}")"},
        Case{R"({"step":1,"loss":nan})", R"("{\"step\":1,\"loss\":nan}")"},
        Case{"{\"step\":\n1}", R"("{\"step\":\n1}")"},
        Case{std::string("{\"step\":1}\0", 11), R"("{\"step\":1}\u0000")"},
        Case{"{\"step\":1,\"a\":\"\xff\"}", "\"{\\\"step\\\":1,\\\"a\\\":\\\"\xef\xbf\xbd\\\"}\""}})
    EXPECT_ERROR(ValueError, folder.append_metrics(c.line),
                 "metrics: expected a JSON object with an integer \"step\", got " + c.quoted);
  BOOST_TEST(folder.read_metrics().empty());
  write_file("runs/x/metrics.jsonl", "{\"step\":1}\n{}\n");
  EXPECT_ERROR(FileError, folder.rewind_metrics(5),
               "runs/x/metrics.jsonl: line 2 is not a JSON object with an integer \"step\"; fix "
               "it, or drop damaged lines with train --resume runs/x --repair");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tapehead

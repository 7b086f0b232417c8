// If the newest checkpoint is damaged, another one is used, and a message reports it.
#include "../../cli/commands/commands.hpp"
#include "../../cli/extensions.hpp"
#include "../../train/files/files.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../../train/safetensors/safetensors.hpp"
#include "../shared/command.hpp"
#include "../shared/toy_run.hpp"

#include <sys/stat.h>

namespace tapehead {
BOOST_AUTO_TEST_SUITE(damaged_checkpoint)

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// A run with checkpoints of steps 10, 20 and 30; collects notices.
struct Damaged {
  Damaged() {
    const RunFolder folder = make_run("runs/x");
    for (Index step : {10, 20, 30}) {
      folder.append_metrics(fmt::format(R"({{"step":{}}})", step));
      save(folder, step, 3, keep(3));
    }
  }
  RunFolder::Notice collect() {
    return [this](const std::string& line) { lines.push_back(line); };
  }
  RunFolder reader() { return RunFolder::open("runs/x", collect()); }
  RunFolder trainer() { return RunFolder::resume("runs/x", collect()); }

  Elsewhere elsewhere;
  Lines lines;
};

void flip(const std::string& path, std::size_t from_end) {
  std::string bytes = read_file(path);
  BOOST_TEST_REQUIRE(from_end <= bytes.size());
  char& byte = bytes[bytes.size() - from_end];
  byte ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A small run in runs/copy-0, evaluated at steps 5, 10 and 12.
const std::string tiny =
    "train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 --steps 12 "
    "--eval-every 5";

}  // namespace

BOOST_AUTO_TEST_CASE(a_reader_uses_the_previous_checkpoint) {
  Damaged run;
  flip("runs/x/step-30/model.safetensors", 1);
  BOOST_TEST(load(run.reader()) == 20);
  BOOST_TEST_REQUIRE(run.lines.size() == 1U);
  const std::string start = "runs/x/step-30: damaged (model.safetensors: the checksum is \"",
                    end = "\"); using step 20";
  BOOST_TEST(run.lines[0].find(start) == 0U, run.lines[0]);
  BOOST_TEST(run.lines[0].rfind(end) == run.lines[0].size() - end.size(), run.lines[0]);
  BOOST_TEST(fs::read_symlink("runs/x/checkpoint") == "step-30");  // unchanged
}

BOOST_AUTO_TEST_CASE(training_continues_from_the_previous_checkpoint) {
  Damaged run;
  fs::resize_file("runs/x/step-30/optimizer.safetensors", 20);
  {
    ToyModel model;
    BOOST_TEST(run.reader().load(model, nullptr) == 30);  // doesn't need the optimizer file
    const RunFolder folder = run.trainer();
    BOOST_TEST(load(folder) == 20);
    BOOST_TEST_REQUIRE(run.lines.size() == 1U);
    BOOST_TEST(run.lines[0].find("runs/x/step-30: damaged (optimizer.safetensors: header of ") ==
               0U);
    BOOST_TEST(has(run.lines[0], "), renamed to step-30.damaged; continuing from step 20"));
    BOOST_TEST(fs::read_symlink("runs/x/checkpoint") == "step-20");
    BOOST_TEST(folder.last_step() == 20);
    BOOST_TEST(load(folder) == 20);
    BOOST_TEST(run.lines.size() == 1U);  // reported once
    folder.rewind_metrics(20);
    save(folder, 30);
  }
  BOOST_TEST(load(run.reader()) == 30);
  Names names = with(with(saved_names, "metrics.jsonl"), "best");
  names.insert("step-30.damaged");
  expect_names("runs/x", with(with(names, "step-20"), "step-30"));
  BOOST_TEST(fs::exists("runs/x/step-30.damaged/model.safetensors"));
}

BOOST_AUTO_TEST_CASE(every_kind_of_damage_is_detected) {
  const std::pair<const char*, std::function<void()>> kinds[] = {
      {"an empty file", [] { fs::resize_file("runs/x/step-30/model.safetensors", 0); }},
      {"half a file", [] { fs::resize_file("runs/x/step-30/model.safetensors", 400); }},
      {"a flipped bit", [] { flip("runs/x/step-30/optimizer.safetensors", 30); }},
      {"no model", [] { fs::remove("runs/x/step-30/model.safetensors"); }},
      {"no optimizer", [] { fs::remove("runs/x/step-30/optimizer.safetensors"); }},
      {"no checkpoint", [] { fs::remove_all("runs/x/step-30"); }},
      {"another step's",
       [] {
         fs::copy_file("runs/x/step-20/optimizer.safetensors",
                       "runs/x/step-30/optimizer.safetensors",
                       fs::copy_options::overwrite_existing);
       }},
      {"a file of the size of a disk",
       [] { fs::resize_file("runs/x/step-30/model.safetensors", std::uintmax_t{1} << 40); }},
      {"a pipe",
       [] {
         fs::remove("runs/x/step-30/optimizer.safetensors");
         BOOST_TEST_REQUIRE(::mkfifo("runs/x/step-30/optimizer.safetensors", 0600) == 0);
       }},
      {"a folder", [] {
         fs::remove("runs/x/step-30/model.safetensors");
         fs::create_directory("runs/x/step-30/model.safetensors");
       }}};
  for (const auto& [kind, damage] : kinds) BOOST_TEST_CONTEXT(kind) {
      Damaged run;
      damage();
      BOOST_TEST(run.reader().has_checkpoint());
      BOOST_TEST(load(run.trainer()) == 20);
      BOOST_TEST_REQUIRE(run.lines.size() == 1U);
      BOOST_TEST(run.lines[0].find("runs/x/step-30: damaged (") == 0U);
      BOOST_TEST(fs::read_symlink("runs/x/checkpoint") == "step-20");
      BOOST_TEST(!fs::exists("runs/x/step-30"));
      const bool was_there = kind != std::string("no checkpoint");
      BOOST_TEST(fs::exists("runs/x/step-30.damaged") == was_there);
    }
}

BOOST_AUTO_TEST_CASE(the_newest_intact_one_is_found) {
  Damaged run;
  flip("runs/x/step-30/model.safetensors", 1);
  fs::remove("runs/x/step-20/model.safetensors");
  BOOST_TEST(load(run.reader()) == 10);
  BOOST_TEST_REQUIRE(run.lines.size() == 1U);
  BOOST_TEST(run.lines[0].find("runs/x/step-30: damaged (model.safetensors: the ") == 0U);
  BOOST_TEST(has(run.lines[0],
                 "; runs/x/step-20: damaged (model.safetensors: No such file or directory); using "
                 "step 10"),
             run.lines[0]);
  BOOST_TEST(load(run.trainer()) == 10);
  BOOST_TEST_REQUIRE(run.lines.size() == 3U);
  BOOST_TEST(run.lines[1] ==
             "runs/x/step-20: damaged (a file is missing); renamed to step-20.damaged");
  BOOST_TEST(has(run.lines[2], "), renamed to step-30.damaged; continuing from step 10"));
}

BOOST_AUTO_TEST_CASE(a_second_damaged_one_of_a_step_is_renamed_too) {
  Damaged run;
  for (int i = 0; i < 2; ++i) {
    fs::resize_file("runs/x/step-30/model.safetensors", 10);
    const RunFolder folder = run.trainer();
    BOOST_TEST(load(folder) == 20);
    save(folder, 30);
  }
  BOOST_TEST(names_in("runs/x").count("step-30.damaged") == 1U);
  BOOST_TEST(names_in("runs/x").count("step-30.damaged-2") == 1U);
}

BOOST_AUTO_TEST_CASE(unreadable_files_are_not_treated_as_damaged) {
  Damaged run;
  fs::permissions(".", fs::perms(0755));
  for (const std::string name : {"model.safetensors", "optimizer.safetensors"}) {
    const std::string path = "runs/x/step-30/" + name;
    {
      const Unreadable unreadable("runs/x", path);
      EXPECT_ERROR(SystemError, load(run.reader()), path + ": Permission denied");
      EXPECT_ERROR(SystemError, load(run.trainer()), path + ": Permission denied");
    }
    BOOST_TEST(run.lines.empty());
    BOOST_TEST(load(run.trainer()) == 30);
  }
  {
    const Unreadable unreadable("runs/x", "runs/x/step-30");
    EXPECT_ERROR(FileError, run.trainer(), "runs/x/step-30/model.safetensors: Permission denied");
  }
  BOOST_TEST(load(run.trainer()) == 30);
  for (const char* step : {"step-10", "step-20"})
    BOOST_TEST(names_in("runs/x").count(step) == 1U, step);
}

BOOST_AUTO_TEST_CASE(checkpoints_of_later_versions_stay) {
  Damaged run;
  const std::string path = "runs/x/step-30/model.safetensors";
  Safetensors file = read_safetensors(path);
  file.metadata["tapehead_checkpoint"] = "3";
  write_file(path, encode_safetensors(file));
  EXPECT_ERROR(MismatchError, load(run.trainer()),
               path + ": tapehead_checkpoint is \"3\", expected \"1\" or \"2\"");
  BOOST_TEST(fs::exists(path));
}

BOOST_AUTO_TEST_CASE(if_none_is_intact_all_are_reported) {
  Damaged run;
  for (const char* step : {"10", "20"})
    fs::resize_file(fmt::format("runs/x/step-{}/model.safetensors", step), 0);
  fs::resize_file("runs/x/step-30/model.safetensors", 3);
  const std::string reason = " bytes, expected at least 8 for the length of the header)";
  const std::string message = "runs/x/step-30: damaged (model.safetensors: 3" + reason +
                              "; runs/x/step-20: damaged (model.safetensors: 0" + reason +
                              "; runs/x/step-10: damaged (model.safetensors: 0" + reason;
  EXPECT_ERROR(FileError, load(run.reader()), message);
  EXPECT_ERROR(FileError, load(run.trainer()), message);
  EXPECT_ERROR(FileError, run.reader().last_record().config, message);
  BOOST_TEST(run.lines.empty());
  BOOST_TEST(fs::exists("runs/x/step-10/model.safetensors"));  // the existing file stays
}

BOOST_AUTO_TEST_CASE(another_model_is_not_damage) {
  Damaged run;
  ToyModel wide(0, 4);
  EXPECT_ERROR(
      MismatchError, run.reader().load(wide, nullptr),
      "runs/x/step-30/model.safetensors: \"empty\" is f32 (0, 3), but the model has f32 (0, 4)");
  BOOST_TEST(run.lines.empty());
}

BOOST_AUTO_TEST_CASE(a_lost_link_leads_to_the_newest) {
  Damaged run;
  for (const char* name : {"checkpoint", "model.safetensors", "optimizer.safetensors"})
    fs::remove(fs::path("runs/x") / name);
  BOOST_TEST(run.reader().has_checkpoint());
  BOOST_TEST(load(run.reader()) == 30);
  const RunFolder folder = run.trainer();
  BOOST_TEST(load(folder) == 30);
  BOOST_TEST(run.lines.empty());
  Names names = with(with(saved_names, "metrics.jsonl"), "best");
  for (const char* step : {"step-10", "step-20", "step-30"}) names.insert(step);
  expect_names("runs/x", names);
  BOOST_TEST(fs::equivalent("runs/x/model.safetensors", "runs/x/step-30/model.safetensors"));
  BOOST_TEST(fs::equivalent("runs/x/best", "runs/x/step-30"));
}

BOOST_AUTO_TEST_CASE(a_lost_link_leads_to_none_that_lacks_a_file) {
  Damaged run;
  fs::remove("runs/x/checkpoint");
  fs::remove("runs/x/step-30/optimizer.safetensors");
  fs::remove("runs/x/step-20/model.safetensors");
  BOOST_TEST(run.reader().last_step() == 10);
  fs::remove("runs/x/step-10/model.safetensors");
  BOOST_TEST(!run.reader().has_checkpoint());
  BOOST_TEST(!run.trainer().has_checkpoint());
  BOOST_TEST(run.lines ==
                 (Lines{"runs/x/step-30: damaged (a file is missing); renamed to step-30.damaged",
                        "runs/x/step-20: damaged (a file is missing); renamed to step-20.damaged",
                        "runs/x/step-10: damaged (a file is missing); renamed to step-10.damaged"}),
             per_element());
}

BOOST_AUTO_TEST_CASE(another_checkpoint_replaces_a_damaged_best) {
  Damaged run;
  ToyModel model;
  {
    const RunFolder folder = run.trainer();
    ToyOptimizer optimizer(model);
    folder.save(model, optimizer, 40, {nullptr, true, 3});
    save(folder, 50);
  }
  fs::resize_file("runs/x/step-40/model.safetensors", 100);
  BOOST_TEST(run.reader().load(model, nullptr, nullptr, RunFolder::Kept::best) == 50);
  BOOST_TEST_REQUIRE(run.lines.size() == 1U);
  BOOST_TEST(run.lines[0].find("runs/x/step-40: damaged (") == 0U);
  BOOST_TEST(load(run.reader()) == 50);
  BOOST_TEST(run.lines.size() == 1U);
}

BOOST_AUTO_TEST_CASE(training_repeats_steps_of_a_damaged_best) {
  const Elsewhere elsewhere;
  make_run("runs/x");
  const RunFolder::Notice quiet = [](const std::string&) {};
  ToyModel model;
  ToyOptimizer optimizer(model);
  {
    const RunFolder folder = RunFolder::resume("runs/x");
    folder.save(model, optimizer, 5);
    folder.save(model, optimizer, 10, {nullptr, true, 2});
  }
  flip("runs/x/best/model.safetensors", 1);
  const RunFolder folder = RunFolder::resume("runs/x", quiet);
  BOOST_TEST(folder.load(model, &optimizer) == 5);
  folder.save(model, optimizer, 10, {nullptr, true, 2});
  BOOST_TEST(folder.load(model, &optimizer, nullptr, RunFolder::Kept::best) == 10);
  BOOST_TEST(fs::read_symlink("runs/x/best") == fs::read_symlink("runs/x/checkpoint"));
}

BOOST_AUTO_TEST_CASE(every_command_reports_which_it_uses) {
  const Elsewhere elsewhere;
  done(tiny);
  const std::string model = contents("runs/copy-0/step-12/model.safetensors");
  fs::resize_file("runs/copy-0/step-12/model.safetensors", 100);
  const std::string notice = "runs/copy-0/step-12: damaged (model.safetensors: header of ";
  Words names = {"eval"};
  for (const CommandEntry& entry : all_commands(make_registry()))
    if (!entry.recommended.empty()) names.push_back(entry.name);
  BOOST_TEST(names.size() >= 3u);
  for (const std::string& name : names) {
    const Output output = done(name + " runs/copy-0");
    BOOST_TEST(output.errors.find(notice) == 0U, output.errors);
    BOOST_TEST(has(output.errors, "; using step 10\n"), output.errors);
  }
  std::string line = command("eval runs/copy-0").text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  BOOST_TEST(has(line, " · step 10 of runs/copy-0 "));
  const Output next = done(tiny + " --init runs/copy-0 --out runs/next");
  BOOST_TEST(has(next.errors, "; using step 10\n"), next.errors);
  BOOST_TEST(std::count(next.errors.begin(), next.errors.end(), '\n') == 1, next.errors);

  const Output resumed = done("train --resume runs/copy-0");
  BOOST_TEST(resumed.errors.find(notice) == 0U, resumed.errors);
  BOOST_TEST(has(resumed.errors, "; continuing from step 10\n"));
  BOOST_TEST(has(resumed.text, "resumed at step 10\n"));
  BOOST_TEST((contents("runs/copy-0/model.safetensors") == model));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tapehead

// The mistakes, notes and options in a report, and the command that writes it.
#include "../../../cli/commands/load_run.hpp"
#include "../../../cli/options/config_file.hpp"
#include "../../../cli/terminal/answer.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/runs/digest.hpp"
#include "../../../train/runs/labels.hpp"
#include "../../../train/trainer.hpp"
#include "../report/non_default_options.hpp"
#include "../report/page.hpp"
#include "report_run.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(report)

namespace {

namespace fs = std::filesystem;
using namespace report_runs;

void expect_refused(const Output& output, int status, const std::string& message) {
  BOOST_TEST(output.status == status);
  BOOST_TEST(output.text == "");
  BOOST_TEST(output.errors == "tapehead: " + message + "\n");
}

}  // namespace

// ---- mistakes

BOOST_AUTO_TEST_CASE(mistakes_are_those_that_evaluation_counts) {
  const Elsewhere elsewhere;
  train({"translate", "--width", "16", "--steps", "20", "--out", "run"});
  const LoadedRun run = load_run("run", make_registry());
  const Task& task = *run.task;
  const Index count = std::min<Index>(task.held_out_size(), 60);
  std::vector<Example> examples;
  for (Index i = 0; i < count; ++i) examples.push_back(task.held_out_example(i));
  Index right = 0;
  const auto predicted = answers(*run.model, task, examples);
  for (std::size_t i = 0; i < examples.size(); ++i) right += predicted[i] == answer_of(examples[i]);
  const Evaluation evaluation = evaluate(*run.model, task, count);
  BOOST_TEST(right == std::lround(evaluation.exact_match * static_cast<double>(count)));

  const json mistakes = parsed(mistakes_json(*run.model, task));
  const auto wrong = static_cast<Index>(mistakes["wrong"].size());
  BOOST_TEST(wrong <= 20);
  BOOST_TEST(mistakes["right"].get<Index>() + wrong == mistakes["examined"].get<Index>());
  for (const json& each : mistakes["wrong"]) BOOST_TEST(each["predicted"] != each["right"]);
}

BOOST_AUTO_TEST_CASE(losses_of_a_texts_tokens_are_those_of_the_evaluation) {
  const Elsewhere elsewhere;
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("<b>{} & more\n", i * i);
  std::ofstream("text.txt") << text.substr(0, 400);
  train({"text", "--data", "text.txt", "--context", "8", "--layers", "1", "--width", "8", "--heads",
         "1", "--steps", "3", "--out", "run"});
  const LoadedRun run = load_run("run", make_registry());
  const json samples = parsed(samples_json(*run.model, *run.task));
  BOOST_TEST_REQUIRE(static_cast<Index>(samples.size()) == run.task->held_out_size());
  double sum = 0;
  std::size_t tokens = 0;
  for (const json& sample : samples) {
    BOOST_TEST(sample["given"] == 1);
    BOOST_TEST(sample["tokens"].size() == sample["loss"].size() + 1);
    tokens += sample["loss"].size();
    for (const json& loss : sample["loss"]) sum += loss.get<double>();
  }
  const double loss = evaluate(*run.model, *run.task, run.task->held_out_size()).loss;
  BOOST_TEST(std::abs(sum / static_cast<double>(tokens) - loss) < 1e-4);

  const auto told = [](const json& document) {
    for (const json& fact : document["facts"])
      if (fact[0] == "Data") return fact;
    return json();
  };
  const json digest = {"Data", digest_of_data("text.txt"), "digest of text.txt"};
  BOOST_TEST(told(report_of("run")) == digest);
  std::ofstream("text.txt") << text.substr(0, 399) << "!";
  const json changed = report_of("run");
  BOOST_TEST(told(changed) == digest);
  BOOST_TEST(changed["notes"][0] == "text.txt has changed since the run was trained on it.");

  fs::remove("text.txt");  // curves and model are still shown
  const json without = report_of("run");
  BOOST_TEST(without["curves"].size() > 3U);
  BOOST_TEST(without["notes"][0].get<std::string>() ==
             "No validation examples: text.txt: No such file or directory; if it has "
             "moved, pass its new path with --data FILE.");
  BOOST_TEST(without["command"].get<std::string>().find("--characters") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(says_what_a_run_is_called) {
  const Run made;
  const json before = report_of("run");
  BOOST_TEST(before["facts"][0][0] == "Exact match");
  write_labels("run", {"the first", "what it is for", {"small", "old"}});
  const json document = report_of("run");
  BOOST_TEST(document["facts"][0] == json({"Name", "the first", ""}));
  BOOST_TEST(document["facts"][1] == json({"Tags", "small, old", ""}));
  BOOST_TEST(document["notes"][0] == "what it is for");
}

BOOST_AUTO_TEST_CASE(sessions_are_shown) {
  const Run made;
  BOOST_TEST(report_of("run")["sessions"].size() == 1U);
  std::ofstream("run/provenance.jsonl")
      << R"({"step":1200,"started":"2026-11-29T01:02:03Z","version":"0.2.0","compiler":"GCC 1",)"
      << R"("command":"tapehead\ttrain","host":"one"})"
      << "\n";
  BOOST_TEST(report_of("run")["sessions"] ==
             json::array({{"1,200", "2026-11-29T01:02:03Z", "one", "0.2.0", "GCC 1", "",
                           "tapehead␉train"}}));
  std::filesystem::remove("run/provenance.jsonl");
  BOOST_TEST(report_of("run")["sessions"].is_null());
}

// ---- options

BOOST_AUTO_TEST_CASE(the_command_line_makes_the_same_run) {
  const Elsewhere elsewhere;
  std::ofstream("it's <my> text.txt") << std::string(100, 'a') + std::string(100, 'b');
  train({"text", "--data", "it's <my> text.txt", "--context", "8", "--layers", "1", "--width", "8",
         "--heads", "1", "--lr", "0.005", "--steps", "2", "--batch", "6", "--out", "run"});
  const std::string line = report_of("run")["command"];
  BOOST_TEST(line ==
             "tapehead train text --data 'it'\\''s <my> text.txt' --context 8 --layers 1 "
             "--width 8 --heads 1 --lr 0.005 --batch 6 --steps 2");
  const Output output = shell("tapehead() { $TAPEHEAD \"$@\"; }; " + line + " --out again");
  BOOST_TEST_REQUIRE(output.status == 0, output.errors);
  BOOST_TEST(contents("again/config.toml") == contents("run/config.toml"));
}

BOOST_AUTO_TEST_CASE(options_that_differ_from_the_recipe_are_marked) {
  const Run made;
  Words differ;
  const json document = report_of("run");
  for (const json& option : document["options"])
    if (option["differs"] == true) differ.push_back(option["name"]);
  const Words expected = {"length", "symbols", "layers", "width", "batch", "steps", "eval-every"};
  for (const std::string& name : expected)
    BOOST_TEST(std::count(differ.begin(), differ.end(), name) == 1, name);
  for (const char* name : {"shards", "seed", "out", "lr"})
    BOOST_TEST(std::count(differ.begin(), differ.end(), name) == 0, name);
}

// ---- the command

BOOST_AUTO_TEST_CASE(writes_a_page_where_it_is_asked_to) {
  const Run made;
  const Output output = command({"report", "run/"});
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(output.text.rfind("run/report.html · run · ", 0) == 0, output.text);
  const std::string page = contents("run/report.html");
  BOOST_TEST(page.rfind("<!doctype html>\n", 0) == 0);
  BOOST_TEST(command({"report", "run", "--out", "here.html"}).status == 0);
  BOOST_TEST(contents("here.html") == page);
  fs::copy("run", "other", fs::copy_options::recursive);
  BOOST_TEST(command({"report", "run", "other"}).status == 0);
  BOOST_TEST(fs::exists("report.html"));
}

// The configuration has more steps, so that the run looks interrupted half-way.
BOOST_AUTO_TEST_CASE(watches_a_run_until_it_ends) {
  const Run run;
  replace_in("run/config.toml", "steps = 12", "steps = 24");
  const std::string reloaded = "<meta http-equiv=\"refresh\" content=\"5\">";
  const std::string begin = "rm -f out; $TAPEHEAD report run --watch > out & ";
  const std::string seen =
      "for i in $(seq 60); do test -s out && break; sleep 1; done; "
      "cp run/report.html seen.html; ";

  const Output stopped = shell(begin + seen + "kill -TERM $!; wait $!; echo $?; cat out");
  BOOST_TEST(stopped.errors == "");
  BOOST_TEST(has(contents("seen.html"), reloaded));
  BOOST_TEST(!has(contents("run/report.html"), reloaded));
  const std::string page = fs::absolute("run/report.html").string();
  const auto lines = lines_of(stopped.text);
  BOOST_TEST_REQUIRE(lines.size() == 4u);
  BOOST_TEST(lines[0] == "0");
  BOOST_TEST(lines[1].rfind("run/report.html · run · ", 0) == 0u);
  BOOST_TEST(lines[2] == "open file://" + page +
                             " in a browser; it is updated until training ends (Ctrl-C to stop)");
  BOOST_TEST(lines[3].rfind("run/report.html · run · ", 0) == 0u);

  const Output ended =
      shell(begin + seen + "$TAPEHEAD train --resume run --change steps > log; wait; cat out");
  BOOST_TEST(ended.errors == "");
  BOOST_TEST(has(contents("seen.html"), reloaded));
  BOOST_TEST(!has(contents("run/report.html"), reloaded));
  BOOST_TEST(report_of("run")["finished"] == true);
  BOOST_TEST(lines_of(ended.text).size() == 4u);
  // With a finished run, watching ends at once.
  BOOST_TEST(lines_of(done("report run --watch").text).size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_run_that_has_only_begun_gets_what_there_is) {
  const Run made;
  for (const char* name : {"checkpoint", "best", "model.safetensors", "optimizer.safetensors"})
    fs::remove(std::string("run/") + name);
  for (const char* name : {"run/step-6", "run/step-12"}) fs::remove_all(name);
  const json document = report_of("run");
  BOOST_TEST(document["curves"].size() > 3U);
  BOOST_TEST(document["notes"][0] ==
             "No attention maps and no examples: no checkpoint has been saved.");
  fs::remove("run/metrics.jsonl");
  expect_refused(command({"report", "run"}), 1,
                 "run: neither metrics nor a checkpoint yet; continue with train --resume run");
}

BOOST_AUTO_TEST_CASE(a_run_that_diverged_has_a_page) {
  const Elsewhere elsewhere;
  const std::string options =
      "--length 4 --symbols 4 --layers 1 --width 8 --batch 8 --steps 12 --optimizer sgd --lr 1e20 "
      "--clip 0 --warmup 0 --eval-every 1 --out run ";
  BOOST_TEST(command("train copy " + options).status == 1);
  json document = report_of("run");
  BOOST_TEST(document["state"] == "diverged");
  BOOST_TEST(document["notes"][0].get<std::string>().rfind("Training diverged: step 2: ", 0) == 0u);
  BOOST_TEST(document["notes"].back() ==
             "No attention maps and no examples: the model's output isn't finite.");
  BOOST_TEST(!document["curves"].empty());
  BOOST_TEST(document["maps"].is_null());

  // The page also works before the first line of metrics and without a checkpoint.
  for (const char* name : {"run/metrics.jsonl", "run/checkpoint"}) fs::remove(name);
  fs::remove_all("run/step-1");
  BOOST_TEST(report_of("run")["state"] == "diverged");
}

BOOST_AUTO_TEST_CASE(steps_that_were_skipped_are_counted) {
  const Elsewhere elsewhere;
  done(
      "train copy --length 4 --symbols 4 --layers 1 --width 8 --batch 8 --steps 12 --optimizer sgd "
      "--lr 1e20 --clip 0 --warmup 0 --eval-every 6 --skip-bad-steps true --out run");
  const json document = report_of("run");
  BOOST_TEST(document["state"] == "diverged");
  BOOST_TEST(document["finished"] == true);
  const auto note = document["notes"][0].get<std::string>();
  BOOST_TEST(note.rfind("11 steps were skipped because the loss or the gradient wasn't finite. The "
                        "first was step 2: ",
                        0) == 0u,
             note);
  BOOST_TEST(document["notes"][1] ==
             "The validation loss at step 12, the last evaluation, isn't finite.");
}

BOOST_AUTO_TEST_CASE(samples_are_shown_by_step) {
  const Run made;
  train({"--resume", "run", "--steps", "18", "--change", "steps", "--prompt", "0 1 2 3"});
  const json texts = report_of("run")["texts"];
  BOOST_TEST_REQUIRE(texts.size() == 1u);
  BOOST_TEST(texts[0]["step"] == 18);
  BOOST_TEST(texts[0]["samples"][0]["prompt"] == "0 1 2 3");
  BOOST_TEST(texts[0]["samples"][0]["text"] != "");
}

BOOST_AUTO_TEST_CASE(a_checkpoint_without_metrics_shows_its_maps) {
  const Run made;
  fs::remove("run/metrics.jsonl");
  const json document = report_of("run");
  BOOST_TEST(document["curves"].empty());
  BOOST_TEST(!document["maps"].is_null());
  BOOST_TEST(document["notes"][0] == "No curves: metrics.jsonl is empty.");
}

BOOST_AUTO_TEST_CASE(training_writes_the_page_of_the_command) {
  const Elsewhere elsewhere;
  BOOST_TEST(has(done("train copy --length 4 --symbols 4 --layers 1 --width 8 --batch 8 --steps 2 "
                      "--out run --report")
                     .text,
                 "\npage:                 run/report.html\n"));
  const std::string page = contents("run/report.html");
  done("report run");
  BOOST_TEST((contents("run/report.html") == page));
}

BOOST_AUTO_TEST_CASE(says_in_a_line_what_is_wrong) {
  const Run made;
  fs::create_directory("empty");
  expect_refused(command({"report", "none"}), 1, "none: No such file or directory");
  expect_refused(command({"report", "empty"}), 1, "empty: not a run folder: it has no config.toml");
  expect_refused(command({"report", "run", "run/"}), 2, "report: run is listed twice");
  expect_refused(command({"report", "run", "--out", "none/page.html"}), 1,
                 "none/page.html: No such file or directory");
  std::ofstream("run/metrics.jsonl", std::ios::app) << "{\"step\":\n{\"step\":14}\n";
  const std::string good = contents("run/metrics.jsonl");
  const auto line = std::count(good.begin(), good.end(), '\n') - 1;
  expect_refused(
      command({"report", "run"}), 1,
      fmt::format("run/metrics.jsonl: line {} is not a JSON object with an integer \"step\"; fix "
                  "it, or drop damaged lines with train --resume run --repair",
                  line));
}

BOOST_AUTO_TEST_CASE(of_several_the_others_are_shown_where_one_cannot_be_read) {
  const Run made;
  fs::copy("run", "other", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  fs::create_directory("none");
  const Output output = command({"report", "run", "none", "other", "--out", "all.html"});
  BOOST_TEST(output.status == 1);
  BOOST_TEST(output.errors == "tapehead: none: not a run folder: it has no config.toml\n");
  BOOST_TEST(output.text.rfind("all.html · 2 runs · ", 0) == 0U);
  const Output nothing = command({"report", "none", "missing", "--out", "nothing.html"});
  BOOST_TEST(nothing.status == 1);
  BOOST_TEST(missing(nothing.errors, {"tapehead: none: ", "tapehead: missing: ",
                                      "tapehead: report: none of the 2 runs can be read\n"}) == "");
  BOOST_TEST(!fs::exists("nothing.html"));
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_the_page_before) {
  const Run made;
  fs::create_directory("full");
  std::ofstream("full/page.html") << "before";
  {
    const FullDisk full(1000);
    BOOST_TEST(command({"report", "run", "--out", "full/page.html"}).status == 1);
  }
  expect_names("full", {"page.html"});
  BOOST_TEST(contents("full/page.html") == "before");
}

BOOST_AUTO_TEST_CASE(has_the_digest) {
  const Run run;
  done("report run");
  BOOST_TEST(has(contents("run/report.html"), done("digest run").text.substr(0, 16)));
}

BOOST_AUTO_TEST_CASE(takes_the_place_of_a_link_in_the_run) {
  const Run run;
  std::ofstream("mine") << "mine";
  fs::create_symlink("../mine", "run/report.html");
  done("report run");
  BOOST_TEST(contents("mine") == "mine");
  BOOST_TEST(has(contents("run/report.html"), "<html"));
}

BOOST_AUTO_TEST_CASE(paths_cannot_control_the_terminal) {
  const Run run;
  const std::string name = "a\x1b[31m\n\xff";
  fs::rename("run", name);
  const Output output = command({"report", name});
  BOOST_TEST(has(output.text + output.errors, "a␛[31m↵�"));
  BOOST_TEST(!has(output.text + output.errors, "\x1b"));
}

BOOST_AUTO_TEST_SUITE_END()

#include "../../../core/numerics.hpp"
#include "../../../core/ops.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/files/strings.hpp"
#include "../../../train/safetensors/safetensors.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(verify, Elsewhere)

namespace {

void train(const std::string& options, const std::string& task = "reverse --symbols 4 --length 4") {
  done("train " + task +
       " --layers 1 --heads 1 --width 8 --steps 12 --eval-every 4 --batch 4 --out run " + options);
}

json verified(const std::string& options, int status) {
  const Output output = command("verify run --json " + options);
  BOOST_TEST(output.status == status, output.errors);
  return parsed(output.text);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_comes_out_the_same) {
  train("");
  const std::string before = contents("run/metrics.jsonl");
  const json found = verified("", 0);
  BOOST_TEST(found["agrees"] == true);
  BOOST_TEST(found["steps"] == 12);
  BOOST_TEST(found["first"].is_null());
  BOOST_TEST_REQUIRE(found["evaluations"].size() == 3u);
  for (const json& one : found["evaluations"]) {
    BOOST_TEST(one["agrees"] == true);
    BOOST_TEST(one["again"] == one["recorded"]);
  }
  BOOST_TEST(has(done("digest run").text, std::string(found["evaluations"][2]["again"])));
  const Output text = done("verify run");
  BOOST_TEST(
      has(text.text,
          "run is reproducible: 3 checkpoints, 3 digests and all metrics to step 12 agree\n"),
      text.text);
  BOOST_TEST(contents("run/metrics.jsonl") == before);
  BOOST_TEST(!std::filesystem::exists("run/report.html"));
}

BOOST_AUTO_TEST_CASE(a_part_of_the_steps) {
  train("");
  const json found = verified("--steps 8", 0);
  BOOST_TEST(found["steps"] == 8);
  BOOST_TEST(found["evaluations"].size() == 2u);
  expect_refused("verify run --steps 13",
                 "--steps must be from 1 to 12, the last recorded step of run, got 13");
  expect_refused("verify run --steps 0", "--steps must be at least 1, got 0");
}

/// A stop or a slow step adds lines that --log-every doesn't request.
BOOST_AUTO_TEST_CASE(every_recorded_line_counts) {
  train("--log-every 5 --eval-every 0");
  replace_in("run/config.toml", "log-every = 5", "log-every = 100");
  BOOST_TEST(verified("", 0)["steps"] == 12);
  replace_in("run/metrics.jsonl", "\"step\":5,\"loss\":", "\"step\":5,\"loss\":9");
  BOOST_TEST(verified("", 1)["first"]["step"] == 5);
}

BOOST_AUTO_TEST_CASE(the_first_difference_ends_it) {
  train("");
  const std::string digest = json_of("runs run --json")[0]["digest"];
  replace_in("run/metrics.jsonl", digest, "0000000000000000");
  const json found = verified("", 1);
  BOOST_TEST(found["agrees"] == false);
  BOOST_TEST(found["first"]["step"] == 12);
  BOOST_TEST(found["first"]["differing"][0]["name"] == "digest");
  BOOST_TEST(found["first"]["differing"][0]["recorded"] == "0000000000000000");
  BOOST_TEST(found["first"]["differing"][0]["again"] == digest);

  replace_in("run/metrics.jsonl", "\"step\":3,\"loss\":", "\"step\":3,\"loss\":9");
  const Output output = command("verify run");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "differs at step 3: loss\n"), output.text);
  BOOST_TEST(verified("", 1)["evaluations"].empty());
}

BOOST_AUTO_TEST_CASE(a_run_that_diverged_does_so_again) {
  const Output output = command(
      "train reverse --symbols 4 --length 4 --layers 1 --heads 1 --width 8 --steps 12 "
      "--eval-every 4 --batch 4 --lr 1e30 --clip 0 --warmup 0 --out run");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(verified("", 0)["agrees"] == true);
  const std::string config = contents("run/config.toml");
  const std::size_t at = config.find("\nlr = "), end = config.find('\n', at + 1);
  std::ofstream("run/config.toml") << config.substr(0, at) + "\nlr = 0.001" + config.substr(end);
  const json found = verified("", 1);
  BOOST_TEST(found["agrees"] == false);
}

BOOST_AUTO_TEST_CASE(what_can_not_be_the_same_is_refused) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += fmt::format("line {} of it\n", i * i % 97);
  std::ofstream("text.txt") << text;
  train("--data text.txt --context 8", "text");
  BOOST_TEST(verified("", 0)["agrees"] == true);
  std::ofstream("text.txt", std::ios::app) << "more\n";
  expect_refused("verify run",
                 "verify: text.txt has changed since run was trained on it; restore it");
  std::filesystem::remove("text.txt");
  expect_refused("verify run",
                 "verify: text.txt: No such file or directory; if it has moved, pass its new path "
                 "with --data FILE; run was trained on it");
  std::ofstream("text.txt") << text;
}

BOOST_AUTO_TEST_CASE(another_version_needs_the_same_numerics) {
  train("");
  const auto replace = [](const char* from, const char* to) {
    replace_in("run/provenance.jsonl", from, to);
  };
  replace("\"version\":\"0.2.0\"", "\"version\":\"0.1.0\"");
  const Output output = done("verify run");
  BOOST_TEST(output.errors ==
             "run was trained by version 0.1.0, but this is version 0.2.0; both have numerics 1\n");
  BOOST_TEST(has(output.text, ", version 0.1.0, numerics 1, "), output.text);
  BOOST_TEST(verified("", 0)["sessions"][0]["numerics"] == numerics);
  replace("\"numerics\":1,", "");  // recorded before the numerics had a number
  BOOST_TEST(done("verify run").errors == output.errors);
  replace("\"version\":\"0.1.0\"", "\"version\":\"0.9.0\",\"numerics\":2");
  expect_refused("verify run",
                 "verify: run was trained by version 0.9.0, numerics 2, but this is version 0.2.0, "
                 "numerics 1; the numerics differ, so verify it with version 0.9.0");
  std::filesystem::remove("run/provenance.jsonl");
  BOOST_TEST(verified("", 0)["agrees"] == true);
  replace_in("run/config.toml", "version = \"0.2.0", "version = \"0.1.0");
  expect_refused("verify run",
                 "verify: run was trained by version 0.1.0, but this is version 0.2.0; it recorded "
                 "no numerics, so verify it with version 0.1.0");
}

BOOST_AUTO_TEST_CASE(changed_code_is_noted) {
  train("");
  const json session = parsed(contents("run/provenance.jsonl"));
  const json found = verified("", 0);
  BOOST_TEST(found["sessions"] == json::array({session}));
  const std::string started = session["started"], line = lines_of(done("verify run").text)[0];
  BOOST_TEST(starts_with(line, "step 0: " + started + " on "), line);
  replace_in("run/provenance.jsonl", "\"program\"", "\"commit\":\"12ab\",\"program\"");
  const Output output = done("verify run");
  BOOST_TEST(output.errors ==
             "run was trained by commit 12ab, but this is an unknown commit; results may differ\n");
  BOOST_TEST(has(output.text, "run is reproducible: "), output.text);
}

BOOST_AUTO_TEST_CASE(a_bf16_run_of_an_earlier_build_is_refused) {
  train("--dtype bf16");
  BOOST_TEST(verified("", 0)["agrees"] == true);
  const std::string file = "run/model.safetensors";
  Safetensors model = read_safetensors(file);
  model.metadata["digest_note"] = "bf16 by avx512";
  write_file(file, encode_safetensors(model));
  expect_refused("verify run",
                 "verify: run was trained by an older build, which rounds differently (bf16 by "
                 "avx512); train it again");
}

BOOST_AUTO_TEST_CASE(a_run_whose_beginning_is_gone_is_refused) {
  train("");
  std::filesystem::rename("run", "before");
  train("--init before");
  BOOST_TEST(verified("", 0)["agrees"] == true);
  std::filesystem::remove_all("before");
  expect_refused("verify run", "verify: run started from before, which no longer exists");
}

BOOST_AUTO_TEST_CASE(a_run_without_metrics_does_not_agree) {
  train("");
  std::filesystem::remove("run/metrics.jsonl");
  const Output output = command("verify run");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "not compared: metrics.jsonl has no line for steps 1 to 12\n"),
             output.text);
  for (const auto& entry : std::filesystem::directory_iterator("run"))
    if (entry.path().filename() != "config.toml") std::filesystem::remove_all(entry.path());
  expect_refused("verify run", "verify: run has neither metrics nor checkpoints to compare");
}

BOOST_AUTO_TEST_CASE(changed_weights_are_found) {
  train("--keep 3");
  BOOST_TEST(verified("", 0)["checkpoints"].size() == 3u);
  const std::string path = "run/step-8/model.safetensors", before = contents(path);
  Safetensors file = read_safetensors(path);
  Tensor& weight = file.tensors.begin()->second;
  weight = weight * (1 + 1e-7);
  write_safetensors(path, file);  // writes a valid checksum
  const json found = verified("", 1);
  BOOST_TEST(found["agrees"] == false);
  BOOST_TEST(found["checkpoints"][1]["agrees"] == false);
  const Output output = command("verify run");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "the weights of step 8 differ: checkpoint "), output.text);
  BOOST_TEST(verified("--steps 7", 0)["agrees"] == true);
  std::ofstream(path) << before.substr(0, 200);
  const Output damaged = command("verify run");
  BOOST_TEST(damaged.status == 1);
  BOOST_TEST(has(damaged.text, "not compared: run/step-8/model.safetensors"), damaged.text);
}

BOOST_AUTO_TEST_CASE(changed_averaged_weights_are_found) {
  train("--keep 3 --average 0.9");
  BOOST_TEST(verified("", 0)["checkpoints"].size() == 3u);
  const std::string path = "run/step-12/model.safetensors";
  Safetensors file = read_safetensors(path);
  file.tensors.begin()->second = file.tensors.begin()->second * 2;
  write_safetensors(path, file);
  BOOST_TEST(verified("", 1)["checkpoints"][2]["agrees"] == false);
}

BOOST_AUTO_TEST_CASE(missing_lines_are_named) {
  train("--keep 3");
  const std::string all = contents("run/metrics.jsonl");
  std::string some;
  for (const std::string& line : lines_of(all))
    if (line.rfind("{\"step\":2,", 0) != 0 && line.rfind("{\"step\":12,", 0) != 0)
      some += line + "\n";
  std::ofstream("run/metrics.jsonl") << some;
  const json found = verified("", 1);
  BOOST_TEST(found["agrees"] == false);
  BOOST_TEST(found["missing"] == json({2, 12}));
  std::ofstream("run/metrics.jsonl") << lines_of(all)[0] << "\n";
  const Output output = command("verify run");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "not compared: metrics.jsonl has no line for steps 2 to 12\n"),
             output.text);
}

BOOST_AUTO_TEST_SUITE_END()

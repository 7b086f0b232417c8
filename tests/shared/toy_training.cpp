#include "toy_training.hpp"
#include "few_held_out.hpp"
#include "json.hpp"

namespace tapehead {

const Registry& registry() { return few_held_out(); }

TrainConfig small_config(const std::string& arch) {
  const bool translates = arch == "encoder-decoder";
  const std::string task = translates ? "translate" : arch == "encoder" ? "reverse" : "copy";
  TrainConfig config = registry().find_task(task).recipe;
  if (translates)
    config.task_options = {{"digits", "3"}};
  else
    config.task_options = {{"length", "4"}, {"symbols", "4"}};
  config.model.layers = 1;
  config.model.heads = 2;
  config.model.width = 8;
  config.model.dropout = 0.1;
  config.model.temperature = Temperature::head;
  config.batch = 8;
  config.steps = 12;
  config.eval_every = 5;
  config.threads = 1;
  return config;
}

Plan planned(const TrainConfig& config, const Registry& known) {
  return make_plan(validated(config, known), known);
}

TrainOutcome run(const TrainConfig& config, const std::string& path, Listener& listener,
                 const Registry& known) {
  if (!std::filesystem::exists(path)) RunFolder::create(path).write_config("");
  RunFolder folder = RunFolder::resume(path);
  return train(planned(config, known), known, folder, listener, listener.stop);
}

std::vector<nlohmann::json> metrics(const std::string& path) {
  std::vector<nlohmann::json> lines;
  for (const std::string& line : RunFolder::open(path).read_metrics())
    lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::vector<std::string> result(const std::string& path) {
  std::vector<std::string> all;
  for (const std::string& line : RunFolder::open(path).read_metrics()) {
    const std::size_t time = line.find(",\"time\":{\"seconds\":");
    BOOST_TEST_REQUIRE(time != std::string::npos);
    BOOST_TEST(line.find('}', time) == line.size() - 2);
    all.push_back(line.substr(0, time));
  }
  for (const char* link : {"checkpoint", "best"})
    for (const char* name : {"model", "optimizer"})
      all.push_back(read_file(fmt::format("{}/{}.safetensors", checkpoint_of(path, link), name)));
  return all;
}

std::string checkpoint_of(const std::string& path, const std::string& link) {
  const std::string at = path + "/" + link;
  if (std::filesystem::is_directory(at)) return at;
  const std::string name = read_file(at);
  return path + "/" + name.substr(0, name.find('\n'));
}

void expect_repeatable(TrainConfig config) {
  const Scratch scratch;
  Listener listener;
  run(config, scratch.file("whole"), listener);
  const auto expected = result(scratch.file("whole"));
  for (Index stop_after : {1, 5, 7}) {  // 5: where it saves anyway
    const std::string path = scratch.file(fmt::format("{}", stop_after));
    Listener first(stop_after), second;
    config.threads = 2;
    const TrainOutcome stopped = run(config, path, first);
    BOOST_TEST(stopped.interrupted);
    BOOST_TEST(stopped.steps == stop_after);
    config.threads = 1;
    const TrainOutcome outcome = run(config, path, second);
    BOOST_TEST(!outcome.interrupted);
    BOOST_TEST(outcome.steps == config.steps);
    BOOST_TEST(second.first == stop_after);
    BOOST_TEST(result(path) == expected, per_element());
  }
  set_threads(1);
}

void expect_refusal(const std::string& text, const std::function<void(TrainConfig&)>& change) {
  const auto make = [&] {
    TrainConfig config = small_config();
    change(config);
    validated(config, registry());
  };
  expect_error<UsageError>(make, text);
}
void expect_refusal(const std::string& text, const std::string& options) {
  expect_refusal(text, [&](TrainConfig& config) {
    apply(parse_settings(options), all_options(registry().find_task("copy"), registry()), config);
  });
}

}  // namespace tapehead

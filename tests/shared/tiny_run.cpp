#include "tiny_run.hpp"
#include "support.hpp"

#include <cstdlib>
#include <filesystem>

namespace tapehead {

namespace fs = std::filesystem;

InMemory::InMemory() {
  std::error_code ignored;
  is_set_ = !std::getenv("TMPDIR") && fs::is_directory("/dev/shm", ignored);
  if (is_set_) ::setenv("TMPDIR", "/dev/shm", 1);
}
InMemory::~InMemory() {
  if (is_set_) ::unsetenv("TMPDIR");
}

Words TinyRun::beginning(const std::string& run) const {
  static const Scratch scratch;
  static const std::string file = [] {
    std::string text;
    for (int i = 0; i < 12; ++i) text += fmt::format("a rose is a rose, and {} are {}\n", i, i * i);
    return scratch.write("text.txt", text);
  }();
  return words_of("train text --data " + file +
                  " --context 8 --layers 1 --heads 2 --width 8 --batch 8 --lr 0.1 --threads 1 " +
                  options_ + " --out " + run);
}

Words TinyRun::train(const std::string& run) const {
  if (fs::exists(run + "/config.toml")) return {"train", "--resume", run};
  return beginning(run);
}

Words result_of(const std::string& run) {
  Words all;
  for (const char* name : {"model", "optimizer", "best/model", "best/optimizer"}) {
    all.push_back(contents(fmt::format("{}/{}.safetensors", run, name)));
    BOOST_TEST(!all.back().empty(), name);
  }
  std::istringstream lines(contents(run + "/metrics.jsonl"));
  for (std::string line; std::getline(lines, line);)
    all.push_back(line.substr(0, line.find(",\"time\":")));
  return all;
}

WholeRun::WholeRun(const TinyRun& tiny) : path(scratch.file("run")) {
  for (int i = 0; i < 3; ++i) {
    fs::remove_all(path);
    const auto start = Process::Clock::now();
    Process process(tiny.beginning(path));
    BOOST_TEST_REQUIRE(process.wait() == 0, contents("errors"));
    time = std::min<Process::Clock::duration>(time, Process::Clock::now() - start);
  }
  expected = result_of(path);
}

void WholeRun::expect(const std::string& run) const {
  const Words found = result_of(run);
  BOOST_TEST_REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) BOOST_TEST((found[i] == expected[i]), i);
}

int count_of(const char* variable, int by_default) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : by_default;
}

}  // namespace tapehead

#include "../../../train/runs/run_folder.hpp"
#include "../../../train/runs/checkpoint.hpp"
#include "../../../train/runs/step_folders.hpp"
#include "../../shared/toy_model.hpp"
#include "../folder.hpp"
#include "../memory_file.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

#include <unistd.h>

namespace tapehead::fuzz {
namespace {

/// A run with a single checkpoint.
struct Run {
  Run() {
    std::ofstream(folder.path() + "/config.toml");
    std::filesystem::create_directory(folder.path() + "/step-1");
  }
  std::string file(const std::string& name) const { return folder.path() + "/" + name; }

  const Folder folder;
};

void expect_own_name(const std::string& name) {
  if (const auto step = step_folder(name)) promise(step->name() == name, "a step's folder");
}

void run_folder(const std::string& input) {
  static const Run run;
  static const MemoryFile model(run.file("step-1/model.safetensors"));
  static const MemoryFile optimizer(run.file("step-1/optimizer.safetensors"));
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string target = input.substr(0, end), link = run.file("checkpoint");
  expect_own_name(target);
  const std::string bytes = input.substr(std::min(end + 1, input.size()));
  model.write(bytes);
  optimizer.write(bytes);
  ::unlink(link.c_str());
  if (::symlink(target.c_str(), link.c_str()) != 0) return;  // not a valid name
  static ToyModel toy;
  static ToyOptimizer moments(toy);
  try {
    const RunFolder folder = RunFolder::open(run.folder.path(), [](const std::string&) {});
    folder.has_checkpoint();
    folder.last_step();
    static_cast<void>(folder.last_record().config);
    promise(folder.load(toy, nullptr) >= 0, "steps");
    promise(folder.load(toy, &moments) >= 0, "steps");
  } catch (const FileError&) {
  }
}
const Target run_folder_target("run_folder", run_folder);

}  // namespace

}  // namespace tapehead::fuzz

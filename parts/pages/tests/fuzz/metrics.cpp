#include "../../../../tests/fuzz/folder.hpp"
#include "../../../../tests/fuzz/memory_file.hpp"
#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../../../train/runs/metrics_file.hpp"
#include "../../report/curves.hpp"

namespace tapehead::fuzz {
namespace {

void metrics(const std::string& input) {
  static const Folder folder;
  static const MemoryFile file(folder.path() + "/" + metrics_name);
  static const RunFolder run = [] {
    std::ofstream(folder.path() + "/config.toml");
    return RunFolder::open(folder.path());
  }();
  file.write(input);
  try {
    const Metrics read = read_metrics(run, true);
    for (const Curve& curve : read.curves)
      promise(curve.steps.size() == curve.values.size(), "a value for each step");
  } catch (const FileError&) {
  }
}
const Target metrics_target("metrics", metrics);

}  // namespace

}  // namespace tapehead::fuzz

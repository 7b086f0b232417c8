#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../axes.hpp"

#include <sstream>

namespace tapehead::fuzz {
namespace {

void sweep(const std::string& input) {
  std::vector<Axis> axes;
  std::size_t count = 1;
  std::istringstream lines(input);
  try {
    for (std::string line; std::getline(lines, line); count *= axes.back().values.size())
      axes.push_back(parse_axis(line));
  } catch (const UsageError&) {
    return;
  }
  if (count > 1000) return;
  const std::vector<Settings> all = combinations(axes);
  promise(all.size() == count, "every combination");
  for (const Settings& settings : all)
    promise(run_name(settings, 7).find('/') == std::string::npos, "the name of a folder");
}
const Target sweep_target("sweep", sweep);

}  // namespace

}  // namespace tapehead::fuzz

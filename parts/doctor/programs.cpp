#include "../../core/error.hpp"
#include "../../core/system/process.hpp"
#include "../project/process.hpp"
#include "checks.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace tapehead {
namespace {

using State = Diagnosis::State;
using Names = std::vector<std::string>;

/// A program under any of its names, and the package of Debian that brings it.
struct Wanted {
  Names names;
  std::string package;
};

/// What brings packages.
std::string installing(const Names& packages) {
  return fmt::format("{} {}", system::has_program("apt-get") ? "apt-get install" : "install",
                     fmt::join(packages, " "));
}

/// Whether all programs are there that something is done with.
Diagnosis check_wanted(const std::string& check, const std::vector<Wanted>& programs,
                       const std::string& use) {
  Names there, missing, packages;
  for (const Wanted& wanted : programs) {
    const auto found = std::find_if(wanted.names.begin(), wanted.names.end(), system::has_program);
    if (found != wanted.names.end()) {
      there.push_back(*found);
    } else {
      missing.push_back(wanted.names.front());
      packages.push_back(wanted.package);
    }
  }
  if (missing.empty())
    return {check, State::fine, fmt::format("{}, for {}", fmt::join(there, ", "), use)};
  return {check, State::missing, fmt::format("no {}, for {}", fmt::join(missing, ", "), use),
          installing(packages)};
}

Diagnosis check_python() {
  const std::string use = "for notebooks";
  if (!system::has_program("python3"))
    return {"python", State::missing, "no python3, " + use,
            installing({"python3", "python3-numpy"})};
  // A module that can't be loaded is as good as none; a folder of that name may be in its place.
  const ProcessResult result = run_process({"python3", "-c",
                                            "for name, of in ('numpy', 'array'), "
                                            "('tapehead', 'tensor'):\n"
                                            "  try: getattr(__import__(name), of)\n"
                                            "  except Exception: print('no', name)\n"},
                                           60);
  if (result.status != 0 || result.timed_out)
    return {"python", State::missing, "python3 doesn't run", "python3 --version"};
  if (result.output.find("no numpy") != std::string::npos)
    return {"python", State::missing, "python3 has no numpy, " + use,
            installing({"python3-numpy"})};
  if (result.output.find("no tapehead") != std::string::npos)
    return {"python", State::missing, "python3 has numpy, and no package tapehead, " + use,
            "pip install ./parts/python, in the sources of Tapehead"};
  return {"python", State::fine, "python3 with numpy and tapehead, " + use};
}

}  // namespace

Diagnoses check_programs() {
  return {
      check_wanted(
          "compiler",
          {{{"c++", "g++", "clang++"}, "g++"}, {{"cmake"}, "cmake"}, {{"make", "ninja"}, "make"}},
          "programs of your own: new, learn check"),
      check_python(),
      check_wanted("ranks", {{{"mpirun", "srun"}, "openmpi-bin"}},
                   "training by several processes")};
}

}  // namespace tapehead

#include "../../core/kernels/kernels.hpp"
#include "../parts.hpp"
#include "checks.hpp"

#include <fmt/ranges.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace tapehead {
namespace {

using State = Diagnosis::State;
using Names = std::vector<std::string>;

#ifdef __clang__
constexpr const char* compiler = "Clang " __clang_version__;
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

Diagnosis check_level() {
  Names built, others;
  for (const InstructionLevel& level : instruction_levels()) {
    built.push_back(level.name);
    if (!level.runs) others.push_back(level.name);
  }
  std::string text = fmt::format("{} computes{}; built are {}", instruction_set(),
                                 std::getenv("TAPEHEAD_ISA") ? ", as TAPEHEAD_ISA says" : "",
                                 fmt::join(built, ", "));
  if (!others.empty())
    text += fmt::format(", of which this processor doesn't run {}", fmt::join(others, ", "));
  return {"level", State::fine, text};
}

Diagnosis check_parts(const PartsOfBuild& parts) {
  const std::string built = fmt::format("{}", fmt::join(parts.built, ", "));
  if (parts.left_out.empty()) return {"parts", State::fine, built};
  Names lacks;
  for (const PartsOfBuild::LeftOut& part : parts.left_out)
    lacks.push_back(fmt::format("{}, which needs {}", part.name, part.needs));
  return {"parts", State::missing, fmt::format("{}; left out: {}", built, fmt::join(lacks, "; ")),
          "install what it needs, and build again"};
}

}  // namespace

Diagnoses check_build(const Registry& registry) {
  Diagnoses found = {
      {"version", State::fine, fmt::format("{}, compiled by {}", TAPEHEAD_VERSION, compiler)},
      check_level()};
  for (const PartsOfBuild& parts : registry.extensions<PartsOfBuild>())
    found.push_back(check_parts(parts));
  return found;
}

}  // namespace tapehead

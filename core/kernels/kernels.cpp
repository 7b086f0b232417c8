// Selection of the instruction set at startup.
#include "kernels.hpp"
#include "processor.hpp"

#include <cstdlib>

namespace tapehead {
namespace {

struct Tables {
  Kernels<float> f32;
  Kernels<double> f64;
  BitKernels bits;
};
using Fill = void (*)(Kernels<float>&, Kernels<double>&, BitKernels&);

}  // namespace

namespace kernel {

#define TAPEHEAD_FILL(isa)                                                \
  namespace isa {                                                         \
  void fill(Kernels<float>& f32, Kernels<double>& f64, BitKernels& bits); \
  }
TAPEHEAD_FILL(baseline)
TAPEHEAD_FILL(v3)
TAPEHEAD_FILL(v4)

}  // namespace kernel

namespace {

struct InstructionSet {
  std::string name;
  Fill fill;
  bool supported;
};

const std::vector<InstructionSet>& instruction_sets() {  // from slowest to fastest
  static const std::vector<InstructionSet> all = {
#ifdef TAPEHEAD_LEVEL_baseline
      {"baseline", kernel::baseline::fill, true},
#endif
#ifdef TAPEHEAD_LEVEL_v3
      {"v3", kernel::v3::fill, Processor().v3},
#endif
#ifdef TAPEHEAD_LEVEL_v4
      {"v4", kernel::v4::fill, Processor().v4},
#endif
  };
  return all;
}

const InstructionSet& chosen() {
  static const InstructionSet& choice = []() -> const InstructionSet& {
    const char* const asked = std::getenv("TAPEHEAD_ISA");
    const InstructionSet* best = nullptr;
    std::string names;
    for (const InstructionSet& set : instruction_sets()) {
      names += (names.empty() ? "" : ", ") + set.name;
      if (asked ? set.name == asked : set.supported) best = &set;
    }
    if (!best && !asked)
      throw Error(
          "this build only has kernels for {}, which this processor doesn't support; build it "
          "here, or with TAPEHEAD_LEVELS=all",
          names);
    if (!best) throw ValueError("TAPEHEAD_ISA is '{}', expected one of {}", asked, names);
    if (!best->supported)
      throw ValueError("TAPEHEAD_ISA: this processor doesn't support {}; unset the variable",
                       best->name);
    return *best;
  }();
  return choice;
}

const Tables& tables() {
  static const Tables all = [] {
    Tables tables{};  // kernels that no file adds are null
    chosen().fill(tables.f32, tables.f64, tables.bits);
    return tables;
  }();
  return all;
}

}  // namespace

const std::string& instruction_set() { return chosen().name; }

std::vector<InstructionLevel> instruction_levels() {
  std::vector<InstructionLevel> levels;
  for (const InstructionSet& set : instruction_sets()) levels.push_back({set.name, set.supported});
  return levels;
}

template <>
const Kernels<float>& kernels() {
  return tables().f32;
}
template <>
const Kernels<double>& kernels() {
  return tables().f64;
}
const BitKernels& bit_kernels() { return tables().bits; }

}  // namespace tapehead

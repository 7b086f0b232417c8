#include "../../../../core/error.hpp"
#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../circuit/circuit.hpp"

#include <algorithm>

namespace tapehead::fuzz {
namespace {

/// Parses, runs and compiles a program with few inputs.
void rasp_program(const std::string& input) {
  try {
    rasp::Program program = rasp::parse("p", input);
    if (program.alphabet.size() > 3) return;
    program.longest = std::min(program.longest, 3);
    program.shortest = std::min(program.shortest, 3);
    rasp::Interpreter interpreter(program);
    interpreter.run_all();
    const rasp::Circuit circuit = rasp::make_circuit(interpreter);
    promise(circuit.vocabulary.size() == circuit.logits.size(), "a logit for each token");
    for (const auto& heads : circuit.heads)
      for (const rasp::Head& head : heads)
        promise(head.keys.size() == head.queries.size() && head.values.size() == head.writes.size(),
                "rows in pairs");
  } catch (const FileError&) {
    return;
  }
}
const Target rasp_target("rasp", rasp_program);

}  // namespace

}  // namespace tapehead::fuzz

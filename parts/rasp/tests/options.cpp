// Checks the effect of each option of this part.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/option_rows.hpp"
#include "../../../tests/shared/tasks.hpp"

namespace tapehead {
namespace {

const CommandRows rows({
    {"rasp reverse", "input", "a b", "indices   0", "q",
     "--input: 'q' in 'q' isn't one of the tokens"},
    {"rasp", "json", "", "[", "", ""},
    {"compile identity", "out", "runs/x", "runs/x · ", "runs/text", "runs/text exists already"},
    {"compile identity", "dtype", "f64", "", "bf16", "--dtype must be f32 or f64, not 'bf16'"},
    {"compile identity", "json", "", "{", "", ""},
});
const OtherValue program("rasp-program", "reverse");

}  // namespace
}  // namespace tapehead

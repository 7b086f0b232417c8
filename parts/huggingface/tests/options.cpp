// Checks the effect of each option of this part.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

void prepare() { std::filesystem::copy(std::string(source_dir) + "/tests/golden/gpt2", "hub"); }

const CommandRows rows(
    {
        {"import hub", "out", "runs/in", "runs/in · ", "runs/text", "runs/text exists already"},
        {"import hub", "merges", "hub/merges.txt", "", "none.txt", "none.txt: No such file or"},
    },
    prepare);

}  // namespace
}  // namespace tapehead

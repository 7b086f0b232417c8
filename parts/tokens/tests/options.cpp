// Checks the effect of each option of this part.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/option_rows.hpp"
#include "../../../tests/shared/tasks.hpp"

namespace tapehead {
namespace {

const OtherValue tokens("tokens", "bytes");
const OtherValue merges("merges", "");  // tested in the suite byte_text

void prepare() { std::ofstream("merges.txt") << "l i\nn e\n"; }

const CommandRows rows(
    {
        {"tokens --run runs/text", "from", "word.txt", "for 4 bytes", "none",
         "none: No such file or", "", 2},
        {"tokens line", "merges", "merges.txt", "li   ne", "none.txt", "none.txt: No such file or"},
        {"tokens line", "run", "runs/text", "", "runs/none", "runs/none: "},
        {"tokens --merges merges.txt <|endoftext|>", "special", "", "1 token for", "", ""},
        {"tokens line", "out", "ids.npy", "4 tokens for 4 bytes: ids.npy", "ids.txt",
         "ids.txt: expected a name ending in .npy or .bin"},
        {"tokens line", "json", "", "{", "", ""},
    },
    prepare);

}  // namespace
}  // namespace tapehead

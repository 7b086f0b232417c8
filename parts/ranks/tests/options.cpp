// Checks the effect of each option of this part.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const TrainRows rows(
    {{"wire", "bf16", Changes::weights, {}, "f16", "unknown --wire 'f16'; did you mean 'bf16'?"}},
    {});
const TestedElsewhere others({{"rank-timeout", "ranks_command"}}, {{"launch", "ranks_command"}});

}  // namespace
}  // namespace tapehead

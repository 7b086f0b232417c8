// What the options of this part change.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const CommandRows rows({{"runs runs", "trackio", "tracked", "tracked/runs.db: ", "/dev/null/x",
                         "/dev/null: Not a directory", "tracked"}});

}  // namespace
}  // namespace tapehead

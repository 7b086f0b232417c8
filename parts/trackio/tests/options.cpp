// What the options of this part change.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const CommandRows rows({{"runs runs/learned", "trackio", "tracked", "tracked/learned.db: ",
                         "/dev/null/x", "/dev/null: Not a directory", "tracked"}});

}  // namespace
}  // namespace tapehead

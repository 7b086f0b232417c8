// What the options of this part change.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const CommandRows rows({{"doctor", "json", "", "{", "", ""}});

}  // namespace
}  // namespace tapehead

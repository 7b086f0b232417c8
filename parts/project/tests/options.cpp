// What the options of this part change.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const CommandRows rows({
    {"new a", "layer", "mine", "build/mine --", "Mine", "--layer: 'Mine' is no name", "a"},
    {"new b", "task", "mine", "build/mine --", "copy", "--task: 'copy' is there already", "b"},
    {"new c", "optimizer", "mine", "build/mine --", "sgd", "--optimizer: 'sgd' is there already",
     "c"},
    {"new d", "op", "mine", "build/mine --", "exp", "--op: 'exp' is there already", "d"},
});

}  // namespace
}  // namespace tapehead

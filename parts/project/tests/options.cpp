// Checks the effect of each option of `new`.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const CommandRows rows({
    {"new a", "layer", "mine", "build/mine --", "Mine", "--layer: 'Mine' isn't a valid name", "a"},
    {"new b", "task", "mine", "build/mine --", "copy", "--task: 'copy' already exists", "b"},
    {"new c", "optimizer", "mine", "build/mine --", "sgd", "--optimizer: 'sgd' already exists",
     "c"},
    {"new d", "op", "mine", "build/mine --", "exp", "--op: 'exp' already exists", "d"},
});

}  // namespace
}  // namespace tapehead

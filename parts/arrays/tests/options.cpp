// Checks the effect of each option of `arrays`.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const CommandRows rows({
    {"eval runs/answers", "predictions", "p.npz", "predictions: p.npz", "no/p.npz",
     "no/p.npz: No such file or directory"},
});

}  // namespace
}  // namespace tapehead

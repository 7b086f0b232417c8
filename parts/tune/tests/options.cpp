// What the options of this part change.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const char* const tune =
    "tune lr copy --length 4 --symbols 4 --width 8 --heads 1 --steps 10 --eval-examples 8 "
    "--range-steps 40";

const CommandRows rows({
    {tune, "from", "1e-3", "grew from 0.001", "0", "--from 0 --to 10: the rate grows from "},
    {tune, "to", "1e-3", "to 0.001, and", "1e-9", "--from 1e-06 --to 1e-09: the rate grows from "},
    {tune, "range-steps", "30", "of 30 steps", "19", "--range-steps must be at least 20, not 19"},
    {tune, "trial-steps", "3", "", "-1", "--trial-steps must be at least 0, not -1"},
    {tune, "picture", "lr.svg", "as a picture: lr.svg", "lr.png",
     "--picture lr.png: the ending must be .html or .svg"},
    {tune, "json", "", "{", "", ""},
});

}  // namespace
}  // namespace tapehead

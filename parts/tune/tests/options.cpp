// What the options of this part change.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const char* const tune =
    "tune lr copy --length 4 --symbols 4 --width 8 --heads 1 --steps 4 --eval-examples 8 "
    "--min-lr 0 --out tuned";

const CommandRows rows({
    {tune, "from", "1e-3", "1 of 4: lr=0.001,", "0", "--from 0 --to 10: the rates must be",
     "tuned"},
    {tune, "to", "4e-3", "3 of 3: lr=0.003,", "1e-9", "--from 1e-06 --to 1e-09: the rates must be",
     "tuned"},
    {tune, "trial-steps", "3", "The trials had 3 of 4 steps", "-1",
     "--trial-steps must be at least 0, not -1", "tuned"},
    {tune, "seeds", "2", "over 2 seeds", "0", "--seeds must be at least 1, not 0", "tuned"},
    {tune, "json", "", "{", "", "", "tuned"},
});

}  // namespace
}  // namespace tapehead

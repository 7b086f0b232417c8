// Checks the effect of each option of `zoo`.
#include "../../../tests/shared/option_rows.hpp"
#include "../../../tests/shared/tasks.hpp"

namespace tapehead {
namespace {

const OtherValue lambda("lambda", "0.3"), sinks("sinks", "1"), latent("latent", "2"),
    experts("experts", "2"), active("active-experts", "1"), width("expert-width", "3"),
    expand("expand", "1"), state("state-width", "3");
const TrainRows rows(
    {
        {"lambda",
         "0.5",
         Changes::weights,
         {{"attention", "differential"}},
         "1",
         "--lambda must be at least 0 and below 1, not 1"},
        {"sinks",
         "1",
         Changes::weights,
         {{"attention", "sinks"}, {"window", "2"}},
         "-1",
         "--sinks must be at least 0, not -1"},
        {"latent",
         "3",
         Changes::weights,
         {{"attention", "latent"}},
         "-1",
         "--latent must be at least 0, not -1"},
        {"experts",
         "3",
         Changes::weights,
         {{"attention", "switchhead"}},
         "0",
         "--experts must be at least 1, not 0"},
        {"expert-width",
         "6",
         Changes::weights,
         {{"attention", "switchhead"}},
         "-1",
         "--expert-width must be at least 0, not -1"},
        {"active-experts",
         "1",
         Changes::weights,
         {{"attention", "switchhead"}},
         "0",
         "--active-experts must be at least 1, not 0"},
        {"expand",
         "3",
         Changes::weights,
         {{"attention", "mamba2"}},
         "0",
         "--expand must be at least 1, not 0"},
        {"state-width",
         "5",
         Changes::weights,
         {{"attention", "mamba2"}},
         "-1",
         "--state-width must be at least 0, not -1"},
    },
    {{"sinks", "1000000"},
     {"latent", "1000000"},
     {"experts", "1024"},
     {"active-experts", "1024"},
     {"expert-width", "65536"},
     {"expand", "64"},
     {"state-width", "65536"}});

}  // namespace
}  // namespace tapehead

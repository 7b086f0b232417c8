// Checks the effect of each option of `images`.
#include "../../../tests/shared/option_rows.hpp"
#include "../../../tests/shared/tasks.hpp"

namespace tapehead {
namespace {

const OtherValue patch("patch", "2"), pool("pool", "class"), shifted("shifted-patches", "true");
const OtherValue turn("turn", "90"), classes("classes", "a,b,c,d,e,f,g,h,i,j,k"),
    size("size", "");  // the size must match the file
const TrainRows rows({}, {{"patch", "1024"}});
const TestedElsewhere others({{"patch", "vit_model"},
                              {"pool", "vit_model"},
                              {"shifted-patches", "vit_model"}});

}  // namespace
}  // namespace tapehead

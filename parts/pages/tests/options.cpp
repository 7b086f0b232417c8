// Checks the effect of each option of this part.
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

const CommandRows rows({
    {"report runs/answers", "watch", "", "finished", "", ""},
    {"report runs/answers", "figures", "printed", "printed/loss.svg", "/dev/null/x",
     "/dev/null/x: Not a directory"},
    {"sweep copy --steps 1 --eval-every 0 --grid width=8", "reports", "",
     "and a page in each run's folder", "", ""},
    {"report runs/answers --figures by-length", "lengths", "2..4",
     "by-length/exact-match-by-length.svg", "4..2",
     "--lengths must be a length from 1 to 65535, a range "},
    {"report runs/text", "data", "other.txt", "other.txt", "none.txt", "none.txt: No such file"},
    {"report runs/answers", "out", "page.html", "page.html", "no/page.html", "no/page.html: No "},
    {"explain x^2 x=3", "out", "graph.svg", "", "no/x.html", "no/x.html: No such file"},
});
const TestedElsewhere others({{"report", "report"}},
                             {{"report --serve", "page_server"}});  // it doesn't exit by itself

}  // namespace
}  // namespace tapehead

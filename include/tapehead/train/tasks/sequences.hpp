// Where <tapehead/train/tasks/sequences.hpp> leads in a checkout; an installation has the header
// itself here.
#include "../../../../train/tasks/sequences.hpp"

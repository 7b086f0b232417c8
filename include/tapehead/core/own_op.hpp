// Where <tapehead/core/own_op.hpp> leads in a checkout; an installation has the header itself here.
#include "../../../core/own_op.hpp"

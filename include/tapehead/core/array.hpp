// Where <tapehead/core/array.hpp> leads in a checkout; an installation has the header itself here.
#include "../../../core/array.hpp"

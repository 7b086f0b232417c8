// Where <tapehead/tapehead.hpp> leads in a checkout; an installation has the header itself here.
#include "../../tapehead.hpp"

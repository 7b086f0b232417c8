// As <tapehead/tapehead.hpp>, for tasks that draw sequences.
#include "../../../../train/tasks/sequences.hpp"

#pragma once
#include "../config/options.hpp"

namespace tapehead {

// The built-in tasks: each is a table entry and a generator of examples.
TaskEntry copy_task();
TaskEntry reverse_task();
TaskEntry sort_task();
TaskEntry add_task();
TaskEntry induction_task();
TaskEntry majority_task();
TaskEntry recall_task();
TaskEntry mqar_task();
TaskEntry select_task();
TaskEntry modular_task();
TaskEntry regression_task();
TaskEntry translate_task();
TaskEntry dyck_task();
TaskEntry parity_task();
TaskEntry text_task();
TaskEntry lines_task();
TaskEntry names_task();
TaskEntry pairs_task();

}  // namespace tapehead

#pragma once
#include "../../../nn/module.hpp"
#include "../../../train/config/task_entry.hpp"
#include "circuit.hpp"

namespace tapehead::rasp {

/// Returns the options of a model that has the circuit's size: an encoder or, if `is_causal`, a
/// gpt.
Settings model_settings(const Circuit& circuit, bool is_causal);
/// Returns the columns of a head's queries, keys and values.
Index head_width(const Circuit& circuit);
/// Sets the parameters of the model with these options.
void write_weights(const Circuit& circuit, Module& model);

}  // namespace tapehead::rasp

#pragma once
#include "../../nn/module.hpp"
#include "../../train/config/task_entry.hpp"
#include "circuit.hpp"

namespace tapehead::rasp {

/// Returns the options of an encoder that has the circuit's size.
Settings model_settings(const Circuit& circuit);
/// Returns the columns of a head's queries, keys and values.
Index head_width(const Circuit& circuit);
/// Sets the parameters of the encoder with these options.
void write_weights(const Circuit& circuit, Module& encoder);

}  // namespace tapehead::rasp

#pragma once
// The engine, and what trains with it: tasks, runs, evaluations, checks of layers.
#include "tapehead.hpp"

#include <tapehead/train/config/registry.hpp>
#include <tapehead/train/gradchecks/check_module.hpp>
#include <tapehead/train/trainer.hpp>

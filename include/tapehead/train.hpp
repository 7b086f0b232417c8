#pragma once
// The engine, and what trains with it: tasks, runs, evaluations.
#include "tapehead.hpp"

#include <tapehead/train/config/registry.hpp>
#include <tapehead/train/trainer.hpp>

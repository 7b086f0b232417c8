#pragma once
// The library and training: tasks, runs, evaluations.
#include "tapehead.hpp"

#include <tapehead/train/config/registry.hpp>
#include <tapehead/train/trainer.hpp>

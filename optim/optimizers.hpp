#pragma once
// All optimizers.
#include "adamw.hpp"
#include "lion.hpp"
#include "muon.hpp"
#include "sgd.hpp"

#pragma once
// All optimizers.
#include <tapehead/optim/adamw.hpp>
#include <tapehead/optim/lion.hpp>
#include <tapehead/optim/muon.hpp>
#include <tapehead/optim/sgd.hpp>

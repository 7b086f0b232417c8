#pragma once
// Everything. For xtensor expressions over tensors include <tapehead/core/array.hpp> as well.
#include "cli/app.hpp"
#include "core/gradcheck.hpp"
#include "core/ops.hpp"
#include "core/runtime/parallel.hpp"
#include "nn/attention/presets.hpp"
#include "nn/encoder_decoder.hpp"
#include "nn/gpt.hpp"
#include "optim/clip.hpp"
#include "optim/optimizers.hpp"
#include "optim/schedule.hpp"
#include "train/config/registry.hpp"
#include "train/trainer.hpp"

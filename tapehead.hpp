#pragma once
// Everything. For xtensor expressions over tensors include <tapehead/core/array.hpp> as well.
#include <tapehead/cli/app.hpp>
#include <tapehead/core/gradcheck.hpp>
#include <tapehead/core/ops.hpp>
#include <tapehead/core/parallel.hpp>
#include <tapehead/nn/attention_presets.hpp>
#include <tapehead/nn/encoder_decoder.hpp>
#include <tapehead/nn/gpt.hpp>
#include <tapehead/optim/clip.hpp>
#include <tapehead/optim/optimizers.hpp>
#include <tapehead/optim/schedule.hpp>
#include <tapehead/train/registry.hpp>
#include <tapehead/train/trainer.hpp>

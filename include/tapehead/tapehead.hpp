#pragma once
// The library: tensors and ops, layers, optimizers. For xtensor expressions also include
// <tapehead/core/array.hpp>.
#include "deprecated.hpp"

#include <tapehead/core/checks/gradcheck.hpp>
#include <tapehead/core/checks/inputs.hpp>
#include <tapehead/core/checks/steps.hpp>
#include <tapehead/core/custom_gradient.hpp>
#include <tapehead/core/derivatives.hpp>
#include <tapehead/core/kernels/gemm/gemm.hpp>
#include <tapehead/core/ops.hpp>
#include <tapehead/core/recording.hpp>
#include <tapehead/core/runtime/float_mode.hpp>
#include <tapehead/core/runtime/parallel.hpp>
#include <tapehead/nn/attention/presets.hpp>
#include <tapehead/nn/encoder_decoder.hpp>
#include <tapehead/nn/gpt.hpp>
#include <tapehead/optim/clip.hpp>
#include <tapehead/optim/optimizers.hpp>
#include <tapehead/optim/schedule.hpp>

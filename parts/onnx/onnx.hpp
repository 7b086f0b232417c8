#pragma once
#include "../../train/model/architecture.hpp"

namespace tapehead {

/// The bytes of a file of ONNX, of opset 17: the forward pass of a model, from `tokens`, i32
/// (batch, time), to `logits`, for batches of any size, of sequences as long as the model reads,
/// without padding. It is translated op by op, fused ops as the primitive ops that they stand for;
/// parameters keep their names. Throws ValueError that names the op which has no translation, or
/// for a model of 2 GiB, which no file of ONNX can have. Freezes the model's parameters.
std::string to_onnx(const TaskModel& model);

/// The length of the sequences.
Index onnx_time(const TaskModel& model);

}  // namespace tapehead

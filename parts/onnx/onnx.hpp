#pragma once
#include "../../train/model/architecture.hpp"

namespace tapehead {

/// Returns an ONNX file (opset 17) of the model's forward pass, from `tokens`, i32 (batch, time),
/// to `logits`. The batch size is free; the sequence length is the model's maximum, without
/// padding. Fused ops become primitive ops, and parameters keep their names. Freezes the model's
/// parameters. Throws ValueError for an op without an ONNX equivalent, and for a file of 2 GiB or
/// more, which ONNX can't represent.
std::string to_onnx(const TaskModel& model);

/// Returns the sequence length of the exported graph: the model's maximum, without padding.
Index onnx_time(const TaskModel& model);

}  // namespace tapehead

#include "../../train/onnx/onnx.hpp"

#pragma once
// Arrays in NumPy's format.
#include "../core/tensor.hpp"

#include <string>

namespace tapehead {

/// The bytes of a file with an array of f32.
std::string to_npy(const Tensor& x);
/// An array of f64 or f32, as f64. Throws ValueError with the reason if the bytes are no such
/// array, or not all of one.
Tensor from_npy(const std::string& bytes);

}  // namespace tapehead

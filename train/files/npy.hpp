#pragma once
// Arrays in NumPy's format (numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#include "../../core/tensor.hpp"

#include <string>
#include <string_view>

namespace tapehead {

/// Returns an .npy file with an f32, f64 or i32 array in row-major order.
std::string to_npy(const Tensor& x);
/// Decodes an .npy file. f32, f64 and i32 keep their type; f16 becomes f32; booleans and other
/// integers that fit become i32. Fortran order becomes row-major. Throws ValueError with the reason
/// for any other file, and for an incomplete one.
Tensor from_npy(std::string_view bytes);

/// The header of an .npy file; `type` is spelled as in the format, such as `<f4`.
struct NpyHeader {
  std::string type;
  Shape shape;
  bool fortran;       ///< true: elements are in column-major order
  std::size_t begin;  ///< byte offset of the elements
};
/// Reads the header alone; the elements may be missing. Throws ValueError with the reason.
NpyHeader read_npy_header(std::string_view bytes);
/// Returns the header of a file with elements in row-major order.
std::string npy_header(const std::string& type, const Shape& shape);

/// Write and read .npy files. They throw a FileError that names the path.
void save_npy(const std::string& path, const Tensor& x);
Tensor load_npy(const std::string& path);

}  // namespace tapehead

#pragma once
// Arrays in NumPy's format (numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#include "../../core/tensor.hpp"

#include <string>
#include <string_view>

namespace tapehead {

/// The bytes of a file with an array: f32, f64 or i32, row by row.
std::string to_npy(const Tensor& x);
/// An array of numbers. f32, f64 and i32 are taken as they are; f16 becomes f32; other integers,
/// and truth values, i32, if they are in its range. Arrays in Fortran's order become row by row.
/// Throws ValueError with the reason if the bytes are no such array, or not all of one.
Tensor from_npy(std::string_view bytes);

/// What stands before the elements: their type as the format spells it, `<f4`, and so on.
struct NpyHeader {
  std::string type;
  Shape shape;
  bool fortran;       ///< whether columns stand one after the other, not rows
  std::size_t begin;  ///< of the elements, in bytes
};
/// Reads it; the elements need not follow. Throws ValueError with the reason if there is none.
NpyHeader read_npy_header(std::string_view bytes);
/// The bytes of it for elements row by row.
std::string npy_header(const std::string& type, const Shape& shape);

/// Files of arrays. Throws FileError that names the path.
void save_npy(const std::string& path, const Tensor& x);
Tensor load_npy(const std::string& path);

}  // namespace tapehead

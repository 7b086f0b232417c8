#include "npy.hpp"
#include "../core/array.hpp"

#include <sstream>

// Not part of array.hpp: it reads <regex>, which takes longer to compile than all else.
#if __has_include(<xtensor/io/xnpy.hpp>)
#include <xtensor/io/xnpy.hpp>
#else
#include <xtensor/xnpy.hpp>
#endif

namespace tapehead {
namespace {

/// Where the elements begin: behind the magic, a version, and a header that says its length.
std::size_t elements_begin(const std::string& bytes) {
  constexpr std::size_t at = 8;
  const std::size_t width = bytes.size() > at && bytes[6] == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(at + i < bytes.size() ? bytes[at + i] : 0);
  return at + width + length;
}

template <class T>
Tensor loaded(const std::string& bytes) {
  std::istringstream stream(bytes);
  const auto array = xt::load_npy<T>(stream);
  // What is missing at the end, load_npy leaves as it is in memory.
  if (bytes.size() != elements_begin(bytes) + array.size() * sizeof(T))
    throw ValueError("its size isn't that of its {} elements", array.size());
  return Tensor::from(xt::cast<double>(array));
}

}  // namespace

std::string to_npy(const Tensor& x) { return xt::dump_npy(x.array<float>()); }

Tensor from_npy(const std::string& bytes) {
  try {
    return bytes.find("'<f4'") < 128 ? loaded<float>(bytes) : loaded<double>(bytes);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw ValueError("{}", error.what());
  }
}

}  // namespace tapehead

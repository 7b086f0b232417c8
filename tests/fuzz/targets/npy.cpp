#include "../../../train/files/npy.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

#include <cstring>

namespace tapehead::fuzz {
namespace {

void expect_same(const Tensor& x, const Tensor& y) {
  promise(x.dtype() == y.dtype() && x.shape() == y.shape(), "arrays read back");
  with_elements(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto bytes = static_cast<std::size_t>(x.size()) * sizeof zero;
    promise(bytes == 0 || std::memcmp(x.data<T>(), y.data<T>(), bytes) == 0, "elements read back");
  });
}

void npy(const std::string& input) {
  try {
    const Tensor x = from_npy(input);
    expect_same(x, from_npy(to_npy(x)));
  } catch (const ValueError&) {
  }
}
const Target npy_target("npy", npy);

}  // namespace

}  // namespace tapehead::fuzz

// Tests multiply-adds in WebAssembly, as tests/core/functions_test.cpp does on a native processor.
#include "../../../core/kernels/functions/numbers.hpp"
#include "../../../tests/shared/fma_triples.hpp"

#include <cstdio>

using namespace tapehead;

template <class T>
bool is_right(std::uint64_t expected) {
  using V = kernel::Vec<T>;
  const auto hash = hash_of_fma<T, kernel::lanes<T>>([](T* r, const T* a, const T* b, const T* c) {
    kernel::fma(V::load_aligned(a), V::load_aligned(b), V::load_aligned(c)).store_aligned(r);
  });
  const auto scalar = hash_of_fma<T, 1>(
      [](T* r, const T* a, const T* b, const T* c) { *r = kernel::fma(*a, *b, *c); });
  std::printf("%zu bits: %016llx in registers, %016llx alone\n", 8 * sizeof(T),
              static_cast<unsigned long long>(hash), static_cast<unsigned long long>(scalar));
  return hash == expected && scalar == expected;
}

int main(int, char**) __asm__("main");  // the symbol that emscripten expects
int main(int, char**) {
  const bool f32 = is_right<float>(fma_hash_f32), f64 = is_right<double>(fma_hash_f64);
  return f32 && f64 ? 0 : 1;
}

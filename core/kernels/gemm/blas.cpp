// Products by the linked BLAS, for whoever asks for it.
#include "blas.hpp"
#include "../kernels.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <xtensor-blas/xblas.hpp>

namespace tapehead {
namespace {

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Prepares the BLAS once, and returns its name. OpenBLAS starts threads of its own, which would
/// compete with ours and would make results depend on their number. Other libraries lack these
/// functions.
const std::string& prepared_blas() {
  static const std::string name = [] {
    if (const auto set_threads = find<void(int)>("openblas_set_num_threads")) set_threads(1);
    const auto corename = find<char*()>("openblas_get_corename");
    return corename ? std::string("OpenBLAS ") + corename() : "BLAS";
  }();
  return name;
}

std::atomic<GemmBackend>& chosen() {
  static std::atomic<GemmBackend> now{[] {
    const char* const name = std::getenv("TAPEHEAD_PRODUCTS");
    const std::string asked = name ? name : "own";
    if (asked == "own") return GemmBackend::own;
    if (asked == "blas") return GemmBackend::blas;
    throw ValueError("TAPEHEAD_PRODUCTS: '{}'; expected own or blas", asked);
  }()};
  return now;
}

template <class T>
void call_blas(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
               const Epilogue<T>& epilogue) {
  prepared_blas();
  for (Index i = 0; epilogue.bias && i < c.rows; ++i)
    std::copy_n(epilogue.bias, c.columns, c.data + i * c.stride);
  const auto transpose = [](bool yes) { return yes ? cxxblas::Trans : cxxblas::NoTrans; };
  using Size = xt::blas_index_t;
  cxxblas::gemm<Size>(
      cxxblas::RowMajor, transpose(a.transposed), transpose(b.transposed),
      static_cast<Size>(c.rows), static_cast<Size>(c.columns), static_cast<Size>(a.columns),
      epilogue.factor, a.data, static_cast<Size>(a.stride), b.data, static_cast<Size>(b.stride),
      epilogue.accumulate || epilogue.bias ? T{1} : T{0}, c.data, static_cast<Size>(c.stride));
}

}  // namespace

GemmBackend gemm_backend_now() { return chosen().load(std::memory_order_relaxed); }
void set_gemm_backend(GemmBackend backend) { chosen() = backend; }
std::string gemm_backend() {
  return gemm_backend_now() == GemmBackend::blas ? prepared_blas() + " by xtensor-blas"
                                                 : "own, " + instruction_set();
}

void blas_gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
               const Epilogue<float>& epilogue) {
  call_blas(a, b, c, epilogue);
}
void blas_gemm(const Matrix<const double>& a, const Matrix<const double>& b,
               const Matrix<double>& c, const Epilogue<double>& epilogue) {
  call_blas(a, b, c, epilogue);
}

}  // namespace tapehead

// The libraries behind gemm.
#include "libraries.hpp"
#include <dlfcn.h>
#include "../../runtime/memory.hpp"

#include <algorithm>
#include <string>
#include <xtensor-blas/xblas.hpp>

#ifdef TAPEHEAD_ONEDNN
#include <dnnl.h>
#endif

namespace tapehead {
namespace {

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Prepares the BLAS once. OpenBLAS starts threads of its own, which would run under ours and would
/// make results depend on their number. Other libraries have no such functions.
std::string prepare() {
  if (const auto set_threads = find<void(int)>("openblas_set_num_threads")) set_threads(1);
  const auto corename = find<char*()>("openblas_get_corename");
  const std::string blas = corename ? std::string("OpenBLAS ") + corename() : "BLAS";
#ifdef TAPEHEAD_ONEDNN
  return "oneDNN, and " + blas + " for f64";
#else
  return blas;
#endif
}

template <class T>
void call_blas(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c, T factor,
               bool accumulate) {
  const auto transpose = [](bool yes) { return yes ? cxxblas::Trans : cxxblas::NoTrans; };
  using Size = xt::blas_index_t;
  cxxblas::gemm<Size>(cxxblas::RowMajor, transpose(a.transposed), transpose(b.transposed),
                      static_cast<Size>(c.rows), static_cast<Size>(c.columns),
                      static_cast<Size>(a.columns), factor, a.data, static_cast<Size>(a.stride),
                      b.data, static_cast<Size>(b.stride), accumulate ? T{1} : T{0}, c.data,
                      static_cast<Size>(c.stride));
}

/// Columns of a that are read down rows whole pages long crowd into a few sets of a cache. The
/// libraries, which read many of them at once, lose a tenth by it.
bool aliases(const Matrix<const float>& a, const Matrix<float>& c) {
  constexpr Index page = 4096 / sizeof(float), worth_a_copy = 128;
  return a.transposed && a.stride % page == 0 && c.columns >= worth_a_copy;
}
/// The same matrix in `memory`, in rows of an odd number of lines, which spread over all sets.
Matrix<const float> without_aliasing(const Matrix<const float>& a,
                                     std::shared_ptr<std::byte>& memory) {
  constexpr Index line = 64 / sizeof(float);
  const Index stride = ((a.rows + line - 1) / line | 1) * line;
  memory = allocate(static_cast<std::size_t>(a.columns * stride) * sizeof(float));
  auto* const to = reinterpret_cast<float*>(memory.get());
  for (Index k = 0; k < a.columns; ++k) std::copy_n(a.data + k * a.stride, a.rows, to + k * stride);
  return {to, a.rows, a.columns, stride, true};
}

}  // namespace

const char* gemm_backend() {
  static const std::string name = prepare();
  return name.c_str();
}

void library_gemm(const Matrix<const float>& a, const Matrix<const float>& b,
                  const Matrix<float>& c, float factor, bool accumulate) {
  gemm_backend();  // which prepares it
  if (aliases(a, c)) {
    std::shared_ptr<std::byte> memory;
    return library_gemm(without_aliasing(a, memory), b, c, factor, accumulate);
  }
#ifdef TAPEHEAD_ONEDNN
  // It knows newer processors than the packaged OpenBLAS, and is faster on f32 of nearly all sizes.
  // It would split a product over OpenMP's threads, as many as the calling thread is allowed.
  thread_local const bool alone = [] {
    if (const auto set_threads = find<void(int)>("omp_set_num_threads")) set_threads(1);
    return true;
  }();
  static_cast<void>(alone);
  const auto transpose = [](bool yes) { return yes ? 'T' : 'N'; };
  const dnnl_status_t status = dnnl_sgemm(transpose(a.transposed), transpose(b.transposed), c.rows,
                                          c.columns, a.columns, factor, a.data, a.stride, b.data,
                                          b.stride, accumulate ? 1.f : 0.f, c.data, c.stride);
  if (status == dnnl_success) return;
#endif
  call_blas(a, b, c, factor, accumulate);
}

void library_gemm(const Matrix<const double>& a, const Matrix<const double>& b,
                  const Matrix<double>& c, double factor, bool accumulate) {
  gemm_backend();
  call_blas(a, b, c, factor, accumulate);
}

}  // namespace tapehead

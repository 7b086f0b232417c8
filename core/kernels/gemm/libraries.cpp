// The libraries behind gemm.
#include "libraries.hpp"
#include "../../runtime/memory.hpp"
#include "../tuning.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
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

#ifdef TAPEHEAD_ONEDNN
constexpr bool has_onednn = true;
#else
constexpr bool has_onednn = false;
#endif

GemmBackend available(GemmBackend backend) {
  if (backend == GemmBackend::onednn && !has_onednn)
    throw ValueError("gemm: onednn isn't part of this build; expected fastest or blas");
  return backend;
}

GemmBackend asked_for_by_environment() {
  const char* const name = std::getenv("TAPEHEAD_GEMM");
  const std::string asked = name ? name : "fastest";
  if (asked == "fastest") return GemmBackend::fastest;
  if (asked == "blas") return GemmBackend::blas;
  if (asked == "onednn") return available(GemmBackend::onednn);
  throw ValueError("TAPEHEAD_GEMM: `{}`; expected fastest, onednn or blas", asked);
}

std::atomic<GemmBackend>& chosen() {
  static std::atomic<GemmBackend> now{asked_for_by_environment()};
  return now;
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

/// Columns of a whose rows are a multiple of whole pages long alias: they fall into a few sets of a
/// cache. The libraries, which read many of them at once, lose a tenth of their speed by it.
bool aliases(const Matrix<const float>& a, const Matrix<float>& c) {
  constexpr Index page = tuning::page / sizeof(float);
  return a.transposed && a.stride % page == 0 && c.columns >= tuning::worth_a_copy;
}
/// Copies a into `memory`, in rows of an odd number of cache lines, which spread over all sets.
Matrix<const float> without_aliasing(const Matrix<const float>& a,
                                     std::shared_ptr<std::byte>& memory) {
  constexpr Index line = tuning::cache_line / sizeof(float);
  const Index stride = ((a.rows + line - 1) / line | 1) * line;
  memory = allocate(a.columns * stride * sizeof(float));
  auto* const to = reinterpret_cast<float*>(memory.get());
  for (Index k = 0; k < a.columns; ++k) std::copy_n(a.data + k * a.stride, a.rows, to + k * stride);
  return {to, a.rows, a.columns, stride, true};
}

}  // namespace

GemmBackend backend_now() { return chosen().load(std::memory_order_relaxed); }
void set_gemm_backend(GemmBackend backend) { chosen() = available(backend); }

std::vector<GemmBackend> gemm_backends() {
  std::vector<GemmBackend> all{GemmBackend::fastest, GemmBackend::blas};
  if (has_onednn) all.push_back(GemmBackend::onednn);
  return all;
}

std::string gemm_backend() {
  const GemmBackend now = backend_now();
  if (now == GemmBackend::blas) return prepared_blas() + " by xtensor-blas";
  const std::string blas =
      has_onednn ? "oneDNN, and " + prepared_blas() + " for f64" : prepared_blas();
  return now == GemmBackend::onednn ? "only " + blas : blas;
}

void library_gemm(const Matrix<const float>& a, const Matrix<const float>& b,
                  const Matrix<float>& c, float factor, bool accumulate) {
  prepared_blas();
  if (aliases(a, c)) {
    std::shared_ptr<std::byte> memory;
    return library_gemm(without_aliasing(a, memory), b, c, factor, accumulate);
  }
#ifdef TAPEHEAD_ONEDNN
  if (backend_now() == GemmBackend::blas) return call_blas(a, b, c, factor, accumulate);
  // oneDNN supports newer processors than the packaged OpenBLAS, and is faster in f32 at nearly all
  // sizes. It would split a product over as many OpenMP threads as the calling thread may use.
  thread_local const bool single_threaded = [] {
    if (const auto set_threads = find<void(int)>("omp_set_num_threads")) set_threads(1);
    return true;
  }();
  static_cast<void>(single_threaded);
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
  prepared_blas();
  call_blas(a, b, c, factor, accumulate);
}

}  // namespace tapehead

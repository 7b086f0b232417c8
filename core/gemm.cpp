#include <dlfcn.h>
#include <tapehead/core/gemm.hpp>

#include <algorithm>
#include <cassert>
#include <string>
#include <xtensor-blas/xblas.hpp>

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
  return corename ? std::string("OpenBLAS ") + corename() : "BLAS";
}
template <class T>
void multiply(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, T factor, bool accumulate) {
  assert(a.columns == b.rows && c.rows == a.rows && c.columns == b.columns && !c.transposed);
  gemm_backend();  // which prepares it
  if (c.rows == 0 || c.columns == 0) return;
  if (a.columns == 0) {  // an empty sum; BLAS wants leading dimensions of at least 1
    if (!accumulate)
      for (Index i = 0; i < c.rows; ++i) std::fill_n(c.data + i * c.stride, c.columns, T{0});
    return;
  }
  const auto transpose = [](bool yes) { return yes ? cxxblas::Trans : cxxblas::NoTrans; };
  using Size = xt::blas_index_t;
  cxxblas::gemm<Size>(cxxblas::RowMajor, transpose(a.transposed), transpose(b.transposed),
                      static_cast<Size>(c.rows), static_cast<Size>(c.columns),
                      static_cast<Size>(a.columns), factor, a.data, static_cast<Size>(a.stride),
                      b.data, static_cast<Size>(b.stride), accumulate ? T{1} : T{0}, c.data,
                      static_cast<Size>(c.stride));
}

}  // namespace

void gemm(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
          bool accumulate) {
  multiply(a, b, c, factor, accumulate);
}
void gemm(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, double factor,
          bool accumulate) {
  multiply(a, b, c, factor, accumulate);
}

const char* gemm_backend() {
  static const std::string name = prepare();
  return name.c_str();
}

}  // namespace tapehead

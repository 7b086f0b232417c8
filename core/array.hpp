#pragma once
// The interface to xtensor, and the only file that includes xtensor. Version 0.26 moved its
// headers.
#include "meta_tensors.hpp"
#include "tensor.hpp"

#if __has_include(<xtensor/containers/xadapt.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xarray.hpp>
#include <xtensor/core/xmath.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>
#endif

namespace tapehead {

template <class T>
auto Tensor::array() const {
  const std::vector<std::size_t> sizes(shape().begin(), shape().end());
  return xt::adapt(data<T>(), static_cast<std::size_t>(size()), xt::no_ownership(), sizes);
}

template <class Expression>
Tensor Tensor::from(const Expression& expression) {
  using T = std::decay_t<typename Expression::value_type>;
  Shape shape;
  for (auto size : expression.shape()) shape.push_back(static_cast<Index>(size));
  Tensor x = empty(shape, dtype_of<T>());
  if (MetaTensors::is_alive()) return x;
  const std::vector<std::size_t> sizes(shape.begin(), shape.end());
  auto elements =
      xt::adapt(x.mutable_data<T>(), static_cast<std::size_t>(x.size()), xt::no_ownership(), sizes);
  elements = expression;
  return x;
}

}  // namespace tapehead

#pragma once
// What is done to all parameters of a module: naming, drawing, counting, converting.
#include "module.hpp"

namespace tapehead {

/// Calls f with each parameter of a module, in the order of `visit`, and with its path from there.
void walk(Module& module, const std::function<void(const std::string& path, Parameter&)>& f);
void walk(const Module& module,
          const std::function<void(const std::string& path, const Parameter&)>& f);
std::vector<Parameter*> parameters(Module& module);
std::vector<const Parameter*> parameters(const Module& module);
/// The number of elements of all parameters, which don't need to be initialised.
Index count_parameters(const Module& module);
/// module(x, pass) with other values for its parameters, in the order of `visit`: tensors of their
/// shapes, which get the gradients. Throws ValueError for another number, ShapeError for others.
Tensor functional_call(const Module& module, const std::vector<Tensor>& values, const Tensor& x,
                       Pass& pass);
/// Names a model's modules and parameters by their paths, and gives the parameters their type, but
/// no values. Throws Error if a parameter is listed twice.
void declare_parameters(Module& module, DType dtype = DType::f32);
/// The same, and draws every parameter's first value, from a random stream of its own.
void initialise(Module& module, std::uint64_t seed, DType dtype = DType::f32);
void convert(Module& module, DType dtype);
/// The module as a tree: names, types, shapes, numbers of elements. Nothing needs to be
/// initialised.
std::string tree(const Module& module);

}  // namespace tapehead

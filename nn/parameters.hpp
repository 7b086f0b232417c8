#pragma once
// Functions for all parameters of a module: walk, count, initialise, convert, print.
#include "module.hpp"

namespace tapehead {

/// Calls f with the path and each parameter of a module, in the order of `visit`. If parameters
/// share a value, calls f only with its owner.
void walk(Module& module, const std::function<void(const std::string& path, Parameter&)>& f);
void walk(const Module& module,
          const std::function<void(const std::string& path, const Parameter&)>& f);
/// Returns all parameters of a module, in the order of `visit`.
std::vector<Parameter*> parameters(Module& module);
std::vector<const Parameter*> parameters(const Module& module);
/// Returns the number of elements of all parameters. The parameters needn't be initialised.
Index count_parameters(const Module& module);
/// Makes the parameters of `module` share the values of `other`, which must have the same structure
/// and stay in place. Throws ValueError if their shapes differ.
void share_parameters(Module& module, Module& other);
/// Computes module(x, pass) with `values` in place of its parameters, in the order of `visit`.
/// Watch `values` to get their gradients. Throws ValueError for a wrong number of tensors, and
/// ShapeError for a wrong shape.
Tensor functional_call(const Module& module, const std::vector<Tensor>& values, const Tensor& x,
                       Pass& pass);
/// Sets the paths of a model's modules and parameters, and the types of the parameters, but no
/// values. Throws Error if `visit` lists a parameter twice.
void declare_parameters(Module& module, DType dtype = DType::f32);
/// Calls declare_parameters, and draws the initial value of every parameter from an independent
/// random sequence.
void initialise(Module& module, std::uint64_t seed, DType dtype = DType::f32);
/// Converts all parameters to another float type.
void convert(Module& module, DType dtype);
/// Returns the module as a text tree: names, types, shapes, numbers of elements. The module needn't
/// be initialised.
std::string tree(const Module& module);

}  // namespace tapehead

#pragma once
// Derivatives by their names. All are made of ops on tapes, so each can be differentiated again: a
// third derivative is a jvp of a Hessian. To differentiate by a model's parameters, x are their
// values, and f reads them by using the model.
#include "function.hpp"
#include "parameter.hpp"

namespace tapehead {

/// What to do where f(x) can't depend on one of x: refuse by a TapeError, since it may be an old
/// value of a parameter; or take its derivatives for zeros.
enum class Unused { refused, zeros };

/// f's value and its gradients: f(x) has one element. In JAX's words value_and_grad.
std::pair<Tensor, Grads> grad(const Function& f, const std::vector<Tensor>& x,
                              Unused unused = Unused::refused);

/// f(x), and v^T J: for each x the gradient of sum(v * f(x)). v has the shape of f(x).
std::pair<Tensor, Grads> vjp(const Function& f, const std::vector<Tensor>& x, const Tensor& v,
                             Unused unused = Unused::refused);

/// f(x), and J v: how f(x) changes along a direction v, which has a tensor for each x, of its
/// shape. Costs two to three times a gradient, whatever the number of elements of x or of f(x).
std::pair<Tensor, Tensor> jvp(const Function& f, const std::vector<Tensor>& x,
                              const std::vector<Tensor>& v, Unused unused = Unused::refused);

/// f(x), and H v: how f's gradients change along a direction v. f(x) has one element.
std::pair<Tensor, Grads> hvp(const Function& f, const std::vector<Tensor>& x,
                             const std::vector<Tensor>& v, Unused unused = Unused::refused);

/// d f(x) / dx for each x, of f(x)'s shape followed by that of x: a backward for each element of
/// f(x).
Grads jacobian(const Function& f, const std::vector<Tensor>& x, Unused unused = Unused::refused);

/// d^2 f / dx[i] dx[j] as [i][j], of x[i]'s shape followed by that of x[j]. f(x) has one element.
std::vector<Grads> hessian(const Function& f, const std::vector<Tensor>& x,
                           Unused unused = Unused::refused);

/// The values of parameters, as the x of the functions above.
std::vector<Tensor> values(const std::vector<const Parameter*>& parameters);
/// All elements, tensor after tensor, as one vector; and a vector's, in the shapes of `like`.
Tensor flatten(const std::vector<Tensor>& all);
std::vector<Tensor> unflatten(const Tensor& flat, const std::vector<Tensor>& like);

}  // namespace tapehead

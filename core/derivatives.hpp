#pragma once
// grad, vjp, jvp, hvp, jacobian and hessian. Each records ops on tapes, so it can be differentiated
// again: a third derivative is the jvp of a Hessian. To differentiate with respect to a model's
// parameters, pass their values() as x and call the model in f.
#include "function.hpp"
#include "parameter.hpp"

namespace tapehead {

/// The treatment of an input x[i] on which f(x) doesn't depend. `refused` throws TapeError, because
/// x[i] may be an old value of a parameter. `zeros` returns zeros for the derivatives of x[i].
enum class Unused { refused, zeros };

/// Returns f(x) and its gradients, like value_and_grad in JAX. f(x) must have one element.
std::pair<Tensor, Grads> grad(const Function& f, const std::vector<Tensor>& x,
                              Unused unused = Unused::refused);

/// Returns f(x) and v^T J (vector-Jacobian product): the gradient of sum(v * f(x)) for each x. v
/// has the shape of f(x).
std::pair<Tensor, Grads> vjp(const Function& f, const std::vector<Tensor>& x, const Tensor& v,
                             Unused unused = Unused::refused);

/// Returns f(x) and J v (Jacobian-vector product), the derivative of f(x) along v. v has one tensor
/// for each x, of the same shape. Costs two to three times as much as one gradient, for any size of
/// x and f(x).
std::pair<Tensor, Tensor> jvp(const Function& f, const std::vector<Tensor>& x,
                              const std::vector<Tensor>& v, Unused unused = Unused::refused);

/// Returns f(x) and H v (Hessian-vector product), the derivative of the gradient along v. f(x) must
/// have one element.
std::pair<Tensor, Grads> hvp(const Function& f, const std::vector<Tensor>& x,
                             const std::vector<Tensor>& v, Unused unused = Unused::refused);

/// Returns d f(x) / dx for each x, with the axes of f(x) followed by the axes of x. Runs backward
/// once for each element of f(x).
Grads jacobian(const Function& f, const std::vector<Tensor>& x, Unused unused = Unused::refused);

/// Returns d^2 f / dx[i] dx[j] as element [i][j], with the axes of x[i] followed by the axes of
/// x[j]. f(x) must have one element.
std::vector<Grads> hessian(const Function& f, const std::vector<Tensor>& x,
                           Unused unused = Unused::refused);

/// Returns the values of parameters, to be passed as x to the functions above.
std::vector<Tensor> values(const std::vector<const Parameter*>& parameters);
/// Concatenates the elements of all tensors into one vector.
Tensor flatten(const std::vector<Tensor>& all);
/// Undoes flatten: splits a vector into tensors with the shapes of `like`.
std::vector<Tensor> unflatten(const Tensor& flat, const std::vector<Tensor>& like);

}  // namespace tapehead

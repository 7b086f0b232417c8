"""grad, vjp, jvp, hvp, jacobian, hessian and per-example gradients.

x is the argument of f, a tensor or a value converted to one; a list x gives several arguments. If
x is a module, f calls it and takes no arguments; results and directions are dicts by parameter
path. If f doesn't depend on an x, the functions raise an error, or return zeros with zeros=True.
All results can be differentiated again."""
from . import _core
from ._inputs import called, direction, like, tensors


def grad(f, x, zeros=False):
    """Returns the value of f and its gradient with respect to each x. The value must have one
    element."""
    y, grads = _core.grad(called(f, x), tensors(x), _core.Unused(zeros))
    return y, like(x, grads)


def vjp(f, x, v, zeros=False):
    """Returns the value of f and v^T J: the gradient of sum(v * value) with respect to each x."""
    inputs = tensors(x)
    y, grads = _core.vjp(called(f, x), inputs, _core.beside(v, inputs), _core.Unused(zeros))
    return y, like(x, grads)


def jvp(f, x, v, zeros=False):
    """Returns the value of f and J v, the derivative of f along v. v has the structure and shapes
    of x."""
    return _core.jvp(called(f, x), tensors(x), direction("jvp", x, v), _core.Unused(zeros))


def hvp(f, x, v, zeros=False):
    """Returns the value of f and H v, the derivative of the gradient along v. The value must have
    one element."""
    y, products = _core.hvp(called(f, x), tensors(x), direction("hvp", x, v),
                            _core.Unused(zeros))
    return y, like(x, products)


def jacobian(f, x, zeros=False):
    """Returns the derivative of each element of f's value with respect to each x: first the axes of
    the value, then the axes of x. Runs one backward pass per element of the value."""
    return like(x, _core.jacobian(called(f, x), tensors(x), _core.Unused(zeros)))


def hessian(f, x, zeros=False):
    """Returns the second derivatives of f for each pair of inputs: first the axes of the first
    input, then of the second. The value of f must have one element."""
    blocks = _core.hessian(called(f, x), tensors(x), _core.Unused(zeros))
    return like(x, [like(x, row) for row in blocks])


def per_example_gradients(f, x, examples, zeros=False):
    """Returns the gradients of f with respect to each x, separately for each example. f takes one
    example as its last argument."""
    return [grad(_of_one(f, each), x, zeros)[1] for each in examples]


def per_example_norms(f, x, examples, zeros=False):
    """Returns one norm per example: of its gradients with respect to all x together. Keeps the
    gradients of only one example in memory."""
    def norm(example):
        _, grads = _core.grad(called(_of_one(f, example), x), tensors(x), _core.Unused(zeros))
        return sum(float((each.numpy().astype("float64") ** 2).sum()) for each in grads) ** 0.5
    return [norm(each) for each in examples]


def _of_one(f, example):
    return lambda *given: f(*given, example)

"""grad, vjp, jvp, hvp, jacobian, hessian and per-example gradients.

x is a tensor, or a value converted to one, that f takes as its argument. A list x gives f several
arguments. If x is a module, f uses it and takes no arguments; results and directions are dicts by
parameter path. An x that f doesn't depend on is an error, or gives zeros with `zeros`. All results
can be differentiated again."""
from . import _core
from ._inputs import called, direction, like, tensors


def grad(f, x, zeros=False):
    """Returns f's value, which must have one element, and its gradient with respect to each x."""
    y, grads = _core.grad(called(f, x), tensors(x), _core.Unused(zeros))
    return y, like(x, grads)


def vjp(f, x, v, zeros=False):
    """Returns f's value and v^T J: the gradient of sum(v * value) with respect to each x."""
    inputs = tensors(x)
    y, grads = _core.vjp(called(f, x), inputs, _core.beside(v, inputs), _core.Unused(zeros))
    return y, like(x, grads)


def jvp(f, x, v, zeros=False):
    """Returns f's value and J v: its derivative along v, which has the structure and shapes of
    x."""
    return _core.jvp(called(f, x), tensors(x), direction("jvp", x, v), _core.Unused(zeros))


def hvp(f, x, v, zeros=False):
    """Returns f's value, which must have one element, and H v: the derivative of its gradient along
    v."""
    y, products = _core.hvp(called(f, x), tensors(x), direction("hvp", x, v),
                            _core.Unused(zeros))
    return y, like(x, products)


def jacobian(f, x, zeros=False):
    """Returns the derivative of each element of f's value with respect to each x; the axes of the
    value come before those of x. Runs one backward pass per element of the value."""
    return like(x, _core.jacobian(called(f, x), tensors(x), _core.Unused(zeros)))


def hessian(f, x, zeros=False):
    """Returns the second derivatives of f's value, which must have one element: for each pair of
    inputs, the axes of the first and then of the second."""
    blocks = _core.hessian(called(f, x), tensors(x), _core.Unused(zeros))
    return like(x, [like(x, row) for row in blocks])


def per_example_gradients(f, x, examples, zeros=False):
    """Returns the gradients of f with respect to each x for each single example, which f takes as
    its last argument."""
    return [grad(_of_one(f, each), x, zeros)[1] for each in examples]


def per_example_norms(f, x, examples, zeros=False):
    """Returns the norm of each example's gradients, over all x together. Holds the gradients of one
    example at a time."""
    def norm(example):
        _, grads = _core.grad(called(_of_one(f, example), x), tensors(x), _core.Unused(zeros))
        return sum(float((each.numpy().astype("float64") ** 2).sum()) for each in grads) ** 0.5
    return [norm(each) for each in examples]


def _of_one(f, example):
    return lambda *given: f(*given, example)

"""Derivatives by their names. x is a tensor or what becomes one, which f takes; or a list of them,
which f takes as separate arguments; or a module that f uses, and then f takes nothing, and results
and directions are dicts by the paths of its parameters. What f doesn't depend on is an error, or
has zeros if `zeros` is set. Each can be differentiated again."""
from . import _core
from ._inputs import called, direction, like, tensors


def grad(f, x, zeros=False):
    """f's value, and its gradient by each of x. The value has one element."""
    y, grads = _core.grad(called(f, x), tensors(x), _core.Unused(zeros))
    return y, like(x, grads)


def vjp(f, x, v, zeros=False):
    """f's value, and v^T J: the gradient of sum(v * value) by each of x."""
    inputs = tensors(x)
    y, grads = _core.vjp(called(f, x), inputs, _core.beside(v, inputs), _core.Unused(zeros))
    return y, like(x, grads)


def jvp(f, x, v, zeros=False):
    """f's value, and J v: how it changes along v, which has the form and the shapes of x."""
    return _core.jvp(called(f, x), tensors(x), direction("jvp", x, v), _core.Unused(zeros))


def hvp(f, x, v, zeros=False):
    """f's value, which has one element, and H v: how its gradients change along v."""
    y, products = _core.hvp(called(f, x), tensors(x), direction("hvp", x, v),
                            _core.Unused(zeros))
    return y, like(x, products)


def jacobian(f, x, zeros=False):
    """The derivative of each element of f's value by each of x: its axes, then those of x. Runs
    backward for each element of the value."""
    return like(x, _core.jacobian(called(f, x), tensors(x), _core.Unused(zeros)))


def hessian(f, x, zeros=False):
    """The second derivatives of f's value, which has one element: for each of x, for each of x,
    the axes of the one and then of the other."""
    blocks = _core.hessian(called(f, x), tensors(x), _core.Unused(zeros))
    return like(x, [like(x, row) for row in blocks])


def per_example_gradients(f, x, examples, zeros=False):
    """The gradients of f by each of x, for each example alone, which f takes as its last
    argument."""
    return [grad(_of_one(f, each), x, zeros)[1] for each in examples]


def per_example_norms(f, x, examples, zeros=False):
    """The norm of each example's gradients, over all of x together. Holds those of one at a
    time."""
    def norm(example):
        _, grads = _core.grad(called(_of_one(f, example), x), tensors(x), _core.Unused(zeros))
        return sum(float((each.numpy().astype("float64") ** 2).sum()) for each in grads) ** 0.5
    return [norm(each) for each in examples]


def _of_one(f, example):
    return lambda *given: f(*given, example)

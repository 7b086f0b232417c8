# Build it yourself: a framework in one file. Replace each todo().
import numpy as np


def todo():
    raise NotImplementedError("still to do")


# ---- Chapter 1: values and a tape


class Tensor:
    """An array of float32 numbers, and the derivative of the loss by each of them."""

    def __init__(self, value):
        self.value = np.asarray(value, np.float32)
        self.grad = np.zeros_like(self.value)


# Each op appends a function that passes the gradient of its result on to its inputs.
tape = []


def sum_rows(x):
    """Sums x (rows, ...) over its rows, in Tapehead's order: halves, if there are more than 32."""
    if len(x) > 32:
        return sum_rows(x[: len(x) // 2]) + sum_rows(x[len(x) // 2 :])
    total = np.zeros_like(x[0])
    for row in x:
        total = total + row
    return total


def add_gradient(x, dx):
    """Adds dx to x.grad. If x was broadcast, dx has more axes in front: sums over them."""
    #[
    if dx.shape != x.grad.shape:
        dx = sum_rows(dx.reshape((-1,) + x.grad.shape))
    x.grad += dx
    #]


def backward(y, dy):
    """Adds dy to y.grad, calls the functions on the tape in the right order, and empties it."""
    #[
    y.grad += dy
    while tape:
        tape.pop()()
    #]


def add(a, b):
    """a + b. b may lack axes in front; then it is repeated along them."""
    y = Tensor(a.value + b.value)

    def back():
        add_gradient(a, y.grad)
        add_gradient(b, y.grad)

    tape.append(back)
    return y


def mul(a, b):
    """a * b, element by element. Both have the same shape."""
    #[
    y = Tensor(a.value * b.value)

    def back():
        add_gradient(a, y.grad * b.value)
        add_gradient(b, y.grad * a.value)

    tape.append(back)
    return y
    #]

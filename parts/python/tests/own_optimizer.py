"""A custom optimizer for tests."""
import tapehead


class Momentum(tapehead.Optimizer):
    def __init__(self, trained, lr, beta=0.9):
        super().__init__(trained, lr)
        self.beta, self.velocity = beta, {}

    def update(self, parameter, gradient):
        velocity = self.beta * self.velocity.get(parameter.path, 0) + gradient
        self.velocity[parameter.path] = velocity
        parameter.value -= self.lr * velocity

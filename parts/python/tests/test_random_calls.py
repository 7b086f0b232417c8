"""Calls every function and method with random unusual arguments. Calls may raise any exception, but
Python must not crash. The test makes the same calls each time. `python test_random_calls.py SEED
COUNT` makes other calls and prints each of them, so that you see the last call before a crash."""
import os
import random
import resource
import subprocess
import sys

CALLS = 10000
NAMES = ["x", "axis", "dtype", "keep", "seed", "step", "shape", "value", "a", "b", "ids", "mask", "zeros",
         "dy", "lr", "norm", "of", "module", "second", "heads", "width", "low", "high", "reduction"]


def test_calls_with_odd_arguments_go_on(tmp_path):
    for seed in (1, 2):
        found = subprocess.run([sys.executable, __file__, str(seed), str(CALLS)],
                               capture_output=True, text=True, timeout=300, cwd=tmp_path)
        assert found.returncode == 0, found.stdout.splitlines()[-1:] + [found.stderr[-500:]]


def values():
    import numpy as np
    import tapehead
    from tapehead import _core

    class Net(tapehead.Module):
        def __init__(self):
            super().__init__()
            self.w, self.l = tapehead.Parameter([1., 2.]), tapehead.Linear(2, 2)
            self.all = [self.l, {"w": self.w}]

        def forward(self, x):
            return self.l(x) * self.w

    class Own(tapehead.Optimizer):
        def update(self, parameter, gradient):
            parameter.value = parameter.value - self.lr * gradient

    class Odd:
        def __str__(self):
            raise ZeroDivisionError
        __repr__ = __len__ = __float__ = __str__

        def __getattr__(self, name):
            raise ZeroDivisionError

        def __iter__(self):
            yield 1
            raise KeyError

    loop, net = [], Net()
    loop.append(loop)
    numbers = [0, 1, -1, 2, 3, 2**31, 2**40, 2**63, -2**63, 2**70, 0.5, float("nan"), float("inf"), -0.0,
               1e300, True, 1j]
    texts = ["", "a", "sum", "f32", "i32", "\0", b"x"]
    lists = [[], (), {}, [1, 2], (2, 2), [[1.], [2.]], [1, "a"], [[1], [1, 2]], loop, {"a": loop}, [None]]
    indices = [None, slice(None), slice(1, None, -1), Ellipsis, range(3)]
    arrays = [np.zeros(0), np.zeros((2, 0, 3)), np.ones((2, 2), "f4"), np.array(1), np.array([True, False]),
              np.array("a"), np.array([None]), np.ones(2, "f2"), np.ones(3, "c8"), np.zeros((1,) * 20),
              np.arange(6)[::-2], np.zeros(1, "u8") + 2**63]
    tensors = [tapehead.tensor([1., 2.]), tapehead.tensor([0, 1]), tapehead.ones(2, 2), tapehead.zeros(0),
               tapehead.zeros(2, 0), tapehead.ones(2, 2, dtype="f64"), tapehead.tensor(3),
               tapehead.ones(1, 2, 3), tapehead.full(2, float("nan"))]
    trained = [tapehead.Parameter([1., 2.]), net, tapehead.Linear(2, 2), tapehead.AdamW(net), Own(net),
               tapehead.GPT(4, 4, layers=1, heads=1, width=4), tapehead.Module(), tapehead.Tape().__enter__(),
               tapehead.Tape()]
    types = [each for each in vars(_core).values() if isinstance(each, type)]
    functions = [lambda *a, **k: 1, lambda *a: None, lambda x: x * x, lambda *x: x[0].sum(),
                 lambda *a: [1, None], lambda *a: 1 / 0]
    others = [Odd(), {Odd(): 1}, object(), Net, type, iter([1, 2])]
    bare = [each.__new__(each) for each in types]
    return [*numbers, *texts, *lists, *indices, *arrays, *tensors, *trained, *types, *functions, *others,
            *bare]


def functions(pool):
    import tapehead
    from tapehead import _core
    skipped = {"train", "train_run", "resume_run", "load", "split"}  # these write files or very long lists
    for module in (tapehead, _core):
        for name, f in vars(module).items():
            if callable(f) and not name.startswith("__") and name not in skipped:
                yield name, f
    for each in pool:
        if type(each).__module__.startswith("tapehead") or type(each).__name__ in ("Net", "Own"):
            for name in dir(each):
                if name not in skipped | {"__class__", "__init_subclass__", "__subclasshook__"}:
                    yield f"{type(each).__name__}.{name}", lambda *a, x=each, n=name, **k: called(
                        getattr(x, n), a, k)


def called(f, given, named):
    return f(*given, **named) if callable(f) else f


def shown(x):
    try:
        return repr(x)[:60].replace("\n", " ")
    except BaseException:
        return f"a {type(x).__name__}"


def make_calls(seed, count):
    draw = random.Random(seed)
    pool = values()
    fixed, known = len(pool), list(functions(pool))
    for _ in range(count):
        name, f = draw.choice(known)
        given = [draw.choice(pool) for _ in range(draw.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4]))]
        named = {draw.choice(NAMES): draw.choice(pool) for _ in range(draw.choice([0, 0, 0, 1, 2]))}
        print(name, ", ".join(map(shown, given)), {k: shown(v) for k, v in named.items()}, flush=True)
        try:
            pool.append(f(*given, **named))
        except Exception:
            pass
        if len(pool) > fixed + 50:
            del pool[draw.randrange(fixed, len(pool))]


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    make_calls(int(sys.argv[1]), int(sys.argv[2]))
    os._exit(0)  # skips destructors, since the calls may have left objects in any state

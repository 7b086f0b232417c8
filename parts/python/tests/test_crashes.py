"""Tests that misuse raises an exception and doesn't crash Python. Programs that once crashed
Python run in a process of their own."""
import copy
import gc
import pickle
import subprocess
import sys
import weakref
from textwrap import dedent

import pytest

import tapehead
from tapehead import _core

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def run(program, *words):
    """Runs a program in a new process and returns its output. Fails if the program fails."""
    found = subprocess.run([sys.executable, "-c", dedent(program), *words], capture_output=True,
                           text=True, timeout=120)
    assert found.returncode == 0, (found.returncode, found.stderr[-1000:])
    return found.stdout


class Net(tapehead.Module):
    def __init__(self):
        super().__init__()
        self.e = tapehead.Embedding(5, 3)
        self.w = tapehead.Parameter([1., 2.])


# ---- tapes

SQUARE = """
import gc, sys, threading
import tapehead
from tapehead import Tape, custom_gradient, grad, tensor
x = tensor([1., 2.])
def check():
    value, gradient = grad(lambda x: (x * x).sum(), x)
    assert value.item() == 5 and gradient.tolist() == [2, 4]
def opened():
    with Tape(x) as tape:
        yield tape
"""


def test_a_tape_that_cannot_watch_leaves_nothing_behind():
    run(SQUARE + """
try:
    with Tape(x, tensor([1, 2, 3])): pass
except ValueError as error:
    assert "no gradient" in str(error)
gc.collect()
check()
tape = Tape(tensor([1]))
for _ in range(2):
    try: tape.__enter__()
    except ValueError as error: assert "no gradient" in str(error)
check()
""")


def test_tapes_end_in_any_order():
    run(SQUARE + """
import itertools
for order in itertools.permutations(range(3)):
    tapes = [opened() for _ in order]
    [next(each) for each in tapes]
    for i in order:
        tapes[i].close()
        tapes[i] = None
        check()
with Tape(x) as outer:
    inner = Tape(x).__enter__()
    y = x * x
    outer.__exit__()
    z = (y * x).sum()
    assert inner.gradients(z, [x])[0].tolist() == [3, 12]
    del inner, outer
check()
""")


def test_a_tape_may_lose_its_last_reference_on_another_thread():
    run(SQUARE + """
for closes in (True, False):
    w = tapehead.Parameter([1.])
    box = [Tape(x).__enter__()]
    y = w * w
    def drop():
        if closes: box[0].__exit__()
        box.clear()
        gc.collect()
    thread = threading.Thread(target=drop)
    thread.start(), thread.join()
    w.value = [2.]  # no tape prevents the change
    check()
generator = opened()
next(generator)
thread = threading.Thread(target=generator.close)
thread.start(), thread.join()
check()
def leave():  # the thread exits without ending its tape
    box.append(Tape(x).__enter__())
thread = threading.Thread(target=leave)
thread.start(), thread.join()
box.clear()
check()
tape = Tape(x).__enter__()
found = []
def use():
    for f in (lambda: len(tape), lambda: str(tape), lambda: tape.watch(x), lambda: tape.gradients(x)):
        try: f()
        except ValueError as error: found.append(str(error))
thread = threading.Thread(target=use)
thread.start(), thread.join()
assert len(found) == 4 and all("another thread" in each for each in found), found
""")


def test_threads_drop_tapes_of_threads_that_compute():
    run(SQUARE + """
import queue
dropped = queue.Queue()
def collect():
    while dropped.get() is not None: pass
other = threading.Thread(target=collect)
other.start()
large = tapehead.ones(20000)
for i in range(200):
    dropped.put(Tape(large).__enter__())
    for _ in range(3): large * large + large
dropped.put(None)
other.join()
check()
""")


def test_a_tape_stays_open_while_its_backward_runs():
    run(SQUARE + """
said = []
def back(tape):
    def rule(dy):
        for f in (lambda: tape.__exit__(), lambda: tape.gradients(y), lambda: tape.__enter__()):
            try: f()
            except ValueError as error: said.append(str(error))
        gc.collect()
        return dy
    return rule
with Tape(x) as tape:
    y = custom_gradient(lambda x: x * x, x, back(tape)).sum()
    assert tape.gradients(y, [x])[0].tolist() == [1, 1]
assert "while its backward runs" in said[0] and "already running" in said[1], said
def drops(dy):
    others.clear()
    gc.collect()
    return dy
others = [Tape(x).__enter__()]
with Tape(x) as tape:
    others.append(Tape(x).__enter__())
    y = custom_gradient(lambda x: x * x, x, drops).sum()
    tape.gradients(y, [x], create_graph=True)
check()
""")


# ---- containers and modules

def test_containers_that_contain_themselves():
    run("""
import tapehead
def said(f, *words):
    try: f()
    except (ValueError, TypeError, AttributeError) as error:
        assert all(word in str(error) for word in words), error
        return
    raise SystemExit("nothing was said")
class Net(tapehead.Module):
    def __init__(self):
        super().__init__()
        self.w = tapehead.Parameter([1.])
net = Net()
net.g = {"a": [net.w]}
net.g["a"] += [net.g, net.g["a"], net]
assert list(net.parameters) == ["w"], list(net.parameters)
assert "g.a.0" in repr(net)
tapehead.AdamW(net)
loop = []
loop.append(loop)
class Itself:
    def __iter__(self):
        yield self
deep = 1.
for _ in range(100000): deep = [deep]
for x in (loop, Itself(), deep, {"a": loop}):
    said(lambda: tapehead.AdamW(x), "nested")
for x in (loop, deep):
    for f in (tapehead.tensor, tapehead.exp, tapehead.Parameter, tapehead.Linear(1, 1), net,
              lambda x: tapehead.ones(2)[x], lambda x: tapehead.concat(x, x), tapehead.Tape):
        said(lambda: f(x))
net.deep = deep
said(lambda: net.parameters, "nested more than 1000 deep")
""")


def test_a_chain_of_20000_modules():
    run("""
import copy, pickle, tapehead
def chain(count):
    class Link(tapehead.Module): pass
    top = last = Link()
    for _ in range(count):
        last.next = Link()
        last = last.next
    last.w = tapehead.Parameter([1.])
    return top
top = chain(20000)
for f in (lambda: top.parameters, lambda: repr(top), lambda: tapehead.AdamW(top),
          lambda: top.save("x"), lambda: copy.deepcopy(top), lambda: pickle.dumps(top)):
    try: f()
    except ValueError as error: assert "nested more than 1000 deep" in str(error), error
    except (RecursionError, AttributeError, pickle.PicklingError): pass
del top
top = chain(900)
assert len(top.parameters) == 1 and repr(top).count("Link") == 901
""")


def test_a_parameter_keeps_its_module_alive():
    net = Net()
    weight = net.parameters["e.weight"]
    values = weight.numpy().copy()
    del net
    gc.collect()
    others = [tapehead.full((5, 3), 7) for _ in range(50)]
    assert (weight.numpy() == values).all() and others


class Cyclic(tapehead.Module):
    def __init__(self, kind):
        super().__init__()
        self.w = tapehead.Parameter([1.])
        if kind == "itself":
            self.me = self
        elif kind == "method":
            self.act = self.relu
        elif kind == "child":
            self.child = tapehead.Linear(2, 2)
            self.child.__dict__["parent"] = self
        elif kind == "parameter":
            self.w.__dict__["owner"] = self
        elif kind == "tied":
            self.child = tapehead.Linear(2, 2)
            self.tied, self.me = self.child.weight, self
        elif kind == "optimizer":
            self.optimizer = tapehead.Optimizer(self)
            self.optimizer.model = self
        elif kind == "list":
            self.all = [{"all": self}]

    def relu(self, x):
        return x


@pytest.mark.parametrize("kind", ["itself", "method", "child", "parameter", "tied", "optimizer",
                                  "list"])
def test_modules_in_reference_cycles_are_collected(kind):
    module = weakref.ref(Cyclic(kind))
    gc.collect()
    assert module() is None


def test_an_optimizer_in_a_cycle_is_collected():
    class Own(tapehead.Optimizer):
        pass
    own = Own(tapehead.Parameter([1.]))
    own.me = own
    found = weakref.ref(own)
    del own
    gc.collect()
    assert found() is None


# ---- types

def values():
    with tapehead.Tape(tapehead.ones(2)) as tape:
        pass
    w = tapehead.Parameter([1.])
    with tapehead.Tape() as tape:
        gradients = tape.gradients(w * w)
    return [tape, gradients, w, tapehead.ones(2), tapehead.Linear(1, 1), Net(), tapehead.AdamW(w),
            tapehead.gradcheck(lambda x: x, [tapehead.ones(2)]), tapehead.exp, _core.Unused.zeros,
            tapehead.explain("x*x", x=1.)]


def test_values_are_copied_and_pickled_or_refuse_it():
    program = """
    import copy, pickle, sys
    sys.path.insert(0, sys.argv[1])
    from test_crashes import PROTOCOLS, values
    for value in values():
        for f in (*(lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in PROTOCOLS), copy.copy,
                  copy.deepcopy, *(lambda x, p=p: x.__reduce_ex__(p) for p in PROTOCOLS),
                  lambda x: x.__reduce__(), lambda x: x.__getstate__()):
            try: f(value)
            except (TypeError, AttributeError, pickle.PicklingError) as error:
                assert "\\n" not in str(error), error
    """
    run(program, __file__.rpartition("/")[0])
    with pytest.raises(TypeError, match="cannot copy or pickle 'tapehead._core.Tape' object"):
        pickle.dumps(tapehead.Tape(), 0)


BARE = """
import os, sys
from tapehead import _core
import tapehead
types = [each for each in vars(_core).values() if isinstance(each, type)]
for type_ in types + [_core.Tensor.__mro__[1], type("Own", (_core.Tensor.__mro__[1],), {})]:
    for make in (lambda: type_.__new__(type_), type_):
        try: bare = make()
        except (TypeError, ValueError): continue
        for name in dir(bare):
            if name == "_repr_html_": continue
            try: value = getattr(bare, name)
            except Exception: continue
            for args in ((), (0,), (bare,), ("a", 1)):
                try: value(*args) if callable(value) else 0
                except Exception: pass
        for f in (len, iter, list, float, int, bool, repr, str, hash, lambda x: x + x, lambda x: -x,
                  lambda x: x[0], lambda x: x == x, lambda x: x @ x, tapehead.exp, tapehead.AdamW,
                  lambda x: tapehead.tensor([x]), lambda x: tapehead.Tape(x), tapehead.tensor,
                  lambda x: tapehead.concat(x, x), lambda x: tapehead.ones(2)[x],
                  lambda x: tapehead.ones(2) * x, lambda x: tapehead.Linear(1, 1)(x),
                  lambda x: tapehead.grad(lambda y: y.sum(), x)):
            try: f(bare)
            except Exception: pass
"""


def test_objects_without_init_raise():
    run(BARE)
    with pytest.raises(TypeError, match="__init__"):
        tapehead.Tensor.__new__(tapehead.Tensor).shape
    with pytest.raises(TypeError, match="__init__"):
        tapehead.Run.__new__(tapehead.Run).vocabulary


# ---- arguments

@pytest.mark.parametrize("call, text", [
    (lambda: tapehead.tensor([1.], device="cpu"),
     r"tensor\(value, dtype=None\): got an unexpected keyword argument 'device'"),
    (lambda: tapehead.full((2, 2)), r"full\(.*\): missing a required argument: 'value'"),
    (lambda: tapehead.full((2, 2), "a"), r"full\(.*\): value must be a number, got 'a'"),
    (lambda: tapehead.full((2,), 1, "f32", 4), "takes at most 3 positional arguments, got 4"),
    (lambda: tapehead.full((2,), 1, value=2), "multiple values for argument 'value'"),
    (lambda: tapehead.Linear(2, 2, seed=-1), "seed must be 0 or more, got -1"),
    (lambda: tapehead.Linear(2, 2**70), "out must be an integer of at most 64 bits"),
    (lambda: tapehead.GPT("a", 2), r"GPT\(.*\): vocabulary must be an integer, got 'a'"),
    (lambda: tapehead.Parameter([1.], name="w"),
     r"Parameter\(value, .*\): got an unexpected keyword argument 'name'"),
    (lambda: setattr(tapehead.AdamW(tapehead.Parameter([1.])), "lr", "fast"),
     "Optimizer.lr: it must be a number, got 'fast'"),
    (lambda: tapehead.load(3), r"load\(.*\): path must be text, got 3"),
    (lambda: tapehead.Module()(3, seed="a"), "seed must be an integer, got 'a'")])
def test_wrong_arguments_are_told_in_one_line(call, text):
    with pytest.raises(TypeError, match=text) as error:
        call()
    assert "\n" not in str(error.value)


def test_every_function_explains_its_arguments_in_one_line():
    """Every wrong call has a one-line message; pybind11's would have several lines."""
    class Odd:
        pass
    functions = [f for f in vars(_core).values() if callable(f)]
    methods = [f for each in functions if isinstance(each, type) for f in vars(each).values()
               if callable(f)]
    for f in functions + methods:
        for given, named in (((), {}), ((Odd(),), {}), ((Odd(),) * 9, {}), ((), {"zz": 1})):
            try:
                f(*given, **named)
            except Exception as error:
                assert "incompatible" not in str(error), (f, str(error))

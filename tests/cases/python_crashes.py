"""Python programs that ended the process, and numbers that aren't finite."""
from common import case, python, tapehead

GRAD = "print(tapehead.grad(lambda x: (x * x).sum(), x)[1].tolist())\n"
START = "import gc, pickle, threading, weakref, tapehead\nfrom tapehead import *\nx = tensor([1., 2.])\n"
RIGHT = "[2.0, 4.0]"


def printed(program, wanted, end=""):
    said = python(START + program + end)
    last = said.text.strip().splitlines()[-1:] or [""]
    return said.errors[-70:] or last[0][:70], said.status == 0 and last[0] == wanted


@case("126a", "tapes that end where they shouldn't", python=True)
def tapes():
    yield printed("try:\n    with Tape(tensor([1, 2, 3])): pass\nexcept ValueError: pass\n", RIGHT, GRAD)
    yield printed("def opened():\n    with Tape(x): yield\na, b = opened(), opened()\nnext(a), next(b)\n"
                  "a.close(); del a; x * x; b.close(); del b\n", RIGHT, GRAD)
    yield printed("box = [Tape(x).__enter__()]\nthread = threading.Thread(target=box.clear)\n"
                  "thread.start(); thread.join()\n", RIGHT, GRAD)
    said = python(START + "with Tape(x) as t:\n    t.gradients(custom_gradient(lambda x: x * x, x, "
                  "lambda dy: t.__exit__()).sum())")
    yield said.short, said.status == 1 and "while its backward runs" in said.errors


NET = """class Net(Module):
    def __init__(self):
        super().__init__()
        self.w = Parameter([1.])
net = Net()
"""


@case("126b", "containers that contain themselves", python=True)
def containers():
    yield printed(NET + "net.g = {'a': []}; net.g['a'].append(net.g)\nprint(len(net.parameters))", "1")
    for made in ("x = []; x.append(x)", "x = 1.\nfor _ in range(100000): x = [x]",
                 "class Itself:\n    def __iter__(self): yield self\nx = Itself()"):
        said = python(START + made + "\nAdamW(x)")
        yield said.short, said.status == 1 and "nested more than 100 deep" in said.errors
    said = python(START + NET + "last = net\nfor _ in range(20000):\n    last.next = Net()\n"
                  "    last = last.next\nnet.parameters")
    yield said.short, said.status == 1 and "nested more than 1000 deep" in said.errors


@case("126c", "pickles, and objects without __init__", python=True)
def types():
    for call in ("pickle.dumps(Tape(), 0)", "Tape().__reduce__()", "Tensor.__new__(Tensor).shape",
                 "Tensor.__mro__[1]()", "Run.__new__(Run).vocabulary"):
        said = python(START + call)
        yield f"{call}: {said.short}", said.status == 1 and "TypeError" in said.errors


@case("126d", "modules in a reference cycle", python=True)
def cycles():
    for made in ("net.act = net.parameters.values", "net.me = net", "net.w.__dict__['of'] = net"):
        yield printed(NET + made + "\nfound = weakref.ref(net)\ndel net\ngc.collect()\n"
                      "print(found())", "None")


@case("126e", "own ops of integers and floats", python=True)
def own_ops():
    return printed("f = op(lambda n, x: n * x).rule(lambda dy, y, n, x: (dy, dy))\n"
                   "print(f(tensor([2, 3]), tensor([1.5, 2.5])).tolist())", "[3.0, 7.5]")


@case("126f", "wrong arguments in one line", python=True)
def arguments():
    said = python(START + "tensor([1.], device='cpu')")
    return said.short, "unexpected keyword argument 'device'" in said.short and (
        "incompatible" not in said.errors)


@case(107, "gradient checks at singular points", python=True)
def singular():
    for f, at, why in (("lambda x: (x * x).sum().sqrt()", "zeros(2)", "derivative isn't finite"),
                       ("lambda x: (-x).sqrt()", "ones(3)", "value isn't finite"),
                       ("lambda x: x ** 400", "full(1, 10)", "value isn't finite")):
        said = python(START + f"r = gradcheck({f}, [{at}])\nprint(r)\nassert not r and not r.culprit")
        yield said.short, said.status == 0 and why in said.text
    for expression in ("x*x", "pow(x, 3)"):
        said = tapehead(f"explain '{expression}' x=1e200")
        yield expression, "is too large for the type: inf" in said.text


@case(116, "second derivative of softplus at 37.4", python=True)
def tails():
    said = python(START + "y, h = hvp(lambda x: softplus(x), tensor(37.4, dtype='f64'), 1.)\n"
                  "print(h.item())")
    return said.short, said.status == 0 and abs(float(said.short) / 5.7197e-17 - 1) < 1e-4

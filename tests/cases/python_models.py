"""Models and optimizers in Python: what is shared, what is trained, and what is refused."""
from common import SEEDS, case, python, tapehead, write_hats

TIED = """
import copy, pickle, tapehead
ties = {"parameters": lambda m: m.e.parameters["weight"], "attribute": lambda m: m.e.weight,
        "path": lambda m: m.g.tokens.weight, "paths": lambda m: m.g.parameters["tokens.weight"]}
class Model(tapehead.Module):
    def __init__(self, tie):
        super().__init__()
        self.e, self.g = tapehead.Embedding(5, 3), tapehead.GPT(5, 4, layers=1, heads=1, width=4)
        self.head = ties[tie](self)
    def forward(self, x): return x
def size(m): return len(m.parameters), sum(p.size for p in m.parameters())
for tie in ties:
    m = Model(tie)
    for way in copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)):
        again = way(m)
        assert size(again) == size(m), (tie, size(m), size(again))
        again.head.value = 0 * again.head.numpy() + 7
        assert ties[tie](again).numpy().min() == 7, tie
        again.save("a"); Model(tie).load("a")
print("tied")
"""


@case(103, "tied weights in copies, pickles and files", python=True)
def tied():
    said = python(TIED)
    return said.short, said.text == "tied\n"


MUON = """
import numpy as np, tapehead
def step(lr):
    p = tapehead.Parameter(np.arange(6.0).reshape(2, 3))
    with tapehead.Tape() as tape: gradients = tape.gradients((p * p).sum())
    tapehead.Muon([p], lr=lr).step(gradients)
    return p.numpy()
assert not np.array_equal(step(0.02), step(2.0))
for make in (lambda: tapehead.Muon([tapehead.Parameter([1.0])], lr=0.02),
             lambda: tapehead.AdamW([tapehead.Parameter([1.0])], weight_decay=0.1)):
    try: make(); print("silence")
    except ValueError as error: print(error)
"""


@case(104, "optimizer options that affect no parameter", python=True)
def unused_options():
    said = python(MUON)
    lines = said.text.splitlines()
    yield said.short, len(lines) == 2 and all("applies to none" in line for line in lines)
    line = "train copy --layers 1 --steps 2 --dry-run --freeze "
    for options, option in [("'*weight' --optimizer muon", "--lr"),
                            ("'*weight' --weight-decay 0.2", "--weight-decay")]:
        said = tapehead(line + options)
        yield said.short, said.refused(f"^tapehead: {option}: .*none of the trained parameters")
    said = tapehead(line + "'*bias' --optimizer muon --lr 0.02")
    yield said.short, said.status == 0


RESUMED = """
import copy, pickle, sys, numpy as np, tapehead
def steps(m, o, count):
    for _ in range(count):
        with tapehead.Tape() as tape: o.step(tape.gradients((m(np.eye(3)) ** 2 - m(np.ones(3))).sum()))
    return [p.numpy().tobytes() for p in m.parameters()]
for make in tapehead.AdamW, tapehead.Lion, tapehead.Muon, tapehead.SGD:
    m = tapehead.Linear(3, 3, seed=1); whole = steps(m, make(m), 10)
    m = tapehead.Linear(3, 3, seed=1); o = make(m); steps(m, o, 5)
    o.save("o"); m.save("m")
    files = tapehead.Linear(3, 3).load("m")
    for both in copy.deepcopy((m, o)), pickle.loads(pickle.dumps((m, o))), (files, make(files).load("o")):
        assert steps(*both, 5) == whole, make
print("bitwise")
"""


@case("112a", "an optimizer that is copied, pickled or saved", python=True)
def resumed():
    said = python(RESUMED)
    return said.short, said.text == "bitwise\n"


@case("112b", "sizes of models in Python", python=True)
def sizes():
    for call in ("GPT(8, 6, layers=2**31)", "GPT(2**40, 6)", "Linear(2**24, 2**24)",
                 "Embedding(2**40, 8)", "MLP(2**20, 2**31)", "Attention(2**25, 1)"):
        said = python(f"import tapehead\ntry: tapehead.{call}\n"
                      "except ValueError as error: print(error)")
        wrong = said.text or said.short
        yield f"{call}: {wrong.strip()}", said.text.startswith(call.split("(")[0] + ": ")


@case("112c", "sample --tokens 0")
def no_tokens():
    write_hats()
    tapehead(f"train text --data hats.txt {SEEDS} --out run")
    said = tapehead("sample run --prompt the --tokens 0")
    return repr(said.text), said.status == 0 and said.text.strip().endswith("the")


OPTIONS = """
import inspect, tapehead
p = tapehead.Parameter([[1.0]])
for make in (lambda: tapehead.AdamW(p, epsilon=1), lambda: tapehead.SGD(p, momentum=0.9),
             lambda: tapehead.GPT(8, 6, layer=3), lambda: tapehead.train("copy", stpes=3)):
    try: make()
    except ValueError as error: print(error)
"""
NEAREST = ("AdamW: has no option 'epsilon'; did you mean eps?",
           "SGD: has no option 'momentum'; did you mean beta1?",
           "GPT: has no option 'layer'; did you mean layers?",
           "copy has no option stpes; did you mean steps?")


@case(115, "options that Python doesn't have", python=True)
def unknown_options():
    said = python(OPTIONS)
    return said.short, tuple(said.text.splitlines()) == NEAREST


@case(124, "help of models and optimizers in Python", python=True)
def help_lists_options():
    for name, words in [("GPT", ["layers=2", "tied_head=True"]), ("AdamW", ["beta1=0.9", "eps="])]:
        said = python(f"import tapehead; help(tapehead.{name})")
        yield f"help({name})", all(word in said.text for word in words)

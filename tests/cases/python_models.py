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


@case("112c", "sample --tokens 0")
def no_tokens():
    write_hats()
    tapehead(f"train text --data hats.txt {SEEDS} --out run")
    said = tapehead("sample run --prompt the --tokens 0")
    return repr(said.text), said.status == 0 and said.text.strip().endswith("the")


@case(124, "help of models and optimizers in Python", python=True)
def help_lists_options():
    for name, words in [("GPT", ["layers=2", "tied_head=True"]), ("AdamW", ["beta1=0.9", "eps="])]:
        said = python(f"import tapehead; help(tapehead.{name})")
        yield f"help({name})", all(word in said.text for word in words)

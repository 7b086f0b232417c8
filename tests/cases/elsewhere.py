"""Errors that users of other programs have met."""
import gzip
import os
import re
import resource
import shutil
import string
from pathlib import Path

import numpy as np

import kit
from common import (MODULES, SEEDS, case, digest, preloaded, python, shell, tapehead,
                    write_hats)

# ---- process and machine

FLOAT_MODES = {
    "flush to zero": "#include <xmmintrin.h>\n__attribute__((constructor)) static void f(void)"
                     "{_mm_setcsr(_mm_getcsr()|0x8040);}",
    "rounding upwards": "#include <fenv.h>\n__attribute__((constructor)) static void f(void)"
                        "{fesetround(FE_UPWARD);}"}


@case(1, "floating-point mode of the host")
def float_mode():
    def numbers(name, library=""):
        explained = tapehead("explain 'x*y' x=1e-300 y=1e-10 --json", LD_PRELOAD=library).text
        tapehead(f"train reverse {SEEDS} --out {name}", LD_PRELOAD=library)
        return explained, digest(name)
    alone = numbers("alone")
    for name, code in FLOAT_MODES.items():
        library = preloaded("mode", code)
        with_mode = numbers(name.replace(" ", "-"), library)
        if MODULES:
            python(f"import ctypes; ctypes.CDLL('{library}'); import tapehead\n"
                   "for n in (1, 2): tapehead.train('reverse', layers=1, width=32, steps=60, "
                   "eval_every=60, threads=n, out=f'python{n}')")
            found = {digest("python1"), digest("python2")}
            shutil.rmtree("python1", ignore_errors=True)
            shutil.rmtree("python2", ignore_errors=True)
        yield name, with_mode == alone and (not MODULES or found == {alone[1]})


THREADS = """
from concurrent.futures import ThreadPoolExecutor
import tapehead
def train(at):
    tapehead.train("copy", seed=at % 6, layers=1, width=32, steps=100, eval_every=50, threads=2,
                   out=f"run{at}")
with ThreadPoolExecutor(3) as pool: list(pool.map(train, range(6)))
for at in range(6, 12): train(at)
"""


@case(2, "trainings on several threads of Python", python=True)
def threads():
    said = python(THREADS)
    found = [digest(f"run{at}") for at in range(12)]
    return said.errors[-60:] or "as each alone", None not in found and found[:6] == found[6:]


FORK = """
import multiprocessing, tapehead
def train(out, on_step=None):
    tapehead.train("copy", layers=1, width=32, steps=20, eval_every=20, threads=2, out=out,
                   on_step=on_step)
def fork(step, loss):
    if step != 5: return
    child = multiprocessing.get_context("fork").Process(target=train, args=["child"])
    child.start(); child.join(30); child.kill()
train("parent", fork)
"""


@case(3, "a fork in the middle of a training", python=True)
def fork():
    python(FORK)
    same = digest("child") == digest("parent") is not None
    return "the child trains" if same else "the child doesn't end well", same


NO_LINKS = """
#include <errno.h>
int symlink(const char *a, const char *b) { errno = EOPNOTSUPP; return -1; }
int symlinkat(const char *a, int d, const char *b) { errno = EOPNOTSUPP; return -1; }
"""


def works(run):
    for line in (f"eval {run}", f"sample {run} --temperature 0", f"report {run}",
                 f"train --resume {run} --steps 80 --change steps"):
        said = tapehead(line)
        if said.status != 0:
            return f"{line.split()[0]}: {said.short}", False
    return f"{run} continues", True


@case(5, "file systems without symbolic links")
def links():
    said = tapehead(f"train copy {SEEDS} --out plain", LD_PRELOAD=preloaded("links", NO_LINKS))
    yield said.short, said.status == 0
    yield works("plain")


@case(5, "runs that other tools copied")
def copies():
    tapehead(f"train copy {SEEDS} --out run")
    shell("cp -rL run followed; cp -r run texts; cp -r run without; find without -type l -delete; "
          "for l in $(find texts -type l); do t=$(readlink $l); rm $l; printf %s $t > $l; done")
    for name in ("followed", "texts", "without"):
        yield works(name)


@case(6, "pipes as files")
def pipes():
    write_hats()
    shell("gzip -k hats.txt")
    tapehead(f"train text --data hats.txt {SEEDS} --out file")
    for line in ("train text --data <(cat hats.txt)", "train text --data /dev/stdin < hats.txt",
                 "train text --data - < <(zcat hats.txt.gz)"):
        shell("rm -rf piped")
        said = shell(re.sub("--data ([^ ]+|<\\(.*?\\))( <.*)?$",
                            rf"--data \1 {SEEDS} --out piped\2", "$T " + line))
        right = said.status == 0 and digest("piped") == digest("file")
        yield f"{line}: {said.short}", right or said.refused("pipe", "once", "save it")
    said = shell("$T tokens --from <(cat hats.txt) --json")
    right = said.text == tapehead("tokens --from hats.txt --json").text != ""
    yield f"tokens: {said.short}", right or said.refused("pipe", "once", "save it")


# ---- the hub

def imported(name, way_out=None, **how):
    model = kit.Gpt2(name, **how)
    said = tapehead(f"import {name} --out runs/{name}")
    if said.status != 0:
        return f"{name}: {said.short}", way_out is not None and said.refused(way_out)
    said = tapehead(f"sample runs/{name} --prompt 'the hat' --temperature 0 --tokens 8")
    right = model.greedy("the hat", 8) in said.text
    return f"{name}: " + ("as NumPy says" if right else said.short), right


@case(10, "GPT-2s with a tokenizer of their own")
def own_tokenizer():
    yield imported("json", trained=True, only_json=True)
    yield imported("files", trained=True)


@case(11, "ids without a text")
def padded():
    yield imported("pad", way_out="--", pad=1)
    yield imported("rows", way_out="--", rows=320)


@case(12, "a head next to tied weights")
def heads():
    yield imported("same", head="same")
    yield imported("untied", head="other", tied=False)
    model = kit.Gpt2("other", head="other")
    said = tapehead("import other --out runs/other")
    model.head = model.weights["lm_head.weight"]  # transformers uses it, regardless of config.json
    text = tapehead("sample runs/other --prompt 'the hat' --temperature 0 --tokens 8").text
    told = " ".join(line for line in said.text.splitlines() if "head" in line)
    yield f"other: {told}", model.greedy("the hat", 8) in text and told != ""


@case(14, "NaN in weights")
def nan():
    kit.Gpt2("nan", nan=True)
    said = tapehead("import nan --out runs/nan")
    if said.status != 0:
        return said.short, said.refused("ln_f.bias", "norm.bias")
    said = tapehead("sample runs/nan --prompt 'the hat'")
    return "imported; sample: " + said.short, False


# ---- text and tokens

def seconds(line):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = tapehead(line)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime if said.status == 0 else float("inf")


@case(16, "BPE of a text without spaces")
def one_word():
    draw = np.random.default_rng(0)
    texts = {"DNA": b"ACGT", "base64": string.ascii_letters.encode() + b"0123456789+/"}
    for name, letters in texts.items():
        taken = []
        for size in (40_000, 320_000):
            Path("word.txt").write_bytes(draw.choice(list(letters), size).astype("u1").tobytes())
            taken.append(seconds("train text --data word.txt --tokens bpe --vocabulary 1024 "
                                 "--steps 1 --eval-every 0 --layers 1 --width 16 "
                                 f"--out {name}{size}"))
        yield (f"{name}: {taken[0]:.2g} s for 40 kB, {taken[1]:.2g} s for 320 kB",
               taken[1] < 16 * taken[0] + 1)


@case(18, "texts that are empty, blank or tiny")
def tiny_texts():
    texts = {"empty": "", "blanks": " " * 500, "lines": "\n" * 500, "a": "a" * 500, "ab": "ab",
             "emoji": "\U0001f600" * 300, "mark": "\ufeff"}
    tried = trained = 0
    for name, text in texts.items():
        Path("tiny.txt").write_text(text)
        for tokens in ("characters", "bytes", "bpe --vocabulary 257"):
            for context in (1, 8):
                shell("rm -rf tiny")
                tried += 1
                said = tapehead(f"train text --data tiny.txt --tokens {tokens} --context {context} "
                                "--layers 1 --width 16 --steps 2 --eval-every 2 --out tiny")
                what = f"{name}, {tokens}, --context {context}: {said.short}"
                if said.status != 0:
                    if not said.refused():
                        return what, False
                    continue
                trained += 1
                for line in ("eval tiny --json", "sample tiny --tokens 5", "report tiny"):
                    said = tapehead(line)
                    if said.status != 0 or re.search(r"\bnan\b|\binf\b", said.text):
                        return f"{name}, {tokens}, {line}: {said.short}", False
    return f"{trained} of {tried} train, the others say why not", trained > 0


@case(19, "lines that end with CR")
def old_mac():
    lines = "".join(f"hat {i}\n" for i in range(300))
    Path("lf.txt").write_text(lines)
    Path("mac.txt").write_bytes(lines.replace("\n", "\r").encode())
    tapehead(f"train lines --data lf.txt {SEEDS} --out lf")
    said = tapehead(f"train lines --data mac.txt {SEEDS} --out mac")
    return said.short, digest("mac") == digest("lf") is not None or said.refused(r"\bCR\b|carriage")


@case(20, "texts in other encodings")
def encodings():
    text = "the hat in a tin\n" * 200
    for name, data, words in (
            ("utf16", text.encode("utf-16"), "UTF-16"),
            ("gzip", gzip.compress(text.encode()), "gzip"),
            ("latin1", "caf\xe9\n".encode("latin-1") * 200, "UTF-8")):
        Path(name + ".txt").write_bytes(data)
        for line in (f"train text --data {name}.txt --steps 2", f"tokens --from {name}.txt"):
            said = tapehead(line)
            bytes_are_bytes = name == "latin1" and line.startswith("tokens")
            yield f"{line}: {said.short}", said.refused(words) or bytes_are_bytes


@case(22, "token files of another width")
def widths():
    ids = np.random.default_rng(0).integers(0, 300, 20_000)
    header = np.zeros(256, "<i4")
    header[:3] = 20240520, 1, len(ids)  # the header of llm.c
    for name, data in (("u4", ids.astype("<u4").tobytes()), ("i8", ids.astype("<i8").tobytes()),
                       ("llmc", header.tobytes() + ids.astype("<u2").tobytes())):
        Path(name + ".bin").write_bytes(data)
        said = tapehead(f"train text --data {name}.bin --layers 1 --width 16 --steps 5 "
                        f"--out {name}")
        if name != "llmc":
            yield f"{name}: {said.short}", said.refused("bit")
    Path("plain.bin").write_bytes(ids.astype("<u2").tobytes())
    tapehead("train text --data plain.bin --layers 1 --width 16 --steps 5 --out plain")
    yield "llmc: read without its header", digest("llmc") == digest("plain") is not None


# ---- images

@case(23, "images in files of other collections")
def images():
    draw = np.random.default_rng(0)
    pixels = draw.integers(0, 256, (200, 28, 28)).astype("u1")
    labels = (np.arange(200) % 26).astype("u1")

    def written(folder, start="", labels=labels):
        os.mkdir(folder)
        for part in ("train", "t10k"):
            kit.idx(f"{folder}/{start}{part}-images-idx3-ubyte", pixels)
            kit.idx(f"{folder}/{start}{part}-labels-idx1-ubyte", labels)
        return folder

    def tried(folder, options="", must=False):
        said = tapehead(f"train images --data {folder} --layers 1 --width 16 --batch 8 --steps 2 "
                        f"--eval-every 2 --out run-{folder} {options}")
        if said.status == 0 and "skipped" not in said.text:
            said = tapehead(f"eval run-{folder} --json")
        right = said.status == 0 and not re.search(r"\bnan\b", said.text, re.I)
        return f"{folder}: {said.short}", right or (not must and said.refused())

    yield tried(written("mnist"), must=True)
    yield tried(written("emnist", start="emnist-letters-"))
    yield tried(written("qmnist", labels=np.zeros((200, 8), "i4")))
    yield tried(written("letters", labels=labels % 25 + 1), must=True)  # no image of class 0
    written("zipped")
    for file in Path("zipped").iterdir():
        file.write_bytes(gzip.compress(file.read_bytes()))
    yield tried("zipped")
    yield tried(written("patches"), "--patch 3")


# ---- library and Python

STALE = """
import numpy as np, tapehead
model = tapehead.Sequential(tapehead.Linear(4, 4))
optimizer = tapehead.SGD(model, lr=0.1)
w = model.parameters["0.weight"]  # the parameter itself, changed by each step
other = tapehead.tensor(w.numpy())
x = np.ones((2, 4), "float32")
for asked in (w, w, other):
    with tapehead.Tape(asked) as tape:
        loss = tapehead.sum(model(x))
        [g] = tape.gradients(loss, [asked], keep=True)
        print(abs(g.numpy()).max())
        optimizer.step(tape.gradients(loss))
"""


@case(31, "a gradient of what the loss doesn't depend on", python=True)
def stale():
    said = python(STALE)
    return said.short, said.text.split() == ["2.0"] * 2 and "depend" in said.errors


TWICE = """
import numpy as np, tapehead
x = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)
def trained(twice):
    layer = tapehead.Linear(4, 4)
    model = tapehead.Sequential(layer, layer) if twice else tapehead.Sequential(layer)
    optimizer = tapehead.AdamW(model, lr=0.1)
    for _ in range(10):
        with tapehead.Tape() as tape:
            loss = tapehead.sum(model(x) if twice else layer(layer(x)))
            optimizer.step(tape.gradients(loss))
    return layer.parameters["weight"].numpy()
assert np.array_equal(trained(True), trained(False)), "stepped twice"
assert not np.array_equal(trained(True), tapehead.Linear(4, 4).parameters["weight"].numpy())
layer = tapehead.Linear(4, 4)
counted = str(tapehead.Sequential(layer, layer)).split()[1]
assert counted == "20", f"stepped once, and {counted} parameters are counted"
print("stepped once, counted once")
"""


@case(36, "a module that is used twice", python=True)
def twice():
    said = python(TWICE)
    return said.short, said.status == 0 or "ValueError" in said.errors

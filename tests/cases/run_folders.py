"""Run folders: what changes them, how they are found and opened, and what is compared in them."""
import json
import os
from pathlib import Path

from common import case, tapehead, write_hats

TEXT = "--layers 1 --heads 1 --width 16 --context 16 --steps 20 --eval-every 10 --csv true"
SMALL = "--layers 1 --heads 1 --width 8 --length 4 --symbols 4 --steps 12 --eval-every 4"


def text_run(name="run", options=""):
    write_hats(200)
    tapehead(f"train text --data hats.txt {TEXT} {options} --out {name}")


def snapshot(folder):
    paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in paths}


@case(101, "a typo in --resume --change")
def typo():
    text_run()
    before = snapshot("run")
    Path("odd.txt").write_text("the hat ? " * 100)
    for data in ("typo.txt", "odd.txt"):
        said = tapehead(f"train --resume run --data {data} --steps 40 --change data,steps")
        yield said.short, said.refused() and snapshot("run") == before
    said = tapehead("eval run")
    yield "the run stays as it was", said.status == 0


@case(101, "a run that a failed change spoiled")
def spoiled():
    def spoil():
        text = Path("run/config.toml").read_text()
        Path("run/config.toml").write_text(text.replace('data = "hats.txt"', 'data = "typo.txt"')
                                           .replace("steps = 20", "steps = 40"))
    text_run()
    for words in ("--repair", "--data hats.txt --steps 20",
                  "--data hats.txt --steps 40 --change data,steps"):
        spoil()
        tapehead(f"train --resume run {words}")
        said = tapehead("eval run")
        yield f"{words}: {said.short}", said.status == 0


@case(108, "an empty metrics.jsonl")
def empty_metrics():
    text_run()
    rows = Path("run/metrics.csv").read_bytes()
    Path("run/metrics.jsonl").write_text("")
    said = tapehead("train --resume run --steps 40 --change steps")
    yield said.short, said.refused("empty") and Path("run/metrics.csv").read_bytes() == rows
    said = tapehead("train --resume run --steps 40 --change steps --repair")
    yield "repaired", said.status == 0 and Path("run/metrics.csv.damaged").read_bytes() == rows


@case(117, "a run on a file, from another directory")
def from_elsewhere():
    os.makedirs("a/b/c/here")
    os.makedirs("a/b/c/elsewhere")
    os.chdir("a/b/c/here")
    text_run()
    loss = json.loads(tapehead("eval run --json").text)["loss"]
    os.chdir("../elsewhere")

    def same(run, options=""):
        said = tapehead(f"eval {run} --json {options}")
        return said.short[:60], said.status == 0 and json.loads(said.text)["loss"] == loss
    yield same("../here/run")
    for line in ("attention", "inspect gradients", "verify", "explain", "report"):
        said = tapehead(f"{line} ../here/run")
        yield f"{line}: {said.short}", said.status == 0
    os.rename("../here", "../moved")
    yield same("../moved/run")
    os.rename("../moved/hats.txt", "../moved/h.txt")
    said = tapehead("eval ../moved/run")
    yield said.short, said.refused("--data FILE")
    yield same("../moved/run", "--data ../moved/h.txt")
    Path("../moved/hats.txt").write_text("the hat in a tin, and 0 more\n" * 99)
    said = tapehead("eval ../moved/run")
    yield said.errors, said.status == 0 and "has changed" in said.errors


@case("124i", "a run of another program")
def another_program():
    tapehead(f"train copy {SMALL} --out run")
    config = Path("run/config.toml")
    config.write_text(config.read_text() + "program = 'sig'\nsig-offset = 1\n")
    said = tapehead("eval run")
    return said.short, said.refused("program that made it, 'sig'") and "--repair" not in said.errors


@case("124j", "export over a file that is there")
def export_over():
    tapehead(f"train copy {SMALL} --out run")
    Path("notes").write_text("mine")
    for form in ("onnx", "npz", "huggingface"):
        said = tapehead(f"export run notes --format {form}")
        yield said.short, said.refused("exists already") and Path("notes").read_text() == "mine"
    said = tapehead("export run notes --format npz --overwrite")
    yield said.short, said.status == 0

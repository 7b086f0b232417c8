"""Errors of single commands: export, runs, tables, expressions, exercises."""
import json
import re
from pathlib import Path

from common import SEEDS, case, shell, tapehead, write_hats

TINY = "--layers 1 --width 8 --heads 2 --batch 4 --steps 2"


# ---- export

@case(132, "ONNX of attention layers and of width 1")
def onnx_layers():
    for options in ("--attention linear", "--attention latent", "--attention switchhead",
                    "--mixer lstm", "--mixer gla", "--mixer mamba2", "--mixer gated-deltanet",
                    "--attention latent --position rotary", "--width 1 --heads 1"):
        size = "" if "width" in options else "--width 8"
        tapehead(f"train copy {options} {size} --layers 1 --batch 4 --steps 1 --out r")
        said = tapehead("export r --format onnx m.onnx")
        yield f"{options}: {said.short}", said.status == 0
        shell("rm -rf r m.onnx")


@case("132a", "a dry run of 1.2 billion parameters")
def large_dry_run():
    said = shell("timeout 20 $T train copy --layers 6 --width 4096 --heads 16 --attention switchhead "
                 "--batch 1 --dry-run")
    text = next((line for line in said.text.splitlines() if "parameters  " in line), said.short)
    return text, "parameters  " in said.text


@case("124h", "tokenizer files of a character model")
def character_tokenizer():
    Path("text.txt").write_text("añb\n" * 20)
    tapehead(f"train text --data text.txt --context 4 {TINY} --out r")
    tapehead("export r --format huggingface hub")
    if not Path("hub/tokenizer.json").exists():
        return "no tokenizer.json", False
    vocab = json.loads(Path("hub/tokenizer.json").read_text())["model"]["vocab"]
    return str(vocab), vocab == {"\n": 0, "a": 1, "b": 2, "ñ": 3}


# ---- runs

@case("124i", "a run of another program")
def another_program():
    tapehead(f"train copy {TINY} --out run")
    config = Path("run/config.toml")
    config.write_text(config.read_text() + "program = 'sig'\nsig-offset = 1\n")
    said = tapehead("eval run")
    return said.short, said.refused("program that made it, 'sig'") and "--repair" not in said.errors


@case("124j", "export over a file that is there")
def export_over():
    tapehead(f"train copy {TINY} --out run")
    Path("notes").write_text("mine")
    for form in ("onnx", "npz", "huggingface"):
        said = tapehead(f"export run notes --format {form}")
        yield said.short, said.refused("exists already") and Path("notes").read_text() == "mine"
    said = tapehead("export run notes --format npz --overwrite")
    yield said.short, said.status == 0


@case("112c", "sample --tokens 0")
def no_tokens():
    write_hats()
    tapehead(f"train text --data hats.txt {SEEDS} --out run")
    said = tapehead("sample run --prompt the --tokens 0")
    return repr(said.text), said.status == 0 and said.text.strip().endswith("the")


# ---- tables

@case(113, "columns of scripts and emoji")
def columns():
    tapehead(f"train copy {TINY} --out r/a")
    tapehead(f"train copy {TINY} --out r/b")
    tapehead("runs label r/b --name ab")
    for name in ("⌚", "❤️", "🀄", "👍🏽", "ที่x", "\u1112\u1161\u11ab", "👩‍👩‍👧"):  # two columns each
        tapehead(f"runs label r/a --name '{name}'")
        rows = tapehead("runs r --columns name,width").text.splitlines()
        yield name, len(rows) > 2 and rows[1].replace(name, "ab")[1:] == rows[2][1:]


# ---- expressions and exercises

@case(125, "** and max, and no quotes")
def expressions():
    def last_value(line):
        return json.loads(tapehead(f"explain {line} --json").text or "{}").get("lines", [{}])[-1]
    yield "2**3", last_value("'x**3' x=2").get("value") == 8
    yield "max, min", last_value("'max(x, min(y, 9))' x=2 y=5").get("value") == 5
    said = shell("$T explain 'tanh(a*b' + 'c)*d' a=1 b=2 c=3 d=4")
    quoted = shell("$T explain 'tanh(a*b + c)*d' a=1 b=2 c=3 d=4")
    yield said.short, said.status == 0 and said.text == quoted.text


@case("125b", "faults of several students")
def faults():
    texts = {tapehead(f"learn fault --seed 1 --student {n}").text for n in range(4)}
    unnamed = tapehead("learn fault --seed 1").text
    return f"{len(texts)} of 4 differ", len(texts) == 4 and unnamed in texts


@case("125c", "positions of the model in a report")
def report():
    tapehead(f"train reverse --arch encoder {TINY} --out r")
    tapehead("report r --out r.html")
    found = re.search(r"(\d+) tokens, (\d+) at a time", Path("r.html").read_text())
    return found and found.group(0), bool(found) and found.group(2) == "16"

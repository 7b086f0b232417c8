"""Errors of sweeps: their learning-rate search and their messages."""
import json
from pathlib import Path

from common import case, lines_of, shell, tapehead

SMALL = "copy --length 4 --symbols 4 --layers 1 --heads 1 --width 8 --batch 8"


def lowest_loss(run):
    return min(line["val_loss"] for line in lines_of(run) if "val_loss" in line)


@case("111a", "two sweeps at once in one folder")
def two_sweeps():
    line = f"$T sweep {SMALL} --steps 400 --grid lr=1e-3,2e-3,3e-3,4e-3 --out both"
    locked = "until ls -d both/lr* >none 2>&1; do sleep 0.01; done"  # until a run folder exists
    said = shell(f"{line} >first 2>&1 & {locked}; {line}; status=$?; wait; exit $status")
    document = json.loads(Path("both/sweep.json").read_text())
    yield said.short, said.refused("another sweep") and len(document["combinations"]) == 4


@case(119, "a sweep's ranking of runs that overfit")
def best_evaluation():
    Path("words.txt").write_text("abc abd acd bcd " * 20)
    line = ("sweep text --data words.txt --context 8 --layers 1 --heads 1 --width 16 --steps 120 "
            "--eval-every 10 --warmup 0 --schedule constant --grid lr=1e-3,0.3 --out all")
    tapehead(line)
    for by, key in ("best", "best_val_loss"), ("last", "val_loss"):
        found = json.loads(tapehead(f"sweep --read all --json --by {by}").text)
        losses = [each[key]["mean"] for each in found["combinations"]]
        yield f"{by}: {losses}", losses[found["best"]] == min(losses)
    for each in found["combinations"]:
        run = each["runs"][0]
        lowest = lowest_loss(Path("all", run["folder"]))
        yield f"{run['best_val_loss']} of {lowest}", run["best_val_loss"] == lowest
    head = tapehead("sweep --read all").text.splitlines()[0]
    yield head, "best" in head and "last" in head


@case(122, "the learning rate that a sweep finds")
def searched():
    line = "copy --length 8 --symbols 8 --width 32 --layers 1"
    for optimizer, steps in ("adamw", 150), ("sgd", 300):
        options = f"{line} --optimizer {optimizer} --steps {steps}"
        found = json.loads(tapehead(f"sweep {options} --lr-range --out {optimizer} --json").text)
        best = found["combinations"][found["best"]]
        lr, loss = float(best["settings"]["lr"]), best["best_val_loss"]["mean"]
        losses = {}
        for power in range(-4, 5):  # nearby rates, with another command
            rate = lr * 1.5 ** power
            tapehead(f"train {options} --lr {rate} --min-lr {rate / 30} --out {optimizer}{power}")
            losses[power] = lowest_loss(f"{optimizer}{power}")
        at = min(losses, key=losses.get)
        right = abs(at) <= 1 or loss <= 1.02 * losses[at] + 0.001
        yield f"{optimizer}: {lr} ({loss:.4f}); {lr * 1.5 ** at:.2g} ({losses[at]:.4f})", right


@case("122a", "a search whose best rate is at its edge")
def edge():
    said = tapehead(f"sweep {SMALL} --lr-range 1e-6..2e-5 --steps 30 --lr 1e-5 --min-lr 0 --out edge")
    note = said.text.strip().splitlines()[-3:]
    yield " ".join(note), "larger rates may be better" in said.text or "about the same" in said.text


@case("124a", "help of sweep without a task")
def help_without_task():
    text = tapehead("sweep --help").text
    for option in "--grid", "--seeds", "--lr-range":
        yield option, f"\n  {option}" in text


@case("124b", "the number of threads of eval and attention")
def threads():
    tapehead(f"train {SMALL} --steps 2 --out run")
    for command in ("eval", "attention"):
        one, two = (tapehead(f"{command} run --threads {n}") for n in (1, 2))
        yield command, one.status == 0 and one.text == two.text
        said = tapehead(f"{command} run --threads -1")
        yield said.short, said.refused("threads")


@case("124f", "an unknown character in a prompt")
def unknown_character():
    for task, prompt in ("reverse", "43é1"), ("add", "1é+2="), ("dyck", "(é)"):
        said = tapehead(f"train {task} --steps 1 --prompt '{prompt}' --out run")
        yield said.short, said.refused("'é'")

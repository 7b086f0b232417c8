"""Faults of sweeps, of the search for a learning rate, and of their messages."""
import json
from pathlib import Path

from common import case, shell, tapehead

SMALL = "copy --length 4 --symbols 4 --layers 1 --heads 1 --width 8 --batch 8"


@case(111, "a sweep of one configuration twice")
def same_configuration():
    for grid in ("lr=1e-3,0.001", "layers=1,2 lr=1e-3,1E-3", "dropout=0,0.0"):
        said = tapehead(f"sweep {SMALL} --steps 2 --grid {grid} --out twice")
        yield said.short, said.refused("same configuration") and not Path("twice").exists()


@case("111a", "two sweeps at once in one folder")
def two_sweeps():
    line = f"$T sweep {SMALL} --steps 400 --grid lr=1e-3,2e-3,3e-3,4e-3 --out both"
    said = shell(f"{line} >first 2>&1 & sleep 0.1; {line}; status=$?; wait; exit $status")
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
        lines = Path("all", run["folder"], "metrics.jsonl").read_text().splitlines()
        lowest = min(json.loads(text).get("val_loss", 1e9) for text in lines)
        yield f"{run['best_val_loss']} of {lowest}", run["best_val_loss"] == lowest
    head = tapehead("sweep --read all").text.splitlines()[0]
    yield head, "best" in head and "last" in head

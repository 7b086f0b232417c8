"""Numerics: dropout masks, norms, activation checkpointing, and the learning-rate schedule."""
from pathlib import Path

from common import case, lines_of, tapehead

UNEVEN = ("--layers 1 --heads 1 --width 8 --batch 4 --dropout 0.5 --steps 2 --zero-out false "
          "--init-std 0.3 --warmup 0 --dtype f64 --eval-every 0")


@case(102, "dropout under gradient accumulation")
def accumulation():
    words = ["a", "ab", "abcdefgh", "b", "abcdefghij", "c", "d", "abc"]
    Path("s.txt").write_text("".join(f"{words[i % 8]}{i}\n" for i in range(160)))
    for task in ("lines --data s.txt", "translate --arch encoder-decoder"):
        losses = []
        for parts, shards in ((1, 1), (2, 1), (1, 4), (2, 2)):
            run = f"run{len(losses)}"
            tapehead(f"train {task} {UNEVEN} --accumulate {parts} --shards {shards} --out {run}")
            losses.append(lines_of(run)[-1]["loss"])
            Path(run).rename(f"{task.split()[0]}-{run}")
        error = max(losses) / min(losses) - 1
        yield f"the loss of {task.split()[0]} varies by {error:.0e}", error < 1e-13


@case("106b", "norms of huge and tiny rows")
def norm_layers():
    for op in ("layer_norm", "rms_norm"):
        for value in ("1e25", "1e150", "1e300"):
            text = tapehead(f"explain '{op}(x)' x=[1,-{value},{value}]").text
            yield f"{op} of {value}", "nan" not in text and "1.22" in text


@case(114, "the last learning rate of a schedule")
def schedules():
    for options, expected in (
            ("--schedule linear --steps 4", [0.01, 0.0075, 0.005, 0.0025]),
            ("--schedule wsd --decay 0.3 --steps 10", [0.01] * 8 + [0.02 / 3, 0.01 / 3])):
        run = options.split()[1]
        tapehead(f"train copy --length 4 --symbols 8 --layers 1 --width 8 --lr 0.01 --min-lr 0 "
                 f"--warmup 0 --eval-every 0 {options} --out {run}")
        rates = [line["lr"] for line in lines_of(run)]
        yield (f"{run}: {rates}", len(rates) == len(expected)
               and all(abs(a - b) < 1e-12 for a, b in zip(rates, expected)))


@case(128, "metrics with activation checkpointing")
def checkpointing():
    found = []
    for again in ("false", "true"):
        tapehead("train copy --length 8 --symbols 8 --layers 2 --width 16 --metric sharpness "
                 "--histograms true --residual false --steps 4 --eval-every 2 "
                 f"--recompute {again} --out {again}")
        found.append([(line.get("metrics"), line.get("histograms"), line.get("digest"))
                      for line in lines_of(again)])
    return f"{found[1][-1][0]}", found[0] == found[1]

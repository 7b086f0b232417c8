#!/usr/bin/env python3
"""Gradient descent at the edge of stability: trains a small model on a single batch with two
learning rates, prints the sharpness, and draws sharpness and loss in docs/edge-of-stability.svg."""
import argparse
import math
import os

import runs
from contenders import add_tapehead

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMAND = ("sort --length 8 --symbols 8 --layers 1 --heads 2 --width 32 --batch 64 --fixed-batch "
           "true --optimizer sgd --momentum 0 --weight-decay 0 --clip 0 --warmup 0 --schedule "
           "constant --eval-examples 50 --metric sharpness")
# Learning rate -> number of steps, number of steps between evaluations, color.
RATES = {0.1: (1000, 10, "#1d4ed8"), 0.05: (2000, 20, "#b45309")}
SIZE, LEFT, TOP, GAP = 330, 60, 60, 70


def curves(lines):
    """Returns two lists: (step, sharpness) of each evaluation and (step, training loss) of each
    line."""
    return ([(line["step"], line["metrics"]["sharpness"]) for line in lines if "metrics" in line],
            [(line["step"], line["loss"]) for line in lines])


def panel(out, number, title, height_of, marks):
    """Draws the axes of a panel. Returns a function that maps a time and a value to coordinates."""
    x0, y0 = LEFT + number * (SIZE + GAP), TOP + SIZE

    def at(time, value):
        return f"{x0 + SIZE * time / 100:.1f},{y0 - SIZE * height_of(value):.1f}"

    out.append(f'<text x="{x0}" y="{TOP - 14}" font-weight="700">{title}</text>')
    for time in range(0, 101, 20):
        x, _ = at(time, marks[0]).split(",")
        out.append(f'<text class="axis" x="{x}" y="{y0 + 18}" text-anchor="middle">{time}</text>')
    for mark in marks:
        y = float(at(0, mark).split(",")[1])
        out += [f'<path d="M{x0},{y:.1f} h{SIZE}" stroke="#e4e7eb"/>',
                f'<text class="axis" x="{x0 - 8}" y="{y + 4:.1f}" text-anchor="end">{mark:g}</text>']
    return at


def picture(found):
    width, height = LEFT + 2 * (SIZE + GAP), TOP + SIZE + 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}">',
           "<title>Sharpness and training loss of gradient descent with two learning rates</title>",
           '<style>text { font: 13px system-ui, "Segoe UI", Arial, sans-serif; fill: #1f2933 } '
           ".axis { fill: #52606d; font-size: 12px }</style>",
           f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>']
    sharpness = panel(out, 0, "sharpness", lambda v: min(v, 60) / 60, range(0, 61, 10))
    loss = panel(out, 1, "training loss", lambda v: (math.log10(v) + 2.5) / 3,
                 [0.01, 0.03, 0.1, 0.3, 1, 3])
    for number, (rate, (_, _, colour)) in enumerate(RATES.items()):
        out.append(f'<path d="M{sharpness(0, 2 / rate)} L{sharpness(100, 2 / rate)}" '
                   f'stroke="{colour}" stroke-dasharray="4 4" fill="none"/>')
        for at, points in zip((sharpness, loss), found[rate]):
            path = " L".join(at(step * rate, value) for step, value in points)
            out.append(f'<path d="M{path}" stroke="{colour}" stroke-width="1.5" fill="none"/>')
        out.append(f'<text x="{LEFT + 150 + 130 * number}" y="24" style="fill: {colour}">learning '
                   f"rate {rate}</text>")
    out.append(f'<text class="axis" x="{width / 2}" y="{TOP + SIZE + 42}" text-anchor="middle">'
               "learning rate times step; dashed: 2 / learning rate</text>")
    with open(os.path.join(ROOT, "docs/edge-of-stability.svg"), "w") as file:
        file.write("\n".join([*out, "</svg>", ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_tapehead(parser)
    given = parser.parse_args()
    found = {}
    for rate, (steps, every, _) in RATES.items():
        words = f"{COMMAND} --lr {rate} --steps {steps} --eval-every {every}".split()
        found[rate] = curves(runs.train(os.path.abspath(given.tapehead), words, 0, 1))
        late = sorted(s for step, s in found[rate][0] if 20 <= step * rate <= 80)
        print(f"learning rate {rate}: 2 / {rate} = {2 / rate:g}; sharpness {late[len(late) // 2]:.1f}"
              f" ({late[0]:.1f} to {late[-1]:.1f}) from {20 / rate:.0f} to {80 / rate:.0f} steps")
    picture(found)


if __name__ == "__main__":
    main()

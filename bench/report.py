"""Prints the results of bench/compare.py as tables of at most 100 columns."""
import statistics

from settings import CONFIGS, VARIANTS

TORCH = ("PyTorch eager", "PyTorch compiled")
OTHERS = (*TORCH, "JAX")
HEADS = ("Tapehead", "eager", "compiled", "JAX")
WIDTH = 100


def show(title, rows, left=1):
    """Prints a table. The first row is the header; `left` columns are left-aligned, others right."""
    print(f"\n{title}\n")
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = (
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        )
        print("  ".join(cells).rstrip())


def digits(value):
    """Formats a number with about three significant digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(value):
    return f"{digits(value)} x" if value is not None else "-"


class Steps:
    """The records of the training steps, and functions that select records."""

    def __init__(self, records):
        self.records = records

    def rows(self):
        """Yields the configuration and variant of each table row."""
        for name, config in CONFIGS.items():
            for variant in VARIANTS:
                if self.of(name, variant, "Tapehead"):
                    yield config, variant

    def of(self, name, variant, contender, threads=None):
        cases = (variant,) if contender == "Tapehead" else VARIANTS[variant]
        return [
            r
            for r in self.records
            if (r["config"], r["contender"]) == (name, contender)
            and r["case"] in cases
            and threads in (None, r["threads"])
        ]

    def best(self, name, variant, contender, threads=None):
        """Returns a contender's fastest record among its cases and numbers of threads."""
        known = [r for r in self.of(name, variant, contender, threads) if r["milliseconds"]]
        return min(known, key=lambda r: r["milliseconds"], default=None)

    def best_other(self, name, variant):
        found = [self.best(name, variant, contender) for contender in OTHERS]
        return min(filter(None, found), key=lambda r: r["milliseconds"], default=None)

    def cell(self, name, variant, contender):
        best = self.best(name, variant, contender)
        if best:
            return f"{digits(best['milliseconds'])} ({best['threads']})"
        return "failed" if self.of(name, variant, contender) else "-"


def show_steps(steps):
    rows = [["", "model", "batch", "with", *HEADS, "ratio"]]
    for c, variant in steps.rows():
        ours, theirs = steps.best(c.name, variant, "Tapehead"), steps.best_other(c.name, variant)
        known = ours and theirs
        ratio = theirs["milliseconds"] / ours["milliseconds"] if known else None
        cells = [steps.cell(c.name, variant, who) for who in ("Tapehead", *OTHERS)]
        model, batch = f"{c.layers} x {c.heads} x {c.width}", f"{c.batch} x {c.context}"
        rows.append([c.name, model, batch, variant, *cells, times(ratio)])
    title = "Training steps in ms; in parentheses, the fastest number of threads.\n"
    title += "eager, compiled: PyTorch. ratio: best time of the others / time of Tapehead"
    show(title, rows, 4)


def show_scaling(steps):
    """Shows the times for each number of threads."""
    counts = sorted({r["threads"] for r in steps.records})
    if len(counts) < 2:
        return
    rows = [["", "with", "threads", "Tapehead", "of peak", *HEADS[1:], "ratio"]]
    for c, variant in steps.rows():
        for threads in counts:
            ours = steps.best(c.name, variant, "Tapehead", threads)
            if not ours:
                continue
            found = [steps.best(c.name, variant, who, threads) for who in OTHERS]
            theirs = [r and r["milliseconds"] for r in found]
            least = min(filter(None, theirs), default=None)
            cells = [digits(value) if value else "-" for value in theirs]
            rows.append([c.name, variant, str(threads), digits(ours["milliseconds"]),
                         f"{ours['of_peak']:.0%}" if ours["of_peak"] else "-", *cells,
                         times(least / ours["milliseconds"] if least else None)])
    title = "Training steps in ms for each number of threads; of peak: the fraction of the speed\n"
    title += "of multiply-adds in registers, measured in the same minutes on as many threads"
    show(title, rows, 2)


def show_memory(steps):
    rows = [["", "with", *HEADS, "ratio"]]
    for c, variant in steps.rows():
        records = [steps.best(c.name, variant, who) for who in ("Tapehead", *OTHERS)]
        found = [r and r["peak_megabytes"] for r in records]
        theirs = min(filter(None, found[1:]), default=None)
        ratio = theirs / found[0] if theirs and found[0] else None
        cells = [digits(value) if value else "-" for value in found]
        rows.append([c.name, variant, *cells, times(ratio)])
    title = "Peak memory of a step's activations and gradients, MB.\n"
    title += "ratio: least memory of the others / memory of Tapehead"
    show(title, rows, 2)


def show_noise(steps):
    several = [r["rounds"] for r in steps.records if len(r["rounds"]) > 1]
    spreads = [max(rounds) / min(rounds) - 1 for rounds in several]
    if spreads:
        middle, most = statistics.median(spreads), max(spreads)
        print(f"\nRounds of one contender typically differ by {middle:.0%}, at most by {most:.0%}.")
    failed = [r for r in steps.records if r["error"]]
    lines = [f"{r['contender']}, {r['config']}, {r['case']}: {r['error']}" for r in failed]
    if lines:
        print("\nFailed:")
    for line in dict.fromkeys(lines):  # prints equal errors only once
        print(line if len(line) <= WIDTH else line[: WIDTH - 3] + "...")


def show_same(found):
    names = [who for who in ("Tapehead", "PyTorch", "JAX") if who in found[0]]
    rows = [["", "parameters", *names, ""]]
    for f in found:
        losses = [f"{f[who]:.5f}" for who in names]
        verdict = "same" if f["same"] else "different"
        rows.append([f["config"], f"{f['parameters']:,}", *losses, verdict])
    show("Validation (held-out) loss that each computes for the same model and weights", rows)


def show_rates(rates):
    rows = [["threads", "peak", "sgemm", "by"]]
    for r in rates:
        figures = [f"{r[key]:.0f}" for key in ("peak_gflops", "sgemm_gflops")]
        rows.append([str(r["threads"]), *figures, r["backend"]])
    show("The processor, GFLOP/s in f32", rows, 0)


def show_growth(records):
    rows = [["context", "batch", "Tapehead", "eager", "ratio", "Tapehead MB", "eager MB", "ratio"]]
    for context in sorted({r["context"] for r in records}):
        some = {r["contender"]: r for r in records if r["context"] == context}
        cells = []
        for key in ("milliseconds", "peak_megabytes"):
            ours, theirs = ((some.get(who) or {}).get(key) for who in ("Tapehead", TORCH[0]))
            ratio = theirs / ours if ours and theirs else None
            cells += [digits(value) if value else "-" for value in (ours, theirs)] + [times(ratio)]
        rows.append([str(context), str(2048 // context), *cells])
    title = "Steps of `cpu` with longer sequences, always 2,048 tokens: ms, then memory.\n"
    title += "ratio: PyTorch / Tapehead"
    show(title, rows, 0)


def show_decoding(records):
    rows = [["", "Tapehead", "PyTorch", "ratio"]]
    for r in records:
        theirs = r["PyTorch"]
        cells = [f"{value:,.0f}" if value else "-" for value in (r["Tapehead"], theirs)]
        rows.append([r["config"], *cells, times(r["Tapehead"] / theirs if theirs else None)])
    title = "Generation: tokens per second of one stream on one thread.\n"
    title += "Tapehead has a KV cache; the loop in PyTorch reads the context again for each token"
    show(title, rows)


def show_run(found):
    rows = [["", "threads", "seed", "seconds", "step", "final loss"]]
    seconds = {}
    for run in found["runs"]:
        reached, last = run["reached"], run["evaluations"][-1]
        known = [digits(reached["seconds"]), str(reached["step"])] if reached else ["never", "-"]
        loss = f"{last['val_loss']:.4f}"
        rows.append([run["contender"], str(run["threads"]), str(run["seed"]), *known, loss])
        seconds.setdefault(run["contender"], []).append(reached and reached["seconds"])
    title = f"A run of `text` until its validation loss is at most {found['target']}"
    show(f"{title}; times include evaluations", rows)
    if len(seconds) == 2 and all(all(values) for values in seconds.values()):
        ours, theirs = (statistics.median(seconds[who]) for who in ("Tapehead", "PyTorch eager"))
        print(f"Median time of PyTorch / median time of Tapehead: {times(theirs / ours)}")
    check = found["same_weights"]
    if check:
        print(
            f"Loss of Tapehead's weights of seed 0: {check['Tapehead']:.5f} computed by Tapehead, "
            f"{check['PyTorch']:.5f} by PyTorch"
        )


def show_start(found):
    print(f"\ntapehead --version takes {1e3 * found['tapehead_seconds']:.1f} ms; ", end="")
    print(f"the command is a file of {digits(found['tapehead_megabytes'])} MB")
    if "torch_seconds" in found:
        print(f"import torch takes {1e3 * found['torch_seconds']:.0f} ms")


def show_build(found):
    print(f"a clean release build of library and command takes {found['seconds']:.0f} s ", end="")
    print(f"with {found['jobs']} jobs")

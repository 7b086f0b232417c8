"""HTML shown in notebooks."""
import sys
from html import escape

STYLE = "text-align: left; font-family: monospace; white-space: pre"


def table(rows, head=None):
    """Returns an HTML table of the values, escaped."""
    def line(row, cell):
        return "<tr>" + "".join(f'<{cell} style="{STYLE}">{escape(str(each))}</{cell}>'
                                for each in row) + "</tr>"
    return "<table>" + (line(head, "th") if head else "") + "".join(
        line(row, "td") for row in rows) + "</table>"


def card(run):
    """Returns an HTML summary of a run: path, step, results and options."""
    config, metrics = run.config, run.metrics
    last = metrics[-1] if metrics else {}
    names = {"val_loss": "validation loss", "exact_match": "exact match", "digest": "digest"}
    rows = [("folder", run.path), ("task", config["task"]), ("step", run.steps)]
    if last.get("loss") is not None:
        rows.append(("loss", f"{last['loss']:.4f}"))
    rows += [(name, f"{last[key]:.4f}" if isinstance(last[key], float) else last[key])
             for key, name in names.items() if last.get(key) is not None]
    shown = "layers", "heads", "width", "optimizer", "lr", "batch", "seed"
    rows += [(name, config[name]) for name in shown if name in config]
    return table(rows)


def preformatted(shown):
    """Returns an object's str() as HTML, for a model's tree or a tape's table."""
    return f"<pre>{escape(str(shown))}</pre>"


def progress(steps, wanted):
    """Returns a function (step, loss) that shows progress: a bar in a notebook, elsewhere a line on
    standard error. Returns None if `wanted` is false, or None outside a notebook."""
    ipython = sys.modules.get("IPython")
    in_notebook = bool(ipython and getattr(ipython.get_ipython(), "kernel", None))
    if not (in_notebook if wanted is None else wanted):
        return None
    of = f" of {steps}" if steps else ""
    if not in_notebook:
        return lambda step, loss: print(f"\rstep {step}{of}, loss {loss:.4f}", file=sys.stderr,
                                        end="\n" if step == steps else "", flush=True)
    display, html = ipython.display.display, ipython.display.HTML
    handle = display(html("<progress></progress>"), display_id=True)
    most = f' max="{steps}"' if steps else ""
    return lambda step, loss: handle.update(html(
        f'<progress value="{step}"{most}></progress> step {step}{of}, loss {loss:.4f}'))

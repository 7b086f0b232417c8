"""Figures with Matplotlib, which is optional."""


def _pyplot(what):
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(f"{what}: figures need Matplotlib; run pip install matplotlib"
                          ) from None
    return pyplot


def losses(run, axes=None):
    """Plots the training loss and the validation loss by step. Returns Matplotlib axes."""
    axes = axes or _pyplot("plot").subplots()[1]
    for key, label in ("loss", "training"), ("val_loss", "validation"):
        points = [(line["step"], line[key]) for line in run.metrics if line.get(key) is not None]
        if points:
            axes.plot(*zip(*points), "o-" if key == "val_loss" else "-", markersize=3, label=label)
    axes.set(xlabel="step", ylabel="loss", title=run.path)
    if axes.lines:
        axes.legend()
    return axes


def heads(attention, axes=None):
    """Plots the attention weights of each head: queries from top to bottom, keys from left to
    right. Returns Matplotlib axes, one for each head."""
    weights = attention.weights.numpy() if hasattr(attention.weights, "numpy") else \
        attention.weights
    if axes is None:
        size = max(2.5, 0.16 * weights.shape[2])
        axes = _pyplot("plot").subplots(1, len(weights), squeeze=False, layout="constrained",
                                        figsize=(size * len(weights), size))[1][0]
    for head, (each, ax) in enumerate(zip(weights, axes)):
        ax.imshow(each, vmin=0, vmax=1, cmap="Blues")
        ax.set_title(f"{attention.module}, head {head}", fontsize="small")
        ax.set_xticks(range(len(attention.keys)), attention.keys, fontsize="x-small")
        ax.set_yticks(range(len(attention.queries)), attention.queries, fontsize="x-small")
    return axes


def layers(maps):
    """Plots all heads, one figure for each layer. Returns one list of axes for each layer."""
    return [heads(each) for each in maps]


def grid(each, axes=None):
    """Plots the numbers as colours, negative ones in red. Returns Matplotlib axes."""
    axes = axes or _pyplot("plot").subplots(layout="constrained")[1]
    most = each.strongest
    axes.imshow(each.values, vmin=-most, vmax=most, cmap="RdBu")
    axes.set_title(each.title, fontsize="small")
    axes.set_xticks(range(len(each.columns)), each.columns, fontsize="x-small")
    axes.set_yticks(range(len(each.rows)), each.rows, fontsize="x-small")
    return axes


def experiment(found):
    """Plots each grid, or the costs of the table with their standard errors. Returns a list of
    Matplotlib axes."""
    count = max(len(found.grids), 1)
    axes = _pyplot("plot").subplots(count, 1, squeeze=False, layout="constrained",
                                    figsize=(6, 3 * count))[1][:, 0]
    for each, ax in zip(found.grids, axes):
        grid(each, ax)
    if not found.grids:
        names, _, costs, errors = list(found.table.values())[:4]
        axes[0].barh(names, costs, xerr=errors)
        axes[0].set(xlabel="loss increase", title=found.title)
    return list(axes)

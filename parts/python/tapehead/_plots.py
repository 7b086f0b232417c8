"""Figures by Matplotlib, which nothing else here needs."""


def _pyplot(what):
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(f"{what}: figures need Matplotlib; pip install matplotlib brings it"
                          ) from None
    return pyplot


def losses(run, axes=None):
    """Draws the loss over the steps, of training and of held-out examples. Returns the axes."""
    axes = axes or _pyplot("plot").subplots()[1]
    for key, label in ("loss", "training"), ("val_loss", "held out"):
        points = [(line["step"], line[key]) for line in run.metrics if line.get(key) is not None]
        if points:
            axes.plot(*zip(*points), "o-" if key == "val_loss" else "-", markersize=3, label=label)
    axes.set(xlabel="step", ylabel="loss", title=run.path)
    if axes.lines:
        axes.legend()
    return axes


def heads(attention, axes=None):
    """Draws what each head attends to: queries from top to bottom, keys from left to right. Returns
    the axes, one a head."""
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
    """Draws all heads, a figure for each layer. Returns the axes, a list for each layer."""
    return [heads(each) for each in maps]

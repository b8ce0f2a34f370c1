"""A chart of what searches cost against how much there is to search."""

from collections.abc import Sequence
from pathlib import Path

from bench.latency.verdict import Verdict

_CALLS = {"search_memory": "#1f6fb4", "search_conversation_traces": "#c2571a"}
_GREY = "#7a7a7a"


def plot(verdicts: Sequence[Verdict], file: Path) -> None:
    """Draw the chart, both axes logarithmic.

    Args:
        verdicts: what a run came to, the smallest home first.
        file: where the picture goes; its ending says the format.
    """
    import matplotlib as mpl  # noqa: PLC0415  (an extra, and only for this)

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(7.5, 4.5), dpi=150)
    turns = [each.turns for each in verdicts]
    for call, colour in _CALLS.items():
        found = [each.comparisons[call] for each in verdicts]
        for name, style in (("p50", "-"), ("p95", "--")):
            took = [getattr(one.call, name) for one in found]
            axes.plot(turns, took, style, color=colour, marker="o", label=f"{call}, {name}")
    floors = [each.comparisons["search_memory"].floor.p50 for each in verdicts]
    axes.plot(turns, floors, ":", color=_GREY, marker="s", label="sum of the floors, p50")
    axes.set(xscale="log", yscale="log", xlabel="turns of one tenant", ylabel="milliseconds")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_minor_formatter("")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(visible=True, which="both", color="#e4e4e4", linewidth=0.6)
    axes.legend(frameon=False, fontsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(file, facecolor="white")
    plt.close(figure)

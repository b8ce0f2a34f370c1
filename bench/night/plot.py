"""A chart of a year: what is held and what is found, with nights and without."""

from pathlib import Path

from bench.night.lived import Year, recall

_NIGHTS, _NONE, _ARCHIVED, _EVIDENCE = "#1f6fb4", "#c2571a", "#7a7a7a", "#3a8f5c"
_OF_HEIGHT = (3, 2)
_LEAST_SHOWN = 0.5


def plot(year: Year, file: Path) -> None:
    """Draw the chart.

    Args:
        year: what was seen.
        file: where the picture goes; its ending says the format.
    """
    import matplotlib as mpl  # noqa: PLC0415  (an extra, and only for this)

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, (held, found) = plt.subplots(
        2, sharex=True, figsize=(7.5, 6), dpi=150, height_ratios=_OF_HEIGHT
    )
    days = [point.day for point in year.points]
    twice = [day for day in days for _ in range(2)]
    saw = [many for point in year.points for many in (point.before.active, point.after.active)]
    held.plot(days, [p.without.active for p in year.points], color=_NONE, label="active, no nights")
    held.plot(twice, saw, color=_NIGHTS, label="active, before and after each night")
    held.axhline(year.figures["active may be"], color=_NIGHTS, linestyle=":", label="its bound")
    archived = [point.after.archived for point in year.points]
    held.plot(days, archived, color=_ARCHIVED, label="archived")
    held.plot(days, [p.after.evidence for p in year.points], color=_EVIDENCE, label="evidence")
    held.set(ylabel="memories; turns as evidence", ylim=(0, None))
    months = [month.day for month in year.months]
    for colour, label, seen in (
        (_NONE, "no nights", [month.without for month in year.months]),
        (_NIGHTS, "with nights", [month.found for month in year.months]),
    ):
        share = [recall([one]) for one in seen]
        found.plot(months, share, color=colour, marker="o", label=f"recall@10, {label}")
        first = [one.first / max(1, one.asked) for one in seen]
        found.plot(months, first, "--", color=colour, label=f"first place, {label}")
    found.set(xlabel="day of the year", ylabel="of questions", ylim=(_LEAST_SHOWN, 1.02))
    for axes in (held, found):
        axes.grid(visible=True, color="#e4e4e4", linewidth=0.6)
        axes.legend(frameon=False, fontsize=8)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(file, facecolor="white")
    plt.close(figure)

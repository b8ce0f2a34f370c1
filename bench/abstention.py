"""What does silence cost? The threshold moved up and down, on questions with answers and without.

Conversations are asked their own questions and those of others (`bench.recall.foreign`). A search
explains itself: by how much each document clears the threshold, whether it is shown or not. So one
run tells what any other would have done: how many questions
about somebody else are met with silence, and what recall@10 is left of those that have an answer.

    python -m bench.abstention --plot FILE
"""

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import anyio

import memoria
from bench.command import parser, progress
from bench.data import Conversation, Key, Question, data_folder
from bench.homes import record
from bench.metrics import mean, recall_at
from bench.output import rounded
from bench.recall.foreign import FOREIGN
from memoria import Memoria, SearchResult

_SHIFTS = tuple(round(-0.3 + 0.05 * i, 2) for i in range(13))
_DEPTH = 10
_GROUPS = {
    "answerable": {"locomo"},
    "adversarial": {"locomo 5"},
    "foreign": {"locomo foreign"},
    "other users": {"users foreign"},
    "other matters": {"cmrc foreign"},
    "work, among friends": {"locomo of beam"},
    "friends, at work": {"beam of locomo"},
    "Chinese, of another's days": {"users of memdaily"},
    "Chinese, of another's days, long": {"users of memdaily, long"},
    "answerable, MemoryBank": {"users"},
    "answerable, BEAM": {"beam"},
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, as it would be answered with no threshold at all."""

    question: Question
    ranking: tuple[Key, ...]
    margin: float
    """By how much the best of the first ten clears the threshold."""

    def recall(self, shift: float) -> float:
        """Recall@10 with the threshold moved."""
        if self.margin < shift:
            return 0.0
        return recall_at(_DEPTH, self.question.credited(self.ranking), self.question.gold)


@dataclass(frozen=True, slots=True)
class Point:
    """What the threshold moved by so much would do."""

    shift: float
    silent: dict[str, float]
    """The share of each group that is met with silence."""
    recall: dict[str, float]
    """Recall@10 of the groups that have answers."""


def curve(asked: Sequence[Asked]) -> list[Point]:
    """A point for every shift of the threshold."""
    return [_point(shift, asked) for shift in _SHIFTS]


def _point(shift: float, asked: Sequence[Asked]) -> Point:
    groups = {
        name: [each for each in asked if each.question.category in categories]
        for name, categories in _GROUPS.items()
    }
    return Point(
        shift,
        {name: mean([each.margin < shift for each in group]) for name, group in groups.items()},
        {
            name: mean([each.recall(shift) for each in group])
            for name, group in groups.items()
            if any(each.question.gold for each in group)
        },
    )


async def ask(conversations: Sequence[Conversation], done: Callable[[], None]) -> list[Asked]:
    """Record the conversations and ask every question of its own."""
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as home:
        await record(Path(home), conversations)
        asked = []
        for conversation in conversations:
            async with memoria.open(Path(home), conversation.name) as m:
                await m.wait_until_idle()
                receipt = await m.record_conversation(conversation.turns)  # known: gives the ids
                turns = zip(receipt.turns, conversation.turns, strict=True)
                keys = {str(own.id): (str(t.session_id), str(t.message_id)) for own, t in turns}
                for question in conversation.questions:
                    asked.append(
                        _read_answer(question, await _search_with_trace(m, question), keys)
                    )
                    done()
        return asked


async def _search_with_trace(m: Memoria, question: Question) -> SearchResult:
    return await m.search_conversation_traces(question.text, explain=True)


def _read_answer(question: Question, found: SearchResult, keys: dict[str, Key]) -> Asked:
    candidates = found.explanation.candidates[:_DEPTH] if found.explanation else ()
    ranking = tuple(keys[each.id] for each in candidates if each.id in keys)
    return Asked(question, ranking, max((each.margin for each in candidates), default=-1.0))


def plot(points: Sequence[Point], file: Path) -> None:
    """Draw silence and recall against where the threshold stands."""
    import matplotlib as mpl  # noqa: PLC0415  (an extra, and only for this)

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(7.5, 4.5), dpi=150)
    shifts = [point.shift for point in points]
    lines = {
        "recall@10, LoCoMo categories 1-4": [p.recall["answerable"] for p in points],
        "silent: about another conversation": [p.silent["foreign"] for p in points],
        "silent: adversarial (category 5)": [p.silent["adversarial"] for p in points],
        "silent: Chinese, about other matters": [p.silent["other matters"] for p in points],
        "silent: about another user of MemoryBank": [p.silent["other users"] for p in points],
        "recall@10, MemoryBank": [p.recall["answerable, MemoryBank"] for p in points],
    }
    styles = ("-", "-", "--", "--", ":", ":")
    colours = ("#1f6fb4", "#c2571a", "#c2571a", "#8a6d3b", "#8a6d3b", "#1f6fb4")
    for (name, line), style, colour in zip(lines.items(), styles, colours, strict=True):
        axes.plot(shifts, line, style, color=colour, marker=".", label=name)
    axes.axvline(0, color="#7a7a7a", linewidth=0.8)
    axes.set(xlabel="threshold moved by (0: as built)", ylabel="share", ylim=(0, 1.02))
    axes.grid(visible=True, color="#e4e4e4", linewidth=0.6)
    axes.legend(frameon=False, fontsize=7, loc="lower left")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(file, facecolor="white")
    plt.close(figure)


def main(argv: Sequence[str] | None = None) -> int:
    """Ask, and print the curve. 2 where the data is not there."""
    options = parser("bench.abstention")
    options.add_argument("--plot", type=Path, metavar="FILE", help="draw the curve there")
    arguments = options.parse_args(argv)
    folder = arguments.data or data_folder()
    missing = FOREIGN.missing(folder)
    if folder is None or missing:
        sys.stderr.write(
            f"There is no {missing[0]}. Name its folder with --data or MEMORIA_DATA.\n"
        )
        return 2
    conversations = FOREIGN.read(folder)
    with progress("memoria", sum(len(c.questions) for c in conversations)) as done:
        points = curve(anyio.run(ask, conversations, done))
    if arguments.plot:
        plot(points, arguments.plot)
    if arguments.json:
        print(json.dumps([rounded(asdict(point)) for point in points], indent=2))
    else:
        print(_table(points))
    return 0


def _table(points: Sequence[Point]) -> str:
    first = points[0]
    heads = [*(f"silent: {name}" for name in first.silent), *(f"R@10: {n}" for n in first.recall)]
    lines = [" | ".join(["threshold", *heads])]
    for point in points:
        values = [*point.silent.values(), *point.recall.values()]
        lines.append(" | ".join([f"{point.shift:+.2f}", *(f"{value:.3f}" for value in values)]))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

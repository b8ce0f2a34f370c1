"""What diversity and boosts buy where the same is said again and again.

The world of `repeats` is recorded twice: as memories, and as turns that were not processed yet. R@k
is the share of an answer's different parts among the first k hits of a search at its defaults (8
hits, 1,500 tokens); "in N" is that share in as many hits as N tokens hold.

    python -m bench.recall.crowded          # --json
"""

import argparse
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import anyio
from rich.console import Console

import memoria
from bench.metrics import mean
from bench.output import rounded, table
from bench.recall.repeats import Asked, list_wordings, read_questions
from memoria import Memoria, SearchResult, Turn

SYSTEMS: Mapping[str, Sequence[str]] = {
    "memoria": (),
    "without MMR": ("diversity",),
    "without boosts": ("boosts",),
}
_LIMIT = 8
_TOKENS = 1500
"""The defaults of `search_memory`."""
_MANY = 50
"""More hits than these tokens hold."""
_FEW_TOKENS = 500


@dataclass(frozen=True, slots=True)
class FilledHome:
    """A home with the world in it, and which hit is which wording."""

    memoria: Memoria
    names: Mapping[str, str]
    """By memory id; a turn is named by the message it was."""

    def ranking(self, found: SearchResult) -> tuple[str, ...]:
        """The wordings that are shown, in their order."""
        return tuple(self.names.get(hit.id) or str(hit.source.message_id) for hit in found.hits)


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """What one question got, each 0 to 1."""

    r4: float
    r8: float
    whole8: float
    """1 where nothing of the answer is missing."""
    mrr: float
    few: float
    many: float


@asynccontextmanager
async def open_as_memories() -> AsyncIterator[FilledHome]:
    """The world as conclusions."""
    async with _open_home() as m:
        names = {}
        for each in list_wordings():
            since = each.at.isoformat()
            known = await m.remember(each.content, type=each.type, valid_from=since)
            names[known.id] = each.id
        await m.wait_until_idle()
        yield FilledHome(m, names)


@asynccontextmanager
async def open_as_turns() -> AsyncIterator[FilledHome]:
    """The world as it was said, a session a day."""
    said = list_wordings()
    turns = [
        Turn(
            role="user",
            session_id=f"{each.at:%Y-%m-%d}",
            message_id=each.id,
            content=each.content,
            at=each.at,
        )
        for each in said
    ]
    async with _open_home() as m:
        await m.record_conversation(turns)
        await m.wait_until_idle()
        yield FilledHome(m, {})


FORMS = {"memories": open_as_memories, "turns": open_as_turns}


async def score_question(
    home: FilledHome, question: Asked, without: Sequence[str]
) -> QuestionScore:
    """Ask one question, at the defaults and by what a budget holds."""

    async def ranking(limit: int, max_tokens: int) -> tuple[str, ...]:
        found = await home.memoria.search_memory(
            question.question, limit=limit, max_tokens=max_tokens, without=without
        )
        return home.ranking(found)

    usual = await ranking(_LIMIT, _TOKENS)
    few = await ranking(_MANY, _FEW_TOKENS)
    many = await ranking(_MANY, _TOKENS)
    parts = len(question.gold)
    at8 = question.count_answered(usual[:_LIMIT]) / parts
    first = next((n for n in range(1, len(usual) + 1) if question.count_answered(usual[:n])), None)
    return QuestionScore(
        r4=question.count_answered(usual[:4]) / parts,
        r8=at8,
        whole8=float(at8 == 1),
        mrr=0.0 if first is None else 1 / first,
        few=question.count_answered(few) / parts,
        many=question.count_answered(many) / parts,
    )


async def measure(
    systems: Mapping[str, Sequence[str]],
) -> dict[tuple[str, str, str], QuestionScore]:
    """Means by form, kind of question and system."""
    means: dict[tuple[str, str, str], QuestionScore] = {}
    questions = tuple(read_questions())
    for form, opened in FORMS.items():
        async with opened() as home:
            for system, without in systems.items():
                got = [(each, await score_question(home, each, without)) for each in questions]
                for kind in dict.fromkeys(each.kind for each in questions):
                    means[form, kind, system] = _mean([g for q, g in got if q.kind == kind])
    return means


def main(argv: Sequence[str] | None = None) -> int:
    """Ask everything and print it."""
    options = argparse.ArgumentParser(prog="python -m bench.recall.crowded")
    options.add_argument("--json", action="store_true", help="one JSON document on stdout")
    arguments = options.parse_args(argv)
    means = anyio.run(measure, SYSTEMS)
    if arguments.json:
        print(json.dumps({" / ".join(key): rounded(asdict(each)) for key, each in means.items()}))
        return 0
    rows = table(
        "Different parts of an answer",
        3, "as", "questions", "system", "R@4", "R@8", "whole@8", "MRR", "in 500", "in 1500",
    )  # fmt: skip
    for key, each in means.items():
        rows.add_row(*key, *(f"{value:.3f}" for value in asdict(each).values()))
    Console().print(rows)
    return 0


@asynccontextmanager
async def _open_home() -> AsyncIterator[Memoria]:
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as home:
        async with memoria.open(Path(home), "crowded") as m:
            yield m


def _mean(got: Sequence[QuestionScore]) -> QuestionScore:
    columns = zip(*(asdict(each).values() for each in got), strict=True)
    return QuestionScore(*(mean(column) for column in columns))


if __name__ == "__main__":
    sys.exit(main())

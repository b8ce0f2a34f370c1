"""Asks cases of Memoria, and says what stands in the text that an agent reads."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import memoria
from bench.later.cases import Case, Group, message_id
from bench.metrics import mean
from memoria import Memoria, SearchResult
from memoria.surface.text import result_text

_CITED = re.compile(r"\[(?:turn|memory) [0-9a-f-]+\]")
_AMONG = 10
Level = Literal["first", "second"]


@dataclass(frozen=True, slots=True)
class Seen:
    """What an answer to one case shows."""

    case: Case
    new: int | None
    """Where in the text the statement stands that is wanted; None where it doesn't."""
    old: int | None
    lines: int
    tokens: int
    is_silent: bool
    rank: int | None
    """Which of the lines it is, from 1."""

    def describe(self) -> Mapping[str, object]:
        """Return it for a report, without the words of the case."""
        return {
            "id": self.case.id,
            "shown": self.new is not None,
            "old": self.old is not None,
            "rank": self.rank,
            "tokens": self.tokens,
        }


async def ask_group(group: Group, level: Level, *, with_queries: bool) -> list[Seen]:
    """Record a group in a home of its own and ask all its cases."""
    with TemporaryDirectory(prefix="memoria-bench-") as folder:
        async with memoria.open(Path(folder) / "home", "later") as m:
            receipt = await m.record_conversation(group.turns)
            ids = {
                str(turn.message_id): str(one.id)
                for turn, one in zip(group.turns, receipt.turns, strict=True)
            }
            await m.wait_until_idle()
            return [
                await _ask(m, case, ids, level, with_queries=with_queries) for case in group.cases
            ]


async def _ask(
    m: Memoria, case: Case, ids: Mapping[str, str], level: Level, *, with_queries: bool
) -> Seen:
    search = m.search_memory if level == "first" else m.search_conversation_traces
    found = await search(case.question, queries=list(case.queries) if with_queries else [])
    text = result_text(found)
    old = case.outdated
    new_at = _find(found, text, message_id(case, case.wanted), ids)
    places = list(dict.fromkeys(text.index(cited) for cited in _CITED.findall(text)))
    return Seen(
        case=case,
        new=new_at,
        old=None if old is None else _find(found, text, message_id(case, old), ids),
        lines=len(places),
        tokens=found.tokens,
        is_silent=not places,
        rank=None if new_at is None else sum(place < new_at for place in places),
    )


def _find(found: SearchResult, text: str, message: str, ids: Mapping[str, str]) -> int | None:
    """Return where a turn is shown, or a memory that was made of it."""
    named = [ids[message], *(hit.id for hit in found.hits if hit.source.message_id == message)]
    places = (text.find(one[-found.id_chars :]) for one in named)
    return min((place for place in places if place >= 0), default=None)


def summarise(seen: Sequence[Seen]) -> dict[str, float]:
    """Return the share of cases with each outcome, and what answers cost."""
    within = [one.rank for one in seen if one.rank is not None]
    return {
        "cases": len(seen),
        "new shown": mean([one.new is not None for one in seen]),
        "above the old": mean([one.new is not None and _is_above(one) for one in seen]),
        "only the old": mean([one.new is None and one.old is not None for one in seen]),
        "new among ten": sum(rank <= _AMONG for rank in within) / len(seen),
        "silent": mean([one.is_silent for one in seen]),
        "lines": mean([one.lines for one in seen]),
        "tokens": mean([one.tokens for one in seen]),
        "most tokens": max(one.tokens for one in seen),
    }


def _is_above(one: Seen) -> bool:
    return one.old is None or (one.new is not None and one.new < one.old)

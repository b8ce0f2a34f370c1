"""Playing a conversation to Memoria while a scripted model listens."""

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.databases import change_rows
from tests.empty_home import lay_empty_home
from tests.limits import LIMITS, limit_settings
from tests.llm.scripted import Asked, ScriptedModel

import memoria
from memoria import Memoria
from memoria.inference.base import Embedder
from memoria.model import CaptureEvent, Memory, QueueEntry

_TURN = re.compile(r"^\[(\d+)\] (\w+): (.*?)(?=\n\n\[|\n```)", re.MULTILINE | re.DOTALL)
_KNOWN = re.compile(r'^\{"id":.*\}$', re.MULTILINE)
Reads = Callable[[int, str, str, list[dict[str, Any]]], list[dict[str, Any]]]
NOTHING = {"operations": [{"op": "SKIP", "reason": "nothing"}]}


def turns_in(asked: Asked) -> list[tuple[int, str, str]]:
    """The turns a question shows: (number, who, what)."""
    return [(int(n), who, said) for n, who, said in _TURN.findall(asked.text)]


def known_in(asked: Asked) -> list[dict[str, Any]]:
    """The memories a question shows."""
    return [json.loads(line) for line in _KNOWN.findall(asked.text)]


def add(quote: str, turn: int, content: str | None = None, **more: object) -> dict[str, Any]:
    fields = {"type": "fact", "subject": "user", "predicate": "thing", **more}
    return {"op": "ADD", "content": content or quote, "quote": quote, "turn": turn, **fields}


def reader(reads: Reads) -> Callable[[Asked], object]:
    """A model that decides turn by turn what to do with it."""

    def answer(asked: Asked) -> object:
        known = known_in(asked)
        proposed = [op for n, who, said in turns_in(asked) for op in reads(n, who, said, known)]
        return {"operations": proposed} if proposed else NOTHING

    return answer


def purpose_of(asked: Asked) -> str:
    """Which of our questions it is, told by what only its instructions say."""
    signs = {
        "patch": "sentences that do in other words",
        "episode": "`outcome`",
        "adjudicate": "`relation`",
        "verify": "`supported`",
        "day": "`sentences`",
        "review": "`searches_left`",
        "concept": "- CONCEPT:",
    }
    return next((name for name, sign in signs.items() if sign in asked.instructions), "extract")


def answers(**by_purpose: Callable[[Asked], object]) -> Callable[[Asked], object]:
    """A model that answers each of our questions in its own way; nothing to the others."""
    nothing: Mapping[str, object] = {
        "extract": NOTHING,
        "patch": {"sentences": []},
        "episode": {"summary": ""},
        "adjudicate": {"rulings": []},
        "verify": {"checks": []},
        "day": {"sentences": []},
        "review": {"decision": "KEEP"},
        "concept": {"action": "SKIP"},
    }

    def answer(asked: Asked) -> object:
        purpose = purpose_of(asked)
        return by_purpose[purpose](asked) if purpose in by_purpose else nothing[purpose]

    return answer


@asynccontextmanager
async def opened(
    home: Path, model: ScriptedModel, loaded: Embedder | None = None, **more: object
) -> AsyncIterator[Memoria]:
    """A memory that a scripted model reads for, without vectors unless an embedder is given."""
    embedder = "bundled" if loaded else "off"
    chosen = {
        "home": lay_empty_home(home),
        "embedder": embedder,
        "llm_base_url": model.url,
        "extraction_wait_minutes": 0,
    }
    reads_queue = bool(more.pop("reads_queue", True))
    limits = {name: more.pop(name) for name in LIMITS & more.keys()}
    kind = limit_settings(**limits)
    settings = kind.from_values(**{**chosen, "llm_model": "scripted", **more})
    opening = memoria.open(settings=settings, embedder=loaded, reads_queue=reads_queue)
    async with opening as m:
        yield m


async def said(
    m: Memoria,
    *turns: str | tuple[str, str],
    session: str = "s",
    event: CaptureEvent | None = "session_end",
) -> None:
    """Record turns, the user's unless it says another's, and wait until they have been read."""
    pairs = [("user", turn) if isinstance(turn, str) else turn for turn in turns]
    given = [{"role": role, "content": text} for role, text in pairs]
    await m.record_conversation(given, event, session_id=session)
    await m.wait_until_idle(60)


async def memories(m: Memoria) -> list[Memory]:
    """Every memory, whatever its validity."""
    with m._store.read(m.tenant) as tx:  # noqa: SLF001  (no face shows all of them)
        ns = tx.documents.page("memory", 0, 1000)
        return list({x.id: x for x in tx.memories.by_version_numbers(ns).values()}.values())


async def by_model(m: Memoria) -> list[Memory]:
    """Every memory but those that rules made, whatever its validity.

    Rules read a sentence before the model does; what it does not say is archived then.
    """
    return [one for one in await memories(m) if one.versions[-1].inferred_by != "rules"]


async def entries(m: Memoria, kind: str = "extract") -> list[QueueEntry]:
    """The queue's entries of a kind."""
    return [entry for entry in await m.queue.list_entries(limit=1000) if entry.kind == kind]


def log(home: Path) -> list[tuple[str, str | None]]:
    """(action, detail) of everything that was done, oldest first."""
    with change_rows(home) as connection:
        return connection.tuples("SELECT action, detail FROM audit_log ORDER BY n")


def read_sister(n: int, _: str, text: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Read that the user's sister is called Lina, then the correction to Lena."""
    if "Lina" in text and not known:
        return [add("Lina", n, "The user's sister is called Lina", predicate="sister")]
    if "Lena" in text:
        content = "The user's sister is called Lena"
        fields = {"id": known[0]["id"], "content": content, "reason": "correction"}
        return [{"op": "UPDATE", "quote": "it's Lena", "turn": n, **fields}]
    return []

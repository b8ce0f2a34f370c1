"""Playing a conversation, letting the model read it, and gathering what came of it."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio

import memoria
from bench.extraction.calls import Calls, calls_of
from bench.extraction.talk import Talk
from memoria import Memoria, Settings
from memoria.model import InferredBy, Memory, QueueEntry, QueueState
from memoria.model.base import Value

_EVERY = 100_000
_POLL_S = 0.1
_NOT_FOUND = "quote not in the turn"
_WITHOUT_QUOTE = ("SKIP", "BOOST", "LINK")


class Stored(Value):
    """A memory the model concluded, and the words it rests on."""

    type: str
    validity: str
    content: str
    quote: str | None
    session: str | None
    turn: int | None


class Dead(Value):
    """An entry that was given up, and why."""

    session: str
    turns: tuple[int, int]
    reason: str | None


class Report(Value):
    """What came of a conversation."""

    model: str
    turns: int
    seconds: float
    entries: dict[str, int]
    """How many of the queue's entries are in each state."""
    calls: Calls
    applied: dict[str, int]
    """Operations by what became of them: `ADD`, `pending`, `SKIP` …"""
    rejected: dict[str, int]
    """Operations that were turned away, by reason."""
    stored: tuple[Stored, ...]
    dead: tuple[Dead, ...]
    waiting: tuple[str, ...]
    """Why what still waits does, where somebody said why."""

    @property
    def quotes_found_share(self) -> float | None:
        """The share of proposals with a quote whose quote stands in the turn that they name."""
        missed = self.rejected.get(_NOT_FOUND, 0)
        kept = sum(count for name, count in self.applied.items() if name not in _WITHOUT_QUOTE)
        quoted = kept + sum(self.rejected.values())
        return (quoted - missed) / quoted if quoted else None

    @property
    def ended(self) -> bool:
        """Whether every entry came to an end."""
        return not self.entries.get(QueueState.WAITING.value, 0)


async def extract_all(
    settings: Settings, talk: Talk, timeout_s: float, progress: Callable[[int, int], None]
) -> Report:
    """Have the configured model read a conversation.

    Args:
        settings: with an empty home and a chat model.
        talk: what is said.
        timeout_s: how long to wait for the queue's end.
        progress: is told (finished, all) of the queue's entries.
    """
    began = time.monotonic()
    async with memoria.open(settings=settings) as m:
        for session in talk:
            await m.record_conversation(session, "session_end")
        await m.queue.rouse()  # a short session would wait for the next
        with anyio.move_on_after(timeout_s):
            await _drain(m, progress)
        seconds = time.monotonic() - began
        entries = await m.queue.list_entries(limit=_EVERY)
        memories = [*await m.list_unverified(_EVERY), *await m.list_pending(_EVERY)]
    return _report(settings, sum(map(len, talk)), seconds, entries, memories)


async def _drain(m: Memoria, progress: Callable[[int, int], None]) -> None:
    """Wait until nothing waits, what was put off included."""
    while True:
        status = await m.queue.status()
        finished = status.done + status.dead + status.dropped
        progress(finished, finished + status.waiting)
        if not status.waiting:
            return
        await anyio.sleep(_POLL_S)


def _report(
    settings: Settings,
    turns: int,
    seconds: float,
    entries: Sequence[QueueEntry],
    memories: Sequence[Memory],
) -> Report:
    applied, rejected = outcomes([entry.outcome or "" for entry in entries])
    told = {e.last_error for e in entries if e.state is QueueState.WAITING and e.last_error}
    return Report(
        model=settings.llm_model or f"command: {settings.llm_command}",
        turns=turns,
        seconds=seconds,
        entries=dict(Counter(entry.state.value for entry in entries)),
        calls=calls_of(settings.home_path),
        applied=dict(applied),
        rejected=dict(rejected),
        stored=tuple(map(_stored, filter(_concluded, memories))),
        dead=tuple(_dead(entry) for entry in entries if entry.state is QueueState.DEAD),
        waiting=tuple(sorted(told)),
    )


def outcomes(texts: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
    """What the queue says became of operations, added up: applied, and turned away."""
    applied, rejected = Counter[str](), Counter[str]()
    for part in (part.strip() for text in texts for part in text.split(";")):
        into = rejected if part.startswith("rejected:") else applied
        for item in part.removeprefix("rejected:").split(","):
            name, _, count = item.strip().rpartition(" ")
            if name and count.isdecimal():
                into[name] += int(count)
    return applied, rejected


def _concluded(memory: Memory) -> bool:
    return memory.current.inferred_by is InferredBy.MODEL


def _stored(memory: Memory) -> Stored:
    came = memory.current.provenance
    return Stored(
        type=memory.type.value,
        validity=memory.validity.value,
        content=memory.content,
        quote=came.quote,
        session=came.session_id,
        turn=came.turn_index,
    )


def _dead(entry: QueueEntry) -> Dead:
    span = (entry.first_index, entry.last_index)
    return Dead(session=entry.session_id, turns=span, reason=entry.last_error)


def home_of(settings: Settings, folder: Path) -> Settings:
    """The same settings with a home in this folder, whatever home or database they name."""
    other = dict.fromkeys(("homes", "database_url", "workspace"))
    return settings.model_copy(update={"home": folder / "home", **other})

"""Comparing the store with what the clerks did: through the library, as any client could."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import memoria
from bench.contention.traffic import COMMON_SESSION, TENANT, Line, Load, lines, own_session
from bench.contention.worker import Account
from memoria import Memoria, Settings
from memoria.errors import MemoriaError, NotFoundError
from memoria.model import StoredTurn

_PAGE = 200


async def problems(home: Path, load: Load, accounts: Mapping[int, Account]) -> list[str]:
    """Everything in the home that is not as the clerks left it.

    The home is opened without an embedder, so that looking at the backlog can't shorten it.
    """
    try:
        settings = Settings.load(home=home, tenant=TENANT, embedder="off")
        async with memoria.open(settings=settings) as m:
            return await _compared(m, load, accounts)
    except MemoriaError as error:
        return [f"the home can't be read: {error}"]


async def _compared(m: Memoria, load: Load, accounts: Mapping[int, Account]) -> list[str]:
    names = [COMMON_SESSION, *map(own_session, load.clerks)]
    stored = {name: [turn async for turn in _session(m, name)] for name in names}
    found = [*_turns(stored, load, accounts), *await _totals(m, load)]
    findings = (await m.health()).findings
    return found + [f"{f.check}: {f.detail}" for f in findings if f.state == "error"]


async def _session(m: Memoria, name: str) -> AsyncIterator[StoredTurn]:
    """The turns of a session, page by page; none of a session that is not there."""
    offset = 0
    with suppress(NotFoundError):
        while page := (await m.get_session(name, offset=offset, limit=_PAGE)).turns:
            for turn in page:
                yield turn
            offset += len(page)


def _turns(
    stored: Mapping[str, Sequence[StoredTurn]], load: Load, accounts: Mapping[int, Account]
) -> Iterator[str]:
    """Every line is there once, where it belongs, with its words, under the id of its receipt."""
    by_id = {turn.id: turn for turns in stored.values() for turn in turns}
    for clerk, account in accounts.items():
        kept = [by_id.get(turn_id) for turn_id in account.ids]
        for line, turn in zip(lines(clerk, load.turns), kept, strict=True):
            yield from _line(line, turn)
    receipts = {turn_id for account in accounts.values() for turn_id in account.ids}
    yield from (f"{by_id[i].content!r} has no receipt" for i in by_id.keys() - receipts)
    for name, turns in stored.items():
        yield from _doubled(name, turns)
        yield from _misplaced(name, turns)


def _line(line: Line, turn: StoredTurn | None) -> Iterator[str]:
    if turn is None:
        yield f"{line.code} is lost"
        return
    if turn.content.encode() != line.text.encode():
        yield f"{line.code} reads {turn.content!r}"
    if (turn.session_id, turn.message_id) != (line.session_id, line.message_id):
        yield f"{line.code} is in {turn.session_id} as {turn.message_id}"


def _doubled(name: str, turns: Sequence[StoredTurn]) -> Iterator[str]:
    counts = Counter(turn.content for turn in turns)
    yield from (f"{name} holds {text!r} {n} times" for text, n in counts.items() if n > 1)


def _misplaced(name: str, turns: Sequence[StoredTurn]) -> Iterator[str]:
    """Turns are numbered without a gap, and every clerk's stand in the order they were said."""
    if [turn.turn_index for turn in turns] != list(range(len(turns))):
        yield f"{name} is not numbered from 0 to {len(turns) - 1}"
    said: dict[str, list[int]] = {}
    for turn in turns:
        clerk, _, i = turn.content.partition(":")[0].partition("n")
        said.setdefault(clerk, []).append(int(i))
    for clerk, order in said.items():
        if any(a > b for a, b in pairwise(order)):
            yield f"{name} holds the turns of {clerk} in another order"


async def _totals(m: Memoria, load: Load) -> list[str]:
    """The store's own count agrees, and nothing waits for a vector."""
    counted = await m.statistics()
    turns = len(load.clerks) * load.turns
    expected = {
        "turns": (counted.turns, turns),
        "versions of turns": (counted.turn_versions, turns),
        "vectors": (counted.vectors, turns),
        "waiting for a vector": (counted.backlog.pending, 0),
        "given up": (counted.backlog.failed, 0),
    }
    return [f"{name}: {is_}, not {be}" for name, (is_, be) in expected.items() if is_ != be]

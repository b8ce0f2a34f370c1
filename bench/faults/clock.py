"""A clock that runs backwards: nothing fails, nothing waits for a future that was a mistake."""

from collections.abc import Iterator
from pathlib import Path

from bench.faults.homes import unsound
from bench.faults.strings import Strings, puppet
from bench.faults.verdict import Verdict

_DAY_MS = 86_400_000
_HOUR_MS = 3_600_000
_AHEAD_MS = 400 * _DAY_MS
_SETTLE_S = 20


def backwards(home: Path) -> Verdict:
    """A process a year ahead writes and dies with the lease; others go on in the present."""
    ids: list[str] = []
    broken: list[str] = []
    with puppet() as ahead:
        ahead.tell("shift", ms=_AHEAD_MS)
        ahead.tell("open", home=str(home))
        ids += _wrote(ahead, "ahead")
        code = str(ahead.tell("remember", text="The code of the gate is 1000"))
        ahead.tell("correct", id=code, text="The code of the gate is 2000")
    _die_with_the_lease(home)
    with puppet() as present:
        present.tell("open", home=str(home), embedder="toy")
        ids += _wrote(present, "present")
        broken += _correct_wording(present, code, "The code of the gate is 3000")
        if left := present.tell("settle", timeout_s=_SETTLE_S):
            broken.append(f"{left} documents have no vector: a lease from the future is in the way")
        present.tell("shift", ms=-_HOUR_MS)  # while it runs
        ids += _wrote(present, "an hour before")
        broken += _correct_wording(present, code, "The code of the gate is 4000")
        if left := present.tell("settle", timeout_s=_SETTLE_S):
            broken.append(f"{left} documents have no vector after the clock was set back")
        said = present.tell("read", session="s")
        if said != [
            f"{who} {i}" for who in ("ahead", "present", "an hour before") for i in range(5)
        ]:
            broken.append(f"the turns stand in another order than they were said: {said}")
    if len(ids) != len(set(ids)):
        broken.append("an id was given twice")
    return Verdict("a clock that runs backwards", {"ids": len(ids)}, (*broken, *unsound(home)))


def _die_with_the_lease(home: Path) -> None:
    """Be killed a year ahead of time while embedding."""
    with puppet() as it:
        it.tell("shift", ms=_AHEAD_MS)
        it.send("open", home=str(home), embedder="stuck")
        while "stuck" not in it.hear():
            pass  # the first answer may be that the home is open


def _wrote(it: Strings, who: str) -> list[str]:
    turns = it.tell("record", session="s", texts=[f"{who} {i}" for i in range(5)])
    memory = it.tell("remember", text=f"The badge of {who} is blue")
    return [*turns, memory]


def _correct_wording(it: Strings, memory_id: str, wording: str) -> Iterator[str]:
    """The newest wording is the present one, whatever the clock said before."""
    it.tell("correct", id=memory_id, text=wording)
    found = it.tell("search", query="What is the code of the gate?")
    codes = [text for text in found if text.startswith("The code of the gate")]
    if codes != [wording]:
        yield f"after a correction to {wording!r} a search finds {codes}"

"""Loss of power under a server: what it acknowledged is there, once, and nothing forgotten is."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import memoria
from bench.faults.calls import Call, Ledger, calls
from bench.faults.homes import settings, unsound
from bench.faults.kill import differences
from bench.faults.power.disk import Disk
from bench.faults.power.records import Kind, Record, Recorder, compile_recorder, why_not
from bench.faults.server import Served, serve_home
from bench.faults.verdict import Progress, Verdict, silent
from memoria import Memoria
from memoria.errors import MemoriaError

FAULT = "loss of power while a client records"
_FORGETS_EVERY = 9
_STARTS = 2
_CALLS, _LOSSES_A_RECORDING = 60, 50


@dataclass(slots=True)
class _Told:
    """What the client knows at the moment at which the power goes."""

    ledger: Ledger = field(default_factory=lambda: Ledger(0))
    forgotten: list[str] = field(default_factory=list)
    waiting: Call | None = None
    """The call that was not answered: done whole, or not at all."""


@dataclass(frozen=True, slots=True)
class Recording:
    """All that a server asked of its disk, and all that its client was told."""

    folder: Path
    records: Sequence[Record]


async def lose_power(
    folder: Path, losses: int, *, seed: int = 1, progress: Progress = silent
) -> Verdict:
    """Have servers write, and look at what so many losses of power leave.

    Args:
        folder: where; new.
        losses: how many, each at a moment of its own.
        seed: of what the client does, and of what the disk keeps.
        progress: told after every loss.
    """
    if reason := why_not():
        return Verdict(FAULT, skipped=reason)
    verdicts = []
    for first in range(0, losses, _LOSSES_A_RECORDING):
        recording = await record_calls(folder / f"from-{first}", _CALLS, seed=seed + first)
        some = min(losses - first, _LOSSES_A_RECORDING)

        def tell(done: int, _some: int, first: int = first) -> None:
            progress(first + done, losses)

        verdicts.append(await examine(recording, some, seed=seed + first, progress=tell))
    figures: Counter[str] = Counter()
    for verdict in verdicts:
        figures.update({name: int(figure) for name, figure in verdict.figures.items()})
    broken = tuple(line for verdict in verdicts for line in verdict.broken)
    return Verdict(FAULT, dict(figures), broken)


async def record_calls(folder: Path, many: int, *, seed: int = 1) -> Recording:
    """Have a client make so many calls, and write down what its servers ask of the disk."""
    chance = random.Random(seed)  # noqa: S311  (chance, no secret)
    recorder = compile_recorder(folder, folder / "home")
    await _write(folder / "home", recorder, many, chance)
    return Recording(folder, recorder.read())


async def examine(
    recording: Recording,
    losses: int,
    *,
    seed: int = 1,
    heeds_syncs: bool = True,
    progress: Progress = silent,
) -> Verdict:
    """Look at what so many losses of power leave of a recording.

    Args:
        recording: what was asked and told.
        losses: how many.
        seed: of the moments, and of what the disk keeps.
        heeds_syncs: False for a disk that syncs nothing. A simulation that finds no loss there
            would find none anywhere.
        progress: told after every loss.
    """
    records, chance = recording.records, random.Random(seed)  # noqa: S311  (chance, no secret)
    broken = list(_unlike(recording))
    for number, moment in enumerate(_moments(records, losses, chance)):
        with TemporaryDirectory(dir=recording.folder, prefix="left-") as name:
            Disk(records[:moment], heeds_syncs=heeds_syncs).lose_power(chance, Path(name))
            found = await _wrong(Path(name), _told(records, moment))
        broken += [f"loss {number} at {moment}: {line}" for line in found]
        progress(number + 1, losses)
    kinds = Counter(record.kind for record in records)
    figures = {
        "losses": losses,
        "calls acknowledged": kinds[Kind.ANSWER],
        "writes": kinds[Kind.WRITE],
        "syncs": kinds[Kind.SYNC_ENDS],
    }
    return Verdict(FAULT, figures, tuple(broken))


async def _write(home: Path, recorder: Recorder, many: int, chance: random.Random) -> None:
    """Record, remember, correct and forget, in some servers one after the other."""
    told = _Told()
    source = calls(told.ledger, chance)
    for start in range(_STARTS):
        async with serve_home(home, **recorder.environment) as server:
            for number in range(start * many // _STARTS, (start + 1) * many // _STARTS):
                forgets = number % _FORGETS_EVERY == _FORGETS_EVERY - 1 and told.ledger.wordings
                await _call(server, recorder, told, _forgetting(told) if forgets else next(source))


def _forgetting(told: _Told) -> Call:
    return Call("forget_memory", {"ids": [next(iter(told.ledger.wordings))]})


async def _call(server: Served, recorder: Recorder, told: _Told, call: Call) -> None:
    """Call, and write the answer down where the server's own records are."""
    answer = await server.call(call.tool, **call.arguments)
    if call.tool == "forget_memory":
        answer = await server.call(call.tool, **call.arguments, token=answer["token"])
    said = {"call": asdict(call), "answer": answer}
    recorder.answer(said)
    _note(told, said)


def _note(told: _Told, said: dict[str, Any]) -> None:
    call = Call(**said["call"])
    if call.tool != "forget_memory":
        told.ledger.note(call, said["answer"])
        return
    for memory_id in call.arguments["ids"]:
        told.forgotten += told.ledger.wordings.pop(memory_id)


def _told(records: Sequence[Record], moment: int) -> _Told:
    """What had been answered by then, and what had been asked."""
    told = _Told()
    for n, record in enumerate(records):
        if record.kind is not Kind.ANSWER:
            continue
        said = json.loads(record.data)
        if n >= moment:
            told.waiting = Call(**said["call"])
            break
        _note(told, said)
    return told


def _moments(records: Sequence[Record], many: int, chance: random.Random) -> Iterator[int]:
    """When the power goes: just after an answer, or anywhere."""
    answers = [n + 1 for n, record in enumerate(records) if record.kind is Kind.ANSWER]
    for number in range(many):
        yield chance.choice(answers) if number % 2 else chance.randrange(answers[0], len(records))


def _unlike(recording: Recording) -> Iterator[str]:
    """Say where the records do not come to what is really in the home."""
    home = recording.folder / "home"
    with TemporaryDirectory(dir=recording.folder, prefix="whole-") as name:
        Disk(recording.records).lose_nothing(Path(name))
        for file in sorted(home.rglob("*")):
            there = Path(name) / file.relative_to(home)
            if not file.is_file() or file.name.endswith("-shm"):
                continue
            if not there.exists() or there.read_bytes() != file.read_bytes():
                yield f"{file.name} is not what was recorded"


async def _wrong(home: Path, told: _Told) -> list[str]:
    """Whatever in the home is not as the client was told."""
    try:
        async with memoria.open(settings=settings(home)) as m:
            wrong = await differences(m, *_expected(told))
            wrong += await _count(m, told) + await _came_back(m, told)
        return wrong + unsound(home)
    except MemoriaError as error:
        return [f"it does not open: {error}"]


def _expected(told: _Told) -> tuple[Ledger, Call | None]:
    """What must be there; a memory that is being forgotten may be gone."""
    if told.waiting is None or told.waiting.tool != "forget_memory":
        return told.ledger, told.waiting
    going = told.waiting.arguments["ids"]
    wordings = {one: said for one, said in told.ledger.wordings.items() if one not in going}
    return Ledger(0, told.ledger.turns, wordings), None


async def _count(m: Memoria, told: _Told) -> list[str]:
    """Nothing is there twice, and nothing that nobody said."""
    stored = (await m.statistics()).turns
    turns = sum(map(len, told.ledger.turns.values()))
    more = 0 if told.waiting is None else len(told.waiting.texts)
    if stored in (turns, turns + more):
        return []
    return [f"{stored} turns are stored, {turns} were acknowledged"]


async def _came_back(m: Memoria, told: _Told) -> list[str]:
    """Return what was forgotten and is found again."""
    found = [hit.text for said in told.forgotten for hit in (await m.search_memory(said)).hits]
    return [f"{text!r} was forgotten" for text in found if text in told.forgotten]

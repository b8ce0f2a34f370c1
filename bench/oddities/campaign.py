"""Import each oddity as the command does, and see what became of it and of its neighbours."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import memoria
from bench.oddities.samples import Sample, dump
from bench.oddities.spoil import spoil
from memoria import Memoria, Settings
from memoria.admin.importer import Importer, ImportReport
from memoria.app import project_of
from memoria.app.engine import open_store
from memoria.connectors.sources.detect import detect_files
from memoria.language.words.document import full_text
from memoria.model.provenance import transcript_channel

BY_PATH = partial(project_of, "")
"""Of no home, which knows of no project that was moved."""

_MOST_TURNS = 100_000


@dataclass(slots=True)
class Oddity:
    """One spoilt item, and what an import made of its file."""

    number: int
    way: str
    says: bool
    """Whether its words are still in the item, wherever."""
    words: tuple[str, str, str]
    """What the item before it says, what it says itself, and the item behind it."""
    report: ImportReport = field(default_factory=ImportReport)
    error: str | None = None
    """What ended the import."""
    is_known: bool = True
    """Whether the file was recognised."""
    was_read: bool = False
    keeps_neighbours: bool = False

    @property
    def fate(self) -> str:
        """What became of the item itself."""
        if self.error:
            return "ended"
        if not self.is_known:
            return "unrecognised"
        if self.was_read or not self.says:
            return "read"
        return "named" if self.report.bad else "left out" if self.report.skipped else "silent"


async def try_oddities(sample: Sample, many: int, seed: int, folder: Path) -> list[Oddity]:
    """Import some oddities of a format into one memory.

    Args:
        sample: the format.
        many: how many.
        seed: decides which.
        folder: an empty one, for the files and the memory.
    """
    settings = Settings.load(home=str(folder / "home"), embedder="off")
    oddities = []
    async with memoria.open(settings=settings) as opened:
        for number in range(many):
            place = folder / f"{number}"
            place.mkdir()
            oddity = _write(sample, number, seed, place)
            await _import(opened, place, oddity)
            oddities.append(oddity)
    told = "\n".join(_list_texts(settings))
    for one in oddities:
        before, own, behind = (word in told for word in one.words)
        one.was_read, one.keeps_neighbours = own, before and behind
    return oddities


def _write(sample: Sample, number: int, seed: int, place: Path) -> Oddity:
    chance = random.Random(f"{sample.name} {number} {seed}")  # noqa: S311  (the same in every run)
    session = f"ses_{sample.name}{number}"
    words = tuple(f"{name}{number}x" for name in ("kestrel", "plover", "dunlin"))
    before, own, behind = words
    way, spoilt = spoil(sample, sample.make(own, 1 + number % 2), number, chance)
    sound = [dump(sample.make(word, at)) for word, at in ((before, 0), (behind, 3))]
    row = [sound[0], spoilt, sound[1]] if chance.random() < 0.5 else [spoilt, *sound]  # noqa: PLR2004
    sample.write(place, session, [*map(dump, sample.head(session)), *row])
    return Oddity(number, way, own.encode() in spoilt, (before, own, behind))


async def _import(memory: Memoria, place: Path, oddity: Oddity) -> None:
    try:
        groups, unknown = detect_files([place])
        oddity.is_known = bool(groups) and not unknown
        for group in groups:
            channel = transcript_channel(group.source.client)
            importer = Importer(
                memory.with_channel(channel),
                group.source,
                group.files,
                lambda _file, _done: None,
                BY_PATH,
                "none",
            )
            oddity.report.add(await importer.run())
    except Exception as error:  # noqa: BLE001  (that none comes is what is tried)
        oddity.error = f"{type(error).__name__}: {error}"[:200]


def _list_texts(settings: Settings) -> Iterator[str]:
    """Yield whatever turns and memories say."""
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        turns = tx.conversations.turns(tx.documents.page("turn", 0, _MOST_TURNS))
        yield from map(full_text, turns.values())
        yield from (content for _, content, _ in tx.erasures.iterate_wordings())


def count_fates(oddities: list[Oddity]) -> Counter[str]:
    """Return how many oddities had which fate, and how many kept their neighbours."""
    fates = Counter(one.fate for one in oddities)
    fates["neighbours"] = sum(one.keeps_neighbours for one in oddities)
    return fates

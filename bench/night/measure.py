"""What is looked at in a home: how much it holds, what it still finds, what its core files say."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bench.night.facts import Value
from bench.night.world import World
from memoria import Memoria
from memoria.disk.home_files import DATABASE
from memoria.language.budget import estimate_tokens
from memoria.lifecycle.core.document import Line, parse
from memoria.lifecycle.core.lines import render_text
from memoria.model.core import CORE_FILES, CoreFile
from memoria.store.sqlite.driver import SqliteConnection, connect

AMONG = 10
_COUNTS = """
SELECT (SELECT count(*) FROM memories WHERE validity = 'active') AS active,
       (SELECT count(*) FROM memories WHERE validity = 'archived') AS archived,
       (SELECT count(*) FROM memories WHERE validity = 'superseded') AS superseded,
       (SELECT count(*) FROM memories WHERE validity = 'pending_confirmation') AS pending,
       (SELECT count(*) FROM memory_versions WHERE valid_to IS NOT NULL) AS former,
       (SELECT count(*) FROM memory_evidence) AS evidence,
       (SELECT count(*) FROM edges) AS edges
"""
_ACTIVE = """
SELECT m.id, v.content FROM memories m
JOIN memory_versions v ON v.memory_n = m.n AND v.valid_to IS NULL
WHERE m.validity = 'active'
"""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is."""

    active: int
    archived: int
    superseded: int
    """Merged into another, or put in the past."""
    pending: int
    former: int
    """Wordings that others have taken the place of."""
    evidence: int
    """Turns that memories rest on besides their first."""
    edges: int


@dataclass(frozen=True, slots=True)
class Found:
    """What the questions of the year find."""

    asked: int
    """Questions about what still holds."""
    found: int
    """Of them, those whose answer is among ten."""
    first: int
    """Of them, those whose answer comes first."""
    changed: int
    """Questions about what has changed."""
    outdated: tuple[str, ...]
    """What came first and is no longer so."""
    ended: int
    """Questions about what is over."""
    over: tuple[str, ...]
    """What is over and came first all the same."""
    lost: tuple[str, ...] = ()
    """Questions whose answer was not among ten."""


@dataclass(frozen=True, slots=True)
class Core:
    """What the core files say."""

    tokens: dict[str, int]
    lines: int
    wrong: tuple[str, ...]
    """What can't be read back, or is no longer so."""


def count_rows(home: Path) -> Counts:
    """How much a home holds."""
    with closing(_reader(home)) as connection:
        return Counts(**dict(connection.execute(_COUNTS).fetchone()))


async def ask_everything(m: Memoria, world: World, at: int) -> Found:
    """Ask everything that can be asked at a moment."""
    tally = _Tally()
    for life in world.lives:
        value, before = life.value(at), life.former_values(at)
        for question in life.fact.questions if value or before else ():
            hits = (await m.search_memory(question, limit=AMONG)).hits
            tally.add(question, [hit.text for hit in hits], value, before)
    return tally.sum_up()


@dataclass(slots=True)
class _Tally:
    """Answers as they are counted."""

    places: list[int] = field(default_factory=list)
    changed: int = 0
    ended: int = 0
    outdated: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def add(
        self, question: str, texts: Sequence[str], value: Value | None, before: Sequence[Value]
    ) -> None:
        """Count an answer: what holds and what held is told by its words."""
        stale = bool(texts) and _tells(texts[0], before) and not _tells(texts[0], (value,))
        wrong = self.outdated if value is not None else self.over
        wrong += [f"{question} {texts[0]}"] if stale else []
        if value is None:
            self.ended += 1
            return
        self.changed += bool(before)
        place = next((i for i, text in enumerate(texts) if _tells(text, (value,))), AMONG)
        self.places.append(place)
        self.lost += [f"{question} {value.gold}"] if place == AMONG else []

    def sum_up(self) -> Found:
        """All of them together."""
        return Found(
            asked=len(self.places),
            found=sum(place < AMONG for place in self.places),
            first=self.places.count(0),
            changed=self.changed,
            outdated=tuple(self.outdated),
            ended=self.ended,
            over=tuple(self.over),
            lost=tuple(self.lost),
        )


def _tells(text: str, values: Sequence[Value | None]) -> bool:
    folded = text.casefold()
    return any(value is not None and value.gold.casefold() in folded for value in values)


def core_of(home: Path, world: World, at: int, budget: int) -> Core:
    """Read the core files as a person and as the next night would."""
    with closing(_reader(home)) as connection:
        active = {row["id"].replace("-", ""): row["content"] for row in connection.execute(_ACTIVE)}
    stale = {
        content
        for life in world.lives
        for value in life.former_values(at)
        for content in value.contents
        if value is not life.value(at)
    }
    tokens, lines, wrong = dict[str, int](), 0, list[str]()
    for file in CORE_FILES:
        if not (home / file).exists():
            continue
        text = (home / file).read_text("utf-8")
        document = parse(text, file)
        ours = [line for line in document.lines if line.kind == "ours"]
        tokens[file], lines = estimate_tokens(text), lines + len(ours)
        wrong += [f"{file} has {tokens[file]} tokens"] if tokens[file] > budget else []
        wrong += [f"{file} is not the lines it has"] if document.text != text else []
        wrong += [
            f"{file}: {why}: {line.statement}" for line in ours for why in _wrong(line, active)
        ]
        wrong += [
            f"{file}: no longer so: {line.statement}" for line in ours if line.statement in stale
        ]
        wrong += _twice(file, ours)
    return Core(tokens, lines, tuple(wrong))


def _twice(file: CoreFile, lines: Sequence[Line]) -> list[str]:
    said = [line.statement for line in lines]
    return [f"{file}: said twice: {text}" for text in sorted(set(said)) if said.count(text) > 1]


def _wrong(line: Line, active: dict[str, str]) -> list[str]:
    """Why a line is not that of an active memory."""
    mark = (line.mark or "").partition(":")[2]
    contents = [content for i, content in active.items() if mark and i.endswith(mark)]
    if not contents:
        return ["not of an active memory"]
    wrong = [] if render_text(contents[0]) == line.statement else ["not what the memory says"]
    return wrong if line.group else [*wrong, "below no heading"]


def _reader(home: Path) -> SqliteConnection:
    return connect(home / DATABASE, 5000, read_only=True)

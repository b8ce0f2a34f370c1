"""Ten invented histories as a data set: what is found by a walk from a name, and where none helps.

Their memories are remembered as a model would have read them: each is linked with the people and
things of the history that its text names, and the names of one person are known for that.

Histories and questions (`walks.jsonl`) were written before any walk was run on them, by whoever did
not write the search. Kinds: `walk` names somebody whom the answer does not name; `direct` is
answered by a memory of whom it names; `hub` names what many memories name.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.command import Asker
from bench.data import Conversation, DataSet, Key, Question
from bench.floor import ask_floor
from bench.fts5 import ask_fts5
from bench.recall.conclusions import ConclusionNotes, first_level
from memoria import Turn
from memoria.language.words.characters import is_cjk
from memoria.memories.wordings import Interpretation
from memoria.model import InferredBy, Mention

HISTORIES = Path(__file__).parent / "walks.jsonl"
_KINDS = ("walk", "direct", "hub")
_LANGUAGES = ("en", "zh")
_CONFIDENCE = 0.8
"""How sure the model says it is."""
_Document = Mapping[str, Any]


def read_histories(path: Path = HISTORIES) -> list[_Document]:
    """The histories, in the order of their names."""
    return sorted(map(json.loads, path.read_text("utf-8").splitlines()), key=lambda one: one["id"])


def conversations(_folder: Path) -> tuple[Conversation, ...]:
    """A tenant for every history, with its memories on record."""
    return tuple(map(_to_conversation, read_histories()))


def _to_conversation(history: _Document) -> Conversation:
    name = history["id"]
    turns = (
        Turn(role="user", session_id=name, message_id=each["id"], content=each["text"].strip())
        for each in history["memories"]
    )
    questions = (
        Question(
            each["q"],
            (history["lang"], each["kind"]),
            frozenset((name, one) for one in each["wants"]),
        )
        for each in history["questions"]
    )
    return Conversation(name, tuple(turns), tuple(questions))


def _read_notes(history: _Document) -> Iterator[tuple[Key, ConclusionNotes]]:
    """Yield what a model reads in each memory of a history."""
    ends = {edge[end] for edge in history["edges"] for end in ("from", "to")} - {"user"}
    groups: list[Sequence[str]] = history["same"]
    names = ends.union(*groups)
    texts = [each["text"] for each in history["memories"]]
    told = [_find_place(texts, group) for group in groups]
    for place, each in enumerate(history["memories"]):
        named = [name for name in names if _is_named(name, each["text"], names)]
        said = [group for group, first in zip(groups, told, strict=True) if first == place]
        aliases = {one: group for group in said for one in group}
        mentions = dict[frozenset[str], Mention]()
        for name in sorted(named, key=each["text"].index):
            group = aliases.get(name, (name,))
            others = tuple(one for one in group if one != name)
            mentions.setdefault(frozenset(group), Mention(name=name, aliases=others))
        subject = next((e["from"] for e in history["edges"] if e["memory"] == each["id"]), None)
        interpretation = Interpretation(
            mentions=tuple(mentions.values()),
            subject=subject,
            confidence=_CONFIDENCE,
            inferred_by=InferredBy.MODEL,
        )
        yield (history["id"], each["id"]), ConclusionNotes(interpretation=interpretation)


def _find_place(texts: Sequence[str], group: Collection[str]) -> int:
    """Return the place of the first text with most of the names of a group."""
    counts = [sum(name in text for name in group) for text in texts]
    return counts.index(max(counts))


def _is_named(name: str, text: str, names: Collection[str]) -> bool:
    """Return whether a text names somebody, and no longer name hides the shorter one."""
    rest = text
    for longer in sorted(names, key=len, reverse=True):
        if len(longer) > len(name) and name in longer:
            rest = rest.replace(longer, " ")
    if is_cjk(name):
        return name in rest
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", rest) is not None


def systems() -> Mapping[str, Asker]:
    """What is asked."""
    notes = dict(note for history in read_histories() for note in _read_notes(history))
    return {
        "memoria": first_level(notes=notes),
        "graph by rules": first_level(),
        "without graph": first_level("graph", notes=notes),
        "fts5": ask_fts5,
        "bm25": ask_floor,
    }


SLICES = {
    **{kind: {(language, kind) for language in _LANGUAGES} for kind in _KINDS},
    **{language: {(language, kind) for kind in _KINDS} for language in _LANGUAGES},
    "overall": {(language, kind) for language in _LANGUAGES for kind in _KINDS},
}
WALKS = DataSet((), conversations, SLICES)

"""Finding and reading the shared public data sets."""

import json
import os
import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoria import Turn

Key = tuple[str, str]
"""What a turn is known by, outside any store: (session id, message id)."""

_LOCOMO = Path("locomo") / "locomo_dev.json"
BEAM_FILE = Path("beam") / "beam_dev.json"
"""Inside the data folder: long chats of a user and an assistant."""
_EVIDENCE = re.compile(r"D(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_BETWEEN_TURNS_S = 30
"""LoCoMo dates sessions, not turns; half a minute keeps a session's turns in order."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the turns that hold its answer."""

    text: str
    category: Hashable
    """In LoCoMo 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial."""
    gold: frozenset[Key]
    """Empty where nothing answers it: then silence is right."""
    counts_as: Mapping[Key, Key] = field(default_factory=dict)
    """The turn that another one is as good as: the first that says it, the first of its session."""
    older: frozenset[Key] = frozenset()
    newer: frozenset[Key] = frozenset()
    """Of an update or a contradiction the gold turns of its two sides."""
    answer: str = ""
    """In words, where the set has them."""

    def credited(self, found: Sequence[Key]) -> tuple[Key, ...]:
        """What has been found by these turns, best first and each thing once."""
        return tuple(dict.fromkeys(self.counts_as.get(key, key) for key in found))


@dataclass(frozen=True, slots=True)
class Observation:
    """What LoCoMo's own extraction concluded from a turn."""

    speaker: str
    text: str
    source: Key


@dataclass(frozen=True, slots=True)
class Conversation:
    """What one tenant is told, and what is asked of it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    """Of LoCoMo's only those that name evidence it holds: others can't be scored."""
    observations: tuple[Observation, ...] = ()
    """Only those that name one turn of the conversation, once each."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """Conversations with questions, and what the figures are given for."""

    files: tuple[Path, ...]
    """All it is read from, inside the data folder."""
    read: Callable[[Path], Sequence[Conversation]]
    slices: Mapping[str, Collection[Hashable]]
    """Names of groups of categories."""

    def missing(self, folder: Path | None) -> list[str]:
        """The files that are not in the folder; all without one."""
        return [str(file) for file in self.files if not (folder and (folder / file).is_file())]


def data_folder() -> Path | None:
    """`MEMORIA_DATA`, else `../shared/data` beside the project; None where there is neither."""
    root = Path(__file__).resolve().parent.parent
    named = os.environ.get("MEMORIA_DATA")
    folder = Path(named) if named else root.parent / "shared" / "data"
    return folder if folder.is_dir() else None


def has_locomo(folder: Path) -> bool:
    """Whether the LoCoMo file is in the folder."""
    return (folder / _LOCOMO).is_file()


def locomo(folder: Path) -> tuple[Conversation, ...]:
    """The shared LoCoMo conversations, with the evidence cleaned.

    `"D8:6; D9:17"` stands for two turns, numbers may be zero-padded, and ids that are not in the
    conversation are dropped.
    """
    raw = json.loads((folder / _LOCOMO).read_text("utf-8"))
    return tuple(_conversation(sample) for sample in raw)


def beam_turns(folder: Path, chat: str) -> tuple[Turn, ...]:
    """The turns of one of BEAM's chats, such as `beam1`."""
    raw = json.loads((folder / BEAM_FILE).read_text("utf-8"))
    return tuple(
        Turn.model_validate(turn) for each in raw if each["chat"] == chat for turn in each["turns"]
    )


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    turns = tuple(_turns(sample["conversation"]))
    known = frozenset((str(turn.session_id), str(turn.message_id)) for turn in turns)
    asked = (
        Question(
            text=str(item["question"]),
            category=int(item["category"]),
            gold=known & _evidence(item["evidence"]),
            answer=str(item.get("answer", "")),
        )
        for item in sample["qa"]
    )
    scored = tuple(question for question in asked if question.gold)
    found = dict.fromkeys(_observations(sample["observation"]))
    observed = tuple(observation for observation in found if observation.source in known)
    return Conversation(str(sample["sample_id"]), turns, scored, observed)


def _observations(sessions: Mapping[str, Mapping[str, Any]]) -> Iterator[Observation]:
    for speakers in sessions.values():
        for speaker, observed in speakers.items():
            for text, named in observed:
                sources = _evidence([str(named)])
                if len(sources) == 1:
                    yield Observation(speaker, text, *sources)


def _evidence(entries: list[str]) -> frozenset[Key]:
    found = (pair for entry in entries for pair in _EVIDENCE.findall(entry))
    return frozenset((f"session_{int(s)}", f"D{int(s)}:{int(t)}") for s, t in found)


def _turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    numbers = sorted(int(m[1]) for key in conversation if (m := _SESSION.fullmatch(key)))
    for number in numbers:
        start = _date(conversation[f"session_{number}_date_time"])
        for i, raw in enumerate(conversation[f"session_{number}"]):
            yield Turn(
                session_id=f"session_{number}",
                message_id=raw["dia_id"],
                role="user" if raw["speaker"] == conversation["speaker_a"] else "assistant",
                speaker=raw["speaker"],
                content=_content(raw),
                at=start + timedelta(seconds=_BETWEEN_TURNS_S * i),
            )


def _date(text: str) -> datetime:
    """Such as `1:56 pm on 8 May, 2023`; LoCoMo names no zone."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _content(raw: Mapping[str, Any]) -> str:
    caption = raw.get("blip_caption")
    return str(raw["text"]) + (f"\n[shares an image: {caption}]" if caption else "")


LOCOMO = DataSet(
    files=(_LOCOMO,),
    read=locomo,
    slices={
        "multi-hop": {1},
        "temporal": {2},
        "open-domain": {3},
        "single-hop": {4},
        "adversarial": {5},
        "categories 1-4": {1, 2, 3, 4},
        "overall": {1, 2, 3, 4, 5},
    },
)
"""Adversarial questions ask about the wrong person, so most publications leave them out."""
